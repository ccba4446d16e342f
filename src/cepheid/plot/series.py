"""What pictures of aggregates show, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cepheid.explain.time_axis import TimeAxis
from cepheid.plot.palette import LIGHT_KINDS

MOST_LINES = len(LIGHT_KINDS)
WIDE_RANGE = 1_000.0  # from the smallest to the largest value; beyond it, a scale of powers


@dataclass(frozen=True, slots=True)
class Point:
    """The value of a window from `begin` to `end`."""

    begin: int
    end: int
    value: float


@dataclass(frozen=True, slots=True)
class Line:
    """The values of a group in the order of time; what belongs together has no gap in time."""

    label: str
    runs: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to shares of a height."""

    least: float
    most: float
    is_power: bool

    def share(self, value: float) -> float:
        """Return 0 for the least value, 1 for the largest."""
        low, high = self._plain(self.least), self._plain(self.most)
        return (self._plain(value) - low) / (high - low) if high > low else 0.5

    def marks(self) -> list[float]:
        """Return values for the axis."""
        if self.is_power:
            return [self.least, math.sqrt(self.least) * math.sqrt(self.most), self.most]
        return [self.least, (self.least + self.most) / 2, self.most]

    def _plain(self, value: float) -> float:
        return math.log10(value) if self.is_power else value


def scale_of(values: list[float]) -> Scale:
    """Return a scale from zero, or one of powers if that would flatten most values.

    >>> scale_of([1.0, 3.0]), scale_of([1.0, 5000.0]).is_power
    (Scale(least=0.0, most=3.0, is_power=False), True)
    """
    if not values:
        return Scale(0.0, 1.0, False)
    least, most = min(values), max(values)
    if least > 0 and most / least > WIDE_RANGE:
        return Scale(least, most, True)
    return Scale(min(0.0, least), max(0.0, most), False)


@dataclass(frozen=True, slots=True)
class Chart:
    """An aggregate over time, a line for each group."""

    title: str
    axis: TimeAxis
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """An aggregate of groups that have no time."""

    title: str
    values: tuple[tuple[str, float], ...]
    notes: tuple[str, ...]


def throughput_chart(rates: Mapping[str, Sequence[tuple[float, float]]]) -> Chart:
    """Return how many events a second streams took in, at the times of their micro-batches.

    >>> throughput_chart({"q": [(0.0, 5.0), (2.0, 7.0)]}).axis
    TimeAxis(begin=0, end=2000, ticks_per_second=1000)
    """
    points = {
        name: [Point(round(at * 1000), round(at * 1000), rate) for at, rate in each]
        for name, each in rates.items()
    }
    ticks = [point.begin for each in points.values() for point in each]
    axis = TimeAxis(min(ticks), max(ticks), 1_000)
    lines = tuple(Line(name, (tuple(each),)) for name, each in list(points.items())[:MOST_LINES])
    left = len(points) - len(lines)
    notes = f"of every micro-batch{f'; {left} more streams are not drawn' if left else ''}"
    return Chart("Events per second", axis, lines, (notes,))
