"""Count trends straight from a sorted stream that is one partition, several events at a time.

Every event is one of a few *classes*: the positions it fits. The matrices of all sequences of k
classes, the *grams*, are made beforehand, so k events are one look-up and one product of a vector
and a small matrix. Counts are doubles within a block of grams: what a block can grow by is known,
so tiers are looked at between blocks only. While all numbers are below 2^53 and none ever shrinks,
doubles are exact and low words need not be kept.

Concurrent events are a step of their own, which takes longer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import Float64s, Int64s, Masks
from cepheid.kernels.extended import DOWN, LARGEST, SMALLEST, TIER, added, multiplied
from cepheid.kernels.jit import inlined, inner_in_place, kernel_in_place
from cepheid.kernels.values import ValueRows

Codes = NDArray[np.uint8]
EXACT = 2.0**53
AFTER_ALL = 2**62
# What `count_stream` answers beside the number of rows.
UNSORTED, CONCURRENT = -1, -2
# Places in `GramTables.facts`.
BLOCK, ONLY_GROWS, WANTS_LOW = range(3)
IS_EXACT = 0  # in `CountState.flags`


class GramTables(NamedTuple):
    """Matrices by gram and by class; entry [s, t] of a matrix of size S is at s * S + t.

    The gram of k codes is the sum of `parts[j, code j]`. `feeds` marks the slots that runs which
    have just begun go to. `facts`: grams in a block; whether no slot ever loses runs (then
    concurrent events add up, too); whether low words are wanted.
    """

    parts: Masks
    grams: Float64s
    low_grams: Int64s
    class_of: Int64s
    singles: Int64s
    initial: Int64s
    finals: Int64s
    feeds: Int64s
    facts: Int64s


class CountState(NamedTuple):
    """A vector of counts as extended numbers, and room to work on it as doubles."""

    mantissa: Float64s
    tier: Int64s
    low: Int64s
    plain: Float64s
    work: Float64s
    work_tier: Int64s
    work_low: Int64s
    flags: Int64s


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
    _begin(tables, state)
    while at < size:
        if length and (at == 0 or clock[at] >= window_end):
            if at > 0:
                count = _write(tables, state, rows, count, window)
            window = clock[at] // length
            window_end = (window + 1) * length
            _begin(tables, state)
        end = min(at + most, size)
        if clock[end - 1] >= window_end:
            end = _first_not_before(clock, at, end, window_end)
        steady = _steady_until(clock, at, end)
        _advance(codes, tables, state, at, steady)
        at = steady
        if at < end:
            if clock[at + 1] < clock[at]:
                return UNSORTED
            if not tables.facts[ONLY_GROWS]:
                return CONCURRENT
            end = at + 1
            while end < size and clock[end] == clock[at]:
                end += 1
            _advance_together(codes, tables, state, at, end)
            at = end
        if at < size and clock[at] < clock[at - 1]:
            return UNSORTED
    if size:
        count = _write(tables, state, rows, count, window)
    return count


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
def _begin(tables: GramTables, state: CountState) -> None:
    """Set the vector to how a window begins."""
    for slot in range(state.mantissa.size):
        state.mantissa[slot] = float(tables.initial[slot])
        state.tier[slot] = 0
        state.low[slot] = tables.initial[slot]
    state.flags[IS_EXACT] = tables.facts[ONLY_GROWS] & tables.facts[WANTS_LOW]


@inlined
def _write(tables: GramTables, state: CountState, rows: ValueRows, count: int, window: int) -> int:
    """Write the result if there are trends; returns how many rows there are then."""
    mantissa, tier, low = 0.0, 0, 0
    for slot in range(state.mantissa.size):
        if tables.finals[slot]:
            mantissa, tier = added(mantissa, tier, state.mantissa[slot], state.tier[slot])
            if state.flags[IS_EXACT]:
                low += int(state.mantissa[slot])
            else:
                low += state.low[slot]
    if mantissa == 0.0:
        return count
    rows.owner[count], rows.window[count] = 0, window
    rows.mantissa[count, 0], rows.tier[count, 0], rows.low[count, 0] = mantissa, tier, low
    return count + 1


@inner_in_place
def _advance(codes: Codes, tables: GramTables, state: CountState, begin: int, end: int) -> None:
    """Apply events that follow each other, at most one block of grams."""
    width = tables.parts.shape[0]
    grams = (end - begin) // width
    if grams and _to_plain(tables, state):
        top = int(state.work_tier[0])
        if width == 4 and state.plain.size == 4:
            _apply_four(codes, tables.parts, tables.grams, state.plain, begin, grams)
        else:
            _apply(codes, tables, state.plain, state.work, begin, grams)
        _keep_low(codes, tables, state, begin, grams, top)
        _from_plain(tables, state, top)
        begin += grams * width
    for at in range(begin, end):
        _advance_together(codes, tables, state, at, at + 1)


@inlined
def _to_plain(tables: GramTables, state: CountState) -> bool:
    """Write the vector as doubles of one scale, if that loses nothing that counts.

    Its tier is written to `work_tier[0]`. Above tier 1 runs that begin are too few to matter, as
    long as there are runs wherever they go.
    """
    top = 0
    for slot in range(state.mantissa.size):
        top = max(top, state.tier[slot])
    for slot in range(state.mantissa.size):
        mantissa, tier = state.mantissa[slot], state.tier[slot]
        if top > 1:
            if not tables.facts[ONLY_GROWS] or (tables.feeds[slot] and mantissa == 0.0):
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
def _from_plain(tables: GramTables, state: CountState, top: int) -> None:
    """Write the doubles back as extended numbers."""
    for slot in range(state.mantissa.size):
        if tables.initial[slot] and tables.facts[ONLY_GROWS]:
            continue  # runs that have not begun stay what they are
        mantissa, tier = state.plain[slot], top
        while mantissa >= LARGEST:
            mantissa *= DOWN
            tier += 1
        if mantissa == 0.0:
            tier = 0
        elif mantissa < SMALLEST:
            mantissa *= TIER
            tier -= 1
        state.mantissa[slot], state.tier[slot] = mantissa, tier


@inlined
def _keep_low(
    codes: Codes, tables: GramTables, state: CountState, begin: int, grams: int, top: int
) -> None:
    """Bring the low words up to date, unless the doubles still are exact."""
    if not tables.facts[WANTS_LOW]:
        return
    if state.flags[IS_EXACT]:
        is_exact = top == 0
        for slot in range(state.plain.size):
            is_exact = is_exact and state.plain[slot] < EXACT
        if is_exact:
            return
        _leave_exact(state)
    _apply_low(codes, tables, state.low, state.work_low, begin, grams)


@inlined
def _leave_exact(state: CountState) -> None:
    """From here on low words are kept."""
    for slot in range(state.low.size):
        state.low[slot] = int(state.mantissa[slot])
    state.flags[IS_EXACT] = 0


@inlined
def _apply_four(
    codes: Codes, parts: Masks, grams: Float64s, vector: Float64s, begin: int, count: int
) -> None:
    """Multiply a vector of four by the matrices of grams of four events."""
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    at = np.uint64(begin)
    a, b, c, d = vector[0], vector[1], vector[2], vector[3]
    for _ in range(count):
        gram = parts[0, codes[at]] + parts[1, codes[at + one]]
        gram += parts[2, codes[at + two]] + parts[3, codes[at + three]]
        at += four
        new_a = a * grams[gram, 0] + b * grams[gram, 4] + c * grams[gram, 8] + d * grams[gram, 12]
        new_b = a * grams[gram, 1] + b * grams[gram, 5] + c * grams[gram, 9] + d * grams[gram, 13]
        new_c = a * grams[gram, 2] + b * grams[gram, 6] + c * grams[gram, 10] + d * grams[gram, 14]
        new_d = a * grams[gram, 3] + b * grams[gram, 7] + c * grams[gram, 11] + d * grams[gram, 15]
        a, b, c, d = new_a, new_b, new_c, new_d
    vector[0], vector[1], vector[2], vector[3] = a, b, c, d


@inlined
def _apply(
    codes: Codes, tables: GramTables, vector: Float64s, work: Float64s, begin: int, count: int
) -> None:
    """Multiply a vector by the matrices of grams."""
    size, width = vector.size, tables.parts.shape[0]
    for number in range(count):
        gram = np.uint64(0)
        for place in range(width):
            gram += tables.parts[place, codes[begin + number * width + place]]
        for slot in range(size):
            work[slot] = 0.0
        for slot in range(size):
            runs = vector[slot]
            for other in range(size):
                work[other] += runs * tables.grams[gram, slot * size + other]
        for slot in range(size):
            vector[slot] = work[slot]


@inlined
def _apply_low(
    codes: Codes, tables: GramTables, vector: Int64s, work: Int64s, begin: int, count: int
) -> None:
    """Multiply low words by the matrices of grams."""
    size, width = vector.size, tables.parts.shape[0]
    for number in range(count):
        gram = np.uint64(0)
        for place in range(width):
            gram += tables.parts[place, codes[begin + number * width + place]]
        for slot in range(size):
            work[slot] = 0
        for slot in range(size):
            runs = vector[slot]
            for other in range(size):
                work[other] += runs * tables.low_grams[gram, slot * size + other]
        for slot in range(size):
            vector[slot] = work[slot]


@inner_in_place
def _advance_together(
    codes: Codes, tables: GramTables, state: CountState, begin: int, end: int
) -> None:
    """Apply one step as extended numbers; several events only if they add up."""
    size = state.mantissa.size
    if state.flags[IS_EXACT]:
        _leave_exact(state)
    for slot in range(size):
        state.work[slot], state.work_tier[slot], state.work_low[slot] = 0.0, 0, 0
    for event in range(begin, end):
        kind = tables.class_of[codes[event]]
        for slot in range(size):
            if state.mantissa[slot] == 0.0:
                continue
            for other in range(size):
                # All but one event of a step say only what they add.
                times = tables.singles[kind, slot * size + other]
                if event > begin and slot == other:
                    times -= 1
                if times:
                    mantissa, tier = multiplied(
                        state.mantissa[slot], state.tier[slot], float(times)
                    )
                    state.work[other], state.work_tier[other] = added(
                        state.work[other], state.work_tier[other], mantissa, tier
                    )
                    state.work_low[other] += state.low[slot] * times
    is_exact = (tables.facts[ONLY_GROWS] & tables.facts[WANTS_LOW]) != 0
    for slot in range(size):
        state.mantissa[slot], state.tier[slot] = state.work[slot], state.work_tier[slot]
        state.low[slot] = state.work_low[slot]
        is_exact = is_exact and state.tier[slot] == 0 and state.mantissa[slot] < EXACT
    state.flags[IS_EXACT] = is_exact
