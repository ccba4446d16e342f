"""Aggregates of queries in which no predicate reads the last event of a run: vectors of slots."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.fold import Facts, TooLarge
from cepheid.engine.matches.match_chunks import split_partitions
from cepheid.engine.process.threads import side_by_side
from cepheid.engine.trends.folds.panes import fold_to_panes, pane_length, rows_of_panes
from cepheid.engine.trends.folds.slot_task import SlotTask, slot_task
from cepheid.engine.trends.groups import taken
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.value_rows import first_rows, joined_rows, make_rows
from cepheid.engine.trends.windows.wanted_windows import kept_events
from cepheid.kernels.position.fold_counts import (
    FIRST_OPENING,
    MORE_ROWS,
    NEXT_OPENING,
    TOO_LARGE,
    fold_counts,
)
from cepheid.kernels.position.fold_slots import (
    NEWEST_WINDOW,
    RANK,
    ROWS,
    STEP,
    fold_partitions,
    fold_windows,
)
from cepheid.kernels.position.slot_machine import BEFORE_ALL, make_fresh, make_step
from cepheid.kernels.values.value_algebra import make_values
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.plan.window_costs import MANY_WINDOWS

Int64s = NDArray[np.int64]
Rows = ValueRows | TooLarge
ROWS_AT_ONCE = 1 << 14


def counts_in_vectors(task: TrendTask, facts: Facts) -> Rows:
    """Return the rows of plain counts, with a vector per open window."""
    length, slide = _window(task)
    lanes = task.group.overlap
    if lanes > MANY_WINDOWS:
        lanes = max(1, facts["open windows"])
    return _in_parts(task, lambda part: rows_of_counts(part, length, slide, lanes))


def values_in_vectors(task: TrendTask, facts: Facts) -> Rows:
    """Return the rows of any values, with a vector per partition or open window."""
    if task.group.program.window_length is None:
        return _in_parts(task, rows_of_partitions)
    length, slide = _window(task)
    lanes = 1 if slide == length else max(1, facts["open windows"])
    return _in_parts(task, lambda part: rows_of_windows(part, length, slide, lanes))


def values_in_panes(task: TrendTask, facts: Facts) -> Rows:
    """Return the rows of any values, with a matrix per pane."""
    length, slide = _window(task)

    def fold(part: SlotTask) -> ValueRows:
        panes = fold_to_panes(part, pane_length(length, slide))
        return rows_of_panes(part.machine, part.measures, panes, length, slide)

    return _in_parts(task, fold)


def windows_one_by_one(task: TrendTask, facts: Facts) -> ValueRows:
    """Fold every window by itself, so that none is folded that is not wanted."""
    program, ordered, measures = task.group.program, task.ordered, task.measures
    slots, wanted = program.slots, task.events.wanted
    assert slots is not None
    assert wanted is not None
    length, slide = _window(task)
    clock, partition = ordered.arrays.clock, ordered.partition_of_event
    parts = [make_rows(0, measures)]
    for number in range(wanted.most):
        window = wanted.first + number
        begin = (window * slide)[partition]
        is_inside = (clock >= begin) & (clock < begin + length)
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


def _window(task: TrendTask) -> tuple[int, int]:
    program = task.group.program
    assert program.window_length is not None
    return program.window_length, program.slide or program.window_length


def _of_some(measures: Measures, events: Int64s) -> Measures:
    """Return what some events contribute; numbers are left out where runs are only counted."""
    if measures.mantissa.shape[1]:
        measures = measures._replace(
            mantissa=np.ascontiguousarray(measures.mantissa[:, events]),
            tier=np.ascontiguousarray(measures.tier[:, events]),
            low=np.ascontiguousarray(measures.low[:, events]),
        )
    return measures._replace(least=np.ascontiguousarray(measures.least[:, events]))


def _in_parts(task: TrendTask, fold: Callable[[SlotTask], Rows]) -> Rows:
    """Fold partitions on several threads, and return the rows of windows that are wanted."""
    program, wanted = task.group.program, task.events.wanted
    assert program.slots is not None
    whole = slot_task(program, program.slots, task.ordered, task.measures)
    parts = split_partitions(whole.events, task.events.threads)
    found = side_by_side([functools.partial(_part, whole, fold, each) for each in parts])
    folded = [each for each in found if not isinstance(each, TooLarge)]
    if len(folded) < len(found):
        return TooLarge()
    rows = joined_rows(folded)
    if wanted is None:
        return rows
    return taken(rows, np.flatnonzero(wanted.has(rows.owner, rows.window)))


def _part(task: SlotTask, fold: Callable[[SlotTask], Rows], part: range) -> Rows:
    """Return the rows of some partitions."""
    offsets = task.events.partition_offsets[part.start : part.stop + 1]
    rows = fold(task._replace(events=task.events._replace(partition_offsets=offsets)))
    if isinstance(rows, TooLarge) or not part.start:
        return rows
    return rows._replace(owner=rows.owner + part.start)


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


def rows_of_counts(task: SlotTask, length: int, slide: int, lanes: int) -> Rows:
    """Return the same for plain counts below 2^53, several times as fast."""
    machine, measures = task.machine, task.measures
    counts = np.zeros((machine.owner.size, 2 * lanes))
    new_runs = np.zeros((machine.follow.size, 2 * lanes))
    windows = np.zeros((2 * lanes, 2), np.int64)
    about = make_step(machine, measures)
    cursor = np.zeros(NEXT_OPENING + 1, np.int64)
    cursor[RANK] = cursor[NEWEST_WINDOW] = BEFORE_ALL
    cursor[NEXT_OPENING] = FIRST_OPENING
    cursor[STEP] = task.events.partition_offsets[0]
    parts, found = [], MORE_ROWS
    while found == MORE_ROWS:
        rows = make_rows(ROWS_AT_ONCE, measures)
        cursor[ROWS] = 0
        found = fold_counts(*task, length, slide, counts, new_runs, windows, about, rows, cursor)
        parts.append(first_rows(rows, int(cursor[ROWS])))
    return TooLarge() if found == TOO_LARGE else joined_rows(parts)


def _sizes(measures: Measures) -> tuple[int, int]:
    return measures.moduli.size, measures.least_positions.size
