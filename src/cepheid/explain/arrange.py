"""Which column and row a state gets, and which way its edges take.

Columns follow the pattern from left to right; alternatives lie in rows below each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from cepheid.explain.document import Edge, Side


class Cell(NamedTuple):
    """A place in the grid."""

    column: int
    row: int


class Way(Enum):
    """How an edge is drawn."""

    STRAIGHT = auto()  # along its row
    BEND = auto()  # along a row, changing the row in one gap between columns
    ABOVE = auto()  # an arc over its row: back, or forwards past states if there are rows below
    BELOW = auto()  # an arc under its row: forwards, past other states
    BETWEEN = auto()  # through the space between two rows


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The grid: a cell for every state and a way for every edge."""

    cells: Mapping[int, Cell]
    ways: Mapping[tuple[int, int], Way]

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return max(each.column for each in self.cells.values()) + 1

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return max(each.row for each in self.cells.values()) + 1

    def is_free(self, row: int, after: int, before: int) -> bool:
        """Whether no state lies in a row strictly between two columns."""
        return not any(
            each.row == row and after < each.column < before for each in self.cells.values()
        )

    def way(self, edge: Edge) -> Way:
        """Return the way of an edge."""
        return self.ways[edge.source, edge.target]


def arrange(side: Side) -> Arrangement:
    """Place the states of a side and choose the ways of its edges."""
    columns = _columns(side)
    cells: dict[int, Cell] = {}
    for state in side.states:
        before = [edge.source for edge in side.edges if edge.source < edge.target == state.index]
        wanted = cells[before[0]].row if before else 0
        cells[state.index] = _first_free(columns[state.index], wanted, cells.values())
    grid = Arrangement(cells, {})
    ways = {(each.source, each.target): _way(each, grid) for each in side.edges}
    return Arrangement(cells, ways)


def _columns(side: Side) -> dict[int, int]:
    """Return the longest way to each state; states are numbered in the order of the pattern."""
    columns: dict[int, int] = {}
    for state in side.states:
        columns[state.index] = max(
            (
                columns[edge.source] + 1
                for edge in side.edges
                if edge.source < edge.target == state.index
            ),
            default=0,
        )
    return columns


def _first_free(column: int, row: int, taken: Iterable[Cell]) -> Cell:
    known = set(taken)
    while Cell(column, row) in known:
        row += 1
    return Cell(column, row)


def _way(edge: Edge, grid: Arrangement) -> Way:
    source, target = grid.cells[edge.source], grid.cells[edge.target]
    if source.row == target.row:
        if source.column >= target.column:
            return Way.ABOVE
        if grid.is_free(source.row, source.column, target.column):
            return Way.STRAIGHT
        return Way.ABOVE if source.row == 0 and grid.rows > 1 else Way.BELOW
    bends = source.column < target.column and any(
        grid.is_free(row, source.column, target.column) for row in (source.row, target.row)
    )
    return Way.BEND if bends else Way.BETWEEN
