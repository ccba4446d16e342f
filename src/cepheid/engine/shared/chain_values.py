"""Sequences with sums, minima and negated events, for kernels/shared/fold_segment_values.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.shared.flat_lists import flat_lists
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.position.moving_window import most_steps
from cepheid.kernels.shared.count_merged import KindArrays
from cepheid.kernels.shared.fold_segment_values import (
    Contributions,
    EndTables,
    SegmentValues,
    ValueMachine,
    ValueRowsOfQueries,
    ValueWork,
    fold_segment_values,
)
from cepheid.kernels.shared.fold_segments import SegmentMachine
from cepheid.kernels.values.value_arrays import NOTHING, Measures
from cepheid.program.sharing.chain_program import ChainProgram, Element, Segment

Int64s = NDArray[np.int64]
Float64s = NDArray[np.float64]
Gap = tuple[int, ...]  # tests of events that may not be there
FromGap = tuple[Gap, Segment]  # a segment, and the gap that its runs are in when it begins
ValuesOfQuery = tuple[Int64s, Float64s, Int64s]  # steps, numbers and minima


def value_machine(program: ChainProgram, passes: Sequence[tuple[int, ...]]) -> ValueMachine:
    """Return the tables of the fold; `passes` has by kind of events the tests that it passes."""
    return _Tables(program, passes).machine()


class _Tables:
    def __init__(self, program: ChainProgram, passes: Sequence[tuple[int, ...]]) -> None:
        self.program, self.passes = program, passes
        found = dict.fromkeys(each for chain in program.chains for each in _from_gaps(chain))
        self.segments: dict[FromGap, int] = {each: n for n, each in enumerate(found)}
        gaps = dict.fromkeys(e.gap for chain in program.chains for e in chain if e.gap)
        self.gaps: dict[Gap, int] = {(): 0} | {each: n for n, each in enumerate(gaps, start=1)}
        self.number_of = self.segments | {
            (gap, ()): len(found) + number for gap, number in self.gaps.items()
        }
        elements = dict.fromkeys(each for chain in program.chains for each in chain)
        self.elements: dict[Element, int] = {each: n for n, each in enumerate(elements)}
        # Of equal length, those that begin in no gap come last: others read them as they were.
        self.ordered = sorted(self.segments, key=lambda each: (-len(each[1]), each[0] == ()))

    def machine(self) -> ValueMachine:
        chains = self.program.chains
        prefixes: dict[Segment, int] = {}
        for each in chains:
            for end in range(1, len(each) + 1):
                prefixes.setdefault(each[:end], len(prefixes))
        terms = [self._terms(each, prefixes) for each in chains]
        ended = [
            [number for gap, number in self.gaps.items() if not set(gap).isdisjoint(tests)]
            for tests in self.passes
        ]
        positive = {each.test for each in self.elements}
        return ValueMachine(
            *flat_lists([e for e in tests if e in positive] for tests in self.passes),
            *flat_lists(ended),
            *flat_lists(self.program.queries_by_kind(self.passes, at_end=True)),
            *flat_lists(self.program.leaving(self.passes)),
            self._ends(at_end=True),
            self._ends(at_end=False),
            len(self.segments),
            _rows([each.numbers for each in self.elements]),
            _rows([each.minima for each in self.elements]),
            np.array([self.number_of[(), each] for each in prefixes], np.int64),
            *flat_lists([prefix for prefix, _ in each] for each in terms),
            flat_lists([segment for _, segment in each] for each in terms)[1],
            np.array([self.number_of[(), each] for each in chains], np.int64),
        )

    def _terms(self, whole: Segment, prefixes: Mapping[Segment, int]) -> list[tuple[int, int]]:
        """Return what trends are in two stretches: a prefix in the first, the rest after it."""
        terms = [(len(prefixes), self.number_of[(), whole])]
        for end in range(1, len(whole) + 1):
            prefix, last = prefixes[whole[:end]], whole[end - 1]
            terms.append((prefix, self.number_of[last.gap, whole[end:]]))
            if last.repeats:
                terms.append((prefix, self.number_of[(), whole[end - 1 :]]))
        return terms

    def _ends(self, *, at_end: bool) -> EndTables:
        listed = [self._end(each) if at_end else self._beginning(each) for each in self.ordered]
        rest, loop, elements, gap = zip(*listed, strict=True)
        tests = [each.test for each in elements]
        by_test = [
            [place for place, each in enumerate(tests) if each == test]
            for test in range(len(self.program.tests))
        ]
        return EndTables(
            _numbers(self.number_of[each] for each in self.ordered),
            _numbers(rest),
            _numbers(loop),
            _numbers(tests),
            _numbers(self.elements[each] for each in elements),
            _numbers(gap),
            *flat_lists(by_test),
        )

    def _end(self, segment: FromGap) -> tuple[int, int, Element, int]:
        """Return the segment without its last element, with which it goes on, and that element."""
        gap, elements = segment
        last = elements[-1]
        loop = self.number_of[segment] if last.repeats else -1
        return self.number_of[gap, elements[:-1]], loop, last, self.gaps[last.gap]

    def _beginning(self, segment: FromGap) -> tuple[int, int, Element, int]:
        """Return the segment without its first element, with which it goes on, and that element."""
        gap, elements = segment
        first = elements[0]
        loop = self.number_of[(), elements] if first.repeats else -1
        return self.number_of[first.gap, elements[1:]], loop, first, self.gaps[gap]


def _from_gaps(chain: Segment) -> Iterable[FromGap]:
    """Yield all stretches of a sequence, and that they follow; those that repeat follow no gap."""
    for begin in range(len(chain)):
        gap = chain[begin - 1].gap if begin else ()
        for end in range(begin + 1, len(chain) + 1):
            yield gap, chain[begin:end]
            if chain[begin].repeats:
                yield (), chain[begin:end]


def _numbers(values: Iterable[int]) -> Int64s:
    return np.array(list(values), np.int64)


def _rows(rows: Sequence[Sequence[int]]) -> Int64s:
    return np.array(rows, np.int64).reshape(len(rows), -1)


@dataclass(frozen=True, slots=True)
class ValueFold:
    """What is folded: the machine, events, what they contribute, and the length of the window."""

    machine: ValueMachine
    events: EventArrays
    measures: Measures
    window: int

    def rows(self, part: range) -> list[ValuesOfQuery] | None:
        """Return the rows of every query in some partitions; None if a number is too large."""
        events, machine = self.events, self.machine
        partitions = events.partition_offsets[part.start : part.stop + 1]
        kind = events.fires.view(np.int64) - 1
        begin, end = events.step_offsets[partitions[[0, -1]]]
        most_rows = most_asked(machine, kind[begin:end])
        offsets = np.concatenate(([0], np.cumsum(most_rows)))
        numbers, minima = machine.numbers.shape[1], machine.minima.shape[1]
        rows = ValueRowsOfQueries(
            offsets[:-1].copy(),
            np.empty(offsets[-1], np.int64),
            np.empty((offsets[-1], numbers)),
            np.empty((offsets[-1], minima), np.int64),
        )
        arrays = KindArrays(kind, events.clock, events.step_offsets, partitions)
        given = Contributions(self.measures.mantissa, self.measures.least)
        if not fold_segment_values(machine, arrays, given, self.window, self._work(part), rows):
            return None
        spans = [slice(a, b) for a, b in zip(offsets[:-1], rows.next_row, strict=True)]
        return [(rows.step[each], rows.numbers[each], rows.least[each]) for each in spans]

    def _work(self, part: range) -> ValueWork:
        machine, events = self.machine, self.events
        most = np.zeros(events.partition_offsets.size - 1, np.int64)
        most_steps(events, self.window, most)
        vectors = int(most[part.start : part.stop].max(initial=0))
        numbers, minima = machine.numbers.shape[1], machine.minima.shape[1]
        gaps = int(machine.endings.gap.max(initial=0)) + 1
        segments, tests = machine.first_empty + gaps, machine.endings.offsets.size - 1
        front = np.zeros((vectors, machine.prefixes.size + 1, numbers))
        front[:, -1, 0] = 1.0  # no elements yet
        return ValueWork(
            SegmentValues(np.zeros((segments, numbers)), np.zeros((segments, minima), np.int64)),
            SegmentValues(np.zeros((segments, numbers)), np.zeros((segments, minima), np.int64)),
            front,
            np.full((vectors, machine.prefixes.size + 1, minima), NOTHING),
            np.zeros(tests, np.int64),
            np.zeros(tests),
            np.zeros((tests, self.measures.mantissa.shape[0])),
            np.zeros((tests, self.measures.least.shape[0]), np.int64),
            np.zeros(gaps, np.int64),
            np.zeros(machine.whole.size, np.int64),
            np.zeros(2, np.int64),
        )


def most_asked(machine: ValueMachine | SegmentMachine, kind: Int64s) -> Int64s:
    """Return by query how many rows it has at most: for every event that it asks for a row."""
    kinds = machine.asking_offsets.size - 1
    of_kind = np.bincount(kind, minlength=kinds)
    found = np.zeros(machine.whole.size, np.int64)
    for offsets, queries in (
        (machine.asking_offsets, machine.asking),
        (machine.leaving_offsets, machine.leaving),
    ):
        np.add.at(found, queries, np.repeat(of_kind, np.diff(offsets)))
    return found
