"""The states of a side at their places: the grid of `arrange` in pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cepheid.explain.arrange import Arrangement, Way, arrange
from cepheid.explain.dimensions import (
    BOX_MINIMUM_HEIGHT,
    BOX_MINIMUM_WIDTH,
    BOX_PADDING,
    RING,
    RULE,
    STUB_INSET,
)
from cepheid.explain.document import Edge, Side, State
from cepheid.explain.drawing import Box, Point, Rectangle
from cepheid.explain.measure_text import block_height, block_width, state_lines
from cepheid.explain.place_columns import Columns, place_columns
from cepheid.explain.place_rows import Reach, Rows, is_entered, is_left, place_rows
from cepheid.explain.ports import Ports, place_ports


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes in their places, and what lines need to find their way between them."""

    side: Side
    grid: Arrangement
    ports: Ports
    columns: Columns
    rows: Rows
    boxes: Mapping[int, Box]

    def area(self, state: int) -> Rectangle:
        """Return the place of a state."""
        return self.boxes[state].area

    def entry(self, state: State) -> Point:
        """Return where an entry reaches a box: the middle of the left side unless edges do."""
        area = self.area(state.index)
        is_high = is_entered(state.index, self.side, self.grid)
        return Point(area.x, area.y + STUB_INSET if is_high else area.center.y)

    def exit(self, state: State) -> Point:
        """Return where an exit leaves a box: the middle of the right side unless edges do."""
        area = self.area(state.index)
        is_low = is_left(state.index, self.side, self.grid)
        return Point(area.right, area.bottom - STUB_INSET if is_low else area.center.y)


def lay_out(side: Side) -> Layout:
    """Give every state of a side its place, and every arc its height."""
    grid = arrange(side)
    ports = place_ports(side, grid)
    sizes = {each.index: _box_size(each, ports) for each in side.states}
    columns = place_columns(side, grid, sizes)
    reaches = {
        (edge.source, edge.target): _reach(edge, grid, ports, columns)
        for edge in side.edges
        if grid.way(edge) in (Way.ABOVE, Way.BELOW, Way.BETWEEN)
    }
    rows = place_rows(side, grid, sizes, reaches)
    boxes = {}
    for state in side.states:
        cell, size = grid.cells[state.index], sizes[state.index]
        x, y = columns.centers[cell.column] - size.x / 2, rows.middles[cell.row] - size.y / 2
        boxes[state.index] = Box(state, Rectangle(x, y, size.x, size.y), state_lines(state))
    return Layout(side, grid, ports, columns, rows, boxes)


def _box_size(state: State, ports: Ports) -> Point:
    lines = state_lines(state)
    ring = 2 * RING if state.is_exit else 0.0
    rule = RULE if state.predicates else 0.0
    width = max(block_width(lines) + 2 * BOX_PADDING, ports.width_by_state[state.index])
    height = block_height(lines) + 2 * BOX_PADDING + rule
    return Point(max(width, BOX_MINIMUM_WIDTH) + ring, max(height, BOX_MINIMUM_HEIGHT) + ring)


def _reach(edge: Edge, grid: Arrangement, ports: Ports, columns: Columns) -> Reach:
    source = columns.centers[grid.cells[edge.source].column] + ports.source(edge)
    target = columns.centers[grid.cells[edge.target].column] + ports.target(edge)
    return min(source, target), max(source, target)
