"""The rows of the grid from top to bottom, and the arcs over and under them.

A row has room above and below for arcs in the row, and below for arcs to another row. The farther
an arc reaches, the farther out its lane runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cepheid.explain.arrange import Arrangement, Way
from cepheid.explain.dimensions import (
    BAR_TO_LABEL,
    LABEL_MARGIN,
    LANE,
    LINE_TO_LABEL,
    ROW_GAP,
    STUB_INSET,
)
from cepheid.explain.document import Edge, Side
from cepheid.explain.drawing import Point
from cepheid.explain.measure_text import (
    block_height,
    block_width,
    edge_lines,
    negation_lines,
    predicate_lines,
)
from cepheid.explain.place_columns import label_gap

EdgeKey: TypeAlias = tuple[int, int]
Reach: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rows:
    """The middle of each row, the y of each lane, and the height of all."""

    middles: tuple[float, ...]
    lane_y: Mapping[EdgeKey, float]
    height: float


@dataclass(frozen=True, slots=True)
class Lane:
    """What an arc covers from left to right with its label; level 0 is next to the row."""

    left: float
    right: float
    level: int
    label_height: float


@dataclass(frozen=True, slots=True)
class _Band:
    """The lanes on one side of a row: how far out each runs, and how far all of them reach."""

    distance: Mapping[EdgeKey, float]
    depth: float


def place_rows(
    side: Side, grid: Arrangement, sizes: Mapping[int, Point], reaches: Mapping[EdgeKey, Reach]
) -> Rows:
    """Return the rows; `reaches` are the left and right ends of the arcs."""
    y = 0.0
    middles: list[float] = []
    lane_y: dict[EdgeKey, float] = {}
    for row in range(grid.rows):
        above = _band(_arcs(side, grid, row, above=True), reaches)
        below = _band(_arcs(side, grid, row, above=False), reaches)
        upper, lower = _half_heights(row, side, grid, sizes)
        top = y + above.depth
        bottom = top + upper + lower
        lane_y |= {edge: top - distance for edge, distance in above.distance.items()}
        lane_y |= {edge: bottom + distance for edge, distance in below.distance.items()}
        middles.append(top + upper)
        y = bottom + below.depth
        if row < grid.rows - 1:
            y += max(ROW_GAP, _bend_labels_height(row, side, grid))
    return Rows(tuple(middles), lane_y, y)


def negation_height(negation: str | None) -> float:
    """Return how far the label of a negation reaches from its line, over the bar."""
    return 0.0 if negation is None else block_height(negation_lines(negation)) + BAR_TO_LABEL


def label_distance(edge: Edge) -> float:
    """Return how far a label keeps from its line."""
    return LINE_TO_LABEL if edge.negation is None else BAR_TO_LABEL


def has_label_over(edge: Edge, grid: Arrangement) -> bool:
    """Whether the predicates of a straight edge stand over it: bends need the space below."""
    return grid.rows > 1 and grid.cells[edge.source].row == 0


def is_entered(state: int, side: Side, grid: Arrangement) -> bool:
    """Whether edges reach the middle of a state's left side."""
    ways = [grid.way(edge) for edge in side.edges if edge.target == state]
    return Way.STRAIGHT in ways or Way.BEND in ways


def is_left(state: int, side: Side, grid: Arrangement) -> bool:
    """Whether edges leave from the middle of a state's right side."""
    ways = [grid.way(edge) for edge in side.edges if edge.source == state]
    return Way.STRAIGHT in ways or Way.BEND in ways


def _arcs(side: Side, grid: Arrangement, row: int, *, above: bool) -> list[Edge]:
    found = []
    for edge in side.edges:
        way = grid.way(edge)
        if way is Way.BETWEEN:
            fits = not above and _row_over_lane(edge, grid) == row
        else:
            fits = way is (Way.ABOVE if above else Way.BELOW) and grid.cells[edge.source].row == row
        if fits:
            found.append(edge)
    return found


def _row_over_lane(edge: Edge, grid: Arrangement) -> int:
    """Return the row under which an edge between rows runs, such that its legs meet no state."""
    ends = (grid.cells[edge.source], grid.cells[edge.target])
    upper, lower = sorted(ends, key=lambda cell: cell.row)
    taken = set(grid.cells.values())
    is_open = not any((upper.column, row) in taken for row in range(upper.row + 1, lower.row))
    return lower.row - 1 if is_open else upper.row


def _band(edges: Iterable[Edge], reaches: Mapping[EdgeKey, Reach]) -> _Band:
    lanes = _stack(edges, reaches)
    inner_by_level = [0.0]
    for level in range(max((each.level for each in lanes.values()), default=-1) + 1):
        label = max(each.label_height for each in lanes.values() if each.level == level)
        inner_by_level.append(inner_by_level[level] + LANE + label)
    distance = {edge: inner_by_level[lane.level] + LANE for edge, lane in lanes.items()}
    return _Band(distance, inner_by_level[-1])


def _stack(edges: Iterable[Edge], reaches: Mapping[EdgeKey, Reach]) -> dict[EdgeKey, Lane]:
    """Give arcs that share some x different levels, short ones inside."""
    lanes: dict[EdgeKey, Lane] = {}
    arcs = [(edge, *reaches[edge.source, edge.target]) for edge in edges]
    for edge, start, end in sorted(arcs, key=lambda arc: arc[2] - arc[1]):
        lines = edge_lines(edge)
        half = max((end - start) / 2, block_width(lines) / 2) + LABEL_MARGIN / 2
        left, right = (start + end) / 2 - half, (start + end) / 2 + half
        crossed = [each.level for each in lanes.values() if each.left < right and left < each.right]
        height = block_height(lines) + label_distance(edge) if lines else 0.0
        lanes[edge.source, edge.target] = Lane(left, right, max(crossed, default=-1) + 1, height)
    return lanes


def _bend_labels_height(row: int, side: Side, grid: Arrangement) -> float:
    """Return the room that labels need, one below the other, where edges cross to the next row."""
    height_by_gap = dict.fromkeys(range(grid.columns), 0.0)
    for edge in side.edges:
        ends = sorted((grid.cells[edge.source].row, grid.cells[edge.target].row))
        if grid.way(edge) is Way.BEND and ends[0] <= row < ends[1] and edge_lines(edge):
            label = block_height(edge_lines(edge)) + label_distance(edge)
            height_by_gap[label_gap(edge, grid)] += label
    return max(height_by_gap.values())


def _half_heights(
    row: int, side: Side, grid: Arrangement, sizes: Mapping[int, Point]
) -> tuple[float, float]:
    """Return how far boxes and labels reach over and under the middle of a row."""
    upper, lower = [0.0], [0.0]
    for state in side.states:
        if grid.cells[state.index].row != row:
            continue
        half = sizes[state.index].y / 2
        inset = half - STUB_INSET
        upper.append(half)
        lower.append(half)
        entry, leaving = negation_height(state.entry_negation), negation_height(state.exit_negation)
        upper.append(entry + (inset if is_entered(state.index, side, grid) else 0.0))
        if is_left(state.index, side, grid):
            lower.append(leaving + inset)
        else:
            upper.append(leaving)
    for edge in side.edges:
        if grid.way(edge) is Way.STRAIGHT and grid.cells[edge.source].row == row:
            if has_label_over(edge, grid):
                upper.append(block_height(edge_lines(edge)) + label_distance(edge))
            else:
                upper.append(negation_height(edge.negation))
                lower.append(block_height(predicate_lines(edge)) + LINE_TO_LABEL)
    return max(upper), max(lower)
