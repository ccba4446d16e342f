"""Aggregates of queries in which no predicate reads the last event of a run: vectors of slots."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.fold_slots import (
    LANE_STEPS,
    MOST_LANES,
    NEWEST_WINDOW,
    PANES,
    RANK,
    ROWS,
    STEP,
    fold_partitions,
    fold_windows,
    measure_windows,
)
from cepheid.kernels.slot_machine import BEFORE_ALL, make_fresh, make_step
from cepheid.kernels.value_algebra import make_values
from cepheid.kernels.values import Measures, ValueRows
from cepheid.plan.window_costs import WindowCosts, window_costs
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram
from cepheid.runtime.aggregate.group_rows import taken
from cepheid.runtime.aggregate.panes import fold_to_panes, pane_length, rows_of_panes
from cepheid.runtime.aggregate.slot_machine import SlotTask, slot_task
from cepheid.runtime.aggregate.value_rows import first_rows, joined_rows, make_rows
from cepheid.runtime.aggregate.wanted_windows import WantedWindows, kept_events
from cepheid.runtime.match_chunks import split_partitions
from cepheid.runtime.order_events import OrderedEvents
from cepheid.runtime.side_by_side import side_by_side

Int64s = NDArray[np.int64]
ROWS_AT_ONCE = 1 << 14


def linear_rows(
    program: Program,
    slots: SlotProgram,
    ordered: OrderedEvents,
    measures: Measures,
    threads: int = 1,
    wanted: WantedWindows | None = None,
) -> ValueRows:
    """Return a row for every partition, or for every partition and window that has trends.

    `wanted`: only these windows.
    """
    if wanted is None:
        return _rows_of_all(program, slots, ordered, measures, threads)
    if wanted.most <= slots.size:  # panes take as many updates per event
        return _rows_of_few(program, slots, ordered, measures, wanted)
    rows = _rows_of_all(program, slots, ordered, measures, threads)
    return taken(rows, np.flatnonzero(wanted.has(rows.owner, rows.window)))


def _rows_of_few(
    program: Program,
    slots: SlotProgram,
    ordered: OrderedEvents,
    measures: Measures,
    wanted: WantedWindows,
) -> ValueRows:
    """Fold every window by itself, so that none is folded that is not wanted."""
    assert program.window_length is not None
    assert program.slide is not None
    clock, partition = ordered.arrays.clock, ordered.partition_of_event
    parts = [make_rows(0, measures)]
    for number in range(wanted.most):
        window = wanted.first + number
        begin = (window * program.slide)[partition]
        is_inside = (clock >= begin) & (clock < begin + program.window_length)
        is_inside &= (window <= wanted.last)[partition]
        inside = np.flatnonzero(is_inside)
        if inside.size:
            kept = kept_events(ordered, is_inside)
            rows = rows_of_partitions(slot_task(program, slots, kept, _of_some(measures, inside)))
            arrays = kept.arrays
            firsts = inside[arrays.step_offsets[arrays.partition_offsets[:-1]]]
            owner = partition[firsts]
            parts.append(rows._replace(owner=owner, window=window[owner]))
    return joined_rows(parts)


def _of_some(measures: Measures, events: Int64s) -> Measures:
    """Return what some events contribute; numbers are left out where runs are only counted."""
    if measures.mantissa.shape[1]:
        measures = measures._replace(
            mantissa=np.ascontiguousarray(measures.mantissa[:, events]),
            tier=np.ascontiguousarray(measures.tier[:, events]),
            low=np.ascontiguousarray(measures.low[:, events]),
        )
    return measures._replace(least=np.ascontiguousarray(measures.least[:, events]))


def _rows_of_all(
    program: Program,
    slots: SlotProgram,
    ordered: OrderedEvents,
    measures: Measures,
    threads: int,
) -> ValueRows:
    task = slot_task(program, slots, ordered, measures)
    parts = split_partitions(task.events, threads)
    if len(parts) == 1:
        return _rows_of(program, task)
    return joined_rows(
        side_by_side([functools.partial(_rows_of_part, program, task, each) for each in parts])
    )


def _rows_of_part(program: Program, task: SlotTask, part: range) -> ValueRows:
    """Return the rows of some partitions."""
    offsets = task.events.partition_offsets[part.start : part.stop + 1]
    rows = _rows_of(program, task._replace(events=task.events._replace(partition_offsets=offsets)))
    return rows._replace(owner=rows.owner + part.start)


def _rows_of(program: Program, task: SlotTask) -> ValueRows:
    length, measures = program.window_length, task.measures
    if length is None:
        return rows_of_partitions(task)
    slide = program.slide or length
    if slide == length:
        return rows_of_windows(task, length, slide, 1)
    work = np.zeros(PANES + 1, np.int64)
    pane = pane_length(length, slide)
    measure_windows(task.events, length, slide, pane, work)
    if costs_of(task, work).prefers_panes:
        return rows_of_panes(task.machine, measures, fold_to_panes(task, pane), length, slide)
    return rows_of_windows(task, length, slide, max(1, int(work[MOST_LANES])))


def costs_of(task: SlotTask, work: Int64s) -> WindowCosts:
    """Return what the windows cost, from what `measure_windows` found."""
    offsets = task.events.partition_offsets
    steps = max(1, int(offsets[-1] - offsets[0]))
    slots = task.machine.owner.size
    return window_costs(slots, work[LANE_STEPS] / steps, steps / max(1, work[PANES]))


def rows_of_partitions(task: SlotTask) -> ValueRows:
    """Return a row for every partition; `window` is 0."""
    machine, measures = task.machine, task.measures
    rows = make_rows(task.events.partition_offsets.size - 1, measures)
    values = make_values(1, machine.owner.size, *_sizes(measures))
    fold_partitions(
        *task, values, make_step(machine, measures), make_fresh(machine, measures), rows
    )
    return rows


def rows_of_windows(task: SlotTask, length: int, slide: int, lanes: int) -> ValueRows:
    """Return a row for every partition and window with trends, with a vector per open window.

    `lanes` is how many vectors are in use at once, at most.
    """
    machine, measures = task.machine, task.measures
    values = make_values(lanes, machine.owner.size, *_sizes(measures))
    windows = np.zeros((lanes, 2), np.int64)
    about, fresh = make_step(machine, measures), make_fresh(machine, measures)
    cursor = np.zeros(ROWS + 1, np.int64)
    cursor[RANK] = cursor[NEWEST_WINDOW] = BEFORE_ALL
    cursor[STEP] = task.events.partition_offsets[0]
    parts, is_done = [], False
    while not is_done:
        rows = make_rows(ROWS_AT_ONCE, measures)
        cursor[ROWS] = 0
        is_done = fold_windows(*task, length, slide, values, windows, about, fresh, rows, cursor)
        parts.append(first_rows(rows, int(cursor[ROWS])))
    return joined_rows(parts)


def _sizes(measures: Measures) -> tuple[int, int]:
    return measures.moduli.size, measures.least_positions.size
