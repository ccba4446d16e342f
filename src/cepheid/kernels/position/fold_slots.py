"""Aggregate without a window, or in windows with one vector of slots for those that begin alike.

Windows that begin between the same two steps hold the same runs as long as they are open: they
share a *lane*. So the cost of a step is the number of open windows, or of steps in a window if
those are fewer. `values[slot, lane]` holds the state; the lanes in use are neighbours, so that a
step on counts adds a few short vectors.
"""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import EventArrays, Int64s
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.position.count_ahead import Ahead, go_ahead
from cepheid.kernels.position.slot_machine import (
    BEFORE_ALL,
    SlotMachine,
    Step,
    advance_lanes,
    describe_step,
)
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.kernels.values.value_stretches import (
    AnyValues,
    clear,
    copy,
    has_runs,
    is_exact,
    make_one,
    plus,
    write,
)

AFTER_ALL = 2**63 - 1
# Places in `cursor`; the last is the clock at which the next window begins.
PARTITION, STEP, RANK, OLDEST_LANE, LANES, NEWEST_WINDOW, ROWS, NEXT_OPENING = range(8)
FIRST_OPENING = -(2**63)
# What `measure_windows` finds: lanes open at once, at most; updates of lanes; panes with events.
MOST_LANES, LANE_STEPS, PANES = range(3)
# What `fold_windows` returns.
DONE, MORE_ROWS, TOO_LARGE = 0, 1, 2


@kernel_in_place
def fold_partitions(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    values: AnyValues,
    about: Step,
    fresh: AnyValues,
    rows: ValueRows,
) -> None:
    """Aggregate all trends of every partition: one row each; O(edges) per event."""
    for partition in range(events.partition_offsets.size - 1):
        _begin_lane(machine, measures.moduli, values, 0)
        rank = BEFORE_ALL
        begin, end = events.partition_offsets[partition], events.partition_offsets[partition + 1]
        for step in range(begin, end):
            describe_step(machine, measures, events, codes, step, rank, about)
            rank = events.rank[events.step_offsets[step]]
            advance_lanes(machine, measures.moduli, values, 0, 1, about, fresh)
        _sum_finals(machine, measures.moduli, values, 0, fresh)
        rows.owner[partition], rows.window[partition] = partition, 0
        write(fresh, machine.follow.size, 0, rows, partition)


@inlined
def _begin_lane(machine: SlotMachine, moduli: Int64s, values: AnyValues, lane: int) -> None:
    """Set a lane to how a window begins."""
    for slot in range(machine.owner.size):
        clear(values, slot, lane, lane + 1)
        if machine.initial[slot]:
            make_one(values, slot, lane, moduli)


@inlined
def _sum_finals(
    machine: SlotMachine, moduli: Int64s, values: AnyValues, lane: int, fresh: AnyValues
) -> None:
    """Write the result of a lane to the last row of `fresh`."""
    last = machine.follow.size
    clear(fresh, last, lane, lane + 1)
    for place in range(machine.finals.size):
        plus(fresh, last, values, machine.finals[place], lane, lane + 1, moduli)


@kernel_in_place
def measure_windows(
    events: EventArrays, length: int, slide: int, pane_length: int, found: Int64s
) -> None:
    """Write how much work windows are: see MOST_LANES and the others; O(steps)."""
    for place in range(found.size):
        found[place] = 0
    for partition in range(events.partition_offsets.size - 1):
        begin, end = events.partition_offsets[partition], events.partition_offsets[partition + 1]
        oldest, lanes, pane = begin, 0, 0
        for step in range(begin, end):
            clock = _clock(events, step)
            first_open = (clock - length) // slide + 1
            while oldest < step and _clock(events, oldest) // slide < first_open:
                lanes -= _opens(events, begin, oldest, length, slide)
                oldest += 1
            lanes += _opens(events, begin, step, length, slide)
            found[MOST_LANES] = max(found[MOST_LANES], lanes)
            found[LANE_STEPS] += lanes
            if step == begin or clock // pane_length != pane:
                pane = clock // pane_length
                found[PANES] += 1


@inlined
def _clock(events: EventArrays, step: int) -> int:
    return int(events.clock[events.step_offsets[step]])


