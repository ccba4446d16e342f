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
from cepheid.engine.events.order_events import order_events
from cepheid.engine.events.report_range import ReportRange
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import MatchOutput, Program
from cepheid.program.when_final import WhenFinal, has_start_negation, when_final
from cepheid.stream.alive_events import alive_events, has_alive
from cepheid.stream.next_timer import closes_later, fits_border
from cepheid.stream.pages import hashes_of, is_among, places_of
from cepheid.stream.settled_events import SettledEvents, Work
from cepheid.stream.start_marks import MOST_KEYS, marks_after, marks_of, united
from cepheid.stream.step_rules import has_marks, how_far_back, is_blocked_early
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
        if self.is_since_marks and has_start_negation(program):
            return self._not_blocked_before(program, before, until, window)
        is_slow = until - window < before and self._expected > FEW_EVENTS
        if is_slow and is_blocked_early(program):
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

    def _not_blocked_before(self, program: Program, before: int, until: int, window: int) -> Hashes:
        """Return the keys that may have a new match that is not blocked.

        They are looked at from their marks on, and then ever further back.
        """
        left = undecided_keys(program, self.events, self.keys, self.report)
        length = GROWTH * max(1, until - before)
        while left.size and length < window:
            known = self._since(left, before - length)
            self._tried.append(known.num_rows)
            new = self.new.filter(to_arrow(is_among(key_hashes(self.new, self.keys), left)))
            report = ReportRange(before, until, known.num_rows)
            left = undecided_keys(program, self.move.united([known, new]), self.keys, report)
            length *= GROWTH
        return left

    def _since(self, hashes: Hashes, tick: int) -> pa.Table:
        """Return the known events of some keys since a tick, or since their marks if earlier."""
        assert self.move.state.marks is not None
        known, since = marks_of(self.move.state.marks, hashes)
        far_back = since < tick
        parts = [self._of(hashes, tick, None)]
        if far_back.any():
            parts.append(self._of(known[far_back], int(since[far_back].min()), tick))
        return self.move.united(parts)

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
        return self._since_marks() if self.is_since_marks else self._looked_up()

    @cached_property
    def new(self) -> pa.Table:
        """The events that this step settles."""
        if self.only is None or self.is_whole:
            return super().new
        return super().new.filter(to_arrow(is_among(key_hashes(super().new, self.keys), self.only)))

    @cached_property
    def is_since_marks(self) -> bool:
        """Whether events are looked at that come after the marks of their keys."""
        if self.is_whole or self.move.state.marks is None or self.only is not None:
            return False
        return self.touches_most or self._expected > FEW_EVENTS

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
        for chunk, low, high in self.known_chunks:
            first, last = chunk.places(begin, end)
            first, last = max(low, first), min(high, last)
            if first >= last:
                continue
            share = self._share * hashes.size / max(1, self._wanted.size)
            if last - first < share * chunk.span.rows * INDEX_COST:
                some = chunk.table.slice(first, last - first)
                is_one = is_among(key_hashes(some, self.keys), hashes)
                parts.append(some.filter(to_arrow(is_one)))
            else:
                places = places_of(chunk, self.keys, hashes, first, last)
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
        if self.move.state.marks is not None or not self._wanted.size:
            return False
        if has_alive(self.move) and self._share_of(hashes_of(self.new, self.keys)) > MOST:
            return True
        return self.touches_most

    def _since_marks(self) -> pa.Table:
        """Return events since the runs that are alive began."""
        marks = self.move.state.marks
        assert marks is not None
        return self._from(*marks_of(marks, self._wanted))

    def _from(self, hashes: Hashes, since: Int64s) -> pa.Table:
        """Return events since the ticks of most keys; of a few keys far back, theirs."""
        if not hashes.size:
            return self.move.schema.empty_table()
        cut = int(np.sort(since)[since.size // 20])
        far_back = hashes[since < cut]
        parts = []
        for chunk, low, high in self.known_chunks:
            place = min(max(low, chunk.place(cut)), high)
            if far_back.size:
                begin = max(low, chunk.place(int(since.min())))
                places = places_of(chunk, self.keys, far_back, begin, place)
                parts.append(chunk.table.take(to_arrow(places)))
            parts.append(chunk.table.slice(place, high - place))
        return self.move.united(parts)

    def marks(self) -> pa.Table | None:
        """Return since when events matter after this step, if that is known of all keys."""
        move, lasting = self.move, self.move.bundle.lasting
        before = move.state.marks
        if lasting is None or self.are_few:
            return None
        knows_all = "known" in vars(self) and self.is_whole
        if has_alive(move):
            return alive_events(move, self.events) if knows_all else None
        if not has_marks(lasting.program):
            return None
        if "known" not in vars(self) or not (self.is_whole or before is not None):
            return before
        now = self._marks_of(lasting.program, self.events)
        if not self.is_whole and before is not None:
            now = united(before, now, self._wanted)
        return now if now.num_rows <= MOST_KEYS else None

    def _marks_of(self, program: Program, events: pa.Table) -> pa.Table:
        columns = dict(zip(events.column_names, events.columns, strict=True))
        ordered = order_events(program, columns, events.num_rows)
        return marks_after(program, ordered, events, self.keys)

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
        output, lasting = program.output, self.move.bundle.lasting
        before, until = self.move.state.horizon, self.move.horizon
        if lasting is not None and has_marks(program):  # what is alive is looked at anew
            return self.new
        if isinstance(output, MatchOutput):
            if output.choice is not None and output.choice.is_per_start:
                return self.new
            if when_final(program) is not WhenFinal.LAST_EVENT:
                # The window of a match is over: it began a window before what is new.
                window = program.window_length or 0
                is_short = before is not None and until is not None and until - window <= before
                return self.new.slice(0, 0) if is_short else self.new
        return self.new.filter(to_arrow(fits_border(program, self.new, at_end=True)))

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
