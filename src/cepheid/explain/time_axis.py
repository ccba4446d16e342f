"""Round times for the marks of an axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MOST_MARKS = 8
MINUTE, HOUR, DAY = 60, 3600, 86400
STEPS = (1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
         HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY,
         90 * DAY, 365 * DAY)  # fmt: skip
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Times from `begin` to `end` in ticks; they are plain numbers without `ticks_per_second`.

    Plain numbers have so many `digits` after the point.
    """

    begin: int
    end: int
    ticks_per_second: int | None = None
    digits: int = 0

    def share(self, tick: int) -> float:
        """Return where a time lies: 0 at the beginning, 1 at the end."""
        return (tick - self.begin) / max(1, self.end - self.begin)

    def marks(self) -> Iterator[tuple[int, str]]:
        """Yield round times with their texts.

        >>> list(TimeAxis(3, 21).marks())
        [(5, '5'), (10, '10'), (15, '15'), (20, '20')]
        >>> [text for _, text in TimeAxis(0, 90_000, 1_000).marks()]
        ['00:00:00', '00:00:15', '00:00:30', '00:00:45', '00:01:00', '00:01:15', '00:01:30']
        """
        step = self._step()
        for tick in range(-(-self.begin // step) * step, self.end + 1, step):
            yield tick, self._text(tick)

    def dates(self) -> Iterator[tuple[int, str]]:
        """Yield the marks below which a date stands: the first, and the first of every day.

        >>> hour, day = 3_600, 86_400
        >>> list(TimeAxis(20 * hour, day + 4 * hour, 1).dates())
        [(72000, '1970-01-01'), (86400, '1970-01-02')]
        >>> list(TimeAxis(0, 9).dates()), list(TimeAxis(0, 30 * day, 1).dates())
        ([], [])
        """
        if self.ticks_per_second is None or self._is_of_days():
            return
        before = ""
        for tick, _ in self.marks():
            moment = self._moment(tick)
            date = before if moment is None else f"{moment:%Y-%m-%d}"
            if date != before:
                yield tick, date
            before = date

    def _is_of_days(self) -> bool:
        return self.ticks_per_second is not None and self._step() >= DAY * self.ticks_per_second

    def _moment(self, tick: int) -> datetime | None:
        """Return a time as a moment, None of plain numbers and of times that are too far away."""
        if self.ticks_per_second is None:
            return None
        try:
            return EPOCH + timedelta(seconds=tick // self.ticks_per_second)
        except OverflowError:
            return None

    def _step(self) -> int:
        least = max(1, (self.end - self.begin) // MOST_MARKS + 1)
        if self.ticks_per_second is not None and least >= self.ticks_per_second:
            steps = [each * self.ticks_per_second for each in STEPS]
            found = next((each for each in steps if each >= least), None)
            if found is not None:
                return found
        power = 1
        while True:
            for digit in (1, 2, 5):
                if digit * power >= least:
                    return digit * power
            power *= 10

    def number(self, tick: int) -> str:
        """Return a time as the number that it is.

        >>> TimeAxis(0, 1).number(1200), TimeAxis(0, 1, digits=2).number(-1250)
        ('1,200', '-12.5')
        """
        whole, rest = divmod(abs(tick), 10**self.digits)
        parts = f"{rest:0{self.digits}}".rstrip("0") if self.digits else ""
        return f"{'-' if tick < 0 else ''}{whole:,}{'.' if parts else ''}{parts}"

    def _text(self, tick: int) -> str:
        moment = self._moment(tick)
        if self.ticks_per_second is None or moment is None:
            return self.number(tick)
        if self._is_of_days():
            return f"{moment:%Y-%m-%d}"
        if (self.end - self.begin) / self.ticks_per_second <= MOST_MARKS:
            rest, digits = tick % self.ticks_per_second, len(str(self.ticks_per_second)) - 1
            return f"{moment:%H:%M:%S}.{rest:0{digits}}".rstrip("0").rstrip(".")
        return f"{moment:%H:%M:%S}"
