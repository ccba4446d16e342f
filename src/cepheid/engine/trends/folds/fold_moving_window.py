"""WITHIN alone, where no predicate reads the last event of a run: a value at every moment."""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.fold import Facts
from cepheid.engine.trends.folds.panes import moving_slots
from cepheid.engine.trends.folds.slot_task import negative_codes, slot_machine
from cepheid.engine.trends.groups import add_rows
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.value_rows import joined_rows, make_rows
from cepheid.engine.trends.windows.result_times import Moments
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.position.moving_window import (
    GroupMoments,
    GroupSteps,
    Middles,
    fold_recent,
    most_steps,
)
from cepheid.kernels.position.slot_machine import SlotMachine, make_fresh, make_step
from cepheid.kernels.position.two_stack_queue import HAS_MIDDLE, Borders, RecentQueues
from cepheid.kernels.values.value_algebra import make_values
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values
from cepheid.program.program import Clock, Program

Int64s = NDArray[np.int64]


def values_in_queue(task: TrendTask, facts: Facts) -> ValueRows:
    """Return a row for every moment."""
    return values_at_moments(task.group.program, task.events, task.measures)


class MovingEvents(Protocol):
    """What of the events of a pattern is read."""

    @property
    def ordered(self) -> OrderedEvents: ...  # noqa: D102
    @property
    def group(self) -> Int64s: ...  # noqa: D102
    @property
    def moments(self) -> Moments | None: ...  # noqa: D102


def values_at_moments(
    program: Program, given: MovingEvents, measures: Measures, middles: Middles | None = None
) -> ValueRows:
    """Return a row for every moment; what is between the ends of windows may be known.

    Where trends begin in different gaps, what a negated part blocks when it leaves the window
    differs: then each has a pass of its own.
    """
    ordered, group, moments, slots = given.ordered, given.group, given.moments, program.slots
    assert program.window_length is not None
    assert moments is not None
    assert slots is not None
    if middles is None:
        none = make_values(0, 0, *_sizes(measures))
        middles = Middles(0, np.empty(0, np.int64), none, none)
    machine, codes = (
        slot_machine(slots, program.automaton, program.strategy),
        negative_codes(slots, ordered),
    )
    steps, by_group = _steps(ordered, group, moments.group), _moments(moments)
    room, most = _room(ordered.arrays, steps, program.window_length)
    leaves = int(np.diff(steps.partition_offsets).max(initial=0))
    parts, count = [], moments.group.size
    for start in np.flatnonzero(machine.initial):
        rows = make_rows(count, measures)
        rows.owner[:], rows.window[:] = moments.group, np.arange(count)
        fold_recent(
            machine, measures, ordered.arrays, codes, steps, by_group, program.window_length,
            program.clock is Clock.EVENTS, _borders(machine, int(start)), middles, room,
            _queues(machine, measures, leaves, most, ordered.arrays.step_offsets.size - 1),
            make_values(1, 2 * (leaves + 1), *_sizes(measures)),
            np.empty(leaves + 1, np.int64),
            make_step(machine, measures), make_fresh(machine, measures), rows,
        )  # fmt: skip
        parts.append(rows)
        middles = middles._replace(others=_none_of(middles.others))
    if len(parts) == 1:
        return parts[0]
    joined = joined_rows(parts)
    totals = add_rows(joined, joined.window, parts[0].owner.size, measures.moduli)
    return totals._replace(owner=parts[0].owner, window=parts[0].window)


def _none_of(values: Values) -> Values:
    """Return as many values without runs."""
    rows, slots, numbers = values.mantissa.shape
    return make_values(rows, slots, numbers, values.least.shape[2])


def _borders(machine: SlotMachine, start: int) -> Borders:
    first, last = np.uint64(0), np.uint64(0)
    for position in range(machine.follow.size):
        bit = np.uint64(1 << position)
        begin, end = machine.source_offsets[position : position + 2]
        if start in machine.sources[begin:end]:
            first |= bit
        begin, end = machine.entry_offsets[position : position + 2]
        if np.isin(machine.entries[begin:end], machine.finals).any():
            last |= bit
    moving = moving_slots(machine)
    return Borders(
        start, first, last, moving, np.zeros(1, np.int64), few_steps(moving), _is_forward(machine),
        *_reach(machine, moving),
    )  # fmt: skip


def _is_forward(machine: SlotMachine) -> bool:
    """Whether no position extends runs of one with a larger number."""
    return all(
        bool((machine.owner[machine.sources[begin:end]] <= position).all())
        for position, (begin, end) in enumerate(pairwise(machine.source_offsets))
    )


