"""OUTPUT PARTIAL: what had been matched when the window closed (semantics, section 7)."""

from __future__ import annotations

import numpy as np

from cepheid.engine.matches.match_chunks import Walkable, fold_whole
from cepheid.engine.matches.match_task import MatchTask
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    EVENT,
    NEVER,
    NODE_COUNT,
    POSITION,
    REMOVED,
    ROOT,
)
from cepheid.program.program import Ranking


def partial_matches(task: MatchTask) -> Walkable:
    """Return the runs that were alive when their window closed and not at a last position.

    A run that the strategy ended at some clock had its window closed before if it started a
    window's length earlier; other runs wait until the window closes or the events end.
    """
    program, ordered = task.program, task.ordered
    graph = fold_whole(task)
    nodes = graph.nodes[: graph.cursor[NODE_COUNT]]
    is_last = (np.uint64(program.automaton.last) >> nodes[:, POSITION].astype(np.uint64)) & 1
    waiting = np.flatnonzero(is_last == 0)
    if program.ranking is Ranking.NONE:
        removed = nodes[nodes[waiting, ROOT], REMOVED]
    else:
        assert ordered.next_clock is not None
        removed = ordered.next_clock[nodes[waiting, EVENT]]
    window = program.window_length or 0
    is_final = (removed == ALWAYS) | (removed == NEVER)
    at_most = np.where(is_final, removed, np.where(is_final, 0, removed) - window)
    after = np.full(waiting.size, NEVER)
    ends = np.ascontiguousarray(np.stack([waiting, after, at_most], axis=1))
    return Walkable(graph, ends)
