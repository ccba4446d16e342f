"""Count in windows, as long as counts are small: `fold_windows` of fold_slots.py for plain numbers.

`counts[slot, lane]` holds the state; the lanes in use are neighbours, so that a step adds a few
short vectors. Why doubles are enough:
1. A step adds counts and multiplies them by positive whole numbers; nothing is subtracted.
2. So a count is never less than one that it was made of, not even when it is rounded.
3. So a result below 2^53 was made of whole numbers below 2^53, and those are exact.
When a result is larger the fold stops, and `fold_windows` has to do all.
"""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import SKIP_TILL_ANY, EventArrays, Float64s, Int64s
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.position.fold_slots import (
    AFTER_ALL,
    LANES,
    NEWEST_WINDOW,
    OLDEST_LANE,
    PARTITION,
    RANK,
    ROWS,
    STEP,
)
from cepheid.kernels.position.slot_machine import (
    BEFORE_ALL,
    CODE,
    DROPPED,
    FIRED,
    IS_BROKEN,
    SlotMachine,
    Step,
    describe_step,
)
from cepheid.kernels.values.value_arrays import Measures, ValueRows

ALL_EXACT = 2.0**53  # below that every whole number is a double
NEXT_OPENING = ROWS + 1  # one more place in `cursor`: the clock at which the next window begins
FIRST_OPENING = -(2**63)
# What `fold_counts` returns.
DONE, MORE_ROWS, TOO_LARGE = 0, 1, 2


@kernel_in_place
def fold_counts(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    length: int,
    slide: int,
    counts: Float64s,
    fresh: Float64s,
    lane_windows: Int64s,
    about: Step,
    rows: ValueRows,
    cursor: Int64s,
) -> int:
    """Count the trends in every window [i * slide, i * slide + length) of every partition.

    O(edges) additions of vectors per event, each as long as there are open windows. `counts` and
    `fresh` have room for twice the lanes that are open at once. See `fold_windows` for the rest.
    """
    is_simple = machine.strategy == SKIP_TILL_ANY and codes.size == 0
    while cursor[PARTITION] < events.partition_offsets.size - 1:
        end = events.partition_offsets[cursor[PARTITION] + 1]
        while cursor[STEP] <= end:
            step = cursor[STEP]
            clock = int(events.clock[events.step_offsets[step]]) if step < end else AFTER_ALL
            while cursor[LANES] > 0:
                oldest = lane_windows[cursor[OLDEST_LANE], 0]
                if clock - length < oldest * slide:
                    break
                needed = _close(machine, counts, lane_windows, clock - length, slide, rows, cursor)
                if needed != DONE:
                    return needed
            if step < end:
                if clock >= cursor[NEXT_OPENING]:
                    _open(machine, counts, lane_windows, clock, length, slide, cursor)
                first = cursor[OLDEST_LANE]
                last = first + cursor[LANES]
                if not (is_simple and _add_single(machine, events, step, counts, first, last)):
                    describe_step(machine, measures, events, codes, step, cursor[RANK], about)
                    cursor[RANK] = events.rank[events.step_offsets[step]]
                    _advance(machine, counts, first, last, about, fresh)
            cursor[STEP] += 1
        cursor[PARTITION] += 1
        cursor[STEP] = end
        cursor[RANK], cursor[NEWEST_WINDOW] = BEFORE_ALL, BEFORE_ALL
        cursor[NEXT_OPENING] = FIRST_OPENING
    return DONE


@inlined
def _open(
    machine: SlotMachine,
    counts: Float64s,
    lane_windows: Int64s,
    clock: int,
    length: int,
    slide: int,
    cursor: Int64s,
) -> None:
    """Begin a lane for the windows that a step is the first one of."""
    if cursor[OLDEST_LANE] + cursor[LANES] == counts.shape[1]:
        for lane in range(cursor[LANES]):
            old = cursor[OLDEST_LANE] + lane
            lane_windows[lane, 0], lane_windows[lane, 1] = (
                lane_windows[old, 0],
                lane_windows[old, 1],
            )
            for slot in range(machine.owner.size):
                counts[slot, lane] = counts[slot, old]
        cursor[OLDEST_LANE] = 0
    lane = cursor[OLDEST_LANE] + cursor[LANES]
    # A division takes longer than an update: after a short gap one is enough.
    lane_windows[lane, 0] = cursor[NEWEST_WINDOW] + 1
    if clock - length >= cursor[NEXT_OPENING]:
        lane_windows[lane, 0] = (clock - length) // slide + 1
    lane_windows[lane, 1] = clock // slide
    for slot in range(machine.owner.size):
        counts[slot, lane] = machine.initial[slot]
    cursor[LANES] += 1
    cursor[NEWEST_WINDOW] = lane_windows[lane, 1]
    cursor[NEXT_OPENING] = (lane_windows[lane, 1] + 1) * slide


