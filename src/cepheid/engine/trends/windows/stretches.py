"""The stretches of steps that an aggregate is taken over: partitions, or their windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.is_few import is_few
from cepheid.engine.events.order_events import OrderedEvents, starts_of_runs
from cepheid.engine.trends.windows.result_times import AFTER_ALL, Moments, PairIndex
from cepheid.engine.trends.windows.wanted_windows import WantedWindows
from cepheid.errors import InternalError
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.last_event.adjacent_rules import Segments
from cepheid.kernels.order.segment_bounds import find_ends
from cepheid.program.program import Clock, Program

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WindowedSegments:
    """Segments, and for every partition or window its owner, number and segment.

    Windows with the same steps share a segment.
    """

    segments: Segments
    owner: Int64s
    window: Int64s
    segment: Int64s


def make_segments(
    program: Program, events: EventArrays, wanted: WantedWindows | None = None
) -> WindowedSegments:
    """Return all steps of every partition, or those of each of its windows with any.

    Of all windows, or of some.
    """
    offsets = events.partition_offsets
    partitions = np.arange(offsets.size - 1)
    if program.window_length is None:
        whole = Segments(partitions, offsets[:-1].copy(), offsets[1:].copy())
        return WindowedSegments(whole, partitions, np.zeros_like(partitions), partitions)
    if program.slide is None:
        raise InternalError("with WITHIN alone the segments follow from the moments")
    owner, window, begin = windows_of(events, program.window_length, program.slide)
    if wanted is not None:
        kept = wanted.has(owner, window)
        owner, window, begin = owner[kept], window[kept], begin[kept]
    clock, until = events.clock[events.step_offsets[:-1]], window * program.slide
    until += program.window_length
    if is_few(clock.size):
        of_step = np.repeat(partitions, np.diff(offsets))
        end = PairIndex(of_step, clock).first_from(owner, until)
    else:
        end = np.empty_like(begin)
        find_ends(owner, until, clock, offsets, end)
    is_new = starts_of_runs(begin) | starts_of_runs(end)
    segments = Segments(owner[is_new], begin[is_new], end[is_new])
    return WindowedSegments(segments, owner, window, np.cumsum(is_new) - 1)


def windows_of(events: EventArrays, length: int, slide: int) -> tuple[Int64s, Int64s, Int64s]:
    """Return partition, number and first step of every window that has a step."""
    clock = events.clock[events.step_offsets[:-1]]
    opened, newest = (clock - length) // slide + 1, clock // slide
    known = np.empty_like(newest)  # the newest window of the step before
    known[1:] = newest[:-1]
    firsts = events.partition_offsets[:-1]
    known[firsts] = opened[firsts] - 1
    opened = np.maximum(opened, known + 1)
    count = newest - opened + 1
    begin = np.repeat(np.arange(clock.size), count)
    before = np.cumsum(count) - count
    window = opened[begin] + np.arange(begin.size) - before[begin]
    sizes = np.diff(events.partition_offsets)
    owner = np.repeat(np.arange(sizes.size), sizes)
    return owner[begin], window, begin


class RecentStretches(NamedTuple):
    """What partitions have in the window at moments of their groups: steps from and up to."""

    partition: Int64s
    moment: Int64s
    begin: Int64s
    end: Int64s


def recent_segments(
    program: Program, ordered: OrderedEvents, group: Int64s, moments: Moments
) -> WindowedSegments:
    """Return what every partition of a group has in the window at every moment of the group.

    `owner` is the group, `window` the moment.
    """
    partition, moment, begin, end = recent_stretches(program, ordered, group, moments)
    is_new = starts_of_runs(begin) | starts_of_runs(end)
    segments = Segments(partition[is_new], begin[is_new], end[is_new])
    return WindowedSegments(segments, moments.group[moment], moment, np.cumsum(is_new) - 1)


def recent_stretches(
    program: Program, ordered: OrderedEvents, group: Int64s, moments: Moments
) -> RecentStretches:
    """Return that for the partitions that have something; sorted by partition, then moment."""
    events = ordered.arrays
    first = events.step_offsets[:-1]
    partition, clock = ordered.partition_of_event[first], events.clock[first]
    begins = np.searchsorted(moments.group, np.arange(int(group.max(initial=-1)) + 2))
    groups = group[events.step_offsets[events.partition_offsets[:-1]]]
    counts = np.diff(begins)[groups]
    owner = np.repeat(np.arange(groups.size), counts)
    offset = np.repeat(begins[groups] - np.cumsum(counts) + counts, counts)
    moment = offset + np.arange(owner.size)
    clocks = PairIndex(partition, clock)
    end = PairIndex(partition, ordered.key_rank[first]).first_from(owner, moments.rank[moment] + 1)
    late = moments.rank[moment] == AFTER_ALL
    end[late] = clocks.first_from(owner[late], moments.time[moment[late]] + 1)
    newest = moments.time[moment]
    if program.clock is Clock.EVENTS:
        newest = clock[np.maximum(end - 1, 0)]
    begin = clocks.first_from(owner, newest - (program.window_length or 0) + 1)
    kept = begin < end
    return RecentStretches(owner[kept], moment[kept], begin[kept], end[kept])
