"""The number of matches of a graph when it does not fit 64 bits."""

from __future__ import annotations

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph.match_nodes import (
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
)


def count_exactly(graph: Graph, clock: Int64s, window: int) -> int:
    """Count with Python's integers; in the worst case nodes times ends."""
    nodes = graph.nodes[: graph.cursor[NODE_COUNT]].tolist()
    heads, cells = graph.heads.tolist(), graph.cells.tolist()
    total = 0
    by_limit: dict[int, list[int]] = {}
    for end in graph.ends[: graph.cursor[END_COUNT], END_NODE].tolist():
        limit = int(clock[nodes[end][EVENT]]) - window if window else NEVER
        if limit not in by_limit:
            by_limit = {limit: _runs(nodes, heads, cells, limit)}
        total += by_limit[limit][end]
    return total


def _runs(
    nodes: list[list[int]], heads: list[int], cells: list[list[int]], limit: int
) -> list[int]:
    """Return the number of runs at every node that started after a limit."""
    by_node: list[int] = []
    by_cell: dict[int, int] = {}
    for node in nodes:
        runs = int(node[START] > limit)
        for head in heads[node[HEADS] : node[HEADS_END]]:
            waiting, cell = [], head
            while cell != NONE and cell not in by_cell and cells[cell][LATEST] > limit:
                waiting.append(cell)
                cell = cells[cell][NEXT]
            for each in reversed(waiting):
                rest = by_cell.get(cells[each][NEXT], 0)
                by_cell[each] = by_node[cells[each][NODE]] + rest
            runs += by_cell.get(head, 0)
        by_node.append(runs)
    return by_node