@inlined
def _close(
    machine: SlotMachine,
    counts: Float64s,
    lane_windows: Int64s,
    latest: int,
    slide: int,
    rows: ValueRows,
    cursor: Int64s,
) -> int:
    """Write the windows of the oldest lane that begin at `latest` or before; the rest is open."""
    lane = cursor[OLDEST_LANE]
    total = 0.0
    for place in range(machine.finals.size):
        total += counts[machine.finals[place], lane]
    if not total < ALL_EXACT:
        return TOO_LARGE
    end = lane_windows[lane, 1] + 1
    if latest < lane_windows[lane, 1] * slide:
        end = latest // slide + 1
    if total != 0.0:
        for window in range(lane_windows[lane, 0], end):
            at = cursor[ROWS]
            if at == rows.owner.size:
                lane_windows[lane, 0] = window
                return MORE_ROWS
            rows.owner[at], rows.window[at] = cursor[PARTITION], window
            rows.mantissa[at, 0], rows.tier[at, 0], rows.low[at, 0] = total, 0, int(total)
            cursor[ROWS] += 1
    lane_windows[lane, 0] = end
    if end > lane_windows[lane, 1]:
        cursor[OLDEST_LANE] += 1
        cursor[LANES] -= 1
    return DONE


@inlined
def _add_single(
    machine: SlotMachine, events: EventArrays, step: int, counts: Float64s, begin: int, end: int
) -> bool:
    """Apply a step that is one event at one position with one edge; False if it is not that."""
    event = events.step_offsets[step]
    mask = events.fires[event]
    is_one = mask != np.uint64(0) and mask & (mask - np.uint64(1)) == np.uint64(0)
    if events.step_offsets[step + 1] != event + 1 or not is_one:
        return False
    position = 0  # found without a branch, which would be mispredicted at every other event
    for each in range(1, machine.follow.size):
        position += each * int((mask >> np.uint64(each)) & np.uint64(1))
    source, entry = machine.source_offsets[position], machine.entry_offsets[position]
    if (
        machine.source_offsets[position + 1] != source + 1
        or machine.entry_offsets[position + 1] != entry + 1
    ):
        return False
    _add(counts, machine.entries[entry], counts, machine.sources[source], 1.0, begin, end)
    return True


@inlined
def _advance(
    machine: SlotMachine, counts: Float64s, begin: int, end: int, about: Step, fresh: Float64s
) -> None:
    """Apply one step to some lanes; see `advance` for the order of things."""
    if about.facts[IS_BROKEN]:
        for slot in range(machine.owner.size):
            if machine.owner[slot] >= 0:
                _clear(counts, slot, begin, end)
    for place in range(about.facts[FIRED]):
        position = about.fired[place]
        _clear(fresh, position, begin, end)
        for at in range(machine.source_offsets[position], machine.source_offsets[position + 1]):
            _add(fresh, position, counts, machine.sources[at], float(about.times[position]), begin,
                 end)  # fmt: skip
    for place in range(about.facts[DROPPED]):
        _clear(counts, about.dropped[place], begin, end)
    code = about.facts[CODE]
    if code != 0:
        for slot in range(machine.owner.size - 1, -1, -1):
            target = machine.moves[slot, code]
            if target != slot:
                if target >= 0:
                    _add(counts, target, counts, slot, 1.0, begin, end)
                _clear(counts, slot, begin, end)
    for place in range(about.facts[FIRED]):
        position = about.fired[place]
        for at in range(machine.entry_offsets[position], machine.entry_offsets[position + 1]):
            _add(counts, machine.entries[at], fresh, position, 1.0, begin, end)


@inlined
def _clear(counts: Float64s, row: int, begin: int, end: int) -> None:
    for lane in range(begin, end):
        counts[row, lane] = 0.0


@inlined
def _add(
    counts: Float64s, row: int, other: Float64s, other_row: int, times: float, begin: int, end: int
) -> None:
    for lane in range(begin, end):
        counts[row, lane] += times * other[other_row, lane]
