"""What pictures of aggregates show, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cepheid.explain.time_axis import TimeAxis
from cepheid.plot.palette import LIGHT_KINDS

MOST_LINES = len(LIGHT_KINDS)
MOST_MARKS = 4  # of an axis, and zero
WIDE_RANGE = 1_000.0  # from the smallest to the largest value; beyond it, a scale of powers


@dataclass(frozen=True, slots=True)
class Point:
    """A value, drawn from `begin` to `end`; `until` is the end of its window, if it has one."""

    begin: int
    end: int
    value: float
    until: int | None = None


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
        """Return round values for the axis.

        >>> Scale(0.0, 37.0, False).marks(), Scale(-0.3, 0.9, False).marks()
        ([0.0, 10.0, 20.0, 30.0], [0.0, 0.5])
        >>> Scale(3.0, 52_000.0, True).marks(), Scale(0.0, 3.0, False).marks()
        ([10.0, 100.0, 1000.0, 10000.0], [0.0, 1.0, 2.0, 3.0])
        """
        if self.is_power:
            return _powers(self.least, self.most)
        if self.most <= self.least:
            return [self.least]
        step = _round_step((self.most - self.least) / MOST_MARKS)
        first, last = math.ceil(self.least / step), math.floor(self.most / step)
        return [float(f"{each * step:.12g}") for each in range(first, last + 1)]

    def _plain(self, value: float) -> float:
        return math.log10(value) if self.is_power else value


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least * (1 - 1e-9))


def _powers(least: float, most: float) -> list[float]:
    """Return powers of ten from the least to the largest value, not too many."""
    first, last = math.ceil(math.log10(least)), math.floor(math.log10(most))
    step = max(1, -(-(last - first) // MOST_MARKS))
    return [10.0**each for each in range(first, last + 1, step)]


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
    """An aggregate over time, a line for each group; `group` is what groups differ in."""

    title: str
    axis: TimeAxis
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """An aggregate of groups that have no time; `group` is what they differ in."""

    title: str
    values: tuple[tuple[str, float], ...]
    notes: tuple[str, ...]
    group: str = ""


def throughput_chart(rates: Mapping[str, Sequence[tuple[float, float]]]) -> Chart:
    """Return how many events a second streams took in, at the times of their micro-batches.

    >>> throughput_chart({"q": [(0.0, 5.0), (2.0, 7.0)]}).axis
    TimeAxis(begin=0, end=2000, ticks_per_second=1000, digits=0)
    """
    points = {
        name: [Point(round(at * 1000), round(at * 1000), rate) for at, rate in each]
        for name, each in rates.items()
    }
    ticks = [point.begin for each in points.values() for point in each]
    axis = TimeAxis(min(ticks), max(ticks), 1_000)
    lines = tuple(Line(name, (tuple(each),)) for name, each in list(points.items())[:MOST_LINES])
    left = len(points) - len(lines)
    more = f"; {left} more streams are not drawn" if left else ""
    notes = (f"of every micro-batch, times in UTC{more}",)
    return Chart("Events per second", axis, lines, notes)