def _reach(machine: SlotMachine, moving: Int64s) -> tuple[Int64s, Int64s]:
    """Return by position the moving slots whose runs can come to it, as offsets and a list."""
    size, positions = machine.owner.size, machine.follow.size
    reaches = np.eye(size, dtype=np.bool_)
    sources, entries = (
        [each[offsets[p] : offsets[p + 1]] for p in range(positions)]
        for each, offsets in (
            (machine.sources, machine.source_offsets),
            (machine.entries, machine.entry_offsets),
        )
    )
    for before, after in zip(sources, entries, strict=True):
        reaches[np.ix_(before, after)] = True
    for slot in range(size):
        targets = machine.moves[slot]
        reaches[slot, targets[targets >= 0]] = True
    for slot in range(size):  # Warshall's closure
        reaches |= reaches[:, slot : slot + 1] & reaches[slot : slot + 1]
    lists = [moving[reaches[moving][:, each].any(axis=1)] for each in sources]
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return offsets, np.concatenate([np.empty(0, np.int64), *lists])


def few_steps(moving: Int64s) -> int:
    """Return how many steps a vector takes at no more cost than a matrix takes one."""
    return moving.size


def _steps(ordered: OrderedEvents, group: Int64s, shown: Int64s) -> GroupSteps:
    """Return the steps of the groups that have moments, sorted by order key."""
    arrays = ordered.arrays
    groups = np.unique(shown)
    first_event = arrays.step_offsets[:-1]
    sizes = np.diff(arrays.partition_offsets)
    of_partition = group[first_event[arrays.partition_offsets[:-1]]]
    partition = np.argsort(of_partition, kind="stable")
    partition = partition[np.isin(of_partition[partition], groups)]
    ends = np.searchsorted(of_partition[partition], groups, side="right")
    partition_offsets = np.concatenate(([0], ends)).astype(np.int64)
    owner = np.empty(sizes.size, np.int64)
    owner[partition] = np.arange(partition.size) - np.repeat(
        partition_offsets[:-1], np.diff(partition_offsets)
    )
    step = _concatenated(arrays.partition_offsets[partition], sizes[partition])
    owner_of_step = np.repeat(owner[partition], sizes[partition])
    rank = ordered.key_rank[first_event[step]]
    step_ends = np.concatenate(([0], np.cumsum(sizes[partition])))[partition_offsets]
    if partition.size > groups.size:
        order = np.lexsort([rank, np.repeat(of_partition[partition], sizes[partition])])
        step, owner_of_step, rank = step[order], owner_of_step[order], rank[order]
    return GroupSteps(
        step, owner_of_step, rank, step_ends.astype(np.int64), partition, partition_offsets
    )


def _concatenated(begin: Int64s, sizes: Int64s) -> Int64s:
    """Return the numbers of stretches that have a beginning and a size each."""
    before = np.cumsum(sizes) - sizes
    result: Int64s = np.arange(int(sizes.sum())) + np.repeat(begin - before, sizes)
    return result


def _moments(moments: Moments) -> GroupMoments:
    groups = np.unique(moments.group)
    ends = np.searchsorted(moments.group, groups, side="right")
    offsets = np.concatenate(([0], ends)).astype(np.int64)
    return GroupMoments(moments.time, moments.rank, offsets)


def _room(events: EventArrays, steps: GroupSteps, length: int) -> tuple[Int64s, int]:
    """Return where the vectors of each partition begin, and how many a group has at most."""
    most = np.zeros(events.partition_offsets.size - 1, np.int64)
    most_steps(events, length, most)
    most += 1  # what is between the ends of a window has a vector, too
    ends = np.concatenate(([0], np.cumsum(most[steps.partition])))
    starts = ends[steps.partition_offsets]
    room = np.zeros(most.size, np.int64)
    room[steps.partition] = ends[:-1] - np.repeat(starts[:-1], np.diff(steps.partition_offsets))
    return room, int(np.diff(starts).max(initial=0))


def _queues(
    machine: SlotMachine, measures: Measures, queues: int, vectors: int, steps: int
) -> RecentQueues:
    size = machine.owner.size
    return RecentQueues(
        np.zeros((queues, HAS_MIDDLE + 1), np.int64),
        _room_for(vectors, size, measures),
        _room_for(queues * size, size, measures),
        _room_for(size + machine.follow.size, size, measures),
        np.zeros(steps, np.int8),
    )


def _room_for(rows: int, slots: int, measures: Measures) -> Values:
    """Return room for values that are written before they are read."""
    shape = rows, slots, measures.moduli.size
    return Values(
        np.empty(shape),
        np.empty(shape, np.int64),
        np.empty(shape, np.int64),
        np.empty((rows, slots, measures.least_positions.size), np.int64),
    )


def _sizes(measures: Measures) -> tuple[int, int]:
    return measures.moduli.size, measures.least_positions.size
