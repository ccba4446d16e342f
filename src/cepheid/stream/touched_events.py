"""The settled events of partitions that a step has to look at, instead of all in the window.

A result of a step ends with an event that the step settles, or waits for a window that the step
ends. So it is of a partition with such an event. All events of other partitions can be left where
they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.key_hashes import Hashes, key_hashes
from cepheid.engine.events.report_range import ReportRange
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import MatchOutput, Program
from cepheid.program.when_final import WhenFinal, when_final
from cepheid.stream.alive_events import alive_events, has_alive
from cepheid.stream.next_timer import closes_later, fits_border
from cepheid.stream.pages import hashes_of, is_among, is_small, places_of, rows_among
from cepheid.stream.settled_events import SettledEvents, Work
from cepheid.stream.step_rules import how_far_back, is_blocked_early
from cepheid.stream.undecided_keys import undecided_keys

Int64s = NDArray[np.int64]
FEW_EVENTS = 2**14  # that are run again rather than looked up
SAMPLE = 1024  # events, the last ones, that show whether most partitions are touched
MOST = 0.5  # of the last events
INDEX_COST = 4  # of an event that is found by an index, beside one whose key is looked at
EVENTS_OF_KEY = 12  # that are looked at first, about
GROWTH = 4  # of the stretch of time that is looked at until a key is decided


@dataclass(frozen=True)
class TouchedEvents(SettledEvents):
    """Events of the partitions that new events are in, or in which a window ends, by `keys`."""

    keys: tuple[str, ...] = ()
    programs: tuple[Program, ...] = ()
    only: Hashes | None = None  # the keys that are touched, if they are known

    def add_to(self, work: Work) -> None:
        """Tell what was done with the events, as far as they were looked at."""
        super().add_to(work)
        work.replayed += sum(self._tried)
        if "_wanted" in vars(self):
            work.touched += int(self._wanted.size)

    def left(self, program: Program) -> SettledEvents | None:
        """Return the events by which a step tells what a query reports; None if that is nothing.

        Keys that are known to have nothing to report are left out (undecided_keys.py).
        """
        left = self._undecided(program)
        if left is None:
            return self
        if not left.size:
            return None
        some = TouchedEvents(self.move, how_far_back(program), self.keys, (program,), left)
        self._tried.append(some.known.num_rows)
        return some

    def _undecided(self, program: Program) -> Hashes | None:
        """Return the keys that may have something to report; None: nothing is known of them."""
        before, until, window = self.move.state.horizon, self.move.horizon, program.window_length
        if before is None or until is None or window is None:
            return None
        if self.only is not None or self.move.ends or self.are_few:
            return None
        is_early = until - window < before and is_blocked_early(program)
        if is_early and self._expected > FEW_EVENTS:
            return self._not_blocked_after(program, before, until, window)
        return None

    def _not_blocked_after(self, program: Program, before: int, until: int, window: int) -> Hashes:
        """Return the keys that may have a match whose window ends and that is not blocked.

        They are looked at from the beginning of those windows on, ever further.
        """
        left, of_keys = self._wanted, max(1.0, self._share * self.new.num_rows)
        length = max(1, until - before) * (1 + int(EVENTS_OF_KEY * left.size / of_keys))
        while left.size and until - window + length < before:
            some = self._of(left, before - window, until - window + length)
            self._tried.append(some.num_rows)
            report = ReportRange(before, until, some.num_rows)
            left = undecided_keys(program, some, self.keys, report, until - window)
            length *= GROWTH
        return left

    @cached_property
    def _tried(self) -> list[int]:
        """How many events were looked at, if not all."""
        return []

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before."""
        if self.is_whole:
            return super().known
        if not self._wanted.size:
            return self.move.schema.empty_table()
        if self.only is not None:
            return self._of(self.only, None, None)
        return self._looked_up()

    @cached_property
    def new(self) -> pa.Table:
        """The events that this step settles."""
        return self._every_new if self.only is None or self.is_whole else self._new_of(self.only)

    @cached_property
    def _every_new(self) -> pa.Table:
        """The events that this step settles, of all keys."""
        return self.move.settled_now(self.move.state.horizon)

    @cached_property
    def _hashes_of_new(self) -> Hashes:
        return key_hashes(self._every_new, self.keys)

    def _new_of(self, hashes: Hashes) -> pa.Table:
        """Return the events that this step settles of some keys."""
        return self._every_new.filter(to_arrow(is_among(self._hashes_of_new, hashes)))

    @property
    def has_known(self) -> bool:
        """Whether events that were settled before can matter."""
        return super().has_known and (self.are_few or self._wanted.size > 0)

    def _of(self, hashes: Hashes, begin: int | None, end: int | None) -> pa.Table:
        """Return the events of some keys in a stretch of time.

        Where a chunk has more of them outside of it than there are events inside, it is not asked
        where they are.
        """
        parts = []
        for chunk, first, last in self.known_parts(begin, end):
            share = self._share * hashes.size / max(1, self._wanted.size)
            if last - first < share * chunk.span.rows * INDEX_COST and not is_small(chunk):
                some = chunk.table.slice(first, last - first)
                places = rows_among(key_hashes(some, self.keys), hashes) + first
            else:
                places = places_of(chunk, self.keys, hashes, first, last)
            if places.size:
                parts.append(chunk.table.take(to_arrow(places)))
        return self.move.united(parts)

    def _looked_up(self) -> pa.Table:
        """Return the events of partitions that are touched."""
        parts = []
        for chunk, low, high in self.known_chunks:
            places = places_of(chunk, self.keys, self._wanted, low, high)
            if places.size:
                parts.append(chunk.table.take(to_arrow(places)))
        return self.move.united(parts)

    @cached_property
    def are_few(self) -> bool:
        """Whether there are so few events that all are looked at, whatever is touched."""
        return sum(high - low for _, low, high in self.known_chunks) <= FEW_EVENTS

    @cached_property
    def is_whole(self) -> bool:
        """Whether all events are looked at."""
        if self.are_few:
            return True
        if not self._wanted.size:
            return False
        if has_alive(self.move) and self._share_of(hashes_of(self.new, self.keys)) > MOST:
            return True
        return self.touches_most

    def marks(self) -> pa.Table | None:
        """Return the events of runs that are alive after this step, if all are looked at."""
        if not has_alive(self.move) or self.are_few:
            return None
        knows_all = "known" in vars(self) and self.is_whole
        return alive_events(self.move, self.events) if knows_all else None

    @cached_property
    def _wanted(self) -> Hashes:
        """The hashes of keys that are touched."""
        if self.only is not None:
            return self.only
        found = [np.empty(0, np.uint32)]
        for each in self.programs:
            found.append(hashes_of(self._telling(each), self.keys))
            if closes_later(each):
                found += [hashes_of(part, self.keys) for part in self._due(each)]
        return np.unique(np.concatenate(found))

    def _telling(self, program: Program) -> pa.Table:
        """Return the new events that can make results of their partitions final."""
        output = program.output
        before, until = self.move.state.horizon, self.move.horizon
        if isinstance(output, MatchOutput):
            if output.choice is not None and output.choice.is_per_start:
                return self._every_new
            if when_final(program) is not WhenFinal.LAST_EVENT:
                # The window of a match is over: it began a window before what is new.
                window = program.window_length or 0
                is_short = before is not None and until is not None and until - window <= before
                return self._every_new.slice(0, 0) if is_short else self._every_new
        is_end = fits_border(program, self._every_new, at_end=True)
        return self._every_new.filter(to_arrow(is_end))

    def _due(self, program: Program) -> list[pa.Table]:
        """Return events with which windows begin that end in this step, or one tick beside it."""
        before, until = self.move.state.horizon, self.move.horizon
        window = program.window_length or 0
        if before is None or until is None:
            return []
        parts = []
        for chunk, low, high in self.known_chunks:
            begin, end = chunk.places(before - window - 1, until - window + 2)
            begin, end = max(begin, low), min(end, high)
            if begin < end:
                events = self.move.united([chunk.table.slice(begin, end - begin)])
                parts.append(events.filter(to_arrow(fits_border(program, events, at_end=False))))
        return parts

    @property
    def touches_most(self) -> bool:
        """Whether most of the last events are of partitions that are touched."""
        return self._share > MOST

    @cached_property
    def _share(self) -> float:
        """The part of the last events that are of partitions that are touched."""
        return self._share_of(self._wanted)

    def _share_of(self, wanted: Hashes) -> float:
        """Return the part of the last events that are of some keys."""
        rows = touched = 0
        for chunk, low, high in reversed(self.known_chunks):
            begin = max(low, high - SAMPLE)
            last = chunk.table.slice(begin, high - begin)
            touched += int(is_among(key_hashes(last, self.keys), wanted).sum())
            rows += high - begin
            if rows >= SAMPLE:
                break
        return touched / max(1, rows)

    @property
    def _expected(self) -> float:
        """About how many events there are of partitions that are touched."""
        return self._share * sum(high - low for _, low, high in self.known_chunks)
