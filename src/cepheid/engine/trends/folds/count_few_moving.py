"""WITHIN alone for few events: the window is counted anew at every moment.

The queue of recent.py never counts a step twice, but it is the largest kernel of all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.few_events import is_few
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.trends.folds.count_last_events import few_counts
from cepheid.engine.trends.value_rows import make_rows
from cepheid.engine.trends.windows.result_times import Moments
from cepheid.engine.trends.windows.stretches import recent_segments
from cepheid.kernels.last_event.adjacent_rules import Indexes
from cepheid.kernels.last_event.count_any import EXACT
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.adjacent_program import StructureCode
from cepheid.program.program import Program, StrategyCode

Int64s = NDArray[np.int64]
MOST_PAIRS = 2**16  # of partitions and moments: each is looked up
MOST_STEPS = 2**20  # of all windows together


def few_recent_rows(
    program: Program,
    ordered: OrderedEvents,
    group: Int64s,
    moments: Moments,
    measures: Measures,
) -> ValueRows | None:
    """Return a row for every moment, if nothing but a few trends is counted; else None."""
    if program.strategy is not StrategyCode.SKIP_TILL_ANY or program.negation is not None:
        return None
    if measures.moduli.size > 1 or measures.least_positions.size:
        return None
    if not is_few(ordered.row.size) or not is_few(moments.group.size):
        return None
    partitions = ordered.arrays.partition_offsets.size - 1
    if partitions * moments.group.size > MOST_PAIRS:  # the queue took a sixtieth of the time
        return None
    windows = recent_segments(program, ordered, group, moments)
    segments = windows.segments
    if int((segments.end - segments.begin).sum()) > MOST_STEPS:
        return None
    edges = len(program.automaton.edges)
    structures, nothing = [StructureCode.TOTAL] * edges, _no_indexes(edges)
    counts = few_counts(program, structures, (nothing, 0), ordered.arrays, segments, EXACT)
    if counts is None:
        return None
    rows = make_rows(moments.group.size, measures)
    rows.owner[:], rows.window[:] = moments.group, np.arange(moments.group.size)
    rows.mantissa[:] = 0.0
    np.add.at(rows.mantissa[:, 0], windows.window, counts[windows.segment])
    if rows.mantissa.max(initial=0.0) >= EXACT:
        return None
    rows.tier[:] = 0
    rows.low[:] = rows.mantissa.astype(np.int64)
    return rows


def _no_indexes(edges: int) -> Indexes:
    none = np.empty((0, 0), np.int64)
    return Indexes(np.zeros(edges + 1, np.int64), none, none, none, none, none)
