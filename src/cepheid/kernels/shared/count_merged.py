"""Count trends of merged queries in one pass, as long as counts are small.

Like fold_counts.py, for several queries: `counts[row, lane]` holds the state, a row for every slot
of every window group; the open windows of a group are neighbours, so that a step adds a few short
vectors. Every position reads what positions with smaller numbers write, and maybe one row that it
writes itself, which then is its first source and last entry: a step goes through them from the last
to the first and needs no copies. Doubles are enough for the
reasons given there; when a result is larger the fold stops, and fold_merged.py has to do all.

An event T of T+ makes `v` runs at T, and `s` runs before it, 2 v + s runs at T: n of them make
(v + s) 2^n - s. So positions of T+ are *lazy* where they can be: events T are only counted, once
for all queries, and a position catches up when its runs are read or those before it change. That is
HAMLET's propagation of a burst for all queries at once, and v and s are its snapshots.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.position.fold_slots import AFTER_ALL, DONE, MORE_ROWS, TOO_LARGE
from cepheid.kernels.position.slot_machine import BEFORE_ALL
from cepheid.kernels.values.double_counts import ALL_EXACT
from cepheid.kernels.values.value_arrays import ValueRows

# Places in `cursor`.
PARTITION, STEP, ROWS, IS_OPEN, PLACES = range(5)
# Columns of `state`, by window group: open lanes, the newest window, when to look at windows again.
OLDEST_LANE, LANES, NEWEST_WINDOW, DUE, COLUMNS = range(5)
AT_ONCE = -(2**63)


class CountMachine(NamedTuple):
    """Positions of merged queries, by number; rows are those of the counts.

    `kind_positions` has the positions that events of a kind fire, the last one first. Queries are
    by window group, and have the rows that are added up for their results. A length of 0 stands for
    no windows. Results must stay below `limit`.

    Lazy positions are by window group: `counter` is what counts their events, `row` holds their
    runs, `before` are the rows of the runs that they extend. `kind_counters` are those of a kind,
    and `lazy_positions` the positions that it fires then, beside `kind_positions`. `touched` are by
    position the lazy ones that must catch up before it fires. `powers` are those of two.
    """

    kind_offsets: Int64s
    kind_positions: Int64s
    group_of_position: Int64s
    source_offsets: Int64s
    sources: Int64s
    entry_offsets: Int64s
    entries: Int64s
    group_length: Int64s
    group_slide: Int64s
    row_offsets: Int64s
    initial: Float64s
    query_offsets: Int64s
    queries: Int64s
    final_offsets: Int64s
    finals: Int64s
    limit: float
    counter_offsets: Int64s
    kind_counters: Int64s
    lazy_offsets: Int64s
    lazy_positions: Int64s
    touched_offsets: Int64s
    touched: Int64s
    group_lazy: Int64s
    counter: Int64s
    row: Int64s
    before_offsets: Int64s
    before: Int64s
    powers: Float64s


class LazyCounts(NamedTuple):
    """How many events every counter has seen, and by lazy position how many it has taken."""

    seen: Int64s
    taken: Int64s


class KindArrays(NamedTuple):
    """Events in the order of the fold, see EventArrays, with their kinds."""

    kind: Int64s
    clock: Int64s
    step_offsets: Int64s
    partition_offsets: Int64s


@kernel_in_place
def count_merged(
    machine: CountMachine,
    events: KindArrays,
    counts: Float64s,
    lane_windows: Int64s,
    state: Int64s,
    times: Int64s,
    lazy: LazyCounts,
    rows: ValueRows,
    query_of_row: Int64s,
    cursor: Int64s,
) -> int:
    """Write a row for every query, partition and window that has sequences.

    O(edges) additions of vectors per event, each as long as there are open windows; O(1) for an
    event that only lazy positions take. Returns DONE,
    MORE_ROWS if `rows` are full, and the next call goes on where `cursor` says, or TOO_LARGE.
    """
    while cursor[PARTITION] < events.partition_offsets.size - 1:
        end = events.partition_offsets[cursor[PARTITION] + 1]
        if cursor[IS_OPEN] == 0:
            cursor[STEP] = events.partition_offsets[cursor[PARTITION]]
            for group in range(machine.group_length.size):
                state[group, OLDEST_LANE], state[group, LANES] = 0, 0
                state[group, NEWEST_WINDOW], state[group, DUE] = BEFORE_ALL, AT_ONCE
            for position in range(lazy.taken.size):
                lazy.taken[position] = lazy.seen[machine.counter[position]]
            cursor[IS_OPEN] = 1
        while cursor[STEP] <= end:
            step = cursor[STEP]
            clock = int(events.clock[events.step_offsets[step]]) if step < end else AFTER_ALL
            for group in range(machine.group_length.size):
                if clock >= state[group, DUE]:
                    for each in range(machine.group_lazy[group], machine.group_lazy[group + 1]):
                        _catch_up(machine, counts, state, lazy, group, each)
                    needed = _close(
                        machine, counts, lane_windows, state, group, clock, rows, query_of_row,
                        cursor,
                    )  # fmt: skip
                    if needed != DONE:
                        return needed
                    if step < end:
                        _open(machine, counts, lane_windows, state, group, clock)
            if step < end:
                _advance(machine, events, counts, state, times, lazy, step)
            cursor[STEP] += 1
        cursor[PARTITION] += 1
        cursor[IS_OPEN] = 0
    return DONE


@inlined
def _close(
    machine: CountMachine,
    counts: Float64s,
    lane_windows: Int64s,
    state: Int64s,
    group: int,
    clock: int,
    rows: ValueRows,
    query_of_row: Int64s,
    cursor: Int64s,
) -> int:
    """Write the windows of a group that end before a time."""
    length, slide = machine.group_length[group], machine.group_slide[group]
    begin, end = machine.query_offsets[group], machine.query_offsets[group + 1]
    while state[group, LANES] > 0:
        lane = state[group, OLDEST_LANE]
        first, last = lane_windows[group, lane, 0], lane_windows[group, lane, 1]
        if clock != AFTER_ALL:
            if length == 0 or clock - length < first * slide:
                break
            last = min(last, (clock - length) // slide)
        if cursor[ROWS] + (last - first + 1) * (end - begin) > rows.owner.size:
            return MORE_ROWS
        for place in range(begin, end):
            query = machine.queries[place]
            total = 0.0
            for at in range(machine.final_offsets[query], machine.final_offsets[query + 1]):
                total += counts[machine.finals[at], lane]
            if not total < machine.limit:
                return TOO_LARGE
            low = int(total) if total < ALL_EXACT else 0
            if total != 0.0:
                for window in range(first, last + 1):
                    at = cursor[ROWS]
                    rows.owner[at], rows.window[at] = cursor[PARTITION], window
                    rows.mantissa[at, 0], rows.tier[at, 0], rows.low[at, 0] = total, 0, low
                    query_of_row[at] = query
                    cursor[ROWS] += 1
        if last < lane_windows[group, lane, 1]:
            lane_windows[group, lane, 0] = last + 1
            break
        state[group, OLDEST_LANE] += 1
        state[group, LANES] -= 1
    return DONE


@inlined
def _open(
    machine: CountMachine,
    counts: Float64s,
    lane_windows: Int64s,
    state: Int64s,
    group: int,
    clock: int,
) -> None:
    """Begin a lane for the windows that a step is the first one of, and say when to come back."""
    length, slide = machine.group_length[group], machine.group_slide[group]
    first, newest = 0, 0
    if length != 0:
        first, newest = (clock - length) // slide + 1, clock // slide
    first = max(first, state[group, NEWEST_WINDOW] + 1)
    if first <= newest:
        begin, end = machine.row_offsets[group], machine.row_offsets[group + 1]
        oldest = state[group, OLDEST_LANE]
        if oldest + state[group, LANES] == counts.shape[1]:
            for lane in range(state[group, LANES]):
                lane_windows[group, lane, 0] = lane_windows[group, oldest + lane, 0]
                lane_windows[group, lane, 1] = lane_windows[group, oldest + lane, 1]
                for row in range(begin, end):
                    counts[row, lane] = counts[row, oldest + lane]
            state[group, OLDEST_LANE] = 0
        lane = state[group, OLDEST_LANE] + state[group, LANES]
        lane_windows[group, lane, 0], lane_windows[group, lane, 1] = first, newest
        for row in range(begin, end):
            counts[row, lane] = machine.initial[row]
        state[group, LANES] += 1
        state[group, NEWEST_WINDOW] = newest
    if length == 0:
        state[group, DUE] = AFTER_ALL
    else:
        state[group, DUE] = (clock // slide + 1) * slide
        if state[group, LANES] > 0:
            oldest = lane_windows[group, state[group, OLDEST_LANE], 0]
            state[group, DUE] = min(state[group, DUE], oldest * slide + length)


@inlined
def _advance(
    machine: CountMachine,
    events: KindArrays,
    counts: Float64s,
    state: Int64s,
    times: Int64s,
    lazy: LazyCounts,
    step: int,
) -> None:
    """Take one step: events of the same time do not see each other."""
    first, last = events.step_offsets[step], events.step_offsets[step + 1]
    if last == first + 1:
        kind = events.kind[first]
        for at in range(machine.counter_offsets[kind], machine.counter_offsets[kind + 1]):
            lazy.seen[machine.kind_counters[at]] += 1
        for at in range(machine.kind_offsets[kind], machine.kind_offsets[kind + 1]):
            position = machine.kind_positions[at]
            group = machine.group_of_position[position]
            begin, end = machine.touched_offsets[position], machine.touched_offsets[position + 1]
            for place in range(begin, end):
                _catch_up(machine, counts, state, lazy, group, machine.touched[place])
            _add(machine, counts, state, position, 1.0)
        return
    for group in range(machine.group_length.size):
        for each in range(machine.group_lazy[group], machine.group_lazy[group + 1]):
            _catch_up(machine, counts, state, lazy, group, each)
    for event in range(first, last):
        kind = events.kind[event]
        for at in range(machine.kind_offsets[kind], machine.kind_offsets[kind + 1]):
            times[machine.kind_positions[at]] += 1
        for at in range(machine.lazy_offsets[kind], machine.lazy_offsets[kind + 1]):
            times[machine.lazy_positions[at]] += 1
    for position in range(times.size - 1, -1, -1):
        if times[position] > 0:
            _add(machine, counts, state, position, float(times[position]))
            times[position] = 0


@inlined
def _catch_up(
    machine: CountMachine,
    counts: Float64s,
    state: Int64s,
    lazy: LazyCounts,
    group: int,
    position: int,
) -> None:
    """Let a lazy position take the events that were counted since it last did."""
    seen = lazy.seen[machine.counter[position]]
    events = seen - lazy.taken[position]
    if events == 0:
        return
    lazy.taken[position] = seen
    factor = machine.powers[min(events, machine.powers.size - 1)]
    row, begin = machine.row[position], state[group, OLDEST_LANE]
    for lane in range(begin, begin + state[group, LANES]):
        before = 0.0
        for at in range(machine.before_offsets[position], machine.before_offsets[position + 1]):
            before += counts[machine.before[at], lane]
        total = counts[row, lane] + before
        if total != 0.0:
            counts[row, lane] = total * factor - before


@inlined
def _add(
    machine: CountMachine, counts: Float64s, state: Int64s, position: int, times: float
) -> None:
    """Add the runs that reach a position to the rows that it feeds."""
    group = machine.group_of_position[position]
    begin = state[group, OLDEST_LANE]
    end = begin + state[group, LANES]
    for entry in range(machine.entry_offsets[position], machine.entry_offsets[position + 1]):
        row = machine.entries[entry]
        for at in range(machine.source_offsets[position], machine.source_offsets[position + 1]):
            source = machine.sources[at]
            for lane in range(begin, end):
                counts[row, lane] += times * counts[source, lane]
