"""A lane program as kernel arrays, see kernels/shared/fold_lanes.py."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.shared.flat_lists import flat_lists
from cepheid.kernels.shared.fold_lanes import LaneTables
from cepheid.kernels.shared.lane_minima import LeastTables
from cepheid.program.sharing.lane_program import LaneProgram

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Block:
    """An open window of a window group, with the queries of the group."""

    number: int
    queries: tuple[int, ...]


class _Layout:
    """Where the numbers of every block and query are in the vector of a position or an edge."""

    def __init__(self, blocks: Sequence[_Block], queries: Iterable[int], numbers: int) -> None:
        chosen = set(queries)
        self.first: dict[tuple[int, int], int] = {}
        self.cuts, at = [0], 0
        for block in blocks:
            for query in block.queries:
                if query in chosen:
                    self.first[block.number, query] = at
                    at += numbers
            self.cuts.append(at)
        self.width = at

    def elements_in(self, other: _Layout, numbers: int) -> list[int]:
        """Return where each element is in a vector that has all of them."""
        return [other.first[each] + number for each in self.first for number in range(numbers)]


@dataclass(frozen=True, slots=True)
class _Layouts:
    """The vectors of positions, edges and results, of numbers or of minima: `width` per lane."""

    positions: list[_Layout]
    edges: list[_Layout]
    results: _Layout
    width: int

    def cuts(self) -> Int64s:
        """Return by edge and block where the block begins."""
        found = np.array([each.cuts for each in self.edges], np.int64)
        return found.reshape(len(self.edges), -1)


def lane_tables(program: LaneProgram, structures: Sequence[int]) -> LaneTables:
    """Return the arrays; `structures` are those of edges as the data allows them."""
    return _Tables(program, structures).tables()


class _Tables:
    def __init__(self, program: LaneProgram, structures: Sequence[int]) -> None:
        self.program = program
        self.structures = structures
        self.numbers, self.minima = program.number_count, program.minimum_count
        self.blocks: list[_Block] = []
        self.first_block = [0]
        for group, window in enumerate(program.windows):
            queries = tuple(n for n, each in enumerate(program.queries) if each.group == group)
            overlap = 1 if window is None else -(-window[0] // window[1])
            for _ in range(overlap):
                self.blocks.append(_Block(len(self.blocks), queries))
            self.first_block.append(len(self.blocks))
        self.of_numbers, self.of_minima = self._layouts(self.numbers), self._layouts(self.minima)

    def _layouts(self, width: int) -> _Layouts:
        queries = self.program.queries
        owners = [
            [number for number, each in enumerate(queries) if place in each.positions]
            for place in range(len(self.program.united.tests))
        ]
        edges = [each.queries for each in self.program.edges]
        return _Layouts(
            [_Layout(self.blocks, each, width) for each in owners],
            [_Layout(self.blocks, each, width) for each in edges],
            _Layout(self.blocks, range(len(queries)), width),
            width,
        )

    def tables(self) -> LaneTables:
        edges, places = self.program.edges, range(len(self.of_numbers.positions))
        windows = [each or (0, 0) for each in self.program.windows]
        numbers = self.of_numbers
        return LaneTables(
            _array([each.width for each in numbers.positions]),
            _array([each.source for each in edges]),
            _array(self.structures),
            *self._elements(numbers),
            *flat_lists(
                [[n for n, e in enumerate(edges) if e.target == place] for place in places]
            ),
            *flat_lists(
                [[n for n, e in enumerate(edges) if e.source == place] for place in places]
            ),
            *flat_lists([self._firsts(each) for each in places]),
            *flat_lists([self._lasts(numbers, each) for each in places]),
            *flat_lists([self._adds(each) for each in places]),
            numbers.cuts(),
            _array([length for length, _ in windows]),
            _array([slide for _, slide in windows]),
            _array(self.first_block),
            _array(numbers.results.cuts),
            *flat_lists([each.queries for each in self.blocks]),
            self._minima(),
        )

    def _minima(self) -> LeastTables:
        minima, places = self.of_minima, range(len(self.of_minima.positions))
        return LeastTables(
            _array([each.width for each in minima.positions]),
            *self._elements(minima),
            *flat_lists([self._lasts(minima, each) for each in places]),
            *flat_lists([self._least_adds(each) for each in places]),
            minima.cuts(),
            _array(minima.results.cuts),
        )

    def _elements(self, layouts: _Layouts) -> tuple[Int64s, Int64s, Int64s, Int64s]:
        """Return where the vectors of edges begin, and whence and where to their elements go."""
        offsets = [0, *accumulate(each.width for each in layouts.edges)]
        from_source, to_target = (
            [
                element
                for each, own in zip(self.program.edges, layouts.edges, strict=True)
                for element in own.elements_in(
                    layouts.positions[each.source if is_source else each.target], layouts.width
                )
            ]
            for is_source in (True, False)
        )
        return _array(offsets[:-1]), _array(offsets), _array(from_source), _array(to_target)

    def _firsts(self, place: int) -> list[int]:
        return [
            number
            for (block, query), element in self.of_numbers.positions[place].first.items()
            if self.program.queries[query].first >> place & 1
            for number in (element, block)
        ]

    def _lasts(self, layouts: _Layouts, place: int) -> list[int]:
        return [
            element + number
            for key, first in layouts.positions[place].first.items()
            if self.program.queries[key[1]].last >> place & 1
            for number in range(layouts.width)
            for element in (first, layouts.results.first[key])
        ]

    def _adds(self, place: int) -> list[int]:
        return [
            each
            for (_, query), count in self.of_numbers.positions[place].first.items()
            for number, (row, mask) in enumerate(self.program.queries[query].numbers, start=1)
            if mask >> place & 1
            for each in (count + number, count, row)
        ]

    def _least_adds(self, place: int) -> list[int]:
        counts = self.of_numbers.positions[place].first
        return [
            each
            for key, first in self.of_minima.positions[place].first.items()
            for number, (row, mask) in enumerate(self.program.queries[key[1]].minima)
            if mask >> place & 1
            for each in (first + number, counts[key], row)
        ]


def _array(values: Sequence[int]) -> Int64s:
    return np.array(values, np.int64)
