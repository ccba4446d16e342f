"""COUNT(*) of a stream that is one partition and comes in order: no masks, no sorting, no steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.ticks import reject_extremes, to_ticks
from cepheid.engine.fold import Facts
from cepheid.engine.trends.folds.panes import (
    PANES_AT_ONCE,
    first_panes,
    fold_to_panes,
    joined_panes,
    make_panes,
    moving_slots,
    pane_length,
    rows_of_panes,
)
from cepheid.engine.trends.folds.slot_task import SlotTask, slot_machine
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.trends import MOST_CODES
from cepheid.engine.trends.value_rows import first_rows, make_rows
from cepheid.errors import InternalError
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.position.count_ordered import (
    BLOCK,
    IS_TRIANGULAR,
    ONLY_GROWS,
    WANTS_LOW,
    count_stream,
    fold_stream,
)
from cepheid.kernels.position.gram_products import CountState, GramTables
from cepheid.kernels.position.pane_matrices import PaneMatrices
from cepheid.kernels.position.slot_machine import SlotMachine
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.arrow_arrays import read_only, to_numpy
from cepheid.program.position_masks import EventTypes, position_masks
from cepheid.program.program import Program, StrategyCode
from cepheid.program.slot_program import SlotProgram

Int64s = NDArray[np.int64]
Codes = NDArray[np.uint8]
Kind = tuple[int, int]  # the positions that an event fits, and those of negated parts
NOTHING_FITS: Kind = (0, 0)
MOST_ENTRIES = 1 << 15  # of all matrices of grams together: they should stay in the cache
MOST_GRAMS = 512  # in a block
TRIANGLE = 4  # the size of matrices, and of grams, that all rows are folded for at once
GROWTH = 700  # bits that a double above 2^256 has left


def count_in_order(task: TrendTask, facts: Facts) -> ValueRows:
    """Return one row, or one for every window that has trends."""
    program, events = task.group.program, task.events
    assert program.slots is not None
    assert isinstance(program.output, AggregateOutput)
    wants_low = program.output.wants_low
    return count_stream_rows(
        program, program.slots, events.columns, events.length, wants_low=wants_low
    )


def count_stream_rows(
    program: Program,
    slots: SlotProgram,
    columns: Mapping[str, Any],
    length: int,
    *,
    wants_low: bool = True,
) -> ValueRows:
    """Return one row, or one for every window that has trends.

    Events are in order, and concurrent ones are just a sum.
    """
    ticks = to_ticks(columns[program.time], program.time)
    window = program.window_length or 0
    reject_extremes(ticks[[0, -1]], program.time, window, has_ends=program.slide is not None)
    codes, kinds = _codes(program, slots, columns, length)
    machine = slot_machine(slots, program.automaton, program.strategy)
    tables = gram_tables(machine, kinds, wants_low=wants_low)
    stream = _Stream(read_only(codes), read_only(ticks), machine, tables)
    slide = program.slide or window
    return stream.count(window) if slide == window else stream.count_by_panes(window, slide)


class _Stream:
    """Events by code and time."""

    def __init__(
        self, codes: Codes, ticks: Int64s, machine: SlotMachine, tables: GramTables
    ) -> None:
        self.codes = codes
        self.ticks = ticks
        self.machine = machine
        self.tables = tables

    def count(self, window: int) -> ValueRows:
        """Count in windows that follow each other, or in all for a window of 0."""
        first, last = int(self.ticks[0]), int(self.ticks[-1])
        windows = 1 + last // window - first // window if window else 1
        rows = make_rows(min(windows, self.ticks.size), NO_MEASURES)
        state = _make_state(1, self.tables)
        found = count_stream(self.codes, self.ticks, window, self.tables, state, rows)
        return first_rows(rows, _checked(found))

    def count_by_panes(self, window: int, slide: int) -> ValueRows:
        """Count in windows that overlap."""
        panes = self._panes(pane_length(window, slide))
        return rows_of_panes(self.machine, NO_MEASURES, panes, window, slide)

    def _panes(self, pane: int) -> Iterator[PaneMatrices]:
        state, moving = (
            _make_state(self.tables.initial.size, self.tables),
            moving_slots(self.machine),
        )
        cursor = np.zeros(1, np.int64)
        while cursor[0] < self.ticks.size:
            panes = make_panes(min(PANES_AT_ONCE, self.ticks.size), self.machine, NO_MEASURES)
            found = fold_stream(
                self.codes, self.ticks, pane, self.tables, moving, state, panes, cursor
            )
            yield first_panes(panes, _checked(found))


def _checked(found: int) -> int:
    """Return how many rows or panes there are."""
    if found < 0:
        raise InternalError("events are counted in order that are out of order or concurrent")
    return found


def _codes(
    program: Program, slots: SlotProgram, columns: Mapping[str, Any], length: int
) -> tuple[Codes, list[Kind]]:
    """Return codes of events, and what events of each code fit."""
    if any(test.condition is not None for test in program.all_tests):
        return _codes_of_masks(program, slots, columns, length)
    if program.type_column is None:
        return np.zeros(length, np.uint8), [_kind(program, slots, None)]
    column = columns[program.type_column]
    if isinstance(column, pa.ChunkedArray) and column.num_chunks == 1:
        column = column.chunk(0)
    if isinstance(column, pa.DictionaryArray) and not column.null_count:
        names = column.dictionary.to_pylist()
        if len(names) <= MOST_CODES:
            indices = to_numpy(column.indices)
            codes = indices.view(np.uint8) if indices.itemsize == 1 else indices.astype(np.uint8)
            return codes, [_kind(program, slots, name) for name in names]
    types = EventTypes(program, columns, length)
    assert types.codes is not None
    kinds = [_kind(program, slots, name) for name in types.names]
    return types.codes.astype(np.uint8, copy=False), [NOTHING_FITS, *kinds]


def _kind(program: Program, slots: SlotProgram, name: str | None) -> Kind:
    """Return what an event of a type fits; None stands for every type."""
    groups = [
        sum(1 << at for at, test in enumerate(tests) if name is None or name in test.types)
        for tests in program.test_groups
    ]
    negative = sum(groups[1 + masks] << first_bit for masks, first_bit in slots.negative)
    return groups[0], negative


def _codes_of_masks(
    program: Program, slots: SlotProgram, columns: Mapping[str, Any], length: int
) -> tuple[Codes, list[Kind]]:
    """Use the masks themselves as codes."""
    positions = len(program.tests)
    bits = positions + sum(map(len, program.negative_tests))
    masks, *negative = position_masks(program, columns, length)
    codes = masks.astype(np.uint8)
    for place, first_bit in slots.negative:
        codes |= (negative[place] << np.uint64(positions + first_bit)).astype(np.uint8)
    every = range(1 << bits)
    present = np.bincount(codes, minlength=len(every)) > 0
    low = (1 << positions) - 1
    return codes, [
        (code & low, code >> positions) if present[code] else NOTHING_FITS for code in every
    ]


def gram_tables(machine: SlotMachine, kinds: Sequence[Kind], *, wants_low: bool) -> GramTables:
    """Return the matrices of all classes of events and of their sequences, by code of an event."""
    classes = list(dict.fromkeys([NOTHING_FITS, *kinds]))
    class_of = np.zeros(MOST_CODES, np.int64)
    class_of[: len(kinds)] = [classes.index(kind) for kind in kinds]
    singles = _singles(machine, classes)
    size = singles.shape[1]
    width = next(each for each in (4, 2, 1) if len(classes) ** each * size**2 <= MOST_ENTRIES)
    grams = singles
    for _ in range(width - 1):
        grams = np.einsum("aij,bjk->abik", grams, singles).reshape(-1, size, size)
    places = len(classes) ** np.arange(width - 1, -1, -1, dtype=np.int64)
    initial, finals = np.zeros(size, np.int64), np.zeros(size, np.int64)
    initial[: machine.initial.size] = machine.initial
    finals[machine.finals] = 1
    feeds = (singles[:, initial == 1].sum(axis=(0, 1)) > 0) & (initial == 0)
    growth = np.log2(max(2, int(grams.sum(axis=1).max())))
    facts = np.zeros(IS_TRIANGULAR + 1, np.int64)
    facts[BLOCK] = min(MOST_GRAMS, int(GROWTH / growth))
    facts[ONLY_GROWS] = machine.strategy == StrategyCode.SKIP_TILL_ANY and (
        machine.moves.shape[1] == 1
    )
    facts[WANTS_LOW] = wants_low
    facts[IS_TRIANGULAR] = size == width == TRIANGLE and not np.tril(singles, -1).any()
    flat = np.ascontiguousarray(grams.reshape(-1, size * size))
    return GramTables(
        (places[:, None] * class_of).astype(np.uint64),
        flat.astype(np.float64),
        flat,
        class_of,
        np.ascontiguousarray(singles.reshape(-1, size * size)),
        initial,
        finals,
        feeds.astype(np.int64),
        facts,
    )


def _singles(machine: SlotMachine, classes: Sequence[Kind]) -> Int64s:
    """Return the matrix of an event of each class, by making a stream of them.

    The first event of a stream has nothing before it to be contiguous with, so there is one more.
    """
    kinds = [NOTHING_FITS, *classes]
    clock = np.arange(len(kinds), dtype=np.int64)
    events = EventArrays(
        np.array([fires for fires, _ in kinds], np.uint64),
        clock,
        clock.copy(),
        np.arange(len(kinds) + 1, dtype=np.int64),
        np.array([0, len(kinds)], np.int64),
    )
    codes = np.array([code for _, code in kinds], np.int64)
    panes = joined_panes(fold_to_panes(SlotTask(machine, NO_MEASURES, events, codes), 1))
    size = machine.owner.size
    padded = max(4, size)
    matrices = np.zeros((len(classes), padded, padded), np.int64)
    matrices[:, :size, :size] = panes.values.low.reshape(-1, size, size)[1:]
    return matrices


def _make_state(rows: int, tables: GramTables) -> CountState:
    """Return room for vectors."""
    size = tables.initial.size
    return CountState(
        np.zeros((rows, size)),
        np.zeros((rows, size), np.int64),
        np.zeros((rows, size), np.int64),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(rows, np.int64),
        np.zeros((size, size)),
    )


NO_MEASURES = Measures(
    np.zeros(1, np.int64),
    np.zeros(1, np.uint64),
    np.zeros((1, 0)),
    np.zeros((1, 0), np.int64),
    np.zeros((1, 0), np.int64),
    np.zeros(0, np.uint64),
    np.zeros((0, 0), np.int64),
)
