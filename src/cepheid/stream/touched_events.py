"""The settled events of partitions that a step has to look at, instead of all in the window.

A result of a step ends with an event that the step settles, or waits for a window that the step
ends. So it is of a partition with such an event. All events of other partitions can be left where
they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.key_hashes import Hashes, key_hashes
from cepheid.engine.events.order_events import order_events
from cepheid.engine.events.report_range import ReportRange
from cepheid.program.arrow_arrays import to_arrow, to_numpy
from cepheid.program.program import MatchOutput, Program
from cepheid.program.when_final import WhenFinal, when_final
from cepheid.stream.next_timer import closes_later, fits_border
from cepheid.stream.pages import hashes_of, is_among, places_of
from cepheid.stream.settled_events import SettledEvents, Work
from cepheid.stream.start_marks import MOST_KEYS, SINCE, marks_after, marks_of, united
from cepheid.stream.step_rules import has_marks, is_blocked_early

Int64s = NDArray[np.int64]
FEW_EVENTS = 2**14  # that are run again rather than looked up
SAMPLE = 1024  # events, the last ones, that show whether most partitions are touched


@dataclass(frozen=True)
class TouchedEvents(SettledEvents):
    """Events of the partitions that new events are in, or in which a window ends, by `keys`."""

    keys: tuple[str, ...] = ()
    programs: tuple[Program, ...] = ()

    def add_to(self, work: Work) -> None:
        """Tell what was done with the events, as far as they were looked at."""
        super().add_to(work)
        work.replayed += sum(self._tried)
        if "_wanted" in vars(self):
            work.touched += int(self._wanted.size)

    def beginnings(self, program: Program) -> Iterator[tuple[pa.Table, ReportRange]]:
        """Yield the events since those matches began whose window ends, until their runs are over.

        Then all of these matches are known. If each is blocked, none is to be reported: what is
        blocked stays so, whatever comes after.
        """
        before, until, window = self.move.state.horizon, self.move.horizon, program.window_length
        if before is None or until is None or window is None or not is_blocked_early(program):
            return
        if self.move.ends or self.are_few or until - window >= before or not self.touches_most:
            return
        length = max(1, until - before)
        while until - window + length < before:
            some = self.known_before(until - window + length)
            self._tried.append(some.num_rows)
            since = to_numpy(self._marks_of(program, some)[SINCE])
            if not since.size or int(since.min()) > until - window:
                yield some, ReportRange(before, until, some.num_rows)
            length *= 4

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
        return self._since_marks() if self.touches_most else self._looked_up()

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
        return bool(self._wanted.size) and self.touches_most and self.move.state.marks is None

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

    @cached_property
    def touches_most(self) -> bool:
        """Whether most of the last events are of partitions that are touched."""
        wanted, rows, touched = self._wanted, 0, 0
        for chunk, low, high in reversed(self.known_chunks):
            begin = max(low, high - SAMPLE)
            last = chunk.table.slice(begin, high - begin)
            touched += int(is_among(key_hashes(last, self.keys), wanted).sum())
            rows += high - begin
            if rows >= SAMPLE:
                break
        return 2 * touched > rows
