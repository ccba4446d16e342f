"""The windows of every query of a set, put together from panes that were folded for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.shared.flat_lists import flat_lists
from cepheid.engine.trends.folds.panes import PaneCombiner
from cepheid.engine.trends.folds.slot_task import slot_machine
from cepheid.engine.trends.value_rows import joined_rows
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.position.pane_matrices import PaneMatrices
from cepheid.kernels.values.value_arrays import NOTHING, Measures, ValueRows, Values
from cepheid.program.sharing.merged_program import MergedProgram, MergedQuery
from cepheid.program.sharing.pane_program import PaneProgram

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class SetWindows:
    """A set, the same in panes, and its events."""

    program: MergedProgram
    panes: PaneProgram
    events: EventArrays

    @cached_property
    def sizes(self) -> Int64s:
        """How many slots every query has."""
        return np.array([len(each.slots) for each in self.program.queries])

    @cached_property
    def places(self) -> tuple[Int64s, Int64s, Int64s]:
        """By query of the panes the entries that are its values: where they begin, and which.

        An entry is a query of the set, and a place in its matrix.
        """
        by_number: list[list[tuple[int, int]]] = [[] for _ in self.panes.program.queries]
        for query, entries in enumerate(self.panes.entries):
            for each in entries:
                place = each.source * int(self.sizes[query]) + each.target
                by_number[each.number].append((query, place))
        offsets, queries = flat_lists([query for query, _ in some] for some in by_number)
        return offsets, queries, flat_lists([place for _, place in some] for some in by_number)[1]

    @cached_property
    def steps(self) -> tuple[Int64s, Int64s]:
        """By pane its partition, and its number: those that have events."""
        events = self.events
        pane = events.clock[events.step_offsets[:-1]] // self.panes.pane
        counts = np.diff(events.partition_offsets)
        owner = np.repeat(np.arange(counts.size), counts)
        is_new = np.ones(pane.size, bool)
        is_new[1:] = (pane[1:] != pane[:-1]) | (owner[1:] != owner[:-1])
        return owner[is_new], pane[is_new]

    def of_part(self, part: range) -> PartWindows:
        """Return what puts the windows of some partitions together."""
        return PartWindows(self, part)


class PartWindows:
    """Takes the values of panes, some at a time, in the order of partitions and time."""

    def __init__(self, windows: SetWindows, part: range) -> None:
        self.windows = windows
        owner, pane = windows.steps
        begin, end = np.searchsorted(owner, [part.start, part.stop])
        self.owner, self.pane = owner[begin:end], pane[begin:end]
        self.taken = 0  # panes
        self.waiting: list[tuple[ValueRows, Int64s]] = []
        self.combiners = [self._combiner(each) for each in range(windows.sizes.size)]

    def _combiner(self, number: int) -> PaneCombiner:
        merged = self.windows.program
        program, query = merged.programs[number], merged.queries[number]
        assert program.slots is not None
        machine = slot_machine(program.slots, program.automaton, program.strategy)
        nothing, numbers = np.zeros((0, 0), np.int64), len(query.numbers)
        shape = Measures(
            np.zeros(numbers, np.int64),
            np.zeros(numbers, np.uint64),
            np.zeros((0, 0)),
            nothing,
            nothing,
            np.zeros(len(query.minima), np.uint64),
            nothing,
        )
        pane = self.windows.panes.pane
        return PaneCombiner(machine, shape, program.window_length, program.slide, pane=pane)

    def take(self, rows: ValueRows, queries: Int64s) -> None:
        """Take values of panes; the last pane may go on with the next ones."""
        if rows.owner.size == 0:
            return
        is_last = (rows.owner == rows.owner[-1]) & (rows.window == rows.window[-1])
        count = rows.owner.size - int(np.argmin(is_last[::-1])) if not is_last.all() else 0
        self.waiting.append((_rows(rows, slice(0, count)), queries[:count]))
        if count:
            self._combine(self._panes_before(rows.owner[-1], rows.window[-1]))
        self.waiting.append((_rows(rows, slice(count, None)), queries[count:]))

    def _panes_before(self, owner: int, pane: int) -> int:
        """Return how many panes come before one."""
        begin, end = np.searchsorted(self.owner, [owner, owner + 1])
        return int(begin + np.searchsorted(self.pane[begin:end], pane))

    def rows_at_end(self) -> list[ValueRows]:
        """Return the rows of every query."""
        self._combine(self.owner.size)
        return [each.rows_at_end() for each in self.combiners]

    def _combine(self, end: int) -> None:
        """Combine panes up to one with those before."""
        begin, self.taken = self.taken, end
        if begin == end:
            return
        owner, pane = self.owner[begin:end], self.pane[begin:end]
        rows = joined_rows([each for each, _ in self.waiting])
        queries = np.concatenate([each for _, each in self.waiting])
        self.waiting = []
        sizes = self.windows.sizes
        ends = np.cumsum(sizes**2 * owner.size)
        values = self._values(int(ends[-1]), rows, queries, self._place(owner, pane, rows))
        breaks = np.zeros(owner.size, np.int64)
        for number, combiner in enumerate(self.combiners):
            size, last = int(sizes[number]), int(ends[number])
            first = last - owner.size * size**2
            query = self.windows.program.queries[number]
            own = Values._make(
                each[first:last].reshape(owner.size * size, size, -1)[:, :, some]
                for each, some in zip(values, _asked(query), strict=True)
            )
            for slot in self.windows.panes.fixed[number]:
                own.mantissa[slot::size, slot, 0] = 1.0
                own.low[slot::size, slot, 0] = 1
            combiner.take(PaneMatrices(owner, pane, breaks, own), is_last=False)

    def _place(self, owner: Int64s, pane: Int64s, rows: ValueRows) -> Int64s:
        """Return by row which of some panes it is of."""
        numbers = np.unique(pane)
        keys = owner * numbers.size + np.searchsorted(numbers, pane)
        wanted = rows.owner * numbers.size + np.searchsorted(numbers, rows.window)
        return np.searchsorted(keys, wanted)

    def _values(
        self, size: int, rows: ValueRows, queries: Int64s, pane: Int64s
    ) -> tuple[NDArray[np.float64], Int64s, Int64s, Int64s]:
        """Return the matrices of all queries, one query after the other."""
        (offsets, of_query, place), sizes = self.windows.places, self.windows.sizes
        numbers, minima = rows.mantissa.shape[1], rows.least.shape[1]
        counts = np.diff(offsets)[queries]
        row = np.repeat(np.arange(queries.size), counts)
        before = np.cumsum(counts) - counts
        entry = np.arange(row.size) - before[row] + offsets[queries[row]]
        squares = sizes**2
        begins = (np.cumsum(squares) - squares) * (size // int(squares.sum()))
        query = of_query[entry]
        cell = begins[query] + pane[row] * squares[query] + place[entry]
        found = (
            np.zeros((size, numbers)),
            np.zeros((size, numbers), np.int64),
            np.zeros((size, numbers), np.int64),
            np.full((size, minima), NOTHING),
        )
        for all_values, some in zip(found, rows[2:], strict=True):
            all_values[cell] = some[row]
        return found


def _asked(query: MergedQuery) -> tuple[list[int], ...]:
    numbers, minima = list(query.numbers), list(query.minima)
    return numbers, numbers, numbers, minima


def _rows(rows: ValueRows, some: slice) -> ValueRows:
    return ValueRows._make(each[some] for each in rows)


def of_query(rows: ValueRows, query: MergedQuery) -> ValueRows:
    """Return rows with the numbers and minima that a query asks for."""
    numbers, minima = list(query.numbers), list(query.minima)
    if numbers == list(range(rows.mantissa.shape[1])) and not minima:
        return rows
    return rows._replace(
        mantissa=rows.mantissa[:, numbers],
        tier=rows.tier[:, numbers],
        low=rows.low[:, numbers],
        least=rows.least[:, minima],
    )
