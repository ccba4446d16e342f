"""The columns of the grid from left to right.

The gap between two columns holds, in this order, blocked exits of the left column, the labels of
edges, and entries of the right column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cepheid.explain.arrange import Arrangement, Way
from cepheid.explain.dimensions import GAP, LABEL_MARGIN, STUB
from cepheid.explain.document import Edge, Side
from cepheid.explain.drawing import Point
from cepheid.explain.measure_text import block_width, edge_lines, negation_lines


@dataclass(frozen=True, slots=True)
class Columns:
    """The middle of each column, both ends of the room for labels right of it, and the width."""

    centers: tuple[float, ...]
    label_rooms: tuple[tuple[float, float], ...]
    width: float


def place_columns(side: Side, grid: Arrangement, sizes: Mapping[int, Point]) -> Columns:
    """Return the columns for boxes of the given sizes."""
    x = _overhang(side, grid, sizes)
    centers, label_rooms = [], []
    for column in range(grid.columns):
        x += _entry_room(side, grid, column)
        slot = max(_box_width(grid, sizes, column), _loop_label_width(side, grid, column) - GAP)
        centers.append(x + slot / 2)
        left = x + slot + _exit_room(side, grid, column)
        x = left if column == grid.columns - 1 else left + _label_room(side, grid, column)
        label_rooms.append((left, x))
    last = centers[-1] + _loop_label_width(side, grid, grid.columns - 1) / 2
    return Columns(tuple(centers), tuple(label_rooms), max(x, last))


def label_gap(edge: Edge, grid: Arrangement) -> int:
    """Return the gap, by the column to its left, in which an edge has its label."""
    source, target = grid.cells[edge.source], grid.cells[edge.target]
    if grid.way(edge) is Way.BEND and grid.is_free(source.row, source.column, target.column):
        return target.column - 1  # it runs along its own row first
    return source.column


def _box_width(grid: Arrangement, sizes: Mapping[int, Point], column: int) -> float:
    return max(size.x for state, size in sizes.items() if grid.cells[state].column == column)


def _overhang(side: Side, grid: Arrangement, sizes: Mapping[int, Point]) -> float:
    """Return how far the label of a loop reaches beyond the first column and its entries."""
    label = _loop_label_width(side, grid, 0)
    slot = max(_box_width(grid, sizes, 0), label - GAP)
    return max(0.0, (label - slot) / 2 - _entry_room(side, grid, 0))


def _entry_room(side: Side, grid: Arrangement, column: int) -> float:
    rooms = [
        _stub_width(each.entry_negation)
        for each in side.states
        if each.is_entry and grid.cells[each.index].column == column
    ]
    return max(rooms, default=0.0)


def _exit_room(side: Side, grid: Arrangement, column: int) -> float:
    rooms = [
        _stub_width(each.exit_negation)
        for each in side.states
        if each.exit_negation is not None and grid.cells[each.index].column == column
    ]
    return max(rooms, default=0.0)


def _stub_width(negation: str | None) -> float:
    return max(STUB, block_width(negation_lines(negation)) + 2 * LABEL_MARGIN)


def _label_room(side: Side, grid: Arrangement, column: int) -> float:
    widths = [
        block_width(edge_lines(each)) + 2 * LABEL_MARGIN
        for each in side.edges
        if grid.way(each) in (Way.STRAIGHT, Way.BEND) and label_gap(each, grid) == column
    ]
    return max([GAP, *widths])


def _loop_label_width(side: Side, grid: Arrangement, column: int) -> float:
    widths = [
        block_width(edge_lines(each))
        for each in side.edges
        if each.source == each.target and grid.cells[each.source].column == column
    ]
    return max(widths, default=0.0)
