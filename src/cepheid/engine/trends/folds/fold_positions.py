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
from cepheid.kernels.position.fold_slots import (
    FIRST_OPENING,
    MORE_ROWS,
    NEWEST_WINDOW,
    NEXT_OPENING,
    RANK,
    ROWS,
    STEP,
    TOO_LARGE,
    fold_partitions,
    fold_windows,
)
from cepheid.kernels.position.slot_machine import BEFORE_ALL, make_step
from cepheid.kernels.values.double_counts import Counts
from cepheid.kernels.values.value_algebra import make_values
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values
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
    whole, wanted = task.slot_task, task.events.wanted
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
    values, fresh = _lanes(task, 1)
    fold_partitions(*task, values, make_step(machine, measures), fresh, rows)
    return rows


def rows_of_windows(task: SlotTask, length: int, slide: int, lanes: int) -> ValueRows:
    """Return a row for every partition and window with trends, with a vector per open window.

    `lanes` is how many vectors are in use at once, at most.
    """
    rows = _folded_windows(task, length, slide, _lanes(task, 2 * lanes))
    assert isinstance(rows, ValueRows)
    return rows


def rows_of_counts(task: SlotTask, length: int, slide: int, lanes: int) -> Rows:
    """Return the same for plain counts below 2^53, several times as fast."""
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
) -> Rows:
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
    return TooLarge() if found == TOO_LARGE else joined_rows(parts)
