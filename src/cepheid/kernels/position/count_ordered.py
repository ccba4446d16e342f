"""Count trends straight from a sorted stream that is one partition, several events at a time.

Every event is one of a few *classes*: the positions it fits. The matrices of all sequences of k
classes, the *grams*, are made beforehand, so k events are one look-up and one product of a vector
and a small matrix. Counts are doubles within a block of grams: what a block can grow by is known,
so tiers are looked at between blocks only. While all numbers are below 2^53 and none ever shrinks,
doubles are exact and low words need not be kept.

Concurrent events are a step of their own, which takes longer.
"""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import inlined, inner_in_place, kernel_in_place
from cepheid.kernels.position.gram_products import (
    Codes,
    CountState,
    GramTables,
    apply_all,
    apply_low,
    apply_low_rest,
    apply_to_triangle,
)
from cepheid.kernels.position.pane_matrices import PaneMatrices
from cepheid.kernels.values.extended import DOWN, LARGEST, SMALLEST, TIER, added, multiplied
from cepheid.kernels.values.value_arrays import ValueRows

EXACT = 2.0**53
AFTER_ALL = 2**63 - 1
# What `count_stream` answers beside the number of rows.
UNSORTED, CONCURRENT = -1, -2
# Places in `GramTables.facts`.
BLOCK, ONLY_GROWS, WANTS_LOW, IS_TRIANGULAR = range(4)


@kernel_in_place
def count_stream(
    codes: Codes,
    clock: Int64s,
    length: int,
    tables: GramTables,
    state: CountState,
    rows: ValueRows,
) -> int:
    """Count the trends of the whole, or in windows [i * length, (i + 1) * length) if it is not 0.

    Returns how many rows there are; UNSORTED if the clock goes back, CONCURRENT if events are
    concurrent and that is not just a sum.
    """
    size, count, at, window = codes.size, 0, 0, 0
    window_end = AFTER_ALL
    most = tables.facts[BLOCK] * tables.parts.shape[0]
    _begin(tables, state, 0, -1)
    while at < size:
        if length and (at == 0 or clock[at] >= window_end):
            if at > 0:
                if count == rows.owner.size:  # sorted events have no more windows than that
                    return UNSORTED
                count = _write(tables, state, 0, rows, count, window)
            window = clock[at] // length
            window_end = (window + 1) * length
            _begin(tables, state, 0, -1)
        end = min(at + most, size)
        if clock[end - 1] >= window_end and length:
            end = _first_not_before(clock, at, end, window_end)
        steady = _steady_until(clock, at, end)
        _advance(codes, tables, state, 0, at, steady)
        at = steady
        if at < end:
            if clock[at + 1] < clock[at]:
                return UNSORTED
            if not tables.facts[ONLY_GROWS]:
                return CONCURRENT
            end = at + 1
            while end < size and clock[end] == clock[at]:
                end += 1
            _advance_together(codes, tables, state, 0, at, end)
            at = end
        if at < size and clock[at] < clock[at - 1]:
            return UNSORTED
    if size:
        if count == rows.owner.size:
            return UNSORTED
        count = _write(tables, state, 0, rows, count, window)
    return count


@kernel_in_place
def fold_stream(
    codes: Codes,
    clock: Int64s,
    pane_length: int,
    tables: GramTables,
    moving: Int64s,
    state: CountState,
    panes: PaneMatrices,
    cursor: Int64s,
) -> int:
    """Fold every pane that has events to a matrix, as `fold_panes` does.

    Returns how many panes there are; the next call goes on from event `cursor[0]`. As for
    `count_stream`, it may be UNSORTED or CONCURRENT.
    """
    size, count, at = codes.size, 0, cursor[0]
    most = tables.facts[BLOCK] * tables.parts.shape[0]
    while at < size and count < panes.owner.size:
        pane = clock[at] // pane_length
        pane_end = (pane + 1) * pane_length
        for place in range(moving.size):
            _begin(tables, state, moving[place], moving[place])
        while at < size and clock[at] < pane_end:
            end = min(at + most, size)
            if clock[end - 1] >= pane_end:
                end = _first_not_before(clock, at, end, pane_end)
            steady = _steady_until(clock, at, end)
            if not _advance_rows(codes, tables, moving, state, at, steady):
                for place in range(moving.size):
                    _advance(codes, tables, state, moving[place], at, steady)
            at = steady
            if at < end:
                if clock[at + 1] < clock[at]:
                    return UNSORTED
                if not tables.facts[ONLY_GROWS]:
                    return CONCURRENT
                end = at + 1
                while end < size and clock[end] == clock[at]:
                    end += 1
                for place in range(moving.size):
                    _advance_together(codes, tables, state, moving[place], at, end)
                at = end
            if at < size and clock[at] < clock[at - 1]:
                return UNSORTED
        panes.owner[count], panes.pane[count], panes.breaks[count] = 0, pane, 0
        _write_matrix(tables, moving, state, panes, count)
        count += 1
    cursor[0] = at
    return count


