"""The steps of a window that moves with every event, as a queue of two stacks.

Every step is a matrix (see slot_machine.py), and the trends of a window are the product of those of
its steps. The queue of a partition is a stretch of its steps:
- front: by step, the vector of a window that begins there and goes to the front's end;
- back: the product of the steps after that; its row s is what a run in slot s becomes.
A step is multiplied once into the back and once, from the left, when the back becomes the front;
so the cost of a step does not depend on the window. Nothing is done before a result is asked for.

A queue may have a *middle*: a matrix of all that comes between its first steps and those to come,
and that stays in the window. Then the vectors of the front go to the end of the middle, and the
back never becomes the front.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Bytes, EventArrays, Int64s
from cepheid.kernels.jit import inlined, inner_in_place
from cepheid.kernels.position.slot_machine import (
    BEFORE_ALL,
    CODE,
    DROPPED,
    FIRED,
    IS_BROKEN,
    SlotMachine,
    Step,
    advance,
    describe_step,
)
from cepheid.kernels.values.extended import added, multiplied
from cepheid.kernels.values.value_algebra import (
    add_product,
    clear,
    copy,
    extend,
    has_runs,
    make_one,
    plus,
)
from cepheid.kernels.values.value_arrays import Measures, Values

# Places in `RecentQueues.state`: the first step of the window, where the front's vectors begin, the
# first step of the back, the first step that is not yet in the back's product, the first step to
# come; whether the trends so far are blocked; where the front's vectors are; whether its value may
# have changed; whether there is a middle.
HEAD, FRONT, BACK, UNFOLDED, TAIL, IS_BLOCKED, ROOM, IS_CHANGED, HAS_MIDDLE = range(9)


class RecentQueues(NamedTuple):
    """The queues of the partitions of a group.

    `back` has a matrix for each, `front` the vectors of all; `work` has room for a matrix and a
    vector per position. `blocks` is by step: 1 if what was complete before it counts no longer.
    """

    state: Int64s
    front: Values
    back: Values
    work: Values
    blocks: Bytes


class Borders(NamedTuple):
    """Where runs begin and end.

    `start` is the slot in which they begin, `first` the positions that they begin with, `last`
    those that complete them. `moving` are the slots that some step changes; `one` is a list of 0.
    A queue of `few` steps or less is folded anew. `is_forward`: no position extends runs of one
    with a larger number. Runs in slots `reach[reach_offsets[p]:reach_offsets[p + 1]]` can come to
    position p.
    """

    start: int
    first: np.uint64
    last: np.uint64
    moving: Int64s
    one: Int64s
    few: int
    is_forward: bool
    reach_offsets: Int64s
    reach: Int64s


@inlined
def begin_queue(queues: RecentQueues, queue: int, step: int, room: int) -> None:
    """Make a queue empty; `room` is the row of the front's first vector."""
    for place in (HEAD, FRONT, BACK, UNFOLDED, TAIL):
        queues.state[queue, place] = step
    for place in (IS_BLOCKED, IS_CHANGED, HAS_MIDDLE):
        queues.state[queue, place] = 0
    queues.state[queue, ROOM] = room


@inner_in_place
def put_middle(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    borders: Borders,
    queues: RecentQueues,
    queue: int,
    about: Step,
    middle: Values,
    matrix: int,
) -> None:
    """Make all steps the front, followed by a matrix that stays."""
    size, state = machine.owner.size, queues.state
    for slot in range(size):
        for other in range(size):
            copy(queues.work, slot, other, middle, matrix * size + slot, other)
    end = state[queue, ROOM] + state[queue, TAIL] - state[queue, HEAD]
    for slot in range(size):
        copy(queues.front, end, slot, queues.work, borders.start, slot)
    _fold_front(machine, measures, events, codes, borders, queues, queue, about)
    state[queue, HAS_MIDDLE] = 1


