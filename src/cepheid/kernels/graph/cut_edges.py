"""A graph without the edges that negated parts block."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph.choose_paths import OpenGaps
from cepheid.kernels.graph.match_nodes import (
    CELL_COUNT,
    EVENT,
    HEADS,
    HEADS_END,
    LATEST,
    LATEST_START,
    NEXT,
    NODE,
    NODE_COUNT,
    NONE,
    POSITION,
    START,
    Graph,
    start_limit,
)
from cepheid.kernels.jit import kernel


@kernel
def cut_edges(
    graph: Graph, rank: Int64s, clock: Int64s, gaps: OpenGaps, window_length: int, most_cells: int
) -> tuple[Graph, bool]:
    """Return the graph with a list of open edges for every node; False if there are too many.

    O(edges). The nodes keep their numbers, and lists their order. A node that no open path leads to
    has no latest start.
    """
    count = graph.cursor[NODE_COUNT]
    nodes, heads = graph.nodes[:count].copy(), np.full(count, NONE, np.int64)
    cells, size = np.empty((count + 1, 3), np.int64), 0
    for node in range(count):
        event, position = nodes[node, EVENT], nodes[node, POSITION]
        limit, latest = start_limit(clock[event], window_length), nodes[node, START]
        first = size
        nodes[node, HEADS], nodes[node, HEADS_END] = node, node + 1
        for head in range(graph.nodes[node, HEADS], graph.nodes[node, HEADS_END]):
            cell = graph.heads[head]
            while cell != NONE and graph.cells[cell, LATEST] > limit:
                before, cell = graph.cells[cell, NODE], graph.cells[cell, NEXT]
                row = gaps.edge_row[nodes[before, POSITION], position]
                is_blocked = row != NONE and rank[nodes[before, EVENT]] < gaps.opens[row, event]
                start = nodes[before, LATEST_START]
                if is_blocked or start <= limit:
                    continue
                if size == cells.shape[0]:
                    if size > most_cells:
                        return graph, False
                    larger = np.empty((2 * size, 3), np.int64)
                    larger[:size] = cells
                    cells = larger
                cells[size, NODE], cells[size, NEXT], cells[size, LATEST] = before, size + 1, start
                size += 1
        if size > first:
            heads[node], cells[size - 1, NEXT] = first, NONE
        for at in range(size - 2, first - 1, -1):
            cells[at, LATEST] = max(cells[at, LATEST], cells[at + 1, LATEST])
        if size > first:
            latest = max(latest, cells[first, LATEST])
        nodes[node, LATEST_START] = latest
    cursor = graph.cursor.copy()
    cursor[CELL_COUNT] = size
    return Graph(nodes, heads, cells, graph.ends, cursor), True
