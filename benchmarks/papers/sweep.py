"""One race per point of a figure, and what the curves say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import pyarrow as pa

from benchmarks.papers.experiment import Cell
from benchmarks.papers.peak import peak_growth
from benchmarks.papers.race import TURNS, Contender, Timing, race

OURS = "Cepheid"
THROUGHPUT = "events per second of processor time"
MOST_SEQUENCES = 1e9

Point = TypeVar("Point", int, str)


@dataclass(frozen=True, slots=True)
class Entry:
    """A contender of one point; `sequences` is about how many it will build, if that matters.

    More than `most` are not worth the time or the memory. `definition` gives the right answer of a
    contender that counts something else than all others.
    """

    contender: Contender
    sequences: float = 0.0
    most: float = MOST_SEQUENCES
    definition: Contender | None = None

    @property
    def skipped(self) -> str | None:
        """Why it is better not started."""
        if self.sequences <= self.most:
            return None
        return f"would build about {self.sequences:.0e} sequences"


@dataclass(frozen=True, slots=True)
class Sweep(Generic[Point]):
    """The timings of all contenders at all points; `events[k]` is how many events point k has.

    `peaks` has the memory that a contender needs on top of the events, where it was measured.
    """

    points: Sequence[Point]
    symbol: str
    events: Sequence[int]
    timings: Sequence[Mapping[str, Timing]]
    peaks: Sequence[Mapping[str, int | None]] = ()

    def throughput(self, name: str) -> list[Cell]:
        """Return the events per second of processor time."""
        return [
            Cell(None, each.skipped) if each.cpu_seconds is None else Cell(count / each.cpu_seconds)
            for each, count in zip(self._of(name), self.events, strict=True)
        ]

    def milliseconds(self, name: str, *, per_events: Sequence[float]) -> list[Cell]:
        """Return the processor time for so many events of each point."""
        return [
            Cell(None, each.skipped)
            if each.cpu_seconds is None
            else Cell(1000 * each.cpu_seconds * part / count)
            for each, count, part in zip(self._of(name), self.events, per_events, strict=True)
        ]

    def memory(self, name: str) -> list[Cell]:
        """Return the peak of the memory in bytes."""
        return [
            Cell(None, timing.skipped or "not measured on this system")
            if peaks.get(name) is None
            else Cell(peaks[name])
            for timing, peaks in zip(self._of(name), self.peaks, strict=True)
        ]

    def normalized(self, name: str, lightest: Point) -> list[Cell]:
        """Return the throughput divided by that of the lightest load."""
        cells = self.throughput(name)
        base = cells[list(self.points).index(lightest)].value
        return [
            Cell(None, each.skipped or "no throughput at the lightest load")
            if each.value is None or base is None
            else Cell(each.value / base)
            for each in cells
        ]

    def built(self, name: str, *, per_events: int) -> list[Cell]:
        """Return how many sequences were built in so many events."""
        return [
            Cell(None, each.skipped)
            if each.built is None
            else Cell(each.built / count * per_events)
            for each, count in zip(self._of(name), self.events, strict=True)
        ]

    def matches(self, *, per_events: int) -> list[Cell]:
        """Return how many matches there are in so many events."""
        return [
            Cell(None if each.matches is None else each.matches / count * per_events)
            for each, count in zip(self._of(OURS), self.events, strict=True)
        ]

    def ratios(self, baselines: Sequence[str]) -> list[str]:
        """Return one sentence for each baseline: its time divided by ours, over all points."""
        return [sentence for name in baselines for sentence in self._ratio(name)]

    def _ratio(self, name: str) -> list[str]:
        found = [
            (theirs.cpu_seconds / ours.cpu_seconds, theirs.seconds / ours.seconds, point)
            for ours, theirs, point in zip(self._of(OURS), self._of(name), self.points, strict=True)
            if ours.cpu_seconds and theirs.cpu_seconds and ours.seconds and theirs.seconds
        ]
        if not found:
            return []
        (low, low_wall, low_point), (high, high_wall, high_point) = min(found), max(found)
        return [
            f"{name} takes {low:.2f} (at {self.symbol} = {_text(low_point)}) to {high:.2f} "
            f"(at {self.symbol} = {_text(high_point)}) times {OURS}'s processor time; "
            f"by the clock on the wall {low_wall:.2f} and {high_wall:.2f} times"
        ]

    def _of(self, name: str) -> list[Timing]:
        return [each[name] for each in self.timings]


def sweep(
    points: Sequence[Point],
    symbol: str,
    events: Callable[[Point], pa.Table],
    entries: Callable[[Point], Mapping[str, Entry]],
    *,
    turns: int = TURNS,
    memory: bool = False,
) -> Sweep[Point]:
    """Race the contenders of every point on the events of that point; with `memory`, once more."""
    timings, counts, peaks = [], [], []
    for point in points:
        table, entered = events(point), entries(point)
        counts.append(table.num_rows)
        timings.append(
            race(
                table,
                {name: entry.contender for name, entry in entered.items()},
                point=f"{symbol} = {_text(point)}",
                skipped={name: entry.skipped for name, entry in entered.items() if entry.skipped},
                definitions={
                    name: entry.definition
                    for name, entry in entered.items()
                    if entry.definition is not None
                },
                turns=turns,
            )
        )
        running = {name: each for name, each in entered.items() if memory and not each.skipped}
        peaks.append({name: peak_growth(each.contender, table) for name, each in running.items()})
    return Sweep(points, symbol, counts, timings, peaks)


def _text(point: float | str) -> str:
    return point if isinstance(point, str) else f"{point:,}"
