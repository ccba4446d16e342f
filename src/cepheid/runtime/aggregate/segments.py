"""The stretches of steps that an aggregate is taken over: partitions, or their windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cepheid.errors import InternalError
from cepheid.kernels.adjacent_rules import Segments
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.segment_bounds import find_ends
from cepheid.program.program import Program
from cepheid.runtime.order_events import starts_of_runs

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


def make_segments(program: Program, events: EventArrays) -> WindowedSegments:
    """Return all steps of every partition, or those of each of its windows with any."""
    offsets = events.partition_offsets
    partitions = np.arange(offsets.size - 1)
    if program.window_length is None:
        whole = Segments(partitions, offsets[:-1].copy(), offsets[1:].copy())
        return WindowedSegments(whole, partitions, np.zeros_like(partitions), partitions)
    if program.slide is None:
        raise InternalError("a window without SLIDE has no segments: it moves with every event")
    owner, window, begin = _windows(events, program.window_length, program.slide)
    end = np.empty_like(begin)
    clock = events.clock[events.step_offsets[:-1]]
    find_ends(owner, window * program.slide + program.window_length, clock, offsets, end)
    is_new = starts_of_runs(begin) | starts_of_runs(end)
    segments = Segments(owner[is_new], begin[is_new], end[is_new])
    return WindowedSegments(segments, owner, window, np.cumsum(is_new) - 1)


def _windows(events: EventArrays, length: int, slide: int) -> tuple[Int64s, Int64s, Int64s]:
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
