"""Steps folded to matrices, and windows put together from those.

Every step is linear in the slots, so the steps of a stretch of time, a *pane*, are one matrix: its
row s is the vector that a run in slot s becomes. Matrices are stored as `Values`: matrix n of size
S is in rows n * S to n * S + S - 1. Matrices of stretches that follow each other are multiplied,
wherever they were folded. A window is several panes; those of all windows are kept in a queue of
two stacks, so that a pane is multiplied twice, however many windows it is in:
- front: by pane, the vector of a window that begins there and goes to the front's end;
- back: the panes after that, and their product.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import EventArrays, Int64s
from cepheid.kernels.jit import inlined, inner_in_place, kernel_in_place
from cepheid.kernels.position.fold_slots import AFTER_ALL
from cepheid.kernels.position.slot_machine import (
    BEFORE_ALL,
    SlotMachine,
    Step,
    advance,
    describe_step,
)
from cepheid.kernels.values.extended import normal
from cepheid.kernels.values.value_algebra import add_product, clear, copy, has_runs, make_one, plus
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values
from cepheid.kernels.values.value_stretches import write

# Places in the cursor of `fold_panes`.
PARTITION, STEP, PANES = 0, 1, 2
# Places in the cursor of `combine_panes`.
TAKEN, OWNER, NEXT_WINDOW, FRONT, FRONT_END, BACK, ROWS, IS_SAME, PHASE = range(9)
FIRST_WINDOW, LAST_WINDOW = 9, 10  # that are written
# What `combine_panes` needs to go on.
MORE_PANES, MORE_ROWS, MORE_ROOM = 0, 1, 2
NOBODY = -1
MATCHING, CLOSING, PUSHING = 0, 1, 2  # phases


class PaneMatrices(NamedTuple):
    """Matrices of panes by partition, in the order of time.

    Two entries of the same pane follow each other in time: together they are the pane. If
    `breaks[n]` is 1, an event that fits nothing came right before, so that contiguous runs are
    over.
    """

    owner: Int64s
    pane: Int64s
    breaks: Int64s
    values: Values


class PaneQueue(NamedTuple):
    """The panes of a window, as two stacks, and what is needed to multiply.

    `product` has two matrices; `flags[0]` is the one that holds the product of the first `flags[1]`
    panes of the back. `work` has room for two.
    """

    front_pane: Int64s
    front: Values
    back_pane: Int64s
    back: Values
    product: Values
    work: Values
    flags: Int64s


@kernel_in_place
def fold_panes(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    pane_length: int,
    begins: Int64s,
    ends: Int64s,
    moving: Int64s,
    about: Step,
    fresh: Values,
    panes: PaneMatrices,
    cursor: Int64s,
) -> bool:
    """Fold every pane that has events to a matrix; O(slots * edges) per event.

    Of each partition the steps from `begins` to `ends` are folded. With `pane_length` 0 that is one
    pane. `moving` are the slots that some step changes. Returns whether all is done: if not, there
    is no room for another pane, and the next call goes on where `cursor` says.
    """
    size = machine.owner.size
    while cursor[PARTITION] < events.partition_offsets.size - 1:
        partition = cursor[PARTITION]
        current, is_first = 0, True
        for step in range(max(cursor[STEP], begins[partition]), ends[partition]):
            event = events.step_offsets[step]
            pane = events.clock[event] // pane_length if pane_length else 0
            if is_first or pane != current:
                if cursor[PANES] == panes.owner.size:
                    cursor[STEP] = step
                    return False
                current, is_first = pane, False
                at = cursor[PANES]
                panes.owner[at], panes.pane[at], panes.breaks[at] = partition, pane, 0
                begin_matrix(machine, measures.moduli, panes.values, at * size)
                cursor[PANES] += 1
            rank = BEFORE_ALL
            if step > events.partition_offsets[partition]:
                rank = events.rank[events.step_offsets[step - 1]]
            describe_step(machine, measures, events, codes, step, rank, about)
            first_row = (cursor[PANES] - 1) * size
            for place in range(moving.size):
                row = first_row + moving[place]
                advance(machine, measures.moduli, panes.values, row, about, fresh)
        cursor[PARTITION] += 1
    return True


@inner_in_place
def begin_matrix(machine: SlotMachine, moduli: Int64s, values: Values, row: int) -> None:
    """Write the matrix that changes nothing."""
    for slot in range(machine.owner.size):
        for other in range(machine.owner.size):
            clear(values, row + slot, other)
        make_one(values, row + slot, slot, moduli)


@inlined
def _multiply_plain(
    size: int,
    values: Values,
    row: int,
    left: Values,
    left_row: int,
    right: Values,
    right_row: int,
) -> None:
    """Write the product of two matrices of counts of the lowest tier."""
    for slot in range(size):
        for other in range(size):
            values.mantissa[row + slot, other, 0] = 0.0
            values.low[row + slot, other, 0] = 0
        for between in range(size):
            runs = left.mantissa[left_row + slot, between, 0]
            low = left.low[left_row + slot, between, 0]
            if runs != 0.0:
                for other in range(size):
                    more = runs * right.mantissa[right_row + between, other, 0]
                    values.mantissa[row + slot, other, 0] += more
                    values.low[row + slot, other, 0] += (
                        low * right.low[right_row + between, other, 0]
                    )
        for other in range(size):
            total, tier = normal(values.mantissa[row + slot, other, 0], 0)
            values.mantissa[row + slot, other, 0] = total
            values.tier[row + slot, other, 0] = tier


@inner_in_place
def multiply(
    size: int,
    moduli: Int64s,
    values: Values,
    row: int,
    left: Values,
    left_row: int,
    right: Values,
    right_row: int,
) -> None:
    """Write the product of two matrices; cubic, but for the zeros of the left one."""
    if _is_plain(size, left, left_row) and _is_plain(size, right, right_row):
        _multiply_plain(size, values, row, left, left_row, right, right_row)
        return
    for slot in range(size):
        for other in range(size):
            clear(values, row + slot, other)
        for between in range(size):
            if has_runs(left, left_row + slot, between):
                for other in range(size):
                    add_product(values, row + slot, other, left, left_row + slot, between, right,
                                right_row + between, other, moduli)  # fmt: skip


@inner_in_place
def _is_plain(size: int, values: Values, row: int) -> bool:
    """Whether a matrix has nothing but counts of the lowest tier: then doubles do."""
    if values.mantissa.shape[2] > 1 or values.least.shape[2] > 0:
        return False
    tiers = 0
    for slot in range(size):
        for other in range(size):
            tiers |= values.tier[row + slot, other, 0]
    return tiers == 0


@inner_in_place
def copy_matrix(size: int, values: Values, row: int, other: Values, other_row: int) -> None:
    """Write a copy of a matrix."""
    for slot in range(size):
        for number in range(size):
            copy(values, row + slot, number, other, other_row + slot, number)


@inner_in_place
def break_runs(machine: SlotMachine, values: Values, row: int) -> None:
    """Clear the runs that stand at a position, in every row of a matrix."""
    for slot in range(machine.owner.size):
        for other in range(machine.owner.size):
            if machine.owner[other] >= 0:
                clear(values, row + slot, other)


@kernel_in_place
def combine_panes(
    machine: SlotMachine,
    moduli: Int64s,
    panes: PaneMatrices,
    count: int,
    is_last: bool,
    pane_length: int,
    length: int,
    slide: int,
    queue: PaneQueue,
    fresh: Values,
    rows: ValueRows,
    cursor: Int64s,
) -> int:
    """Put the windows together from the first `count` panes; `is_last` if no more will come.

    With `pane_length` 0 there is one window a partition. Windows without trends have no row. O(1)
    products of matrices per pane, O(slots) per window. Returns what is needed to go on.
    """
    while True:
        taken = cursor[TAKEN]
        has_next = taken < count
        if not has_next and not is_last:
            return MORE_PANES
        if has_next and cursor[PHASE] == MATCHING:
            # The newest pane may go on, in another entry.
            back = cursor[BACK]
            if (
                panes.owner[taken] == cursor[OWNER]
                and back > 0
                and queue.back_pane[back - 1] == panes.pane[taken]
            ):
                _extend_newest(machine, moduli, panes, taken, queue, cursor)
                cursor[TAKEN] += 1
                continue
        if cursor[PHASE] == MATCHING:
            cursor[PHASE] = CLOSING
        if cursor[PHASE] == CLOSING:
            if cursor[OWNER] != NOBODY:
                limit = AFTER_ALL
                if has_next and panes.owner[taken] == cursor[OWNER] and pane_length:
                    limit = panes.pane[taken] * pane_length
                if not _close_windows(machine, moduli, limit, pane_length, length, slide, queue,
                                      fresh, rows, cursor):  # fmt: skip
                    return MORE_ROWS
            if not has_next:
                return MORE_PANES
            cursor[PHASE] = PUSHING
        if cursor[BACK] == queue.back_pane.size:
            return MORE_ROOM
        _push(machine, moduli, panes, taken, pane_length, length, slide, queue, cursor)
        cursor[TAKEN] += 1
        cursor[PHASE] = MATCHING


@inner_in_place
def _push(
    machine: SlotMachine,
    moduli: Int64s,
    panes: PaneMatrices,
    taken: int,
    pane_length: int,
    length: int,
    slide: int,
    queue: PaneQueue,
    cursor: Int64s,
) -> None:
    """Append a pane to the back."""
    size = machine.owner.size
    pane = panes.pane[taken]
    is_new = panes.owner[taken] != cursor[OWNER]
    if is_new:
        cursor[OWNER] = panes.owner[taken]
        cursor[FRONT], cursor[FRONT_END], cursor[BACK] = 0, 0, 0
        cursor[NEXT_WINDOW] = BEFORE_ALL
        _reset_product(machine, moduli, queue)
    if pane_length:
        first = (pane * pane_length - length) // slide + 1
        cursor[NEXT_WINDOW] = max(cursor[NEXT_WINDOW], first, cursor[FIRST_WINDOW])
    else:
        cursor[NEXT_WINDOW] = 0
    back = cursor[BACK]
    queue.back_pane[back] = pane
    copy_matrix(size, queue.back, back * size, panes.values, taken * size)
    if panes.breaks[taken]:
        begin_matrix(machine, moduli, queue.work, 0)
        break_runs(machine, queue.work, 0)
        multiply(size, moduli, queue.back, back * size, queue.work, 0, panes.values, taken * size)
    cursor[BACK] += 1
    cursor[IS_SAME] = 0


@inlined
def _reset_product(machine: SlotMachine, moduli: Int64s, queue: PaneQueue) -> None:
    """The product of the panes of the back but for the newest: nothing yet."""
    queue.flags[0], queue.flags[1] = 0, 0
    begin_matrix(machine, moduli, queue.product, 0)


@inner_in_place
def _extend_newest(
    machine: SlotMachine,
    moduli: Int64s,
    panes: PaneMatrices,
    taken: int,
    queue: PaneQueue,
    cursor: Int64s,
) -> None:
    """Multiply the newest pane by what follows in the same pane."""
    size = machine.owner.size
    newest = (cursor[BACK] - 1) * size
    if panes.breaks[taken]:
        break_runs(machine, queue.back, newest)
    multiply(size, moduli, queue.work, 0, queue.back, newest, panes.values, taken * size)
    copy_matrix(size, queue.back, newest, queue.work, 0)


@inlined
def _close_windows(
    machine: SlotMachine,
    moduli: Int64s,
    limit: int,
    pane_length: int,
    length: int,
    slide: int,
    queue: PaneQueue,
    fresh: Values,
    rows: ValueRows,
    cursor: Int64s,
) -> bool:
    """Write all windows that end before a limit; False if there is no room for a row."""
    while cursor[FRONT] < cursor[FRONT_END] or cursor[BACK] > 0:
        window = cursor[NEXT_WINDOW]
        if pane_length:
            if window > cursor[LAST_WINDOW] or window * slide + length > limit:
                break
            _drop_panes(machine, moduli, window * slide, pane_length, queue, cursor)
            if cursor[FRONT] == cursor[FRONT_END] and cursor[BACK] == 0:
                break
        if not cursor[IS_SAME]:
            _result(machine, moduli, queue, fresh, cursor)
            cursor[IS_SAME] = 1
        if has_runs(fresh, 0, machine.follow.size):
            if cursor[ROWS] == rows.owner.size:
                return False
            rows.owner[cursor[ROWS]], rows.window[cursor[ROWS]] = cursor[OWNER], window
            write(fresh, 0, machine.follow.size, rows, cursor[ROWS])
            cursor[ROWS] += 1
        cursor[NEXT_WINDOW] += 1
        if not pane_length:
            cursor[BACK] = 0
            break
    return True


@inlined
def _drop_panes(
    machine: SlotMachine,
    moduli: Int64s,
    start: int,
    pane_length: int,
    queue: PaneQueue,
    cursor: Int64s,
) -> None:
    """Drop the panes before the start of a window."""
    while True:
        while (
            cursor[FRONT] < cursor[FRONT_END]
            and queue.front_pane[cursor[FRONT]] * pane_length < start
        ):
            cursor[FRONT] += 1
            cursor[IS_SAME] = 0
        is_at_back = cursor[FRONT] == cursor[FRONT_END] and cursor[BACK] > 0
        if not is_at_back or queue.back_pane[0] * pane_length >= start:
            return
        _flip(machine, moduli, queue, cursor)


@inner_in_place
def _flip(machine: SlotMachine, moduli: Int64s, queue: PaneQueue, cursor: Int64s) -> None:
    """Move the back to the front: the vectors of all its panes up to its end."""
    size, back = machine.owner.size, cursor[BACK]
    begin_matrix(machine, moduli, queue.work, 0)
    active = 0
    for step in range(back):
        at = back - 1 - step
        other = 1 - active
        multiply(size, moduli, queue.work, other * size, queue.back, at * size, queue.work,
                 active * size)  # fmt: skip
        active = other
        queue.front_pane[at] = queue.back_pane[at]
        for slot in range(size):
            clear(queue.front, at, slot)
            for start in range(size):
                if machine.initial[start]:
                    plus(queue.front, at, slot, queue.work, active * size + start, slot, moduli)
    cursor[FRONT], cursor[FRONT_END], cursor[BACK] = 0, back, 0
    _reset_product(machine, moduli, queue)


@inner_in_place
def _result(
    machine: SlotMachine, moduli: Int64s, queue: PaneQueue, fresh: Values, cursor: Int64s
) -> None:
    """Write the value of the panes in the queue to the last value of `fresh`."""
    size, last = machine.owner.size, machine.follow.size
    # Bring the product up to date: it has `flags[1]` panes of the back.
    while queue.flags[1] < cursor[BACK]:
        active = queue.flags[0]
        multiply(size, moduli, queue.product, (1 - active) * size, queue.product, active * size,
                 queue.back, queue.flags[1] * size)  # fmt: skip
        queue.flags[0] = 1 - active
        queue.flags[1] += 1
    row = queue.flags[0] * size
    clear(fresh, 0, last)
    for slot in range(size):
        if cursor[FRONT] < cursor[FRONT_END]:
            for place in range(machine.finals.size):
                add_product(fresh, 0, last, queue.front, cursor[FRONT], slot, queue.product,
                            row + slot, machine.finals[place], moduli)  # fmt: skip
        elif machine.initial[slot]:
            for place in range(machine.finals.size):
                plus(fresh, 0, last, queue.product, row + slot, machine.finals[place], moduli)
