"""One scan of the events for several programs: read, typed and ordered once.

Every event gets a kind, which says what tests of all programs it passes (see event_kinds.py), and
all are sorted. The events of a program are then those whose kind concerns it, in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.event_kinds import EventKinds, event_kinds
from cepheid.engine.events.order_events import (
    OrderedEvents,
    Ordering,
    Relevant,
    ScannedColumns,
    cut_events,
    find_ordering,
    order_relevant,
    reject_extreme_times,
)
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.process.log import LOG
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Program
from cepheid.program.sharing.merged_program import TestedPrograms
from cepheid.program.sharing.other_sets import Scanned, is_scanned
from cepheid.program.sharing.sharing_sets import plain_test, stream_of

Masks = NDArray[np.uint64]
Passes = tuple[tuple[int, ...], ...]
FirstTick = Callable[[Program], int | None]


class Scan(ScannedColumns):
    """The columns of events, in the order that some programs have in common.

    `first_tick` says from when on events matter to a program.
    """

    def __init__(
        self,
        scanned: Scanned,
        columns: Mapping[str, Any],
        length: int,
        threads: int = 1,
        first_tick: FirstTick | None = None,
    ) -> None:
        self.first_tick = first_tick
        self.columns = columns
        self.length = length
        self.threads = threads
        self.program = scanned.programs[0]  # any: all have the same order and partitions
        self.folds = len(scanned.programs)
        self.keeps_all = any(each.keeps_all_types for each in scanned.programs)
        tests = map(plain_test, scanned.tests)
        self.tests = {test: number for number, test in enumerate(dict.fromkeys(tests))}

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @cached_property
    def kinds(self) -> EventKinds:
        """The events that matter to any program, and what tests they pass."""
        tests, type_column = list(self.tests), self.program.type_column
        found = event_kinds(tests, type_column, self.columns, self.length)
        if not self.keeps_all or found.rows is None:
            return found
        kind = np.full(self.length, len(found.passes), np.int64)  # one that passes no test
        kind[found.rows] = found.kind
        return EventKinds(None, kind, (*found.passes, ()))

    @cached_property
    def ordering(self) -> Ordering:
        """The events in order, with their kinds as masks."""
        kinds = self.kinds
        masks = kinds.kind.astype(np.uint64)
        LOG.debug("%d events are ordered once for %d folds", masks.size, self.folds)
        return find_ordering(self.program, self.columns, kinds.rows, masks, threads=self.threads)

    def ordered(self, program: Program, report: ReportRange | None = None) -> OrderedEvents:
        """Return the events that matter to a program, in order."""
        groups = [self._masks_of_kinds(each) for each in program.test_groups]
        return self._cut(program, groups, report)

    def ordered_kinds(self, program: TestedPrograms) -> tuple[OrderedEvents, Passes]:
        """Return the events of merged programs; `fires` of the arrays has its kinds, from 1."""
        some = max(program.programs, key=lambda each: each.window_length or 0)
        numbers = {self.tests[test]: number for number, test in enumerate(program.tests)}
        passes: dict[tuple[int, ...], int] = {}
        marks = np.zeros(len(self.kinds.passes), np.uint64)
        for kind, every in enumerate(self.kinds.passes):
            own = tuple(sorted(numbers[each] for each in every if each in numbers))
            if own:
                marks[kind] = 1 + passes.setdefault(own, len(passes))
        return self._cut(some, [marks]), tuple(passes)

    def _cut(
        self, program: Program, groups: Sequence[Masks], report: ReportRange | None = None
    ) -> OrderedEvents:
        """Return the events of kinds that have a mask."""
        every = np.bitwise_or.reduce(groups)
        ordering = self.ordering
        masks = every[ordering.grouped.masks.view(np.int64)]
        first = None if self.first_tick is None else self.first_tick(program)
        if first is not None:
            masks[ordering.grouped.ticks < first] = 0
        grouped = ordering.grouped._replace(masks=masks)
        by_group = [each[self.kinds.kind] for each in groups] if len(groups) > 1 else list(groups)
        ordered = cut_events(
            program,
            self.columns,
            ordering._replace(grouped=grouped),
            Relevant(self.kinds.rows, by_group, every[self.kinds.kind]),
            report=report,
        )
        reject_extreme_times(program, ordered.arrays.clock)
        return ordered

    def _masks_of_kinds(self, tests: Sequence[PositionTest]) -> Masks:
        """Return by kind the positions that its events fit."""
        masks = np.zeros(len(self.kinds.passes), np.uint64)
        for position, test in enumerate(tests):
            number, bit = self.tests[plain_test(test)], np.uint64(1) << np.uint64(position)
            for kind, passes in enumerate(self.kinds.passes):
                if number in passes:
                    masks[kind] |= bit
        return masks


def order_kinds(
    program: TestedPrograms, columns: Mapping[str, Any], length: int, threads: int
) -> tuple[OrderedEvents, Passes]:
    """Mask, order and cut the events; `fires` of the arrays has kinds, from 1.

    Returns by kind what tests it passes, too.
    """
    if isinstance(columns, Scan):
        return columns.ordered_kinds(program)
    some = max(program.programs, key=lambda each: each.window_length or 0)
    kinds = event_kinds(program.tests, some.type_column, columns, length)
    marks = (kinds.kind + 1).astype(np.uint64)
    relevant = Relevant(kinds.rows, [marks], marks)
    return order_relevant(some, columns, relevant, threads=threads), kinds.passes


class Scans:
    """The columns of a table, with the order of their events where several programs share it."""

    def __init__(
        self,
        scanned: Sequence[Scanned],
        columns: Mapping[str, Any],
        length: int,
        threads: int = 1,
        first_tick: FirstTick | None = None,
    ) -> None:
        self.columns = columns
        self.length, self.threads = length, threads
        self.by_stream = {
            stream_of(each.programs[0]): Scan(each, columns, length, threads, first_tick)
            for each in scanned
        }

    def of(self, program: Program) -> Mapping[str, Any]:
        """Return the columns that a program reads."""
        if not is_scanned(program):
            return self.columns
        return self.by_stream.get(stream_of(program), self.columns)

    def of_set(self, places: tuple[int, ...], merged: TestedPrograms) -> Mapping[str, Any]:
        """Return the columns that merged programs read, be they folded together or one by one."""
        stream = stream_of(merged.programs[0])
        if stream not in self.by_stream:
            scanned = Scanned(places, tuple(merged.programs[:1]), tuple(merged.tests))
            self.by_stream[stream] = Scan(scanned, self.columns, self.length, self.threads)
        return self.by_stream[stream]
