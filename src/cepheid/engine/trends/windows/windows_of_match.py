"""Where trends are added up: partitions, windows of partitions, or moments of groups.

Places are numbered so that those of a trend are a stretch of numbers: it follows from its first and
its last event.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.ticks import earlier
from cepheid.engine.trends.windows.result_times import AFTER_ALL, Moments, MomentStretches
from cepheid.engine.trends.windows.wanted_windows import WantedWindows
from cepheid.kernels.graph.negation import FIRST_MOMENT, LAST_MOMENT, Reach
from cepheid.program.program import Program

Int64s = NDArray[np.int64]


class Places(Protocol):
    """`owner` and `window` are by place, as in kernels/values/value_arrays.py."""

    owner: Int64s
    window: Int64s

    def stretch(self, first: Int64s, last: Int64s) -> tuple[Int64s, Int64s]:
        """Return the places of trends with these first and last events, from and up to."""

    def reach(self, place: Int64s, last: Int64s) -> Reach:
        """Return how far negations at the borders of a trend look in each place."""


class PartitionPlaces:
    """Every partition is a place."""

    def __init__(self, ordered: OrderedEvents) -> None:
        self.partition = ordered.partition_of_event
        self.owner = np.arange(ordered.arrays.partition_offsets.size - 1)
        self.window = np.zeros(self.owner.size, np.int64)

    def stretch(self, first: Int64s, last: Int64s) -> tuple[Int64s, Int64s]:
        """Return the partition of each trend."""
        partition = self.partition[first]
        return partition, partition + 1

    def reach(self, place: Int64s, last: Int64s) -> Reach:
        """Without a window there are no negations at borders."""
        return _unlimited(place.size)


class WindowPlaces:
    """Windows [i · slide, i · slide + length) of a partition in which a trend could start.

    The windows of one event are numbered one after the other; so the newest of them tells the rest.
    Where only some windows are wanted, the others are left out of the numbers.
    """

    def __init__(
        self, program: Program, ordered: OrderedEvents, wanted: WantedWindows | None = None
    ) -> None:
        assert program.window_length is not None
        assert program.slide is not None
        self.length, self.slide = program.window_length, program.slide
        self.clock = ordered.arrays.clock
        partition = ordered.partition_of_event
        newest = self.clock // self.slide
        oldest = self._oldest(self.clock)
        known = np.full(self.clock.size, FIRST_MOMENT)
        known[1:] = np.where(partition[1:] == partition[:-1], newest[:-1], FIRST_MOMENT)
        fresh = newest - np.maximum(oldest - 1, known)
        ends = np.cumsum(fresh)
        self.newest, self.place_of_newest = newest, ends - 1
        self.owner = np.repeat(partition, fresh)
        self.window = np.repeat(newest - ends + 1, fresh) + np.arange(self.owner.size)
        self.number: Int64s | None = None  # of every place, if some are left out
        if wanted is not None:
            kept = wanted.has(self.owner, self.window)
            self.number = np.concatenate(([0], np.cumsum(kept)))
            self.owner, self.window = self.owner[kept], self.window[kept]

    def _oldest(self, clock: Int64s) -> Int64s:
        """Return the first window that has not closed before a clock."""
        return (clock - self.length) // self.slide + 1

    def stretch(self, first: Int64s, last: Int64s) -> tuple[Int64s, Int64s]:
        """Return the windows that hold a whole trend."""
        end = self.place_of_newest[first] + 1
        begin = end - 1 - (self.newest[first] - self._oldest(self.clock[last]))
        if self.number is None:
            return begin, end
        return self.number[np.minimum(begin, end)], self.number[end]

    def reach(self, place: Int64s, last: Int64s) -> Reach:
        """The window itself is what negations at borders see."""
        start = self.window[place] * self.slide
        return Reach(start - 1, np.full(place.size, LAST_MOMENT), start + self.length)


class MomentPlaces:
    """Moments of WITHIN alone; the window is the number of the moment."""

    def __init__(
        self, program: Program, ordered: OrderedEvents, group: Int64s, moments: Moments
    ) -> None:
        self.length = program.window_length or 0
        self.clock = ordered.arrays.clock
        self.moments = moments
        self.owner = moments.group
        self.window = np.arange(moments.group.size)
        self.stretches = MomentStretches(program, ordered, group, moments)

    def stretch(self, first: Int64s, last: Int64s) -> tuple[Int64s, Int64s]:
        """Return the moments from the last event on, until the first one leaves."""
        return self.stretches.begin(last), self.stretches.end(first)

    def reach(self, place: Int64s, last: Int64s) -> Reach:
        """A start negation looks back from the last event, an end negation up to the moment."""
        rank, time = self.moments.rank[place], self.moments.time[place]
        before = np.where(rank == AFTER_ALL, time + 1, LAST_MOMENT)
        return Reach(earlier(self.clock[last], self.length), rank + 1, before)


def _unlimited(size: int) -> Reach:
    return Reach(
        np.full(size, FIRST_MOMENT), np.full(size, LAST_MOMENT), np.full(size, LAST_MOMENT)
    )
