"""The part of an aggregate's results that a step of a stream reports, and the events it needs."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.horizons import Horizons
from cepheid.engine.events.order_events import OrderedEvents, starts_of_runs
from cepheid.engine.events.ticks import LARGEST, earlier
from cepheid.program.program import Program
from cepheid.program.when_final import has_start_negation

Int64s = NDArray[np.int64]


class WantedWindows(NamedTuple):
    """By partition the first and the last window to report; none if the last is before the first.

    Events are those of these windows, so all windows between are wanted.
    """

    first: Int64s
    last: Int64s

    @property
    def most(self) -> int:
        """How many windows a partition has at most; before a first step more than int64 holds."""
        has_any = self.last >= self.first
        between = (self.last[has_any] - self.first[has_any]).view(np.uint64)
        return int(between.max()) + 1 if between.size else 0

    def has(self, owner: Int64s, window: Int64s) -> NDArray[np.bool_]:
        """Return which windows of partitions are wanted."""
        return (window >= self.first[owner]) & (window <= self.last[owner])


def wanted_windows(program: Program, horizons: Horizons) -> WantedWindows:
    """Return the windows that end after `before`, and not after `until`."""
    assert program.window_length is not None
    assert program.slide is not None
    return WantedWindows(
        earlier(horizons.before, program.window_length) // program.slide + 1,
        earlier(horizons.until, program.window_length) // program.slide,
    )


def _reach(program: Program) -> int:
    """Return how far back the result of a moment looks."""
    reach = (program.window_length or 0) * (2 if has_start_negation(program) else 1)
    return min(reach, LARGEST)


def needed_events(program: Program, ordered: OrderedEvents) -> OrderedEvents:
    """Return the events that windows to report have, or that their moments look back at."""
    horizons, clock = ordered.horizons, ordered.arrays.clock
    assert horizons is not None
    partition = ordered.partition_of_event
    if program.slide is None:
        return kept_events(ordered, clock >= earlier(horizons.before, _reach(program))[partition])
    wanted = wanted_windows(program, horizons)
    begin = wanted.first * program.slide
    end = wanted.last * program.slide + (program.window_length or 0)
    return kept_events(ordered, (clock >= begin[partition]) & (clock < end[partition]))


def kept_events(ordered: OrderedEvents, is_kept: NDArray[np.bool_]) -> OrderedEvents:
    """Return some events, all or none of every step, in the partitions that have any."""
    if is_kept.all():
        return ordered
    arrays, event = ordered.arrays, np.flatnonzero(is_kept)
    step = np.repeat(np.arange(arrays.step_offsets.size - 1), np.diff(arrays.step_offsets))[event]
    begins = np.flatnonzero(starts_of_runs(step)) if event.size else event
    partition = ordered.partition_of_event[event[begins]]
    is_first = starts_of_runs(partition)[: partition.size]
    numbers = partition[is_first]
    horizons = ordered.horizons
    return replace(
        ordered,
        arrays=arrays._replace(
            fires=arrays.fires[event],
            clock=arrays.clock[event],
            rank=arrays.rank[event],
            step_offsets=np.append(begins, event.size),
            partition_offsets=np.append(np.flatnonzero(is_first), begins.size),
        ),
        negative_fires=tuple(each[event] for each in ordered.negative_fires),
        row=ordered.row[event],
        key_rank=ordered.key_rank[event],
        next_clock=None if ordered.next_clock is None else ordered.next_clock[event],
        horizons=None if horizons is None else Horizons._make(each[numbers] for each in horizons),
    )
