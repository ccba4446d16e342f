"""Aggregates of queries in which no predicate reads the last event of a run: vectors of slots."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.matches.match_chunks import split_partitions
from cepheid.engine.process.threads import side_by_side
from cepheid.engine.trends.folds.panes import fold_to_panes, pane_length, rows_of_panes
from cepheid.engine.trends.folds.slot_task import SlotTask, slot_task
from cepheid.engine.trends.groups import taken
from cepheid.engine.trends.value_rows import counts_only, first_rows, joined_rows, make_rows
from cepheid.engine.trends.windows.wanted_windows import WantedWindows, kept_events
from cepheid.kernels.position.fold_slots import (
    FIRST_OPENING,
    LANE_STEPS,
    MORE_ROWS,
    MOST_LANES,
    NEWEST_WINDOW,
    NEXT_OPENING,
    PANES,
    RANK,
    ROWS,
    STEP,
    TOO_LARGE,
    fold_partitions,
    fold_windows,
    measure_windows,
)
from cepheid.kernels.position.slot_machine import BEFORE_ALL, make_step
from cepheid.kernels.values.double_counts import Counts
from cepheid.kernels.values.value_algebra import make_values
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values
from cepheid.plan.window_costs import WindowCosts, window_costs
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram

Int64s = NDArray[np.int64]
ROWS_AT_ONCE = 1 << 14
MANY_WINDOWS = 128  # that an event is in: then it is worth to look whether panes are cheaper


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
    if counts_only(measures):
        counted = _counts_of(task, length, slide)
        if counted is not None:
            return counted
    if slide == length:
        return rows_of_windows(task, length, slide, 1)
    work = _work(task, length, slide)
    if costs_of(task, work).prefers_panes:
        panes = fold_to_panes(task, pane_length(length, slide))
        return rows_of_panes(task.machine, measures, panes, length, slide)
    return rows_of_windows(task, length, slide, max(1, int(work[MOST_LANES])))


def _counts_of(task: SlotTask, length: int, slide: int) -> ValueRows | None:
    """Return the rows of plain counts; None if these are large, or if panes are cheaper."""
    lanes = -(-length // slide)
    if lanes > MANY_WINDOWS:
        work = _work(task, length, slide)
        if costs_of(task, work, is_plain=True).prefers_panes:
            return None
        lanes = max(1, int(work[MOST_LANES]))
    return rows_of_counts(task, length, slide, lanes)


def _work(task: SlotTask, length: int, slide: int) -> Int64s:
    work = np.zeros(PANES + 1, np.int64)
    measure_windows(task.events, length, slide, pane_length(length, slide), work)
    return work


def costs_of(task: SlotTask, work: Int64s, *, is_plain: bool = False) -> WindowCosts:
    """Return what the windows cost, from what `measure_windows` found."""
    offsets = task.events.partition_offsets
    steps = max(1, int(offsets[-1] - offsets[0]))
    per_pane = steps / max(1, work[PANES])
    slots = task.machine.owner.size
    return window_costs(slots, work[LANE_STEPS] / steps, per_pane, is_plain=is_plain)


def rows_of_partitions(task: SlotTask) -> ValueRows:
    """Return a row for every partition; `window` is 0."""
    machine, measures = task.machine, task.measures
    rows = make_rows(task.events.partition_offsets.size - 1, measures)
    values, fresh = _lanes(task, 1)
    fold_partitions(*task, values, make_step(machine, measures), fresh, rows)
    return rows


def rows_of_windows(task: SlotTask, length: int, slide: int, lanes: int) -> ValueRows:
    """Return a row for every partition and window with trends, with a vector per open window.

    `lanes` is how many vectors are in use at once, at most.
    """
    rows = _folded_windows(task, length, slide, _lanes(task, 2 * lanes))
    assert rows is not None
    return rows


def rows_of_counts(task: SlotTask, length: int, slide: int, lanes: int) -> ValueRows | None:
    """Return the same for plain counts, several times as fast; None if one is 2^53 or more."""
    counts = Counts(np.zeros((task.machine.owner.size, 2 * lanes)))
    fresh = Counts(np.zeros((task.machine.follow.size + 1, 2 * lanes)))
    return _folded_windows(task, length, slide, (counts, fresh))


def _lanes(task: SlotTask, lanes: int) -> tuple[Values, Values]:
    """Return room for the slots, and for new runs by position and one value more."""
    machine, measures = task.machine, task.measures
    sizes = measures.moduli.size, measures.least_positions.size
    return (
        make_values(machine.owner.size, lanes, *sizes),
        make_values(machine.follow.size + 1, lanes, *sizes),
    )


def _folded_windows(
    task: SlotTask, length: int, slide: int, room: tuple[Values, Values] | tuple[Counts, Counts]
) -> ValueRows | None:
    """Fold values of one type, as many lanes as there is room for."""
    windows = np.zeros((room[0][0].shape[1], 2), np.int64)
    about = make_step(task.machine, task.measures)
    cursor = np.zeros(NEXT_OPENING + 1, np.int64)
    cursor[RANK] = cursor[NEWEST_WINDOW] = BEFORE_ALL
    cursor[NEXT_OPENING] = FIRST_OPENING
    cursor[STEP] = task.events.partition_offsets[0]
    parts, found = [], MORE_ROWS
    while found == MORE_ROWS:
        rows = make_rows(ROWS_AT_ONCE, task.measures)
        cursor[ROWS] = 0
        values, fresh = room
        found = fold_windows(*task, length, slide, values, windows, about, fresh, rows, cursor)
        parts.append(first_rows(rows, int(cursor[ROWS])))
    return None if found == TOO_LARGE else joined_rows(parts)
