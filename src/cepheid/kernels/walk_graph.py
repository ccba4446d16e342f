"""Walk a graph backwards from its ends and write the matches, as many as fit at a time."""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph import (
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
    START_AT_MOST,
    Graph,
    MatchArrays,
    start_limit,
)
from cepheid.kernels.jit import inlined, kernel_in_place

# Entries of `Walk.place`.
NEXT_END, DEPTH, IS_NEW, MATCHES, WRITTEN = 0, 1, 2, 3, 4
PLACE_SIZE = 5
# Columns of `Walk.path`: a node, its head being followed, the next cell of that list, and what the
# walk writes of the node.
PATH_NODE, PATH_HEAD, PATH_CELL, PATH_EVENT, PATH_POSITION = 0, 1, 2, 3, 4
PATH_WIDTH = 5


class Walk(NamedTuple):
    """Where a walk is: a depth-first search whose stack has room for the longest match."""

    path: Int64s
    place: Int64s


@inlined
def _enter(graph: Graph, walk: Walk, depth: int, node: int) -> None:
    row, level = graph.nodes[node], walk.path[depth]
    level[PATH_NODE], level[PATH_HEAD], level[PATH_CELL] = node, row[HEADS] - 1, NONE
    level[PATH_EVENT], level[PATH_POSITION] = row[EVENT], row[POSITION]


@inlined
def _write(walk: Walk, depth: int, out: MatchArrays, written: int) -> int:
    """Write the events from a depth up to the end of the match."""
    for level in range(depth, -1, -1):
        out.event[written] = walk.path[level, PATH_EVENT]
        out.position[written] = walk.path[level, PATH_POSITION]
        written += 1
    return written


@kernel_in_place
def walk_graph(
    graph: Graph, ends: Int64s, clock: Int64s, window_length: int, walk: Walk, out: MatchArrays
) -> bool:
    """Write the next matches; whether that were all. `walk.place` says how many there are.

    O(events of the matches), plus stale cells. `out` has room for the longest match at least. A
    match may end at a row of `ends` if it started late enough for the window, and not too late.
    """
    nodes, cells, heads = graph.nodes, graph.cells, graph.heads
    path, place = walk.path, walk.place
    matches, written = 0, 0
    out.offsets[0] = 0
    depth, is_new = place[DEPTH], place[IS_NEW] != 0
    limit, at_most = 0, 0
    if depth >= 0:
        end = ends[place[NEXT_END] - 1]
        limit = start_limit(clock[nodes[end[END_NODE], EVENT]], window_length)
        at_most = end[START_AT_MOST]
    is_done = False
    while True:
        if depth < 0:
            if place[NEXT_END] == ends.shape[0]:
                is_done = True
                break
            end = ends[place[NEXT_END]]
            place[NEXT_END] += 1
            node = end[END_NODE]
            limit = start_limit(clock[nodes[node, EVENT]], window_length)
            at_most = end[START_AT_MOST]
            depth, is_new = 0, True
            _enter(graph, walk, 0, node)
        if is_new:
            start = nodes[path[depth, PATH_NODE], START]
            if limit < start <= at_most:
                if matches + 1 == out.offsets.size or written + depth + 1 > out.event.size:
                    break
                written = _write(walk, depth, out, written)
                matches += 1
                out.offsets[matches] = written
            is_new = False
        level = path[depth]
        cell, last_head = level[PATH_CELL], nodes[level[PATH_NODE], HEADS_END] - 1
        while cell == NONE or cells[cell, LATEST] <= limit:
            if level[PATH_HEAD] >= last_head:
                cell = NONE
                break
            level[PATH_HEAD] += 1
            cell = heads[level[PATH_HEAD]]
        if cell == NONE:
            level[PATH_CELL] = NONE
            depth -= 1
            continue
        below = cells[cell, NODE]
        level[PATH_CELL] = cells[cell, NEXT]
        if nodes[below, LATEST_START] > limit:
            depth += 1
            is_new = True
            _enter(graph, walk, depth, below)
    place[DEPTH], place[IS_NEW], place[MATCHES], place[WRITTEN] = depth, is_new, matches, written
    return is_done
