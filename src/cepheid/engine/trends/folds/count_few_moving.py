"""WITHIN alone for few events: the window is counted anew at every moment.

The queue of fold_moving_window.py never counts a step twice, but it is the largest kernel of all.
"""

from __future__ import annotations

import numpy as np

from cepheid.engine.fold import Facts, TooLarge
from cepheid.engine.trends.folds.count_last_events import few_counts
from cepheid.engine.trends.folds.last_event_indexes import EdgeIndexes
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.value_rows import make_rows
from cepheid.kernels.last_event.adjacent_rules import Indexes
from cepheid.kernels.last_event.count_plain import EXACT
from cepheid.kernels.values.value_arrays import ValueRows
from cepheid.program.adjacent_program import StructureCode


def windows_counted_anew(task: TrendTask, facts: Facts) -> ValueRows | TooLarge:
    """Return a row for every moment."""
    program, windows, moments = task.group.program, task.segments, task.events.moments
    assert moments is not None
    edges = len(program.automaton.edges)
    structures, nothing = [StructureCode.TOTAL] * edges, EdgeIndexes((), _no_indexes(edges), 0)
    arrays, segments = task.ordered.arrays, windows.segments
    counts = few_counts(program, structures, nothing, arrays, segments, EXACT)
    if isinstance(counts, TooLarge):
        return counts
    rows = make_rows(moments.group.size, task.measures)
    rows.owner[:], rows.window[:] = moments.group, np.arange(moments.group.size)
    rows.mantissa[:] = 0.0
    np.add.at(rows.mantissa[:, 0], windows.window, counts[windows.segment])
    if rows.mantissa.max(initial=0.0) >= EXACT:
        return TooLarge()
    rows.tier[:] = 0
    rows.low[:] = rows.mantissa.astype(np.int64)
    return rows


def _no_indexes(edges: int) -> Indexes:
    none = np.empty((0, 0), np.int64)
    return Indexes(np.zeros(edges + 1, np.int64), none, none, none, none, none)
