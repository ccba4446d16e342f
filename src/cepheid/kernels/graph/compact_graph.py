"""Drop what no later event, and no match that is still to be written, can reach."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.graph.match_nodes import (
    CELL_COUNT,
    END_COUNT,
    END_NODE,
    HEAD_COUNT,
    HEADS,
    HEADS_END,
    LATEST,
    NEXT,
    NODE,
    NODE_COUNT,
    NONE,
    ROOT,
    Graph,
)
from cepheid.kernels.jit import inner_in_place, kernel

STAYS = 0


@inner_in_place
def _mark_list(graph: Graph, first: int, limit: int, new_node: Int64s, new_cell: Int64s) -> None:
    """Mark the cells of a list and their nodes, as far as they are fresh and not marked yet."""
    cell = first
    while cell != NONE and new_cell[cell] == NONE and graph.cells[cell, LATEST] > limit:
        new_cell[cell] = STAYS
        new_node[graph.cells[cell, NODE]] = STAYS
        cell = graph.cells[cell, NEXT]


@inner_in_place
def _renumber(references: Int64s, new: Int64s) -> None:
    for at in range(references.size):
        if references[at] != NONE:
            references[at] = new[references[at]]


@kernel
def compact_graph(
    graph: Graph, floats: Float64s, root_cells: Int64s, root_nodes: Int64s, limit: int
) -> None:
    """Keep what the roots and the ends reach by cells that are later than `limit`; O(graph).

    A node refers to older ones only, so one pass backwards finds what stays, and one forwards moves
    it. `floats` has a row per node; the roots get their new numbers.
    """
    nodes, cells, heads, cursor = graph.nodes, graph.cells, graph.heads, graph.cursor
    ends = graph.ends[: cursor[END_COUNT], END_NODE]
    new_node = np.full(cursor[NODE_COUNT], NONE, np.int64)
    new_cell = np.full(cursor[CELL_COUNT], NONE, np.int64)
    for cell in root_cells:
        _mark_list(graph, cell, limit, new_node, new_cell)
    for node in root_nodes:
        new_node[node] = STAYS
    for node in ends:
        new_node[node] = STAYS
    for node in range(new_node.size - 1, -1, -1):
        if new_node[node] != NONE:
            for at in range(nodes[node, HEADS], nodes[node, HEADS_END]):
                _mark_list(graph, heads[at], limit, new_node, new_cell)
    node_count, head_count, cell_count = 0, 0, 0
    for cell in range(new_cell.size):
        if new_cell[cell] != NONE:
            new_cell[cell] = cell_count
            cell_count += 1
    for node in range(new_node.size):
        if new_node[node] == NONE:
            continue
        new_node[node] = node_count
        first = head_count
        for at in range(nodes[node, HEADS], nodes[node, HEADS_END]):
            heads[head_count] = NONE if heads[at] == NONE else new_cell[heads[at]]
            head_count += 1
        for column in range(nodes.shape[1]):
            nodes[node_count, column] = nodes[node, column]
        for column in range(floats.shape[1]):
            floats[node_count, column] = floats[node, column]
        row = nodes[node_count]
        row[HEADS], row[HEADS_END], row[ROOT] = first, head_count, node_count
        node_count += 1
    for cell in range(new_cell.size):
        if new_cell[cell] != NONE:
            row, rest, latest = cells[new_cell[cell]], cells[cell, NEXT], cells[cell, LATEST]
            row[NODE] = new_node[cells[cell, NODE]]
            row[NEXT] = NONE if rest == NONE else new_cell[rest]
            row[LATEST] = latest
    _renumber(root_cells, new_cell)
    _renumber(root_nodes, new_node)
    _renumber(ends, new_node)
    cursor[NODE_COUNT], cursor[HEAD_COUNT], cursor[CELL_COUNT] = node_count, head_count, cell_count
