"""Aggregate without a window, or in windows with one vector of slots for those that begin alike.

Windows that begin between the same two steps hold the same runs as long as they are open: they
share a *lane*. So the cost of a step is the number of open windows, or of steps in a window if
those are fewer.
"""

from __future__ import annotations

from cepheid.kernels.arrays import EventArrays, Int64s
from cepheid.kernels.jit import inlined, inner_in_place, kernel_in_place
from cepheid.kernels.position.slot_machine import (
    BEFORE_ALL,
    SlotMachine,
    Step,
    advance,
    begin_row,
    describe_step,
    sum_finals,
)
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values

AFTER_ALL = 2**63 - 1
# Places in `cursor`.
PARTITION, STEP, RANK, OLDEST_LANE, LANES, NEWEST_WINDOW, ROWS = range(7)
# What `measure_windows` finds: lanes open at once, at most; updates of lanes; panes with events.
MOST_LANES, LANE_STEPS, PANES = range(3)


@kernel_in_place
def fold_partitions(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    values: Values,
    about: Step,
    fresh: Values,
    rows: ValueRows,
) -> None:
    """Aggregate all trends of every partition: one row each; O(edges) per event."""
    for partition in range(events.partition_offsets.size - 1):
        begin_row(machine, values, 0, measures.moduli)
        rank = BEFORE_ALL
        begin, end = events.partition_offsets[partition], events.partition_offsets[partition + 1]
        for step in range(begin, end):
            describe_step(machine, measures, events, codes, step, rank, about)
            rank = events.rank[events.step_offsets[step]]
            advance(machine, measures.moduli, values, 0, about, fresh)
        sum_finals(machine, measures.moduli, values, 0, fresh)
        write_row(rows, partition, partition, 0, fresh)


@inner_in_place
def write_row(rows: ValueRows, at: int, owner: int, window: int, fresh: Values) -> None:
    """Write the last value of `fresh` as a row."""
    last = fresh.mantissa.shape[1] - 1
    rows.owner[at], rows.window[at] = owner, window
    for number in range(fresh.mantissa.shape[2]):
        rows.mantissa[at, number] = fresh.mantissa[0, last, number]
        rows.tier[at, number] = fresh.tier[0, last, number]
        rows.low[at, number] = fresh.low[0, last, number]
    for number in range(fresh.least.shape[2]):
        rows.least[at, number] = fresh.least[0, last, number]


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
    values: Values,
    lane_windows: Int64s,
    about: Step,
    fresh: Values,
    rows: ValueRows,
    cursor: Int64s,
) -> bool:
    """Aggregate the trends in every window [i * slide, i * slide + length) of every partition.

    Windows without trends have no row. `lane_windows[lane]` are the first and the last window of a
    lane that are still open; lanes are used in turn. Returns whether all is done: if not, `rows`
    are full, and the next call goes on where `cursor` says.
    """
    moduli, ring = measures.moduli, values.mantissa.shape[0]
    while cursor[PARTITION] < events.partition_offsets.size - 1:
        partition = cursor[PARTITION]
        end = events.partition_offsets[partition + 1]
        while cursor[STEP] <= end:
            step = cursor[STEP]
            clock = _clock(events, step) if step < end else AFTER_ALL
            first_open = (clock - length) // slide + 1
            while cursor[LANES] > 0:
                lane = cursor[OLDEST_LANE]
                if lane_windows[lane, 0] >= first_open:
                    break
                if not _close(machine, moduli, values, lane_windows, first_open, fresh, rows,
                              cursor):  # fmt: skip
                    return False
            if step < end:
                newest = clock // slide
                first_open = max(first_open, cursor[NEWEST_WINDOW] + 1)
                if first_open <= newest:
                    lane = (cursor[OLDEST_LANE] + cursor[LANES]) % ring
                    lane_windows[lane, 0], lane_windows[lane, 1] = first_open, newest
                    begin_row(machine, values, lane, moduli)
                    cursor[LANES] += 1
                    cursor[NEWEST_WINDOW] = newest
                describe_step(machine, measures, events, codes, step, cursor[RANK], about)
                cursor[RANK] = events.rank[events.step_offsets[step]]
                lane = cursor[OLDEST_LANE]
                for _ in range(cursor[LANES]):
                    advance(machine, moduli, values, lane, about, fresh)
                    lane = lane + 1 if lane + 1 < ring else 0
            cursor[STEP] += 1
        cursor[PARTITION] += 1
        cursor[STEP] = end
        cursor[RANK], cursor[NEWEST_WINDOW] = BEFORE_ALL, BEFORE_ALL
    return True


@inner_in_place
def _close(
    machine: SlotMachine,
    moduli: Int64s,
    values: Values,
    lane_windows: Int64s,
    first_open: int,
    fresh: Values,
    rows: ValueRows,
    cursor: Int64s,
) -> bool:
    """Write the windows of the oldest lane before one that stays open; False if rows are full."""
    lane = cursor[OLDEST_LANE]
    if sum_finals(machine, moduli, values, lane, fresh):
        while lane_windows[lane, 0] <= lane_windows[lane, 1]:
            if lane_windows[lane, 0] >= first_open:
                return True
            if cursor[ROWS] == rows.owner.size:
                return False
            write_row(rows, cursor[ROWS], cursor[PARTITION], lane_windows[lane, 0], fresh)
            cursor[ROWS] += 1
            lane_windows[lane, 0] += 1
    else:
        lane_windows[lane, 0] = min(first_open, lane_windows[lane, 1] + 1)
        if lane_windows[lane, 0] <= lane_windows[lane, 1]:
            return True
    cursor[OLDEST_LANE] = (lane + 1) % values.mantissa.shape[0]
    cursor[LANES] -= 1
    return True
