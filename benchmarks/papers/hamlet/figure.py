"""A figure of HAMLET: one sweep for each axis, shown as latency, throughput and memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import pyarrow as pa

from benchmarks.papers.experiment import Cell, Claim, Curves, Experiment, Outcome
from benchmarks.papers.race import turns_at
from benchmarks.papers.sweep import OURS, THROUGHPUT, Entry, Sweep, sweep

EVENTS_PER_MINUTE, QUERIES = "events per minute", "queries"
LATENCY = "ms of processor time per window"
MEMORY = "peak of memory beyond the events (bytes)"
Y_LABELS = {"latency": LATENCY, "throughput": THROUGHPUT, "memory": MEMORY}
Judge = Callable[[Curves], list[Claim]]


@dataclass(frozen=True, slots=True)
class Point:
    """The events of a point, who runs on them, and how many of them a window has.

    `counts` says how many bursts are shared and not, by those who decide.
    """

    events: pa.Table
    entries: Mapping[str, Entry]
    per_window: float
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Axis:
    """What a figure varies: `point(x, scale)` makes a point; the first contender is ours."""

    x_label: str
    points: tuple[int, ...]
    point: Callable[[int, float], Point]
    names: tuple[str, ...]
    memory: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart: `metric` is latency, throughput or memory; `judge` tests what the paper says."""

    name: str
    title: str
    axis: Axis
    metric: str
    paper: str
    judge: Judge
    differs: str
    log_y: bool = True


@cache
def measured(
    axis: Axis, scale: float
) -> tuple[Sweep[int], tuple[float, ...], dict[str, list[Cell]]]:
    """Run all contenders at all points, once for all charts.

    With the events per window, and what was counted at every point.
    """
    made: dict[int, Point] = {}

    def point(x: int) -> Point:
        if x not in made:
            made.clear()
            made[x] = axis.point(x, scale)
            windows.append(made[x].per_window)
            for name, count in made[x].counts.items():
                counted.setdefault(name, []).append(Cell(count))
        return made[x]

    windows: list[float] = []
    counted: dict[str, list[Cell]] = {}
    found = sweep(
        axis.points,
        axis.x_label,
        lambda x: point(x).events,
        lambda x: point(x).entries,
        turns=turns_at(scale),
        memory=axis.memory,
    )
    return found, tuple(windows), counted


def experiment(chart: Chart) -> Experiment:
    """Return a chart as an experiment."""
    return Experiment(
        name=chart.name,
        title=f"{chart.title}: {chart.metric}",
        x_label=chart.axis.x_label,
        y_label=Y_LABELS[chart.metric],
        paper=chart.paper,
        differs=chart.differs,
        run=lambda scale: _outcome(chart, scale),
        claims=lambda outcome: chart.judge(outcome.curves),
        log_y=chart.log_y,
    )


def _outcome(chart: Chart, scale: float) -> Outcome:
    swept, windows, counted = measured(chart.axis, scale)
    curves = {name: _cells(swept, windows, name, chart.metric) for name in chart.axis.names}
    others: Sequence[str] = [name for name in chart.axis.names if name != OURS]
    ratios = [] if chart.metric == "memory" else swept.ratios(others)
    return Outcome(swept.points, curves, ratios, counted)


def _cells(swept: Sweep[int], windows: tuple[float, ...], name: str, metric: str) -> list[Cell]:
    if metric == "latency":
        return swept.milliseconds(name, per_events=windows)
    return swept.throughput(name) if metric == "throughput" else swept.memory(name)
