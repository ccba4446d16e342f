"""WITHIN alone: the trends of the latest window at every moment of a group.

The partitions of a group have a queue each (two_stack_queue.py). Their values are the leaves of a
tree, so that a partition that changes costs the logarithm of their number; nothing is subtracted.
Where the middle of the window is known (known_middle.py), a group has one leaf more, for partitions
of which nothing else is in the window.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import EventArrays, Int64s
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.position.slot_machine import SlotMachine, Step
from cepheid.kernels.position.two_stack_queue import (
    HEAD,
    IS_BLOCKED,
    IS_CHANGED,
    TAIL,
    Borders,
    RecentQueues,
    begin_queue,
    put_middle,
    sum_queue,
)
from cepheid.kernels.step import fired_by
from cepheid.kernels.values.value_algebra import clear, copy, plus
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values

ROOT = 1
NO_MIDDLE = -1


class GroupSteps(NamedTuple):
    """The steps of every group by order key, and its partitions.

    `offsets` cuts `step` into groups; `owner` is the place of a step's partition in its group.
    `partition_offsets` cuts `partition` into groups.
    """

    step: Int64s
    owner: Int64s
    rank: Int64s
    offsets: Int64s
    partition: Int64s
    partition_offsets: Int64s


class GroupMoments(NamedTuple):
    """The moments of every group, in order: events up to a time and up to a rank at that time.

    If a window counts events, time is not looked at.
    """

    time: Int64s
    rank: Int64s
    offsets: Int64s


class Middles(NamedTuple):
    """What is known of partitions between clocks that are before `cut` and those to come.

    `matrix` has by partition the number of a matrix, NO_MIDDLE if there is none; it is empty if
    nothing is known. `others[0, group]` is what other partitions of a group amount to.
    """

    cut: int
    matrix: Int64s
    values: Values
    others: Values


@kernel_in_place
def most_steps(events: EventArrays, length: int, most: Int64s) -> None:
    """Write by partition how many steps are in a window, at most; O(steps)."""
    for partition in range(events.partition_offsets.size - 1):
        begin, end = events.partition_offsets[partition], events.partition_offsets[partition + 1]
        oldest = begin
        most[partition] = 0
        for step in range(begin, end):
            while _clock(events, oldest) <= _clock(events, step) - length:
                oldest += 1
            most[partition] = max(most[partition], step + 1 - oldest)


@inlined
def _clock(events: EventArrays, step: int) -> int:
    return int(events.clock[events.step_offsets[step]])


@kernel_in_place
def fold_recent(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    steps: GroupSteps,
    moments: GroupMoments,
    length: int,
    counts_events: bool,
    borders: Borders,
    middles: Middles,
    room: Int64s,
    queues: RecentQueues,
    tree: Values,
    changed: Int64s,
    about: Step,
    fresh: Values,
    rows: ValueRows,
) -> None:
    """Write the value of every moment.

    `room` is by partition: where its vectors are in the front. `tree` has one row, with room for
    twice as many values as a group has leaves; `changed` lists the partitions that changed, after
    their number.
    """
    has_middles = middles.matrix.size > 0
    for group in range(moments.offsets.size - 1):
        partitions = steps.partition_offsets[group + 1] - steps.partition_offsets[group]
        leaves = partitions + has_middles
        for leaf in range(leaves):
            clear(tree, 0, leaf + 1)
            clear(tree, 0, leaves + leaf)
        for leaf in range(partitions):
            partition = steps.partition[steps.partition_offsets[group] + leaf]
            begin_queue(queues, leaf, events.partition_offsets[partition], room[partition])
        changed[0] = 0
        next_step, end = steps.offsets[group], steps.offsets[group + 1]
        oldest = next_step
        if has_middles:
            copy(tree, 0, leaves + partitions, middles.others, 0, group)
            _update(tree, leaves + partitions, measures.moduli)
            while next_step < end and _clock(events, steps.step[next_step]) < middles.cut:
                step, owner = steps.step[next_step], steps.owner[next_step]
                _enter(events, codes, borders, queues, changed, owner, step)
                next_step += 1
            for leaf in range(partitions):
                partition = steps.partition[steps.partition_offsets[group] + leaf]
                matrix = middles.matrix[partition]
                if matrix != NO_MIDDLE:
                    put_middle(machine, measures, events, codes, borders, queues, leaf, about,
                               middles.values, matrix)  # fmt: skip
                    _note(queues, changed, leaf)
        for moment in range(moments.offsets[group], moments.offsets[group + 1]):
            time, rank = moments.time[moment], moments.rank[moment]
            while next_step < end:
                step, owner = steps.step[next_step], steps.owner[next_step]
                clock = _clock(events, step)
                is_before = not counts_events and clock < time
                is_now = counts_events or clock == time
                if not is_before and not (is_now and steps.rank[next_step] <= rank):
                    break
                if counts_events:
                    while (
                        queues.state[owner, HEAD] < queues.state[owner, TAIL]
                        and _clock(events, queues.state[owner, HEAD]) <= clock - length
                    ):
                        if _leaves(machine, events, codes, borders, queues, owner):
                            _note(queues, changed, owner)
                else:
                    while _clock(events, steps.step[oldest]) <= clock - length:
                        if _leaves(machine, events, codes, borders, queues, steps.owner[oldest]):
                            _note(queues, changed, steps.owner[oldest])
                        oldest += 1
                _enter(events, codes, borders, queues, changed, owner, step)
                next_step += 1
            if not counts_events:
                while oldest < next_step and _clock(events, steps.step[oldest]) <= time - length:
                    if _leaves(machine, events, codes, borders, queues, steps.owner[oldest]):
                        _note(queues, changed, steps.owner[oldest])
                    oldest += 1
            for place in range(1, changed[0] + 1):
                leaf = changed[place]
                queues.state[leaf, IS_CHANGED] = 0
                sum_queue(machine, measures, events, codes, borders, queues, leaf, about, fresh,
                          tree, leaves + leaf)  # fmt: skip
                _update(tree, leaves + leaf, measures.moduli)
            changed[0] = 0
            _write(rows, moment, tree)


@inlined
def _note(queues: RecentQueues, changed: Int64s, owner: int) -> None:
    """Note that a partition changes."""
    if queues.state[owner, IS_CHANGED] == 0:
        queues.state[owner, IS_CHANGED] = 1
        changed[0] += 1
        changed[changed[0]] = owner


@inlined
def _leaves(
    machine: SlotMachine,
    events: EventArrays,
    codes: Int64s,
    borders: Borders,
    queues: RecentQueues,
    owner: int,
) -> bool:
    """Drop the oldest step of a partition; return whether that may change its value.

    If the step kept trends from starting, it blocked all that are complete: they ended in its
    window. Without it in the window they would count.
    """
    step = queues.state[owner, HEAD]
    queues.state[owner, HEAD] += 1
    begin, end = events.step_offsets[step], events.step_offsets[step + 1]
    code = _code(codes, begin, end)
    if code != 0:
        if machine.moves[borders.start, code] < 0:
            queues.state[owner, IS_BLOCKED] = 1
        return True
    return bool(fired_by(events.fires, begin, end) & borders.first)


@inlined
def _enter(
    events: EventArrays,
    codes: Int64s,
    borders: Borders,
    queues: RecentQueues,
    changed: Int64s,
    owner: int,
    step: int,
) -> None:
    """Add the next step of a partition, and note whether that may change its value."""
    queues.state[owner, TAIL] = step + 1
    queues.blocks[step] = queues.state[owner, IS_BLOCKED]
    begin, end = events.step_offsets[step], events.step_offsets[step + 1]
    if queues.state[owner, IS_BLOCKED] or _code(codes, begin, end) != 0:
        queues.state[owner, IS_BLOCKED] = 0
        _note(queues, changed, owner)
    elif fired_by(events.fires, begin, end) & borders.last:
        _note(queues, changed, owner)


@inlined
def _code(codes: Int64s, begin: int, end: int) -> int:
    """Return the negated positions that the events of a step fit."""
    code = 0
    if codes.size:
        for event in range(begin, end):
            code |= codes[event]
    return code


@inlined
def _update(tree: Values, node: int, moduli: Int64s) -> None:
    """Add up the nodes above a leaf."""
    while node > ROOT:
        node //= 2
        copy(tree, 0, node, tree, 0, 2 * node)
        plus(tree, 0, node, tree, 0, 2 * node + 1, moduli)


@inlined
def _write(rows: ValueRows, at: int, tree: Values) -> None:
    """Write the root as a row."""
    for number in range(tree.mantissa.shape[2]):
        rows.mantissa[at, number] = tree.mantissa[0, ROOT, number]
        rows.tier[at, number] = tree.tier[0, ROOT, number]
        rows.low[at, number] = tree.low[0, ROOT, number]
    for number in range(tree.least.shape[2]):
        rows.least[at, number] = tree.least[0, ROOT, number]
