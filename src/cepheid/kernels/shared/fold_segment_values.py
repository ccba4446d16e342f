"""Aggregate sequences in one window that moves with every event, for several queries at once.

As fold_segments.py, with sums and minima beside the number of matches, and with negated events
between elements. A run that waits for an element is in the *gap* before it; an event that may not
be there ends all runs in the gap. So segments are told apart by the gap in which they begin, too,
and the empty segment of a gap, a run that stays in it, is 1 only as long as no such event came.

With c matches, and s the sum over their events, n events that add up to x make n c matches and
n s + c x of what they extend; and matches of two stretches are c c' with s c' + c s'.

Numbers are doubles. The fold stops when a count is 2^53, or a sum `LARGEST`: then, or where sums
may cancel, they are added up in another way.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.shared.count_merged import KindArrays
from cepheid.kernels.shared.fold_segments import BACK, FRONT
from cepheid.kernels.values.double_counts import ALL_EXACT
from cepheid.kernels.values.value_arrays import NOTHING

LARGEST = 2.0**200


class EndTables(NamedTuple):
    """Segments by the element that they end (or begin) with, the longest first.

    `rest` is the segment without that element, `loop` the one that it goes on with if it may repeat
    (-1: it may not). `gap` is the one after (or before) it. `places[offsets[test]:]` are those of a
    test.
    """

    segment: Int64s
    rest: Int64s
    loop: Int64s
    test: Int64s
    element: Int64s
    gap: Int64s
    offsets: Int64s
    places: Int64s


class ValueMachine(NamedTuple):
    """Segments by number; the empty ones of every gap come last, that of no gap first.

    A kind of events passes tests, is negated in gaps, and completes queries. `numbers[element, k]`
    is the row of the measures that an event adds to number k, -1 for none; likewise `minima`. The
    rest is as in fold_segments.py.
    """

    kind_offsets: Int64s
    kind_tests: Int64s
    gap_offsets: Int64s
    kind_gaps: Int64s
    asking_offsets: Int64s
    asking: Int64s
    leaving_offsets: Int64s
    leaving: Int64s
    endings: EndTables
    beginnings: EndTables
    first_empty: int
    numbers: Int64s
    minima: Int64s
    prefixes: Int64s
    term_offsets: Int64s
    term_prefix: Int64s
    term_segment: Int64s
    whole: Int64s


class SegmentValues(NamedTuple):
    """`numbers[segment, k]` and `least[segment, k]`; no matches have 0 and NOTHING."""

    numbers: Float64s
    least: Int64s


class ValueWork(NamedTuple):
    """Room for the fold: the back, the front while it is made, and vectors of the front by prefix.

    `fired` has the tests that a step passes, `times`, `sums` and `leasts` by test how many of its
    events do and what they contribute by row of the measures; `ended` is by gap whether the step
    ends its runs. `answered` and `begins` are as in fold_segments.py.
    """

    back: SegmentValues
    made: SegmentValues
    front: Float64s
    front_least: Int64s
    fired: Int64s
    times: Float64s
    sums: Float64s
    leasts: Int64s
    ended: Int64s
    answered: Int64s
    begins: Int64s


class Contributions(NamedTuple):
    """What events contribute to sums and minima, by row and event."""

    numbers: Float64s
    least: Int64s


class ValueRowsOfQueries(NamedTuple):
    """The rows of a query begin at `next_row` of it."""

    next_row: Int64s
    step: Int64s
    numbers: Float64s
    least: Int64s


@kernel_in_place
def fold_segment_values(
    machine: ValueMachine,
    events: KindArrays,
    given: Contributions,
    length: int,
    work: ValueWork,
    rows: ValueRowsOfQueries,
) -> bool:
    """Write a row for every query and step that completes it; False if a number is too large.

    O(segments that begin or end with an event) per event, amortised, all segments for a step with
    negated or concurrent events, and O(elements) per row.
    """
    has_leaving = machine.leaving.size > 0
    for partition in range(events.partition_offsets.size - 1):
        head, end = events.partition_offsets[partition], events.partition_offsets[partition + 1]
        work.begins[:] = head
        work.answered[:] = end  # no step of the partition
        _clear(machine, work.back)
        for step in range(head, end):
            oldest = _clock(events, step) - length
            while _clock(events, head) <= oldest:
                head += 1
                if has_leaving and not _leave(machine, events, given, work, rows, head, step):
                    return False
            count, is_ended = _describe(machine, events, given, work, step)
            _extend(machine, machine.endings, work.back, work, count, is_ended)
            _forget(work, count, is_ended)
            for event in range(events.step_offsets[step], events.step_offsets[step + 1]):
                kind = events.kind[event]
                for at in range(machine.asking_offsets[kind], machine.asking_offsets[kind + 1]):
                    query = machine.asking[at]
                    if not _answer(machine, events, given, work, rows, query, step, head, step + 1):
                        return False
        while has_leaving and head < end:
            head += 1
            if not _leave(machine, events, given, work, rows, head, end):
                return False
    return True


@inlined
def _leave(
    machine: ValueMachine,
    events: KindArrays,
    given: Contributions,
    work: ValueWork,
    rows: ValueRowsOfQueries,
    head: int,
    end: int,
) -> bool:
    """Write rows when the step before `head` has left the window; False as in `_answer`."""
    for event in range(events.step_offsets[head - 1], events.step_offsets[head]):
        kind = events.kind[event]
        for at in range(machine.leaving_offsets[kind], machine.leaving_offsets[kind + 1]):
            query = machine.leaving[at]
            if not _answer(machine, events, given, work, rows, query, -head, head, end):
                return False
    return True


@inlined
def _answer(
    machine: ValueMachine,
    events: KindArrays,
    given: Contributions,
    work: ValueWork,
    rows: ValueRowsOfQueries,
    query: int,
    step: int,
    head: int,
    end: int,
) -> bool:
    """Write the row of a query at a step, of the window `head:end`; False if it is too large."""
    if work.answered[query] == step:
        return True
    work.answered[query] = step
    if head > work.begins[BACK]:
        _flip(machine, events, given, work, head, end - 1)
        work.begins[FRONT], work.begins[BACK] = head, end
        _clear(machine, work.back)
    row = rows.next_row[query]
    if head < work.begins[BACK]:
        _combine(machine, work, query, head - work.begins[FRONT], rows, row)
    else:
        _copy(work.back, machine.whole[query], rows, row)
    if not rows.numbers[row, 0] < ALL_EXACT:
        return False
    for number in range(1, rows.numbers.shape[1]):
        if not abs(rows.numbers[row, number]) < LARGEST:
            return False
    rows.step[row] = step
    rows.next_row[query] = row + 1
    return True


@inlined
def _clock(events: KindArrays, step: int) -> int:
    return int(events.clock[events.step_offsets[step]])


@inlined
def _clear(machine: ValueMachine, values: SegmentValues) -> None:
    values.numbers[:] = 0.0
    values.least[:] = NOTHING
    for segment in range(machine.first_empty, values.numbers.shape[0]):
        values.numbers[segment, 0] = 1.0


@inlined
def _describe(
    machine: ValueMachine, events: KindArrays, given: Contributions, work: ValueWork, step: int
) -> tuple[int, bool]:
    """Write what a step passes, ends and contributes; return how many tests, and whether it ends.

    `_forget` takes it back.
    """
    count, is_ended = 0, False
    for event in range(events.step_offsets[step], events.step_offsets[step + 1]):
        kind = events.kind[event]
        for at in range(machine.gap_offsets[kind], machine.gap_offsets[kind + 1]):
            work.ended[machine.kind_gaps[at]] = 1
            is_ended = True
        for at in range(machine.kind_offsets[kind], machine.kind_offsets[kind + 1]):
            test = machine.kind_tests[at]
            if work.times[test] == 0.0:
                work.fired[count] = test
                count += 1
                work.sums[test, :] = 0.0
                work.leasts[test, :] = NOTHING
            work.times[test] += 1.0
            for row in range(1, work.sums.shape[1]):
                work.sums[test, row] += given.numbers[row, event]
            for row in range(work.leasts.shape[1]):
                work.leasts[test, row] = min(work.leasts[test, row], given.least[row, event])
    return count, is_ended


@inlined
def _forget(work: ValueWork, count: int, is_ended: bool) -> None:
    for place in range(count):
        work.times[work.fired[place]] = 0.0
    if is_ended:
        work.ended[:] = 0


@inlined
def _extend(
    machine: ValueMachine,
    ends: EndTables,
    values: SegmentValues,
    work: ValueWork,
    count: int,
    is_ended: bool,
) -> None:
    """Add a step at one end of segments.

    The longest come first, so that they read what shorter ones were before: events of a step do
    not see each other.
    """
    if count == 1 and not is_ended:
        test = work.fired[0]
        for at in range(ends.offsets[test], ends.offsets[test + 1]):
            _update(machine, ends, values, work, ends.places[at])
    elif count > 0 or is_ended:
        for place in range(ends.segment.size):
            _update(machine, ends, values, work, place)
        for gap in range(work.ended.size):
            if work.ended[gap]:
                values.numbers[machine.first_empty + gap, 0] = 0.0


@inlined
def _update(
    machine: ValueMachine, ends: EndTables, values: SegmentValues, work: ValueWork, place: int
) -> None:
    """Let a segment take a step."""
    segment, test, element = ends.segment[place], ends.test[place], ends.element[place]
    rest, loop, times = ends.rest[place], ends.loop[place], work.times[test]
    numbers, least = values.numbers, values.least
    stays = 1.0 - work.ended[ends.gap[place]]
    if stays == 1.0 and times == 0.0:
        return
    runs = 0.0
    if times > 0.0:
        runs = numbers[rest, 0]
        if loop >= 0:
            runs += numbers[loop, 0]
    for number in range(1, numbers.shape[1]):
        total = 0.0
        if runs > 0.0:
            total = numbers[rest, number]
            if loop >= 0:
                total += numbers[loop, number]
            total *= times
            row = machine.numbers[element, number]
            if row >= 0:
                total += runs * work.sums[test, row]
        numbers[segment, number] = stays * numbers[segment, number] + total
    for number in range(least.shape[1]):
        smallest = NOTHING
        if runs > 0.0:
            smallest = least[rest, number]
            if loop >= 0:
                smallest = min(smallest, least[loop, number])
            row = machine.minima[element, number]
            if row >= 0:
                smallest = min(smallest, work.leasts[test, row])
        if stays == 1.0:
            smallest = min(smallest, least[segment, number])
        least[segment, number] = smallest
    numbers[segment, 0] = stays * numbers[segment, 0] + times * runs


@inlined
def _flip(
    machine: ValueMachine,
    events: KindArrays,
    given: Contributions,
    work: ValueWork,
    head: int,
    last: int,
) -> None:
    """Make all steps the front."""
    _clear(machine, work.made)
    for behind in range(last + 1 - head):
        step = last - behind
        count, is_ended = _describe(machine, events, given, work, step)
        _extend(machine, machine.beginnings, work.made, work, count, is_ended)
        _forget(work, count, is_ended)
        for place in range(machine.prefixes.size):
            segment = machine.prefixes[place]
            for number in range(work.front.shape[2]):
                work.front[step - head, place, number] = work.made.numbers[segment, number]
            for number in range(work.front_least.shape[2]):
                work.front_least[step - head, place, number] = work.made.least[segment, number]


@inlined
def _copy(values: SegmentValues, segment: int, rows: ValueRowsOfQueries, row: int) -> None:
    for number in range(rows.numbers.shape[1]):
        rows.numbers[row, number] = values.numbers[segment, number]
    for number in range(rows.least.shape[1]):
        rows.least[row, number] = values.least[segment, number]


@inlined
def _combine(
    machine: ValueMachine,
    work: ValueWork,
    query: int,
    vector: int,
    rows: ValueRowsOfQueries,
    row: int,
) -> None:
    """Write the matches of a query that are in the front, in the back, or begin in the front."""
    rows.numbers[row, :] = 0.0
    rows.least[row, :] = NOTHING
    for at in range(machine.term_offsets[query], machine.term_offsets[query + 1]):
        prefix, segment = machine.term_prefix[at], machine.term_segment[at]
        before, after = work.front[vector, prefix, 0], work.back.numbers[segment, 0]
        if before == 0.0 or after == 0.0:
            continue
        rows.numbers[row, 0] += before * after
        for number in range(1, rows.numbers.shape[1]):
            rows.numbers[row, number] += (
                work.front[vector, prefix, number] * after
                + before * work.back.numbers[segment, number]
            )
        for number in range(rows.least.shape[1]):
            smallest = min(
                work.front_least[vector, prefix, number], work.back.least[segment, number]
            )
            rows.least[row, number] = min(rows.least[row, number], smallest)
