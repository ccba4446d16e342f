"""What a step of a stream settles: the part of the results that it reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ReportRange:
    """All events before tick `until` are known; those before tick `before` were known already.

    Results that were final before are not reported again. `before` is None in the first step.
    `known_rows`: so many rows of the events, the first ones, were known before, and all others come
    after them. In a stream in order, order columns can tell events of one tick apart, so that a
    step may end within a tick; None if every step ends with a tick. `ends`: no event comes any
    more, so that windows of events are over, too.
    """

    before: int | None
    until: int
    known_rows: int | None = None
    ends: bool = False

    def reports(self, ticks: Int64s) -> Booleans:
        """Return which final ticks are settled by this step, and were not before."""
        is_settled: Booleans = ticks < self.until
        return is_settled if self.before is None else is_settled & (ticks >= self.before)

    def is_new(self, ticks: Int64s, rows: Int64s) -> Booleans:
        """Return which events this step settles, by their times and rows."""
        return self.reports(ticks) if self.known_rows is None else rows >= self.known_rows

    def is_known(self, ticks: Int64s, rows: Int64s) -> Booleans:
        """Return which events were settled before."""
        if self.known_rows is not None:
            return rows < self.known_rows
        return ticks < self.before if self.before is not None else np.zeros(ticks.size, np.bool_)