@inlined
def _write_matrix(
    tables: GramTables, moving: Int64s, state: CountState, panes: PaneMatrices, at: int
) -> None:
    """Write the vectors of a pane; those that no step changes are what they were."""
    size = panes.values.mantissa.shape[1]
    values, first = panes.values, at * size
    for slot in range(size):
        for other in range(size):
            values.mantissa[first + slot, other, 0] = 1.0 if slot == other else 0.0
            values.tier[first + slot, other, 0] = 0
            values.low[first + slot, other, 0] = int(slot == other)
    for place in range(moving.size):
        row = moving[place]
        for other in range(size):
            values.mantissa[first + row, other, 0] = state.mantissa[row, other]
            values.tier[first + row, other, 0] = state.tier[row, other]
            low = state.low[row, other]
            if state.is_exact[row]:
                low = int(state.mantissa[row, other])
            values.low[first + row, other, 0] = low


@inlined
def _steady_until(clock: Int64s, begin: int, end: int) -> int:
    """Return the first event that is not before the one after it, or the end."""
    last = min(end, clock.size - 1)
    found = 0
    for at in range(np.uint64(begin), np.uint64(last)):
        found += clock[at + np.uint64(1)] <= clock[at]
    if found == 0:
        return end
    for at in range(begin, last):
        if clock[at + 1] <= clock[at]:
            return at
    return end


@inlined
def _first_not_before(clock: Int64s, begin: int, end: int, limit: int) -> int:
    """Return the first event whose clock is at least a limit, by halving."""
    low, high = begin, end - 1
    while low < high:
        middle = (low + high) // 2
        if clock[middle] >= limit:
            high = middle
        else:
            low = middle + 1
    return low


@inlined
def _begin(tables: GramTables, state: CountState, row: int, slot: int) -> None:
    """Set a vector to a run in one slot, or for slot -1 to how a window begins."""
    for each in range(state.plain.size):
        count = tables.initial[each] if slot < 0 else int(each == slot)
        state.mantissa[row, each], state.tier[row, each] = float(count), 0
        state.low[row, each] = count
    state.is_exact[row] = tables.facts[ONLY_GROWS] & tables.facts[WANTS_LOW]


@inner_in_place
def _write(
    tables: GramTables, state: CountState, row: int, rows: ValueRows, count: int, window: int
) -> int:
    """Write the result if there are trends; returns how many rows there are then."""
    mantissa, tier, low = 0.0, 0, 0
    for slot in range(state.plain.size):
        if tables.finals[slot]:
            mantissa, tier = added(mantissa, tier, state.mantissa[row, slot], state.tier[row, slot])
            if state.is_exact[row]:
                low += int(state.mantissa[row, slot])
            else:
                low += state.low[row, slot]
    if mantissa == 0.0:
        return count
    rows.owner[count], rows.window[count] = 0, window
    rows.mantissa[count, 0], rows.tier[count, 0], rows.low[count, 0] = mantissa, tier, low
    return count + 1


@inner_in_place
def _advance(
    codes: Codes, tables: GramTables, state: CountState, row: int, begin: int, end: int
) -> None:
    """Apply events that follow each other, at most one block of grams."""
    if end <= begin + 1:
        for at in range(begin, end):
            _advance_together(codes, tables, state, row, at, at + 1)
    elif _to_plain(tables, state, row):
        top = int(state.work_tier[0])
        apply_all(codes, tables, state, begin, end)
        _keep_low(codes, tables, state, row, begin, end, top)
        _from_plain(tables, state, row, top)
    else:
        _advance_by_tier(codes, tables, state, row, begin, end)


@inlined
def _advance_rows(
    codes: Codes, tables: GramTables, moving: Int64s, state: CountState, begin: int, end: int
) -> bool:
    """Do what `_advance` does for all rows at once, while they are small; False if they are not.

    A row that some slot begins has nothing in the slots before that.
    """
    size, wants_low = state.plain.size, tables.facts[WANTS_LOW] != 0
    if not tables.facts[IS_TRIANGULAR] or end <= begin + 1:
        return False
    for place in range(moving.size):
        row = moving[place]
        if wants_low and not state.is_exact[row]:
            return False
        for slot in range(size):
            if state.tier[row, slot] != 0:
                return False
            state.product[row, slot] = state.mantissa[row, slot]
    apply_to_triangle(codes, tables, state, begin, end)
    largest = 0.0
    for place in range(moving.size):
        for slot in range(size):
            largest = max(largest, state.product[moving[place], slot])
    if not largest < (EXACT if wants_low else LARGEST):
        return False
    for place in range(moving.size):
        for slot in range(size):
            state.mantissa[moving[place], slot] = state.product[moving[place], slot]
    return True


