"""Aggregates of queries in which no predicate reads the last event of a run: vectors of slots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.fold_slots import (
    NEWEST_WINDOW,
    RANK,
    ROWS,
    fold_partitions,
    fold_windows,
    most_lanes,
)
from cepheid.kernels.slot_machine import BEFORE_ALL, SlotMachine, make_fresh, make_step
from cepheid.kernels.value_algebra import make_values
from cepheid.kernels.values import Measures, ValueRows
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram
from cepheid.runtime.aggregate.slot_machine import negative_codes, slot_machine
from cepheid.runtime.aggregate.value_rows import first_rows, joined_rows, make_rows
from cepheid.runtime.order_events import OrderedEvents

Int64s = NDArray[np.int64]
ROWS_AT_ONCE = 1 << 14


def linear_rows(
    program: Program, slots: SlotProgram, ordered: OrderedEvents, measures: Measures
) -> ValueRows:
    """Return a row for every partition, or for every partition and window that has trends."""
    machine = slot_machine(slots, program.automaton, program.strategy)
    codes = negative_codes(slots, ordered)
    if program.window_length is None:
        return rows_of_partitions(machine, measures, ordered.arrays, codes)
    slide = program.slide or program.window_length
    return rows_of_windows(machine, measures, ordered.arrays, codes, program.window_length, slide)


def rows_of_partitions(
    machine: SlotMachine, measures: Measures, events: EventArrays, codes: Int64s
) -> ValueRows:
    """Return a row for every partition; `window` is 0."""
    rows = make_rows(events.partition_offsets.size - 1, measures)
    values = make_values(1, machine.owner.size, *_sizes(measures))
    about, fresh = make_step(machine, measures), make_fresh(machine, measures)
    fold_partitions(machine, measures, events, codes, values, about, fresh, rows)
    return rows


def rows_of_windows(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    length: int,
    slide: int,
) -> ValueRows:
    """Return a row for every partition and window with trends, with a vector per open window."""
    lanes = int(most_lanes(events, length, slide))
    values = make_values(lanes, machine.owner.size, *_sizes(measures))
    windows = np.zeros((lanes, 2), np.int64)
    about, fresh = make_step(machine, measures), make_fresh(machine, measures)
    cursor = np.zeros(ROWS + 1, np.int64)
    cursor[RANK] = cursor[NEWEST_WINDOW] = BEFORE_ALL
    parts, is_done = [], False
    while not is_done:
        rows = make_rows(ROWS_AT_ONCE, measures)
        cursor[ROWS] = 0
        is_done = fold_windows(
            machine, measures, events, codes, length, slide, values, windows, about, fresh, rows,
            cursor,
        )  # fmt: skip
        parts.append(first_rows(rows, cursor[ROWS]))
    return joined_rows(parts)


def _sizes(measures: Measures) -> tuple[int, int]:
    return measures.moduli.size, measures.least_positions.size
