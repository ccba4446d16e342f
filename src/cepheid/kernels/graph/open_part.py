"""The part of a graph that open paths to some ends consist of, with its edges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph.choose_paths import (
    MARK,
    SEQUENCE,
    OpenGaps,
    Work,
    can_start,
    end_bounds,
    find_paths,
    is_open,
)
from cepheid.kernels.graph.event_order import EventOrder
from cepheid.kernels.graph.match_nodes import HEADS, HEADS_END, NEXT, NODE, NONE, Graph
from cepheid.kernels.jit import inner_in_place, kernel


class OpenPart(NamedTuple):
    """The part of a graph that open paths to some ends consist of.

    `nodes` are in the order of their keys, `is_start` says with which of them a path may begin, and
    edge i goes from `source[i]` to `target[i]`.
    """

    nodes: Int64s
    is_start: Int64s
    source: Int64s
    target: Int64s


@inner_in_place
def _list_edges(
    graph: Graph,
    nodes: Int64s,
    order: EventOrder,
    gaps: OpenGaps,
    mark: int,
    work: Work,
    source: Int64s,
    target: Int64s,
) -> int:
    """Write the edges between nodes that have a path, as many as there is room for; count all."""
    count = 0
    for node in nodes:
        for head in range(graph.nodes[node, HEADS], graph.nodes[node, HEADS_END]):
            cell = graph.heads[head]
            while cell != NONE:
                before = graph.cells[cell, NODE]
                if (
                    work.nodes[before, MARK] == mark
                    and work.nodes[before, SEQUENCE] != NONE
                    and is_open(graph, order, gaps, before, node)
                ):
                    if count < source.size:
                        source[count], target[count] = before, node
                    count += 1
                cell = graph.cells[cell, NEXT]
    return count


@kernel
def open_part(
    graph: Graph,
    ends: Int64s,
    order: EventOrder,
    gaps: OpenGaps,
    window_length: int,
    mark: int,
    work: Work,
) -> OpenPart:
    """Return what open paths to ends with the same bounds consist of; O(edges).

    `mark` is a number that no other call with this `work` has.
    """
    bounds = end_bounds(graph, ends[0], order, gaps, window_length)
    _, size = find_paths(graph, ends, order, gaps, bounds, mark, 1, work)
    nodes = work.marked[:size]
    nodes = nodes[work.nodes[nodes, SEQUENCE] != NONE]
    is_start = np.zeros(nodes.size, np.int64)
    for at in range(nodes.size):
        is_start[at] = can_start(graph, nodes[at], gaps, bounds)
    none = np.empty(0, np.int64)
    count = _list_edges(graph, nodes, order, gaps, mark, work, none, none)
    source, target = np.empty(count, np.int64), np.empty(count, np.int64)
    _list_edges(graph, nodes, order, gaps, mark, work, source, target)
    return OpenPart(nodes, is_start, source, target)