@inner_in_place
def _advance_by_tier(
    codes: Codes, tables: GramTables, state: CountState, row: int, begin: int, end: int
) -> None:
    """Apply a block to the slots of each tier by themselves, and add up: the steps are linear."""
    size = state.plain.size
    top = 0
    for slot in range(size):
        state.total[slot], state.work_tier[slot] = 0.0, 0
        top = max(top, state.tier[row, slot])
    for first in range(size):
        tier = state.tier[row, first]
        is_done = state.mantissa[row, first] == 0.0
        for slot in range(size):
            is_same = state.mantissa[row, slot] != 0.0 and state.tier[row, slot] == tier
            is_done = is_done or (is_same and slot < first)
            state.plain[slot] = state.mantissa[row, slot] if is_same else 0.0
        if is_done:
            continue
        apply_all(codes, tables, state, begin, end)
        for slot in range(size):
            mantissa, own = _normal(state.plain[slot], tier)
            state.total[slot], state.work_tier[slot] = added(
                state.total[slot], state.work_tier[slot], mantissa, own
            )
    _keep_low(codes, tables, state, row, begin, end, top)
    for slot in range(size):
        state.mantissa[row, slot] = state.total[slot]
        state.tier[row, slot] = state.work_tier[slot] if state.total[slot] != 0.0 else 0


@inlined
def _normal(mantissa: float, tier: int) -> tuple[float, int]:
    """Return an extended number for a double of any size."""
    while mantissa >= LARGEST:
        mantissa *= DOWN
        tier += 1
    if mantissa == 0.0:
        tier = 0
    elif mantissa < SMALLEST:
        mantissa *= TIER
        tier -= 1
    return mantissa, tier


@inlined
def _to_plain(tables: GramTables, state: CountState, row: int) -> bool:
    """Write the vector as doubles of one scale, if that loses nothing that counts.

    Its tier is written to `work_tier[0]`. Above tier 1 runs that begin are too few to matter, as
    long as there are runs wherever they go.
    """
    top, begins = 0, False
    for slot in range(state.plain.size):
        top = max(top, state.tier[row, slot])
        begins = begins or (tables.initial[slot] != 0 and state.mantissa[row, slot] != 0.0)
    for slot in range(state.plain.size):
        mantissa, tier = state.mantissa[row, slot], state.tier[row, slot]
        if top > 1:
            if not tables.facts[ONLY_GROWS]:
                return False
            if begins and tables.feeds[slot] and mantissa == 0.0:
                return False
            if mantissa != 0.0 and tier < top - 1 and not tables.initial[slot]:
                return False
        if tier == top:
            state.plain[slot] = mantissa
        elif tier == top - 1:
            state.plain[slot] = mantissa * DOWN
        else:
            state.plain[slot] = 0.0
    state.work_tier[0] = top
    return True


@inlined
def _from_plain(tables: GramTables, state: CountState, row: int, top: int) -> None:
    """Write the doubles back as extended numbers."""
    for slot in range(state.plain.size):
        if tables.initial[slot] and tables.facts[ONLY_GROWS]:
            continue  # runs that have not begun stay what they are
        state.mantissa[row, slot], state.tier[row, slot] = _normal(state.plain[slot], top)


@inner_in_place
def _keep_low(
    codes: Codes, tables: GramTables, state: CountState, row: int, begin: int, end: int, top: int
) -> None:
    """Bring the low words up to date, unless the doubles still are exact."""
    if not tables.facts[WANTS_LOW]:
        return
    if state.is_exact[row]:
        is_exact = top == 0
        for slot in range(state.plain.size):
            is_exact = is_exact and state.plain[slot] < EXACT
        if is_exact:
            return
        _leave_exact(state, row)
    width = tables.parts.shape[0]
    grams = (end - begin) // width
    apply_low(codes, tables, state, row, begin, grams)
    apply_low_rest(codes, tables, state, row, begin + grams * width, end)


@inlined
def _leave_exact(state: CountState, row: int) -> None:
    """From here on low words are kept."""
    for slot in range(state.plain.size):
        state.low[row, slot] = int(state.mantissa[row, slot])
    state.is_exact[row] = 0


@inner_in_place
def _advance_together(
    codes: Codes, tables: GramTables, state: CountState, row: int, begin: int, end: int
) -> None:
    """Apply one step as extended numbers; several events only if they add up."""
    size = state.plain.size
    if state.is_exact[row]:
        _leave_exact(state, row)
    for slot in range(size):
        state.work[slot], state.work_tier[slot], state.work_low[slot] = 0.0, 0, 0
    for event in range(begin, end):
        kind = tables.class_of[codes[event]]
        for slot in range(size):
            if state.mantissa[row, slot] == 0.0:
                continue
            for other in range(size):
                # All but one event of a step say only what they add.
                times = tables.singles[kind, slot * size + other]
                if event > begin and slot == other:
                    times -= 1
                if times:
                    mantissa, tier = multiplied(
                        state.mantissa[row, slot], state.tier[row, slot], float(times)
                    )
                    state.work[other], state.work_tier[other] = added(
                        state.work[other], state.work_tier[other], mantissa, tier
                    )
                    state.work_low[other] += state.low[row, slot] * times
    is_exact = (tables.facts[ONLY_GROWS] & tables.facts[WANTS_LOW]) != 0
    for slot in range(size):
        state.mantissa[row, slot], state.tier[row, slot] = state.work[slot], state.work_tier[slot]
        state.low[row, slot] = state.work_low[slot]
        is_exact = is_exact and state.tier[row, slot] == 0 and state.mantissa[row, slot] < EXACT
    state.is_exact[row] = is_exact
