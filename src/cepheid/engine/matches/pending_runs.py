"""The events of runs that wait, where a newer run replaces an older one (decision 14).

Such a query can forget all other events. Let no event fit two positions. Then a run has one way to
go on, so that runs are told apart by their starts. An event that fits a first position starts a run
there that is newer than all others, so the first event of a run that waits, and no other of its
events, fits one. If only the events of the runs that wait are folded again, the same runs start;
each takes the first event that fits, which is its own next one, as before; and two of them meet at
a position only if they met there before, in which case one would not wait any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.fold import Folding
from cepheid.engine.matches.match_chunks import empty_chunk, fold_whole, joined, walk_in_chunks
from cepheid.engine.matches.match_task import SearchMode, match_task
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    END_WIDTH,
    LATEST_START,
    NEVER,
    NODE_COUNT,
    POSITION,
    REMOVED,
)
from cepheid.program.program import Program

Int64s = NDArray[np.int64]


def pending_rows(
    program: Program, columns: Mapping[str, Any], length: int, horizon: int, folding: Folding
) -> Int64s | None:
    """Return the rows of events that runs consist of which wait; None if others matter, too."""
    task = match_task(program, columns, length, SearchMode(folding))
    ordered, window = task.ordered, program.window_length or 0
    fires = ordered.arrays.fires
    if np.any(fires & (fires - np.uint64(1))):
        return None
    graph = fold_whole(task)
    nodes = graph.nodes[: graph.cursor[NODE_COUNT]]
    goes_on = np.array([each != 0 for each in program.automaton.follow], np.bool_)
    # The horizon is the first tick at which events may come.
    is_fresh = nodes[:, LATEST_START] > (horizon - window if window else NEVER)
    waits = np.flatnonzero(is_fresh & (nodes[:, REMOVED] == ALWAYS) & goes_on[nodes[:, POSITION]])
    ends = np.empty((waits.size, END_WIDTH), np.int64)
    ends[:, 0], ends[:, 1], ends[:, 2] = waits, NEVER, ALWAYS
    clock = ordered.arrays.clock
    runs = joined(walk_in_chunks(graph, ends, clock, window, empty_chunk(1024)))
    return np.unique(ordered.row[runs.event])
