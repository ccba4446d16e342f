"""Spark's clock, which counts milliseconds, and that of the time column."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class EventClock:
    """Turns Spark's watermark into ticks of the time column, and ticks into timers."""

    ticks_per_second: int | Fraction

    def horizon(self, watermark_ms: int) -> int | None:
        """Return the first tick that is not below the watermark; None if there is none yet.

        Spark begins with a watermark of 0, which no event has caused.

        >>> EventClock(1_000_000).horizon(8), EventClock(1).horizon(8001), EventClock(1).horizon(0)
        (8000, 9, None)
        """
        if watermark_ms <= 0:
            return None
        return -(-watermark_ms * self.ticks_per_second // 1000)

    def timer(self, tick: int) -> int:
        """Return the timer for a step that wants a horizon after tick `tick`.

        A timer goes off when the watermark has passed it, in some versions of Spark when it has
        reached it: then the step does nothing.

        >>> EventClock(1_000_000).timer(7999), EventClock(1).timer(8)
        (7, 8000)
        """
        return max(0, tick * 1000 // self.ticks_per_second)
