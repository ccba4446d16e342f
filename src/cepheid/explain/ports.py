"""Where arcs leave and reach a box, such that the arcs of one box do not cross.

On each of the two sides: arcs to the left, nearest first; the loop in the middle; arcs to the
right, nearest last. An arc that reaches farther runs farther out, so a nearer one stays inside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cepheid.explain.arrange import Arrangement, Way
from cepheid.explain.document import Edge, Side
from cepheid.explain.measure_text import block_width, edge_lines

SPACING = 18.0
LOOP_RADIUS = 16.0
CORNER = 14.0  # no arc ends on the round corner of a box


@dataclass(frozen=True, slots=True)
class Ports:
    """Offsets from the middle of a box by edge and end, and the width that a box needs for them."""

    offset_by_end: Mapping[tuple[int, int, bool], float]
    width_by_state: Mapping[int, float]

    def source(self, edge: Edge) -> float:
        """Return where an edge starts."""
        return self.offset_by_end[edge.source, edge.target, True]

    def target(self, edge: Edge) -> float:
        """Return where an edge ends."""
        return self.offset_by_end[edge.source, edge.target, False]


def place_ports(side: Side, grid: Arrangement) -> Ports:
    """Return the ports of all boxes."""
    offsets: dict[tuple[int, int, bool], float] = {}
    widths: dict[int, float] = {}
    for state in side.states:
        loops = [each for each in side.edges if each.source == each.target == state.index]
        inner = _loop_reach(loops[0]) if loops else None
        top = _spread(_ends(state.index, side, grid, on_top=True), inner)
        bottom = _spread(_ends(state.index, side, grid, on_top=False), None)
        reach = [abs(each) for each in (top | bottom).values()]
        offsets |= top | bottom
        if loops:
            offsets[state.index, state.index, True] = -LOOP_RADIUS
            offsets[state.index, state.index, False] = LOOP_RADIUS
            reach.append(LOOP_RADIUS)
        widths[state.index] = 2 * (max(reach) + CORNER) if reach else 0.0
    return Ports(offsets, widths)


def _loop_reach(loop: Edge) -> float:
    """Other arcs pass beside the label of a loop, not through it."""
    return max(LOOP_RADIUS, block_width(edge_lines(loop)) / 2)


def _ends(
    state: int, side: Side, grid: Arrangement, *, on_top: bool
) -> list[tuple[int, tuple[int, int, bool]]]:
    """Return the arcs that touch one side of a box, each with how many columns it goes."""
    found = []
    for edge, starts_here in _arcs_at(state, side, grid):
        other = grid.cells[edge.target if starts_here else edge.source]
        own = grid.cells[state]
        is_above = other.row < own.row if grid.way(edge) is Way.BETWEEN else (
            grid.way(edge) is Way.ABOVE)  # fmt: skip
        if is_above is on_top:
            end = (edge.source, edge.target, starts_here)
            found.append((other.column - own.column, end))
    return found


def _arcs_at(state: int, side: Side, grid: Arrangement) -> Iterator[tuple[Edge, bool]]:
    for edge in side.edges:
        if edge.source == edge.target or grid.way(edge) in (Way.STRAIGHT, Way.BEND):
            continue
        if state in (edge.source, edge.target):
            yield edge, edge.source == state


def _spread(
    ends: list[tuple[int, tuple[int, int, bool]]], inner: float | None
) -> dict[tuple[int, int, bool], float]:
    left = sorted((each for each in ends if each[0] < 0), key=lambda each: -each[0])
    right = sorted((each for each in ends if each[0] >= 0), key=lambda each: -each[0])
    if inner is None:
        ordered = [*left, *right]
        middle = (len(ordered) - 1) / 2
        return {end: (n - middle) * SPACING for n, (_, end) in enumerate(ordered)}
    first = inner + SPACING
    return {end: -first - n * SPACING for n, (_, end) in enumerate(reversed(left))} | {
        end: first + n * SPACING for n, (_, end) in enumerate(right)
    }
