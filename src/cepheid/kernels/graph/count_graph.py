"""How many matches a graph holds, without writing them.

Every node has the number of runs that end in it, and every cell that of the rest of its list. At
an end whose runs all started late enough for the window that number is the answer; at others the
numbers are computed once more over what the end can reach, without what started too early.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    CELL_COUNT,
    END_COUNT,
    END_NODE,
    EVENT,
    HEADS,
    HEADS_END,
    LATEST,
    NEVER,
    NEXT,
    NODE,
    NODE_COUNT,
    NONE,
    START,
    Graph,
    start_limit,
)
from cepheid.kernels.jit import inner_in_place, kernel

TOO_MANY = -1


class _Sums(NamedTuple):
    """Of nodes and of cells: for which end the numbers are, the number of runs, the first start."""

    node: Int64s
    cell: Int64s


FOR_END, RUNS, EARLIEST = 0, 1, 2
FOR_ALL = -(2**62)  # marks are numbers of ends, and their complements


@inner_in_place
def _add(one: int, other: int) -> int:
    """Add two counts; TOO_MANY if the sum does not fit."""
    if TOO_MANY in (one, other) or one > ALWAYS - other:
        return TOO_MANY
    return one + other


@inner_in_place
def _sum_list(
    graph: Graph, first: int, limit: int, mark: int, sums: _Sums, waiting: Int64s
) -> None:
    """Fill in the sums of a list, from its end; cells that have theirs are not visited again."""
    size, cell = 0, first
    while cell != NONE and sums.cell[cell, FOR_END] != mark and graph.cells[cell, LATEST] > limit:
        waiting[size] = cell
        size += 1
        cell = graph.cells[cell, NEXT]
    for at in range(size - 1, -1, -1):
        cell = waiting[at]
        node, rest = graph.cells[cell, NODE], graph.cells[cell, NEXT]
        runs, earliest = sums.node[node, RUNS], sums.node[node, EARLIEST]
        if rest != NONE and graph.cells[rest, LATEST] > limit:
            runs = _add(runs, sums.cell[rest, RUNS])
            earliest = min(earliest, sums.cell[rest, EARLIEST])
        sums.cell[cell, FOR_END], sums.cell[cell, RUNS] = mark, runs
        sums.cell[cell, EARLIEST] = earliest


@inner_in_place
def _sum_node(graph: Graph, node: int, limit: int, mark: int, sums: _Sums, waiting: Int64s) -> None:
    """Fill in the sums of a node whose predecessors have theirs."""
    start = graph.nodes[node, START]
    runs, earliest = (1, start) if start > limit else (0, ALWAYS)
    for at in range(graph.nodes[node, HEADS], graph.nodes[node, HEADS_END]):
        head = graph.heads[at]
        if head != NONE and graph.cells[head, LATEST] > limit:
            _sum_list(graph, head, limit, mark, sums, waiting)
            runs = _add(runs, sums.cell[head, RUNS])
            earliest = min(earliest, sums.cell[head, EARLIEST])
    sums.node[node, FOR_END], sums.node[node, RUNS], sums.node[node, EARLIEST] = (
        mark, runs, earliest,
    )  # fmt: skip


@inner_in_place
def _mark_reachable(graph: Graph, end: int, limit: int, mark: int, sums: _Sums) -> int:
    """Mark what an end can reach by fresh cells; return the oldest such node."""
    sums.node[end, FOR_END] = mark
    oldest = end
    node = end
    while node >= oldest:
        if sums.node[node, FOR_END] == mark:
            for at in range(graph.nodes[node, HEADS], graph.nodes[node, HEADS_END]):
                cell = graph.heads[at]
                while (
                    cell != NONE
                    and sums.cell[cell, FOR_END] != ~mark
                    and graph.cells[cell, LATEST] > limit
                ):
                    sums.cell[cell, FOR_END] = ~mark
                    sums.node[graph.cells[cell, NODE], FOR_END] = mark
                    oldest = min(oldest, graph.cells[cell, NODE])
                    cell = graph.cells[cell, NEXT]
        node -= 1
    return oldest


@kernel
def count_graph(graph: Graph, clock: Int64s, window_length: int) -> int:
    """Return the number of matches, or TOO_MANY if it does not fit 64 bits.

    O(graph) if no run at an end started before the window; else, for each end where one did, the
    part of the graph within the window.
    """
    nodes, cells = graph.cursor[NODE_COUNT], graph.cursor[CELL_COUNT]
    sums = _Sums(np.full((nodes, 3), FOR_ALL - 1), np.full((cells, 3), FOR_ALL - 1))
    waiting = np.empty(cells + 1, np.int64)
    for node in range(nodes):
        _sum_node(graph, node, NEVER, FOR_ALL, sums, waiting)
    whole, total = sums.node[:, 1:].copy(), 0
    for index in range(graph.cursor[END_COUNT]):
        end = graph.ends[index, END_NODE]
        limit = start_limit(clock[graph.nodes[end, EVENT]], window_length)
        runs = whole[end, 0]
        if whole[end, 1] <= limit:
            oldest = _mark_reachable(graph, end, limit, index, sums)
            for node in range(oldest, end + 1):
                if sums.node[node, FOR_END] == index:
                    _sum_node(graph, node, limit, index, sums, waiting)
            runs = sums.node[end, RUNS]
        total = _add(total, runs)
        if total == TOO_MANY:
            return TOO_MANY
    return total
