"""A lane program as kernel arrays, see kernels/fold_lanes.py."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.fold_lanes import LaneTables
from cepheid.program.sharing.lane_program import LaneProgram
from cepheid.runtime.sharing.flat_lists import flat_lists

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


def lane_tables(program: LaneProgram, structures: Sequence[int]) -> LaneTables:
    """Return the arrays; `structures` are those of edges as the data allows them."""
    return _Tables(program, structures).tables()


class _Tables:
    def __init__(self, program: LaneProgram, structures: Sequence[int]) -> None:
        self.program = program
        self.structures = structures
        self.numbers = program.number_count
        self.blocks: list[_Block] = []
        self.first_block = [0]
        for group, window in enumerate(program.windows):
            queries = tuple(n for n, each in enumerate(program.queries) if each.group == group)
            overlap = 1 if window is None else -(-window[0] // window[1])
            for _ in range(overlap):
                self.blocks.append(_Block(len(self.blocks), queries))
            self.first_block.append(len(self.blocks))
        self.positions = [
            self._layout(n for n, each in enumerate(program.queries) if place in each.positions)
            for place in range(len(program.united.tests))
        ]
        self.edges = [self._layout(each.queries) for each in program.edges]
        self.results = self._layout(range(len(program.queries)))

    def _layout(self, queries: Iterable[int]) -> _Layout:
        return _Layout(self.blocks, queries, self.numbers)

    def tables(self) -> LaneTables:
        edges, places = self.program.edges, range(len(self.positions))
        windows = [each or (0, 0) for each in self.program.windows]
        widths = [each.width for each in self.edges]
        from_source, to_target = (
            [
                element
                for each, own in zip(edges, self.edges, strict=True)
                for element in own.elements_in(
                    self.positions[each.source if is_source else each.target], self.numbers
                )
            ]
            for is_source in (True, False)
        )
        return LaneTables(
            _array([each.width for each in self.positions]),
            _array([each.source for each in edges]),
            _array(self.structures),
            _array([0, *accumulate(widths)][:-1]),
            _array([0, *accumulate(widths)]),
            _array(from_source),
            _array(to_target),
            *flat_lists(
                [[n for n, e in enumerate(edges) if e.target == place] for place in places]
            ),
            *flat_lists(
                [[n for n, e in enumerate(edges) if e.source == place] for place in places]
            ),
            *flat_lists([self._firsts(each) for each in places]),
            *flat_lists([self._lasts(each) for each in places]),
            *flat_lists([self._adds(each) for each in places]),
            np.array([each.cuts for each in self.edges], np.int64).reshape(len(edges), -1),
            _array([length for length, _ in windows]),
            _array([slide for _, slide in windows]),
            _array(self.first_block),
            _array(self.results.cuts),
            *flat_lists([each.queries for each in self.blocks]),
        )

    def _firsts(self, place: int) -> list[int]:
        return [
            number
            for (block, query), element in self.positions[place].first.items()
            if self.program.queries[query].first >> place & 1
            for number in (element, block)
        ]

    def _lasts(self, place: int) -> list[int]:
        return [
            element + number
            for key, first in self.positions[place].first.items()
            if self.program.queries[key[1]].last >> place & 1
            for number in range(self.numbers)
            for element in (first, self.results.first[key])
        ]

    def _adds(self, place: int) -> list[int]:
        return [
            each
            for (_, query), count in self.positions[place].first.items()
            for number, (row, mask) in enumerate(self.program.queries[query].numbers, start=1)
            if mask >> place & 1
            for each in (count + number, count, row)
        ]


def _array(values: Sequence[int]) -> Int64s:
    return np.array(values, np.int64)
