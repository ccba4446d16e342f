"""The events that came since the runs that are alive began: what new matches are made of.

A step looks at the last events of the keys that it touches, and further back only for those whose
runs may have begun earlier. So its time depends on these keys and on how long their runs wait, and
neither on the window nor on other keys. Nothing is kept for it between two steps (start_marks.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.key_hashes import Hashes, key_hashes
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.ticks import to_ticks
from cepheid.kernels.graph.match_nodes import NEVER
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import Program
from cepheid.program.when_final import has_start_negation
from cepheid.stream.pages import is_among
from cepheid.stream.start_marks import Marks, marks_before_new
from cepheid.stream.touched_events import GROWTH, SAMPLE, TouchedEvents
from cepheid.stream.undecided_keys import undecided_keys

FIRST_EVENTS = 6  # of a key that are looked at first, about


@dataclass(frozen=True)
class EventsSinceStarts(TouchedEvents):
    """Events of the partitions that new events are in, since their runs that are alive began."""

    @cached_property
    def is_whole(self) -> bool:
        """Whether all events are looked at."""
        return self.are_few

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before."""
        return super().known if self.are_few else self.move.united(self._found[0])

    @cached_property
    def new(self) -> pa.Table:
        """The events that this step settles, of keys that may have a result."""
        return self._every_new if self.are_few else self._new_of(self._wanted)

    @cached_property
    def _found(self) -> tuple[list[pa.Table], list[Marks]]:
        """The events that were settled before, and since when they matter, by parts."""
        (program,), left = self.programs, self._wanted
        parts, marks = list[pa.Table](), list[Marks]()
        rows = int(FIRST_EVENTS * left.size / max(self._share, 1 / SAMPLE))
        while left.size:
            begin = self._last(rows)
            known = self._of(left, begin, None)
            both = self.move.united([known, self._new_of(left)]).combine_chunks()
            found = marks_before_new(
                program, both, self.keys, known.num_rows, are_all=begin is None
            )
            is_told = found.since != NEVER
            told, left = Marks(found.hashes[is_told], found.since[is_told]), found.hashes[~is_told]
            marks.append(told)
            hashes = key_hashes(known, self.keys)
            parts.append(known.filter(to_arrow(_is_since(told, hashes, self._ticks(known)))))
            self._tried.append(known.num_rows - parts[-1].num_rows)
            of_these = 1 + int(is_among(hashes, left).sum())
            rows = max(GROWTH * rows, FIRST_EVENTS * left.size * rows // of_these)
        return parts, marks

    def _ticks(self, events: pa.Table) -> NDArray[np.int64]:
        return to_ticks(events[self.move.lead.time], self.move.lead.time)

    def _last(self, rows: int) -> int | None:
        """Return the tick since which there are about so many known events; None if all are."""
        for chunk, low, high in reversed(self.known_chunks):
            if rows <= high - low:
                return int(chunk.ticks[high - max(1, rows)])
            rows -= high - low
        return None

    def _undecided(self, program: Program) -> Hashes | None:
        """Return the keys that may have something to report; None: nothing is known of them."""
        before, until, window = self.move.state.horizon, self.move.horizon, program.window_length
        if before is None or until is None or window is None or self.are_few:
            return None
        if self.only is not None or not has_start_negation(program):
            return None
        return self._not_blocked_before(program, before, until, window)

    def _not_blocked_before(self, program: Program, before: int, until: int, window: int) -> Hashes:
        """Return the keys that may have a new match that is not blocked.

        They are looked at since their runs began, and then ever further back.
        """
        left = undecided_keys(program, self.events, self.keys, self.report)
        length = GROWTH * max(1, until - before)
        while left.size and length < window:
            known = self._since(left, before - length)
            self._tried.append(known.num_rows)
            report = ReportRange(before, until, known.num_rows)
            both = self.move.united([known, self._new_of(left)])
            left = undecided_keys(program, both, self.keys, report)
            length *= GROWTH
        return left

    def _since(self, hashes: Hashes, tick: int) -> pa.Table:
        """Return the known events of some keys since a tick, or since their runs began."""
        parts = [self._of(hashes, tick, None)]
        for known, since in self._found[1]:
            far_back = since < tick
            mine = known[far_back & is_among(known, hashes)]
            if mine.size:
                parts.append(self._of(mine, int(since[far_back].min()), tick))
        return self.move.united(parts)


def _is_since(marks: Marks, hashes: Hashes, ticks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which events came since the mark of their key."""
    if not marks.hashes.size:
        return np.zeros(hashes.size, np.bool_)
    place = np.minimum(np.searchsorted(marks.hashes, hashes), marks.hashes.size - 1)
    is_since: NDArray[np.bool_] = (marks.hashes[place] == hashes) & (ticks >= marks.since[place])
    return is_since
