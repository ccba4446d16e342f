"""WITHIN alone: the moments at which a group has a result.

There is one at every order key at which an event fits a last position, and on request one where
only time passes: when the first event of a trend leaves the window. Moments are sorted by group,
then by order key, so the moments at which a trend counts are a stretch of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents, starts_of_runs
from cepheid.engine.events.ticks import later
from cepheid.program.program import Clock, Program

Int64s = NDArray[np.int64]
AFTER_ALL = 2**62
MOST_PAIRS = 2**62
Side: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Moments:
    """Sorted by group, then time, then rank of the order key.

    `event` is an event of the moment; for an expiry, the one that leaves. `rank` is the order key
    up to which events are seen: at an expiry AFTER_ALL, for all events of its time. The moment
    before an expiry is a tick earlier: it is not shown, but tells whether anything changes.
    """

    group: Int64s
    time: Int64s
    rank: Int64s
    event: Int64s
    is_expiry: NDArray[np.bool_]
    is_shown: NDArray[np.bool_]


def find_moments(
    program: Program,
    ordered: OrderedEvents,
    group: Int64s,
    ends: NDArray[np.bool_],
    starts: NDArray[np.bool_] | None,
) -> Moments:
    """Return the moments; by event its group, and whether it fits a last or a first position.

    `starts` is given if expiries are asked for.
    """
    found = _at_events(ordered, group, ends)
    if starts is None:
        return found
    first = np.flatnonzero(starts)
    return _sorted(_joined(found, _expiries(program, ordered, group, found, first)))


def _at_events(ordered: OrderedEvents, group: Int64s, ends: NDArray[np.bool_]) -> Moments:
    event = np.flatnonzero(ends)
    event = event[np.lexsort([event, ordered.key_rank[event], group[event]])]
    is_new = starts_of_runs(group[event]) | starts_of_runs(ordered.key_rank[event])
    event = event[is_new]
    shown = np.ones(event.size, np.bool_)
    return Moments(
        group[event],
        ordered.arrays.clock[event],
        ordered.key_rank[event],
        event,
        ~shown,
        shown,
    )


def _expiries(
    program: Program, ordered: OrderedEvents, group: Int64s, found: Moments, first: Int64s
) -> Moments:
    """Return two moments for every time at which a first event leaves: a tick before, and then."""
    leaves = ordered.arrays.clock[first] + (program.window_length or 0)
    pairs = np.stack([group[first], leaves], axis=1)
    pairs, chosen = np.unique(pairs, axis=0, return_index=True)
    shown = set(zip(found.group.tolist(), found.time.tolist(), strict=True))
    new = np.array([tuple(each) not in shown for each in pairs.tolist()], np.bool_)
    owner, time, event = pairs[new, 0], pairs[new, 1], first[chosen[new]]
    none = np.zeros(time.size, np.bool_)
    return Moments(
        np.concatenate((owner, owner)),
        np.concatenate((time - 1, time)),
        np.full(2 * time.size, AFTER_ALL),
        np.concatenate((event, event)),
        np.concatenate((none, ~none)),
        np.concatenate((none, ~none)),
    )


def _joined(one: Moments, other: Moments) -> Moments:
    pairs = (
        (getattr(one, name), getattr(other, name))
        for name in ("group", "time", "rank", "event", "is_expiry", "is_shown")
    )
    return Moments(*(np.concatenate(each) for each in pairs))


def _sorted(moments: Moments) -> Moments:
    # The moment before an expiry is next to it: it comes after another expiry at its own time.
    order = np.lexsort([~moments.is_expiry, moments.rank, moments.time, moments.group])
    return Moments(
        moments.group[order],
        moments.time[order],
        moments.rank[order],
        moments.event[order],
        moments.is_expiry[order],
        moments.is_shown[order],
    )


class MomentStretches:
    """Finds the moments at which trends count."""

    def __init__(
        self, program: Program, ordered: OrderedEvents, group: Int64s, moments: Moments
    ) -> None:
        self.length = program.window_length or 0
        self.ordered = ordered
        self.group = group
        self.moments = moments
        self.times = PairIndex(moments.group, moments.time)
        self.own_clocks: PairIndex | None = None
        if program.clock is Clock.EVENTS:
            self.own_clocks = PairIndex(ordered.partition_of_event, ordered.arrays.clock)

    @cached_property
    def by_rank(self) -> Int64s:
        """The moments of each group in the order of their ranks."""
        if self.moments.is_expiry.any():  # else they are sorted by rank, too
            return np.lexsort([self.moments.rank, self.moments.group])
        return np.arange(self.moments.group.size)

    @cached_property
    def ranks(self) -> PairIndex:
        """Finds places in that order."""
        return PairIndex(self.moments.group[self.by_rank], self.moments.rank[self.by_rank])

    def begin(self, last: Int64s) -> Int64s:
        """Return the moment of each last event; on a stream perhaps the first one after it.

        Most moments know an event of their own; the others have that of a concurrent one. Moments
        of a pair of patterns know events of both, which are other numbers here.
        """
        moments, group, rank = self.moments, self.group[last], self.ordered.key_rank[last]
        moment_of_event = np.full(self.ordered.row.size, -1)
        is_own = ~moments.is_expiry & moments.is_shown & (moments.event < moment_of_event.size)
        own = np.flatnonzero(is_own)
        moment_of_event[moments.event[own]] = own
        found = moment_of_event[last]
        others = found < 0
        if own.size:
            others |= (moments.group[found] != group) | (moments.rank[found] != rank)
        if others.any():
            found[others] = self._begin_by_rank(last[others])
        return found

    def _begin_by_rank(self, last: Int64s) -> Int64s:
        """Return that for any events.

        All moments of a step of a stream come after the events that have none of their own.
        """
        group, rank = self.group[last], self.ordered.key_rank[last]
        if not self.by_rank.size:
            return np.searchsorted(self.moments.group, group)
        found = self.ranks.first_from(group, rank)
        moment = self.by_rank[np.minimum(found, self.by_rank.size - 1)]
        is_own = (self.moments.group[moment] == group) & (self.moments.rank[moment] == rank)
        if not is_own.all():
            others = ~is_own
            moment[others] = np.searchsorted(self.moments.group, group[others])
        return moment

    def end(self, first: Int64s) -> Int64s:
        """Return the first moment at which each first event has left the window."""
        clock = later(self.ordered.arrays.clock[first], self.length - 1)  # still inside
        if self.own_clocks is None:
            return self.times.first_after(self.group[first], clock)
        partition = self.ordered.partition_of_event[first]
        found = self.own_clocks.first_after(partition, clock)
        inside = found < self.ordered.row.size
        inside[inside] = self.ordered.partition_of_event[found[inside]] == partition[inside]
        rank = np.full(first.size, AFTER_ALL)
        rank[inside] = self.ordered.key_rank[found[inside]]
        return self.ranks.first_from(self.group[first], rank)


class PairIndex:
    """Finds places in pairs that are sorted by owner, then by value.

    A pair is one number, if all of them are small enough; else values are numbered first. If there
    is only the owner 0, values are enough.
    """

    def __init__(self, owner: Int64s, value: Int64s) -> None:
        self.owner, self.value = owner, value
        self.has_one = not owner.any()

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest value."""
        return (int(self.value.min()), int(self.value.max())) if self.value.size else (0, 0)

    @cached_property
    def distinct(self) -> Int64s | None:
        """The values without repetition, if they are to be numbered."""
        least, greatest = self.bounds
        if (greatest - least + 2) * (int(self.owner.max(initial=0)) + 1) >= MOST_PAIRS:
            return np.unique(self.value)
        return None

    @cached_property
    def codes(self) -> Int64s:
        """The pairs."""
        return self._codes(self.owner, self.value, "left")

    def _codes(self, owner: Int64s, value: Int64s, side: Side) -> Int64s:
        if self.distinct is not None:
            place = np.searchsorted(self.distinct, value, side=side)
            return owner * (self.distinct.size + 1) + place
        least, greatest = self.bounds
        place = np.clip(value, least, greatest) - least
        place += value > greatest if side == "left" else value >= least
        return owner * (greatest - least + 2) + place

    def _find(self, owner: Int64s, value: Int64s, side: Side) -> Int64s:
        if self.has_one and not owner.any():
            return np.searchsorted(self.value, value, side=side)
        return np.searchsorted(self.codes, self._codes(owner, value, side))

    def first_from(self, owner: Int64s, value: Int64s) -> Int64s:
        """Return the first place of each owner with a value or more, else one past its last."""
        return self._find(owner, value, "left")

    def first_after(self, owner: Int64s, value: Int64s) -> Int64s:
        """Return the first place of each owner with more than a value, else one past its last."""
        return self._find(owner, value, "right")
