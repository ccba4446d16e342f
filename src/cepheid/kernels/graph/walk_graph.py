"""Walk a graph backwards from its ends and write the matches, as many as fit at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Bytes, Int64s
from cepheid.kernels.graph.match_nodes import (
    END_NODE,
    EVENT,
    HEADS,
    HEADS_END,
    LATEST,
    LATEST_START,
    NEXT,
    NODE,
    NONE,
    POSITION,
    START,
    START_AFTER,
    START_AT_MOST,
    Graph,
    MatchArrays,
    start_limit,
)
from cepheid.kernels.jit import inlined, kernel_in_place

# Entries of `Walk.place`.
NEXT_END, DEPTH, MATCHES, WRITTEN = 0, 1, 2, 3
PLACE_SIZE = 4
# Columns of `Walk.path`: a node, its head being followed, and the next cell of that list.
PATH_NODE, PATH_HEAD, PATH_CELL = 0, 1, 2
PATH_WIDTH = 3


class Walk(NamedTuple):
    """Where a walk is: a depth-first search whose stack has room for the longest match.

    `event` and `position` hold what is written of the path, from their ends: so they are in the
    order of the match.
    """

    path: Int64s
    event: Int64s
    position: Bytes
    place: Int64s


@inlined
def _bounds(
    graph: Graph, ends: Int64s, end: int, clock: Int64s, window_length: int
) -> tuple[int, int]:
    """Return the clock after which matches with this end start, and the last one at which."""
    limit = start_limit(clock[graph.nodes[ends[end, END_NODE], EVENT]], window_length)
    return max(limit, ends[end, START_AFTER]), ends[end, START_AT_MOST]


@kernel_in_place
def walk_graph(
    graph: Graph, ends: Int64s, clock: Int64s, window_length: int, walk: Walk, out: MatchArrays
) -> bool:
    """Write the next matches; whether that were all. `walk.place` says how many there are.

    O(events of the matches), plus stale cells. `out` has room for the longest match at least. A
    match may end at a row of `ends` if it started late enough for the window, and not too late.
    """
    nodes, heads, cells, path = graph.nodes, graph.heads, graph.cells, walk.path
    depth, next_end, end_count = walk.place[DEPTH], walk.place[NEXT_END], ends.shape[0]
    most_matches, most_events, top = out.offsets.size - 1, out.event.size, walk.event.size - 1
    matches, written, is_done = 0, 0, False
    out.offsets[0] = 0
    limit, at_most = 0, 0
    if depth >= 0:
        limit, at_most = _bounds(graph, ends, next_end - 1, clock, window_length)
    while True:
        if depth < 0:
            if next_end == end_count:
                is_done = True
                break
            if matches == most_matches or written + 1 > most_events:
                break
            node = ends[next_end, END_NODE]
            limit, at_most = _bounds(graph, ends, next_end, clock, window_length)
            next_end += 1
        else:
            if matches == most_matches or written + depth + 2 > most_events:
                break
            cell = path[depth, PATH_CELL]
            while cell == NONE or cells[cell, LATEST] <= limit:
                path[depth, PATH_HEAD] += 1
                if path[depth, PATH_HEAD] >= nodes[path[depth, PATH_NODE], HEADS_END]:
                    cell = np.int64(NONE)
                    break
                cell = heads[path[depth, PATH_HEAD]]
            if cell == NONE:
                depth -= 1
                continue
            node = cells[cell, NODE]
            path[depth, PATH_CELL] = cells[cell, NEXT]
            if nodes[node, LATEST_START] <= limit:
                continue
        start = nodes[node, START]
        if limit < start <= at_most:
            out.event[written] = nodes[node, EVENT]
            out.position[written] = nodes[node, POSITION]
            written += 1
            begin = top - depth
            for at in range(depth + 1):
                out.event[written + at] = walk.event[begin + at]
            for at in range(depth + 1):
                out.position[written + at] = walk.position[begin + at]
            written += depth + 1
            matches += 1
            out.offsets[matches] = written
        for head in range(nodes[node, HEADS], nodes[node, HEADS_END]):
            cell = heads[head]
            if cell != NONE and cells[cell, LATEST] > limit:
                depth += 1
                path[depth, PATH_NODE] = node
                path[depth, PATH_HEAD] = head
                path[depth, PATH_CELL] = cell
                walk.event[top - depth] = nodes[node, EVENT]
                walk.position[top - depth] = nodes[node, POSITION]
                break
    walk.place[NEXT_END], walk.place[DEPTH] = next_end, depth
    walk.place[MATCHES], walk.place[WRITTEN] = matches, written
    return is_done
