"""Count sequences in one window that moves with every event, for several queries at once.

A stretch of events is known by the number of matches of every segment of a sequence, its elements
from one place to another (program/sharing/chain_program.py). The window is a queue of two stacks,
see recent_queue.py: the *back* has a number for every segment; the *front* has, by step, those of
prefixes in the events from there to the front's end. A trend that begins in the front and ends in
the back is a prefix in the one and the rest in the other; a run at an element that repeats may also
go on with that element. An event changes the segments that end with it, and once more, when the
back becomes the front, those that begin with it: the cost does not depend on the window.

Numbers are doubles. They only grow by adding numbers that are not negative, so that a result below
2^53 is exact; with a larger one the fold stops.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.shared.count_merged import KindArrays
from cepheid.kernels.values.double_counts import ALL_EXACT


class SegmentEnds(NamedTuple):
    """By test the segments that end (or begin) with it, the longest first.

    `offsets[test, n]` is where those begin that are n elements shorter than the longest of all.
    `rest` is the segment without that element; the empty one is the last, which is always 1.
    `repeats` is 1 where the element may repeat.
    """

    offsets: Int64s
    segment: Int64s
    rest: Int64s
    repeats: Float64s


class SegmentMachine(NamedTuple):
    """Segments by number; `prefixes` are those that queries begin with.

    A kind of events passes tests and completes the sequences of queries. `leaving` are by kind the
    queries that it begins, whose groups have several partitions: they have a row, too, when it
    leaves the window. The trends of a query are the sum over its terms, a prefix (by its place in
    `prefixes`, the empty one is after the last) times a segment; `whole` is by query the segment of
    the whole sequence.
    """

    kind_offsets: Int64s
    kind_tests: Int64s
    asking_offsets: Int64s
    asking: Int64s
    leaving_offsets: Int64s
    leaving: Int64s
    endings: SegmentEnds
    beginnings: SegmentEnds
    prefixes: Int64s
    term_offsets: Int64s
    term_prefix: Int64s
    term_segment: Int64s
    whole: Int64s


class SegmentWork(NamedTuple):
    """Room for the fold: segments of the back, of the front while it is made, vectors of the front.

    `fired` has the tests that a step passes, `times` by test how many of its events do. `answered`
    is by query the last step that it was answered at. `begins` are the first steps of front and
    back.
    """

    back: Float64s
    made: Float64s
    front: Float64s
    fired: Int64s
    times: Float64s
    answered: Int64s
    begins: Int64s


FRONT, BACK = 0, 1  # places in `begins`


class SegmentRows(NamedTuple):
    """The rows of a query begin at `next_row` of it: their steps and numbers of trends.

    When step s leaves the window, the row has -1 - s.
    """

    next_row: Int64s
    step: Int64s
    trends: Float64s


@kernel_in_place
def fold_segments(
    machine: SegmentMachine, events: KindArrays, length: int, work: SegmentWork, rows: SegmentRows
) -> bool:
    """Write a row for every query and step that completes it; False if a number is too large.

    O(segments that begin or end with an event) per event, amortised, and O(elements) per row.
    """
    has_leaving = machine.leaving.size > 0
    for partition in range(events.partition_offsets.size - 1):
        head, end = events.partition_offsets[partition], events.partition_offsets[partition + 1]
        work.begins[:] = head
        work.answered[:] = end  # no step of the partition
        _clear(work.back)
        for step in range(head, end):
            oldest = _clock(events, step) - length
            while _clock(events, head) <= oldest:
                head += 1
                if has_leaving and not _leave(machine, events, work, rows, head, step):
                    return False
            count = _describe(machine, events, work, step)
            _extend(machine.endings, work.back, work, count)
            _forget(work, count)
            for event in range(events.step_offsets[step], events.step_offsets[step + 1]):
                kind = events.kind[event]
                for at in range(machine.asking_offsets[kind], machine.asking_offsets[kind + 1]):
                    query = machine.asking[at]
                    if not _answer(machine, events, work, rows, query, step, head, step + 1):
                        return False
        while has_leaving and head < end:
            head += 1
            if not _leave(machine, events, work, rows, head, end):
                return False
    return True


@inlined
def _leave(
    machine: SegmentMachine,
    events: KindArrays,
    work: SegmentWork,
    rows: SegmentRows,
    head: int,
    end: int,
) -> bool:
    """Write rows when the step before `head` has left the window; False as in `_answer`."""
    for event in range(events.step_offsets[head - 1], events.step_offsets[head]):
        kind = events.kind[event]
        for at in range(machine.leaving_offsets[kind], machine.leaving_offsets[kind + 1]):
            if not _answer(machine, events, work, rows, machine.leaving[at], -head, head, end):
                return False
    return True


@inlined
def _answer(
    machine: SegmentMachine,
    events: KindArrays,
    work: SegmentWork,
    rows: SegmentRows,
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
        _flip(machine, events, work, head, end - 1)
        work.begins[FRONT], work.begins[BACK] = head, end
        _clear(work.back)
    total = work.back[machine.whole[query]]
    if head < work.begins[BACK]:
        total = _total(machine, work, query, head - work.begins[FRONT])
    if not total < ALL_EXACT:
        return False
    row = rows.next_row[query]
    rows.step[row], rows.trends[row] = step, total
    rows.next_row[query] = row + 1
    return True


@inlined
def _clock(events: KindArrays, step: int) -> int:
    return int(events.clock[events.step_offsets[step]])


@inlined
def _clear(segments: Float64s) -> None:
    for segment in range(segments.size - 1):
        segments[segment] = 0.0
    segments[segments.size - 1] = 1.0


@inlined
def _describe(machine: SegmentMachine, events: KindArrays, work: SegmentWork, step: int) -> int:
    """Write the tests that the events of a step pass, and return how many there are."""
    count = 0
    for event in range(events.step_offsets[step], events.step_offsets[step + 1]):
        kind = events.kind[event]
        for at in range(machine.kind_offsets[kind], machine.kind_offsets[kind + 1]):
            test = machine.kind_tests[at]
            if work.times[test] == 0.0:
                work.fired[count] = test
                count += 1
            work.times[test] += 1.0
    return count


@inlined
def _forget(work: SegmentWork, count: int) -> None:
    for place in range(count):
        work.times[work.fired[place]] = 0.0


@inlined
def _extend(ends: SegmentEnds, segments: Float64s, work: SegmentWork, count: int) -> None:
    """Add an event at one end of segments.

    The longest come first, so that they read what shorter ones were before: events of a step do
    not see each other.
    """
    sizes = ends.offsets.shape[1] - 1
    if count == 1:
        test = work.fired[0]
        _add(ends, segments, ends.offsets[test, 0], ends.offsets[test, sizes], work.times[test])
    elif count > 1:
        for size in range(sizes):
            for place in range(count):
                test = work.fired[place]
                _add(ends, segments, ends.offsets[test, size], ends.offsets[test, size + 1],
                     work.times[test])  # fmt: skip


@inlined
def _add(ends: SegmentEnds, segments: Float64s, begin: int, end: int, times: float) -> None:
    for at in range(begin, end):
        segment = ends.segment[at]
        more = segments[ends.rest[at]] + ends.repeats[at] * segments[segment]
        segments[segment] += times * more


@inlined
def _flip(
    machine: SegmentMachine, events: KindArrays, work: SegmentWork, head: int, last: int
) -> None:
    """Make all steps the front."""
    _clear(work.made)
    for behind in range(last + 1 - head):
        step = last - behind
        count = _describe(machine, events, work, step)
        _extend(machine.beginnings, work.made, work, count)
        _forget(work, count)
        for place in range(machine.prefixes.size):
            work.front[step - head, place] = work.made[machine.prefixes[place]]


@inlined
def _total(machine: SegmentMachine, work: SegmentWork, query: int, vector: int) -> float:
    total = 0.0
    for at in range(machine.term_offsets[query], machine.term_offsets[query + 1]):
        before = work.front[vector, machine.term_prefix[at]]
        total += before * work.back[machine.term_segment[at]]
    return total
