"""Count the sequences of a sharing set with vectors of plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.count_merged import (
    COLUMNS,
    PLACES,
    ROWS,
    CountMachine,
    KindArrays,
    count_merged,
)
from cepheid.kernels.fold_counts import DONE, MORE_ROWS
from cepheid.kernels.values import Measures, ValueRows
from cepheid.program.sharing.merged_program import MergedPosition, MergedProgram
from cepheid.runtime.aggregate.value_rows import first_rows, joined_rows, make_rows
from cepheid.runtime.sharing.flat_lists import flat_lists

Int64s = NDArray[np.int64]
ROWS_AT_ONCE = 1 << 14


def is_plain(program: MergedProgram) -> bool:
    """Whether queries only count, nothing is negated, and events repeat by themselves at most."""
    if program.number_count > 1 or program.minimum_count > 0:
        return False
    if any(each.gaps or each.negative for each in program.queries):
        return False
    written: set[tuple[int, int]] = set()
    for each in reversed(program.positions):
        if any((each.group, slot) in written for slot in each.sources):
            return False
        if len(_loops(each)) > 1:
            return False
        written |= {(each.group, slot) for slot in each.entries}
    return True


def repeats(position: MergedPosition) -> bool:
    """Whether a position reads what it writes, as that of T in T+ does."""
    return bool(_loops(position))


def _loops(position: MergedPosition) -> set[int]:
    return set(position.sources) & set(position.entries)


class SetCounter:
    """Counts the sequences of a plain program; `passes` has by kind the tests that it passes."""

    def __init__(
        self, program: MergedProgram, passes: Sequence[tuple[int, ...]], lanes: Sequence[int]
    ) -> None:
        self.program = program
        self.lanes = 2 * max(lanes)
        self.most_rows = max(ROWS_AT_ONCE, max(lanes) * len(program.queries))
        self.machine = _machine(program, passes)

    def rows(
        self, events: EventArrays, part: range, measures: Measures
    ) -> tuple[ValueRows, Int64s] | None:
        """Return the rows of some partitions and their queries; None if a count is too large."""
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
        parts, queries, found = [], [], MORE_ROWS
        while found == MORE_ROWS:
            rows, query_of_row = make_rows(self.most_rows, measures), np.empty(self.most_rows, int)
            cursor[ROWS] = 0
            found = count_merged(
                machine, arrays, counts, lane_windows, state, times, rows, query_of_row, cursor
            )
            parts.append(first_rows(rows, int(cursor[ROWS])))
            queries.append(query_of_row[: int(cursor[ROWS])])
        if found != DONE:
            return None
        every = joined_rows(parts)
        return every._replace(owner=every.owner + part.start), np.concatenate(queries)


def _machine(program: MergedProgram, passes: Sequence[tuple[int, ...]]) -> CountMachine:
    begins = [0, *accumulate(each.slots for each in program.groups)]
    initial = np.zeros(begins[-1])
    for begin, group in zip(begins, program.groups, strict=False):
        initial[[begin + slot for slot in group.initial]] = 1.0
    positions = program.positions
    by_kind = [
        [number for number in reversed(range(len(positions))) if positions[number].test in tests]
        for tests in passes
    ]
    by_group = [
        [number for number, each in enumerate(program.queries) if each.group == group]
        for group in range(len(program.groups))
    ]
    return CountMachine(
        *flat_lists(by_kind),
        np.array([each.group for each in positions], np.int64),
        *flat_lists(_rows(begins, each, each.sources, loops_first=True) for each in positions),
        *flat_lists(_rows(begins, each, each.entries, loops_first=False) for each in positions),
        np.array([each.length or 0 for each in program.groups], np.int64),
        np.array([each.slide or each.length or 0 for each in program.groups], np.int64),
        np.array(begins, np.int64),
        initial,
        *flat_lists(by_group),
        *flat_lists(
            [begins[each.group] + slot for slot in each.finals] for each in program.queries
        ),
    )


def _rows(
    begins: Sequence[int], position: MergedPosition, slots: Sequence[int], *, loops_first: bool
) -> list[int]:
    """Return rows of slots. What a position writes and reads is written last, and read first."""
    ordered = sorted(slots, key=lambda slot: (slot in _loops(position)) != loops_first)
    return [begins[position.group] + slot for slot in ordered]