@inner_in_place
def sum_queue(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    borders: Borders,
    queues: RecentQueues,
    queue: int,
    about: Step,
    fresh: Values,
    result: Values,
    place: int,
) -> None:
    """Write the trends of a queue to `result[0, place]`; O(edges * slots) a step, amortised."""
    state, moduli, size = queues.state, measures.moduli, machine.owner.size
    head, tail = state[queue, HEAD], state[queue, TAIL]
    has_middle = state[queue, HAS_MIDDLE] != 0
    clear(result, 0, place)
    if state[queue, IS_BLOCKED] or (head == tail and not has_middle):
        return
    if tail - head <= borders.few and not has_middle:
        _begin_vector(size, borders.start, queues.work, 0, moduli)
        for step in range(head, tail):
            _describe(machine, measures, events, codes, head, step, about)
            _append(machine, moduli, queues.work, 0, 1, borders.one, borders, queues.blocks[step],
                    about, fresh)  # fmt: skip
        for at in range(machine.finals.size):
            plus(result, 0, place, queues.work, 0, machine.finals[at], moduli)
        return
    if head > state[queue, BACK]:
        _flip(machine, measures, events, codes, borders, queues, queue, about)
        for at in range(machine.finals.size):
            plus(result, 0, place, queues.front, state[queue, ROOM], machine.finals[at],
                 moduli)  # fmt: skip
        return
    row = queue * size
    if state[queue, UNFOLDED] == state[queue, BACK]:
        for slot in range(size):
            _begin_vector(size, slot, queues.back, row + slot, moduli)
    for step in range(state[queue, UNFOLDED], tail):
        _describe(machine, measures, events, codes, head, step, about)
        if has_middle and step == state[queue, BACK]:
            about.facts[IS_BROKEN] = 0  # what comes before it is the end of the middle
        _append(machine, moduli, queues.back, row, size, borders.moving, borders,
                queues.blocks[step], about, fresh)  # fmt: skip
    state[queue, UNFOLDED] = tail
    if head == state[queue, BACK] and not has_middle:
        for at in range(machine.finals.size):
            plus(result, 0, place, queues.back, row + borders.start, machine.finals[at],
                 moduli)  # fmt: skip
        return
    vector = state[queue, ROOM] + head - state[queue, FRONT]
    for slot in range(size):
        if has_runs(queues.front, vector, slot):
            for at in range(machine.finals.size):
                if has_runs(queues.back, row + slot, machine.finals[at]):
                    add_product(result, 0, place, queues.front, vector, slot, queues.back,
                                row + slot, machine.finals[at], moduli)  # fmt: skip


@inlined
def _describe(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    head: int,
    step: int,
    about: Step,
) -> None:
    """Write what a step is; what comes before the window does not matter."""
    rank = BEFORE_ALL
    if step > head:
        rank = events.rank[events.step_offsets[step - 1]]
    describe_step(machine, measures, events, codes, step, rank, about)


@inlined
def _begin_vector(size: int, slot: int, values: Values, row: int, moduli: Int64s) -> None:
    """Write a vector with a run without events in a slot."""
    for other in range(size):
        clear(values, row, other)
    make_one(values, row, slot, moduli)


@inlined
def _is_plain(values: Values, borders: Borders, about: Step) -> bool:
    """Whether runs are only counted, and a step has no negated events.

    If it fires several positions, what one of them adds must not be read by the next.
    """
    is_count = values.mantissa.shape[2] == 1 and values.least.shape[2] == 0
    facts = about.facts
    are_apart = facts[FIRED] <= 1 or (borders.is_forward and facts[DROPPED] == 0)
    return is_count and are_apart and facts[CODE] == 0 and not facts[IS_BROKEN]


@inlined
def _append(
    machine: SlotMachine,
    moduli: Int64s,
    values: Values,
    row: int,
    rows: int,
    moving: Int64s,
    borders: Borders,
    blocks: int,
    about: Step,
    fresh: Values,
) -> None:
    """Multiply a matrix, or vectors, by a step."""
    if blocks:
        for other in range(rows):
            for at in range(machine.finals.size):
                clear(values, row + other, machine.finals[at])
    if _is_plain(values, borders, about):
        if about.facts[DROPPED] != 0:
            for at in range(moving.size):
                _append_plain(machine, values, row + moving[at], about, 0)
            return
        for back in range(about.facts[FIRED]):  # those come first that read what others add
            place = about.facts[FIRED] - 1 - back
            if rows == 1:
                _append_plain(machine, values, row, about, place)
                continue
            position = about.fired[place]
            for at in range(borders.reach_offsets[position], borders.reach_offsets[position + 1]):
                _append_plain(machine, values, row + borders.reach[at], about, place)
    else:
        for at in range(moving.size):
            if not _is_idle(machine, values, row + moving[at], about):
                advance(machine, moduli, values, row + moving[at], about, fresh)


@inlined
def _is_idle(machine: SlotMachine, values: Values, row: int, about: Step) -> bool:
    """Whether a step changes nothing of a vector: it only adds runs, and there are none."""
    if about.facts[DROPPED] != 0 or about.facts[CODE] != 0 or about.facts[IS_BROKEN]:
        return False
    for place in range(about.facts[FIRED]):
        position = about.fired[place]
        for at in range(machine.source_offsets[position], machine.source_offsets[position + 1]):
            if has_runs(values, row, machine.sources[at]):
                return False
    return True


@inlined
def _append_plain(
    machine: SlotMachine, values: Values, vector: int, about: Step, place: int
) -> None:
    """The same as `advance`, for one of the positions that a plain step fires."""
    begin, end, entry, entries, times = _edges(machine, about, place)
    mantissa, tier, low = 0.0, 0, 0
    for at in range(begin, end):
        slot = machine.sources[at]
        mantissa, tier = added(
            mantissa, tier, values.mantissa[vector, slot, 0], values.tier[vector, slot, 0]
        )
        low += values.low[vector, slot, 0]
    for at in range(about.facts[DROPPED]):
        clear(values, vector, about.dropped[at])
    if mantissa != 0.0:
        mantissa, tier = multiplied(mantissa, tier, times)
        for at in range(entry, entries):
            _add_count(values, vector, machine.entries[at], mantissa, tier, low * int(times))


