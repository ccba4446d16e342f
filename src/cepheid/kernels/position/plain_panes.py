"""Windows put together from panes, as long as counts are small: `combine_panes` for plain numbers.

It keeps the same queue and the same cursor, with doubles for values. Every entry of every matrix is
below 2^53, so it is exact. Before one would not be, the kernel stops, and `combine_panes` can go on
with what there is.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.position.fold_slots import AFTER_ALL
from cepheid.kernels.position.pane_matrices import (
    BACK,
    CLOSING,
    FIRST_WINDOW,
    FRONT,
    FRONT_END,
    IS_SAME,
    LAST_WINDOW,
    MATCHING,
    MORE_PANES,
    MORE_ROOM,
    MORE_ROWS,
    NEXT_WINDOW,
    NOBODY,
    OWNER,
    PHASE,
    PUSHING,
    ROWS,
    TAKEN,
    PaneMatrices,
)
from cepheid.kernels.position.slot_machine import BEFORE_ALL, SlotMachine
from cepheid.kernels.values.double_counts import ALL_EXACT
from cepheid.kernels.values.value_arrays import ValueRows

NOT_PLAIN = 3  # what `combine_plain_panes` may return besides what `combine_panes` does


class PlainQueue(NamedTuple):
    """See `PaneQueue`: `front[pane, slot]`, and matrices `[pane, slot, slot]`.

    `result[0]` is what the panes in the queue amount to, if the cursor says so.
    """

    front_pane: Int64s
    front: Float64s
    back_pane: Int64s
    back: Float64s
    product: Float64s
    work: Float64s
    flags: Int64s
    result: Float64s


@kernel_in_place
def combine_plain_panes(
    machine: SlotMachine,
    panes: PaneMatrices,
    count: int,
    is_last: bool,
    pane_length: int,
    length: int,
    slide: int,
    queue: PlainQueue,
    rows: ValueRows,
    cursor: Int64s,
) -> int:
    """Put the windows together as `combine_panes` does; two small products per pane."""
    while True:
        taken = cursor[TAKEN]
        has_next = taken < count
        if not has_next and not is_last:
            return MORE_PANES
        if has_next and not _is_plain(machine.owner.size, panes, taken):
            return NOT_PLAIN
        is_same_owner = has_next and panes.owner[taken] == cursor[OWNER]
        if cursor[PHASE] == MATCHING:
            back = cursor[BACK]
            if is_same_owner and back > 0 and queue.back_pane[back - 1] == panes.pane[taken]:
                if not _extend_newest(machine.owner.size, panes, taken, queue, cursor):
                    return NOT_PLAIN
                continue
            cursor[PHASE] = CLOSING
        if cursor[PHASE] == CLOSING:
            if cursor[OWNER] != NOBODY:
                limit = panes.pane[taken] * pane_length if is_same_owner else AFTER_ALL
                needed = _close_windows(machine, limit, pane_length, length, slide, queue, rows,
                                        cursor)  # fmt: skip
                if needed != MORE_PANES:
                    return needed
            if not has_next:
                return MORE_PANES
            cursor[PHASE] = PUSHING
        if cursor[BACK] == queue.back_pane.size:
            return MORE_ROOM
        _push(machine.owner.size, panes, taken, pane_length, length, slide, queue, cursor)


@inlined
def _is_plain(size: int, panes: PaneMatrices, taken: int) -> bool:
    """Whether a matrix has nothing but small counts."""
    is_plain = panes.breaks[taken] == 0
    for row in range(taken * size, taken * size + size):
        for other in range(size):
            is_plain &= panes.values.tier[row, other, 0] == 0
            is_plain &= panes.values.mantissa[row, other, 0] < ALL_EXACT
    return bool(is_plain)


@inlined
def _copy(size: int, matrices: Float64s, at: int, panes: PaneMatrices, taken: int) -> None:
    for slot in range(size):
        for other in range(size):
            matrices[at, slot, other] = panes.values.mantissa[taken * size + slot, other, 0]


@inlined
def _multiply(
    size: int,
    matrices: Float64s,
    at: int,
    left: Float64s,
    left_at: int,
    right: Float64s,
    right_at: int,
) -> bool:
    """Write the product of two matrices; False if it is not exact."""
    is_exact = True
    for slot in range(size):
        for other in range(size):
            matrices[at, slot, other] = 0.0
        for between in range(size):
            runs = left[left_at, slot, between]
            if runs != 0.0:
                for other in range(size):
                    matrices[at, slot, other] += runs * right[right_at, between, other]
        for other in range(size):
            is_exact &= matrices[at, slot, other] < ALL_EXACT
    return is_exact


@inlined
def _begin(size: int, matrices: Float64s, at: int) -> None:
    """Write the matrix that changes nothing."""
    for slot in range(size):
        for other in range(size):
            matrices[at, slot, other] = 1.0 if slot == other else 0.0


@inlined
def _push(
    size: int,
    panes: PaneMatrices,
    taken: int,
    pane_length: int,
    length: int,
    slide: int,
    queue: PlainQueue,
    cursor: Int64s,
) -> None:
    """Append a pane to the back."""
    pane = panes.pane[taken]
    if panes.owner[taken] != cursor[OWNER]:
        cursor[OWNER] = panes.owner[taken]
        cursor[FRONT], cursor[FRONT_END], cursor[BACK] = 0, 0, 0
        cursor[NEXT_WINDOW] = BEFORE_ALL
        _reset_product(size, queue)
    first = (pane * pane_length - length) // slide + 1
    cursor[NEXT_WINDOW] = max(cursor[NEXT_WINDOW], first, cursor[FIRST_WINDOW])
    queue.back_pane[cursor[BACK]] = pane
    _copy(size, queue.back, cursor[BACK], panes, taken)
    cursor[BACK] += 1
    cursor[IS_SAME] = 0
    cursor[TAKEN] += 1
    cursor[PHASE] = MATCHING


@inlined
def _reset_product(size: int, queue: PlainQueue) -> None:
    """The product of the panes of the back: nothing yet."""
    queue.flags[0], queue.flags[1] = 0, 0
    _begin(size, queue.product, 0)


@inlined
def _extend_newest(
    size: int, panes: PaneMatrices, taken: int, queue: PlainQueue, cursor: Int64s
) -> bool:
    """Multiply the newest pane by what follows in the same pane; False if it is not exact."""
    newest = cursor[BACK] - 1
    _copy(size, queue.work, 1, panes, taken)
    if not _multiply(size, queue.work, 0, queue.back, newest, queue.work, 1):
        return False
    for slot in range(size):
        for other in range(size):
            queue.back[newest, slot, other] = queue.work[0, slot, other]
    cursor[TAKEN] += 1
    return True


@inlined
def _close_windows(
    machine: SlotMachine,
    limit: int,
    pane_length: int,
    length: int,
    slide: int,
    queue: PlainQueue,
    rows: ValueRows,
    cursor: Int64s,
) -> int:
    """Write all windows that end before a limit; MORE_PANES if that is done."""
    while cursor[FRONT] < cursor[FRONT_END] or cursor[BACK] > 0:
        window = cursor[NEXT_WINDOW]
        if window > cursor[LAST_WINDOW] or window * slide + length > limit:
            break
        if not _drop_panes(machine, window * slide, pane_length, queue, cursor):
            return NOT_PLAIN
        if cursor[FRONT] == cursor[FRONT_END] and cursor[BACK] == 0:
            break
        if not cursor[IS_SAME]:
            if not _find_result(machine, queue, cursor):
                return NOT_PLAIN
            cursor[IS_SAME] = 1
        total = queue.result[0]
        if total != 0.0:
            at = cursor[ROWS]
            if at == rows.owner.size:
                return MORE_ROWS
            rows.owner[at], rows.window[at] = cursor[OWNER], window
            rows.mantissa[at, 0], rows.tier[at, 0], rows.low[at, 0] = total, 0, int(total)
            cursor[ROWS] += 1
        cursor[NEXT_WINDOW] += 1
    return MORE_PANES


@inlined
def _drop_panes(
    machine: SlotMachine, start: int, pane_length: int, queue: PlainQueue, cursor: Int64s
) -> bool:
    """Drop the panes before the start of a window; False if a product is not exact."""
    while True:
        while (
            cursor[FRONT] < cursor[FRONT_END]
            and queue.front_pane[cursor[FRONT]] * pane_length < start
        ):
            cursor[FRONT] += 1
            cursor[IS_SAME] = 0
        is_at_back = cursor[FRONT] == cursor[FRONT_END] and cursor[BACK] > 0
        if not is_at_back or queue.back_pane[0] * pane_length >= start:
            return True
        if not _flip(machine, queue, cursor):
            return False


@inlined
def _flip(machine: SlotMachine, queue: PlainQueue, cursor: Int64s) -> bool:
    """Move the back to the front, unless a product is not exact; the front is empty."""
    size, back = machine.owner.size, cursor[BACK]
    _begin(size, queue.work, 0)
    active = 0
    for step in range(back):
        at = back - 1 - step
        if not _multiply(size, queue.work, 1 - active, queue.back, at, queue.work, active):
            return False
        active = 1 - active
        queue.front_pane[at] = queue.back_pane[at]
        for slot in range(size):
            total = 0.0
            for start in range(size):
                if machine.initial[start]:
                    total += queue.work[active, start, slot]
            queue.front[at, slot] = total
            if not total < ALL_EXACT:
                return False
    cursor[FRONT], cursor[FRONT_END], cursor[BACK] = 0, back, 0
    _reset_product(size, queue)
    return True


@inlined
def _find_result(machine: SlotMachine, queue: PlainQueue, cursor: Int64s) -> bool:
    """Write the value of the panes in the queue; False if it is not exact."""
    size = machine.owner.size
    while queue.flags[1] < cursor[BACK]:
        active = queue.flags[0]
        if not _multiply(size, queue.product, 1 - active, queue.product, active, queue.back,
                         queue.flags[1]):  # fmt: skip
            return False
        queue.flags[0] = 1 - active
        queue.flags[1] += 1
    total = 0.0
    for slot in range(size):
        runs = float(machine.initial[slot])
        if cursor[FRONT] < cursor[FRONT_END]:
            runs = queue.front[cursor[FRONT], slot]
        if runs != 0.0:
            for place in range(machine.finals.size):
                total += runs * queue.product[queue.flags[0], slot, machine.finals[place]]
    queue.result[0] = total
    return total < ALL_EXACT
