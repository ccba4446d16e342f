"""Count the sequences of a sharing set with vectors of plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.fold import TooLarge
from cepheid.engine.shared.flat_lists import flat_lists
from cepheid.engine.shared.shared_folds import loops, repeats
from cepheid.engine.trends.value_rows import first_rows, joined_rows, make_rows
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.last_event.prefix_counts import LARGEST
from cepheid.kernels.position.fold_slots import DONE, MORE_ROWS
from cepheid.kernels.shared.count_merged import (
    COLUMNS,
    PLACES,
    ROWS,
    CountMachine,
    KindArrays,
    LazyCounts,
    count_merged,
)
from cepheid.kernels.values.double_counts import ALL_EXACT
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.sharing.merged_program import MergedPosition, MergedProgram

Int64s = NDArray[np.int64]
ROWS_AT_ONCE = 1 << 14


class SetCounter:
    """Counts the sequences of a plain program; `passes` has by kind the tests that it passes.

    With `is_lazy` events that only repeat are counted once for all queries where that is possible;
    `repeated` is how many positions repeat that take every event at once.
    """

    def __init__(
        self,
        program: MergedProgram,
        passes: Sequence[tuple[int, ...]],
        lanes: Sequence[int],
        *,
        is_lazy: bool,
    ) -> None:
        self.program = program
        rows = _Rows(program)
        lazy = lazy_positions(rows, passes) if is_lazy else []
        self.repeated = sum(map(repeats, program.positions)) - len(lazy)
        self.lanes = 2 * max(lanes)
        self.most_rows = max(ROWS_AT_ONCE, max(lanes) * len(program.queries))
        self.machine = _machine(rows, passes, lazy)

    def rows(
        self, events: EventArrays, part: range, measures: Measures
    ) -> tuple[ValueRows, Int64s] | TooLarge:
        """Return the rows of some partitions and their queries."""
        machine = self.machine
        arrays = KindArrays(
            events.fires.view(np.int64) - 1,
            events.clock,
            events.step_offsets,
            events.partition_offsets[part.start : part.stop + 1],
        )
        groups = machine.group_length.size
        counts = np.zeros((machine.initial.size, self.lanes))
        lane_windows = np.zeros((groups, self.lanes, 2), np.int64)
        state = np.zeros((groups, COLUMNS), np.int64)
        times = np.zeros(machine.group_of_position.size, np.int64)
        cursor = np.zeros(PLACES, np.int64)
        lazy = LazyCounts(np.zeros(times.size, np.int64), np.zeros(machine.row.size, np.int64))
        parts, queries, found = [], [], MORE_ROWS
        while found == MORE_ROWS:
            rows, query_of_row = make_rows(self.most_rows, measures), np.empty(self.most_rows, int)
            cursor[ROWS] = 0
            found = count_merged(
                machine, arrays, counts, lane_windows, state, times, lazy, rows, query_of_row,
                cursor,
            )  # fmt: skip
            parts.append(first_rows(rows, int(cursor[ROWS])))
            queries.append(query_of_row[: int(cursor[ROWS])])
        if found != DONE:
            return TooLarge()
        every = joined_rows(parts)
        return every._replace(owner=every.owner + part.start), np.concatenate(queries)


class _Rows:
    """The slots of all window groups as rows, one group after the other.

    `sources` are by position what it reads, and `entries` what it writes. What it both reads and
    writes is read first and written last.
    """

    def __init__(self, program: MergedProgram) -> None:
        self.program = program
        self.begins = [0, *accumulate(each.slots for each in program.groups)]
        self.sources = [self._of(each, each.sources, True) for each in program.positions]
        self.entries = [self._of(each, each.entries, False) for each in program.positions]
        self._users: dict[int, set[int]] = {}
        for number, used in enumerate(zip(self.sources, self.entries, strict=True)):
            for row in (*used[0], *used[1]):
                self._users.setdefault(row, set()).add(number)

    def _of(self, position: MergedPosition, slots: Sequence[int], loops_first: bool) -> list[int]:
        both, begin = loops(position), self.begins[position.group]
        ordered = sorted(slots, key=lambda slot: (slot in both) != loops_first)
        return [begin + slot for slot in ordered]

    def users(self, position: int) -> set[int]:
        """Return the positions that read or write a row that a position reads or writes."""
        return set().union(
            *(self._users[row] for row in (*self.sources[position], *self.entries[position]))
        )

    def touched(self, position: int, lazy: LazyRows) -> set[int]:
        """Return the lazy positions that a position reads or writes, or before which it writes."""
        reads, writes = self.sources[position], self.entries[position]
        own = {lazy.owner[row] for row in (*reads, *writes) if row in lazy.owner}
        return own.union(*(lazy.readers[row] for row in writes if row in lazy.readers))


class LazyRows:
    """By row the lazy position whose runs it holds, and the lazy positions that read it."""

    def __init__(self) -> None:
        self.owner: dict[int, int] = {}
        self.readers: dict[int, set[int]] = {}

    def add(self, position: int, rows: _Rows) -> None:
        """Let a position be lazy."""
        self.owner[rows.entries[position][0]] = position
        for row in rows.sources[position]:
            self.readers.setdefault(row, set()).add(position)


def lazy_positions(rows: _Rows, passes: Sequence[tuple[int, ...]]) -> list[int]:
    """Return positions such as that of T+ that need not take every event at once.

    No other position that an event T fires, and no other lazy one, may concern them.
    """
    positions, taken = rows.program.positions, LazyRows()
    by_test: dict[int, list[int]] = {}
    together: dict[int, set[int]] = {}  # by test the positions that events which pass it fire
    for number, each in enumerate(positions):
        by_test.setdefault(each.test, []).append(number)
    for number, each in enumerate(positions):
        if not repeats(each) or len(each.entries) > 1:
            continue
        alone = LazyRows()
        alone.add(number, rows)
        if each.test not in together:
            fired = {test for tests in passes if each.test in tests for test in tests}
            together[each.test] = {place for test in fired for place in by_test[test]}
        around = rows.users(number) & together[each.test] - {number}
        if rows.touched(number, taken) or any(rows.touched(other, alone) for other in around):
            continue
        taken.add(number, rows)
    return sorted(taken.owner.values(), key=lambda place: positions[place].group)


def _machine(rows: _Rows, passes: Sequence[tuple[int, ...]], lazy: Sequence[int]) -> CountMachine:
    program, begins = rows.program, rows.begins
    initial = np.zeros(begins[-1])
    for begin, group in zip(begins, program.groups, strict=False):
        initial[[begin + slot for slot in group.initial]] = 1.0
    positions = program.positions
    by_test: dict[int, list[int]] = {}
    for number, each in enumerate(positions):
        by_test.setdefault(each.test, []).append(number)
    by_kind = [
        sorted((number for test in tests for number in by_test.get(test, ())), reverse=True)
        for tests in passes
    ]
    by_group = [
        [number for number, each in enumerate(program.queries) if each.group == group]
        for group in range(len(program.groups))
    ]
    waiting, waiting_rows = [positions[place] for place in lazy], LazyRows()
    for place in lazy:
        waiting_rows.add(place, rows)
    number_of = {place: number for number, place in enumerate(lazy)}
    touched = [
        []
        if place in number_of
        else sorted(number_of[each] for each in rows.touched(place, waiting_rows))
        for place in range(len(positions))
    ]
    tests = sorted({each.test for each in waiting})
    outputs = [each.output for each in program.programs]
    is_rounded = all(isinstance(e, AggregateOutput) and not e.wants_low for e in outputs)
    return CountMachine(
        *flat_lists([each for each in kind if each not in number_of] for kind in by_kind),
        np.array([each.group for each in positions], np.int64),
        *flat_lists(rows.sources),
        *flat_lists(rows.entries),
        np.array([each.length or 0 for each in program.groups], np.int64),
        np.array([each.slide or each.length or 0 for each in program.groups], np.int64),
        np.array(begins, np.int64),
        initial,
        *flat_lists(by_group),
        *flat_lists(
            [begins[each.group] + slot for slot in each.finals] for each in program.queries
        ),
        LARGEST if is_rounded else ALL_EXACT,
        *flat_lists([tests.index(each) for each in kind if each in tests] for kind in passes),
        *flat_lists([each for each in kind if each in number_of] for kind in by_kind),
        *flat_lists(touched),
        np.searchsorted([each.group for each in waiting], np.arange(len(program.groups) + 1)),
        np.array([tests.index(each.test) for each in waiting], np.int64),
        np.array([rows.entries[each][0] for each in lazy], np.int64),
        *flat_lists(rows.sources[each][1:] for each in lazy),
        np.append(2.0 ** np.arange(1024), np.inf),
    )
