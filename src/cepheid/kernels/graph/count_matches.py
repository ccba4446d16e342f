"""How many matches end at some ends of a graph, in floating point, before any is written.

Every node has the number of runs that end in it, and every cell that of the rest of its list, of
runs that started late enough. Ends that look equally far back share one pass over the graph: exact
numbers need a pass for every reach. For a bound, ends less than a window apart share the reach of
the first of them. Then a node is looked at about twice, and what a later end counts too much
started less than a window too early.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    CELL_COUNT,
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
    START_AFTER,
    START_AT_MOST,
    Graph,
    start_limit,
)
from cepheid.kernels.jit import inner_in_place, kernel


class _Sums(NamedTuple):
    """The numbers of nodes and cells, and the pass that they are of."""

    node: Float64s
    node_pass: Int64s
    cell: Float64s
    cell_pass: Int64s
    waiting: Int64s


@inner_in_place
def _sum_list(graph: Graph, first: int, limit: int, number: int, sums: _Sums) -> int:
    """Fill in the sums of a list, from its end; return how many cells had none yet."""
    size, cell = 0, first
    while cell != NONE and sums.cell_pass[cell] != number and graph.cells[cell, LATEST] > limit:
        sums.waiting[size] = cell
        size += 1
        cell = graph.cells[cell, NEXT]
    for at in range(size - 1, -1, -1):
        cell = sums.waiting[at]
        node, rest = graph.cells[cell, NODE], graph.cells[cell, NEXT]
        runs = sums.node[node] if sums.node_pass[node] == number else 0.0
        if rest != NONE and graph.cells[rest, LATEST] > limit:
            runs += sums.cell[rest]
        sums.cell[cell], sums.cell_pass[cell] = runs, number
    return size


@inner_in_place
def _sum_node(graph: Graph, node: int, limit: int, at_most: int, number: int, sums: _Sums) -> int:
    """Fill in the sum of a node whose predecessors have theirs; return what that took."""
    work = 1
    runs = 1.0 if limit < graph.nodes[node, START] <= at_most else 0.0
    for at in range(graph.nodes[node, HEADS], graph.nodes[node, HEADS_END]):
        head = graph.heads[at]
        if head != NONE and graph.cells[head, LATEST] > limit:
            work += 1 + _sum_list(graph, head, limit, number, sums)
            runs += sums.cell[head]
    sums.node[node], sums.node_pass[node] = runs, number
    return work


@inner_in_place
def _first_in_reach(graph: Graph, clock: Int64s, end: int, limit: int) -> int:
    """Return the oldest node of the same partition from which a run can come to an end."""
    node, at = end, clock[graph.nodes[end, EVENT]]
    while node > 0:
        before = clock[graph.nodes[node - 1, EVENT]]
        if before > at or before <= limit:
            break
        node, at = node - 1, before
    return node


@kernel
def count_matches(
    graph: Graph,
    ends: Int64s,
    clock: Int64s,
    window_length: int,
    is_exact: bool,
    most_work: int,
    counts: Float64s,
) -> int:
    """Write how many matches end at every end, or no fewer; return for how many ends.

    `ends` are in the order of their nodes. O(graph) if not `is_exact`; else, for every reach of
    ends, the part of the graph within it. It stops when it has looked at `most_work` nodes and
    cells.
    """
    nodes, cells = graph.cursor[NODE_COUNT], graph.cursor[CELL_COUNT]
    sums = _Sums(
        np.empty(nodes),
        np.zeros(nodes, np.int64),
        np.empty(cells),
        np.zeros(cells, np.int64),
        np.empty(cells + 1, np.int64),
    )
    number, next_node, work = 0, 0, 0
    limit, at_most, since = NEVER, ALWAYS, NEVER
    for index in range(ends.shape[0]):
        end = ends[index, END_NODE]
        time = clock[graph.nodes[end, EVENT]]
        own_limit, own_most = start_limit(time, window_length), ALWAYS
        if is_exact:
            own_limit = max(own_limit, ends[index, START_AFTER])
            own_most = ends[index, START_AT_MOST]
            is_same = own_limit == limit and own_most == at_most
        else:
            is_same = window_length == 0 or since <= time < since + window_length
        if number == 0 or not is_same:
            limit, at_most, since = own_limit, own_most, time
            number += 1
            next_node = _first_in_reach(graph, clock, end, limit)
        while next_node <= end:
            work += _sum_node(graph, next_node, limit, at_most, number, sums)
            next_node += 1
        counts[index] = sums.node[end]
        if work > most_work:
            return index + 1
    return len(ends)