@inlined
def _opens(events: EventArrays, begin: int, step: int, length: int, slide: int) -> int:
    """Whether some window has the step as its first one."""
    clock = _clock(events, step)
    first = (clock - length) // slide + 1
    if step > begin:
        first = max(first, _clock(events, step - 1) // slide + 1)
    return int(first <= clock // slide)


@kernel_in_place
def fold_windows(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    length: int,
    slide: int,
    values: AnyValues,
    lane_windows: Int64s,
    about: Step,
    fresh: AnyValues,
    rows: ValueRows,
    cursor: Int64s,
) -> int:
    """Aggregate the trends in every window [i * slide, i * slide + length) of every partition.

    Windows without trends have no row. `lane_windows[lane]` are the first and the last window of a
    lane that are still open; there is room for twice the lanes that are open at once. O(edges)
    operations per event and lane. Returns DONE; MORE_ROWS if `rows` are full, and the next call
    goes on where `cursor` says; or TOO_LARGE for values of this type.
    """
    moduli = measures.moduli
    while cursor[PARTITION] < events.partition_offsets.size - 1:
        end = events.partition_offsets[cursor[PARTITION] + 1]
        while cursor[STEP] <= end:
            step = cursor[STEP]
            clock = _clock(events, step) if step < end else AFTER_ALL
            while cursor[LANES] > 0:
                oldest = lane_windows[cursor[OLDEST_LANE], 0]
                if clock - length < oldest * slide:
                    break
                needed = _close(machine, moduli, values, lane_windows, clock - length, slide, fresh,
                                rows, cursor)  # fmt: skip
                if needed != DONE:
                    return needed
            if step < end:
                if clock >= cursor[NEXT_OPENING]:
                    _open(machine, moduli, values, lane_windows, clock, length, slide, cursor)
                first = cursor[OLDEST_LANE]
                last, oldest = first + cursor[LANES], AFTER_ALL
                if cursor[LANES] > 0:
                    oldest = lane_windows[first, 0] * slide
                if codes.size == 0:
                    ahead = Ahead(step, end, cursor[NEXT_OPENING], oldest, length, cursor[RANK],
                                  first, last)  # fmt: skip
                    reached = go_ahead(values, fresh, machine, events, moduli, ahead)
                    if reached > step:
                        cursor[STEP] = reached
                        cursor[RANK] = events.rank[events.step_offsets[reached - 1]]
                        continue
                describe_step(machine, measures, events, codes, step, cursor[RANK], about)
                cursor[RANK] = events.rank[events.step_offsets[step]]
                advance_lanes(machine, moduli, values, first, last, about, fresh)
            cursor[STEP] += 1
        cursor[PARTITION] += 1
        cursor[STEP] = end
        cursor[RANK], cursor[NEWEST_WINDOW] = BEFORE_ALL, BEFORE_ALL
        cursor[NEXT_OPENING] = FIRST_OPENING
    return DONE


@inlined
def _open(
    machine: SlotMachine,
    moduli: Int64s,
    values: AnyValues,
    lane_windows: Int64s,
    clock: int,
    length: int,
    slide: int,
    cursor: Int64s,
) -> None:
    """Begin a lane for the windows that a step is the first one of."""
    if cursor[OLDEST_LANE] + cursor[LANES] == lane_windows.shape[0]:
        for lane in range(cursor[LANES]):
            old = cursor[OLDEST_LANE] + lane
            lane_windows[lane, 0], lane_windows[lane, 1] = (
                lane_windows[old, 0],
                lane_windows[old, 1],
            )
            for slot in range(machine.owner.size):
                copy(values, slot, lane, values, slot, old)
        cursor[OLDEST_LANE] = 0
    lane = cursor[OLDEST_LANE] + cursor[LANES]
    # A division takes longer than an update: after a short gap one is enough.
    lane_windows[lane, 0] = cursor[NEWEST_WINDOW] + 1
    if clock - length >= cursor[NEXT_OPENING]:
        lane_windows[lane, 0] = (clock - length) // slide + 1
    lane_windows[lane, 1] = clock // slide
    _begin_lane(machine, moduli, values, lane)
    cursor[LANES] += 1
    cursor[NEWEST_WINDOW] = lane_windows[lane, 1]
    cursor[NEXT_OPENING] = (lane_windows[lane, 1] + 1) * slide


@inlined
def _close(
    machine: SlotMachine,
    moduli: Int64s,
    values: AnyValues,
    lane_windows: Int64s,
    latest: int,
    slide: int,
    fresh: AnyValues,
    rows: ValueRows,
    cursor: Int64s,
) -> int:
    """Write the windows of the oldest lane that begin at `latest` or before; the rest is open."""
    lane, result = cursor[OLDEST_LANE], machine.follow.size
    _sum_finals(machine, moduli, values, lane, fresh)
    if not is_exact(fresh, result, lane):
        return TOO_LARGE
    end = lane_windows[lane, 1] + 1
    if latest < lane_windows[lane, 1] * slide:
        end = latest // slide + 1
    if has_runs(fresh, result, lane):
        for window in range(lane_windows[lane, 0], end):
            at = cursor[ROWS]
            if at == rows.owner.size:
                lane_windows[lane, 0] = window
                return MORE_ROWS
            rows.owner[at], rows.window[at] = cursor[PARTITION], window
            write(fresh, result, lane, rows, at)
            cursor[ROWS] += 1
    lane_windows[lane, 0] = end
    if end > lane_windows[lane, 1]:
        cursor[OLDEST_LANE] += 1
        cursor[LANES] -= 1
    return DONE


@inlined
def add_single(
    machine: SlotMachine,
    moduli: Int64s,
    events: EventArrays,
    step: int,
    values: AnyValues,
    begin: int,
    end: int,
) -> bool:
    """Count a step that is one event at one position with one edge; False if it is not that."""
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
    plus(values, machine.entries[entry], values, machine.sources[source], begin, end, moduli)
    return True