@inlined
def _edges(machine: SlotMachine, about: Step, place: int) -> tuple[int, int, int, int, float]:
    """Return where the sources and entries of a fired position are; and how many events."""
    if about.facts[FIRED] == 0:
        return 0, 0, 0, 0, 1.0
    position = about.fired[place]
    return (
        machine.source_offsets[position],
        machine.source_offsets[position + 1],
        machine.entry_offsets[position],
        machine.entry_offsets[position + 1],
        float(about.times[position]),
    )


@inlined
def _add_count(values: Values, row: int, slot: int, mantissa: float, tier: int, low: int) -> None:
    values.mantissa[row, slot, 0], values.tier[row, slot, 0] = added(
        values.mantissa[row, slot, 0], values.tier[row, slot, 0], mantissa, tier
    )
    values.low[row, slot, 0] += low


@inlined
def _flip(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    borders: Borders,
    queues: RecentQueues,
    queue: int,
    about: Step,
) -> None:
    """Make all steps the front."""
    size = machine.owner.size
    for slot in range(size):
        _begin_vector(size, slot, queues.work, slot, measures.moduli)
    _fold_front(machine, measures, events, codes, borders, queues, queue, about)


@inlined
def _fold_front(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    borders: Borders,
    queues: RecentQueues,
    queue: int,
    about: Step,
) -> None:
    """Write the vectors of all steps; the matrix of what follows them is in `work`."""
    state, size = queues.state, machine.owner.size
    head, tail = state[queue, HEAD], state[queue, TAIL]
    for back in range(tail - head):
        step = tail - 1 - back
        _describe(machine, measures, events, codes, head, step, about)
        if _is_plain(queues.work, borders, about):
            for place in range(max(1, about.facts[FIRED])):
                _prepend_plain(machine, queues.work, about, place)
        else:
            _prepend(machine, measures.moduli, queues.work, about)
        if queues.blocks[step]:
            for at in range(machine.finals.size):
                for slot in range(size):
                    clear(queues.work, machine.finals[at], slot)
        vector = state[queue, ROOM] + step - head
        for slot in range(size):
            copy(queues.front, vector, slot, queues.work, borders.start, slot)
    state[queue, FRONT] = head
    state[queue, BACK] = state[queue, UNFOLDED] = tail


@inlined
def _prepend_plain(machine: SlotMachine, values: Values, about: Step, place: int) -> None:
    """The same as `_prepend` for one of the positions of a plain step: column by column."""
    begin, end, entry, entries, times = _edges(machine, about, place)
    for slot in range(machine.owner.size):
        mantissa, tier, low = 0.0, 0, 0
        for at in range(entry, entries):
            row = machine.entries[at]
            mantissa, tier = added(
                mantissa, tier, values.mantissa[row, slot, 0], values.tier[row, slot, 0]
            )
            low += values.low[row, slot, 0]
        for at in range(about.facts[DROPPED]):
            clear(values, about.dropped[at], slot)
        if mantissa != 0.0:
            mantissa, tier = multiplied(mantissa, tier, times)
            for at in range(begin, end):
                _add_count(values, machine.sources[at], slot, mantissa, tier, low * int(times))


@inlined
def _prepend(machine: SlotMachine, moduli: Int64s, values: Values, about: Step) -> None:
    """Multiply a matrix by a step from the left; the vectors of positions follow the matrix."""
    size = machine.owner.size
    for place in range(about.facts[FIRED]):
        position = about.fired[place]
        for slot in range(size):
            clear(values, size + position, slot)
        for at in range(machine.entry_offsets[position], machine.entry_offsets[position + 1]):
            for slot in range(size):
                plus(values, size + position, slot, values, machine.entries[at], slot, moduli)
        for slot in range(size):
            extend(values, size + position, slot, about.times[position], about.contributions,
                   position, moduli)  # fmt: skip
    code = about.facts[CODE]
    if code != 0:
        # A slot moves to one after it, so what it takes over is still as it was.
        for slot in range(size):
            target = machine.moves[slot, code]
            if target != slot:
                for other in range(size):
                    if target >= 0:
                        copy(values, slot, other, values, target, other)
                    else:
                        clear(values, slot, other)
    for place in range(about.facts[DROPPED]):
        for other in range(size):
            clear(values, about.dropped[place], other)
    for place in range(about.facts[FIRED]):
        position = about.fired[place]
        for at in range(machine.source_offsets[position], machine.source_offsets[position + 1]):
            for other in range(size):
                plus(values, machine.sources[at], other, values, size + position, other, moduli)
    if about.facts[IS_BROKEN]:
        for slot in range(size):
            if machine.owner[slot] >= 0:
                for other in range(size):
                    clear(values, slot, other)
