"""A figure of COGRA: one sweep, shown as latency, memory and throughput."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from benchmarks.papers.baselines.grained_counts import NEXT
from benchmarks.papers.cogra import contenders
from benchmarks.papers.cogra.contenders import (
    A_SEQ,
    EVENT_GRAINED,
    GRETA,
    PATTERN_GRAINED,
    TWO_STEPS,
    TYPE_GRAINED,
)
from benchmarks.papers.cogra.task import Task
from benchmarks.papers.experiment import Claim, Curves, Experiment, Outcome
from benchmarks.papers.race import Contender, turns_at
from benchmarks.papers.sweep import OURS, THROUGHPUT, Entry, Sweep, sweep

MOST_TRENDS = 2e7  # what the two-step approach builds in about a second
LATENCY = "ms of processor time per window"
MEMORY = "peak of memory beyond the events (bytes)"
FEWEST_EVENTS = 1000
MAKERS: dict[str, Callable[[Task], Contender]] = {
    OURS: contenders.engine,
    GRETA: contenders.greta,
    A_SEQ: contenders.flattened,
    EVENT_GRAINED: contenders.by_event,
    TYPE_GRAINED: contenders.by_type,
    PATTERN_GRAINED: contenders.by_pattern,
    TWO_STEPS: contenders.two_steps,
}
Judge = Callable[[Curves], list[Claim]]


@dataclass(frozen=True, eq=False)
class Figure:
    """One figure: `point(x, scale)` makes the events and the task of a point.

    `papers` is what the paper says of latency (a), memory (b) and throughput (c), `judges` how that
    is tested on our curves.
    """

    number: str
    title: str
    x_label: str
    points: tuple[int, ...]
    point: Callable[[int, float], tuple[pa.Table, Task]]
    baselines: tuple[str, ...]
    papers: dict[str, str]
    judges: dict[str, Judge]
    differs: str
    log_x: bool = True


@cache
def measured(figure: Figure, scale: float) -> tuple[Sweep[int], tuple[int, ...]]:
    """Run all contenders at all points, once for all charts; with the events per window."""
    made: dict[int, tuple[pa.Table, Task]] = {}

    def point(x: int) -> tuple[pa.Table, Task]:
        if x not in made:
            made.clear()
            made[x] = figure.point(x, scale)
            windows.append(made[x][1].window)
        return made[x]

    windows: list[int] = []
    found = sweep(
        figure.points,
        figure.x_label,
        lambda x: point(x)[0],
        lambda x: _entries(figure, *point(x), MOST_TRENDS * min(1.0, scale)),
        turns=turns_at(scale),
        memory=True,
    )
    return found, tuple(windows)


def _entries(figure: Figure, events: pa.Table, task: Task, most_trends: float) -> dict[str, Entry]:
    trends = 0.0
    if TWO_STEPS in figure.baselines and not task.compares:
        trends = contenders.number_of_trends(task, events)
    own = contenders.with_one_predecessor(task) if task.strategy == NEXT else None
    return {
        name: Entry(
            MAKERS[name](task),
            trends if name == TWO_STEPS else 0.0,
            most_trends,
            own if name == PATTERN_GRAINED else None,
        )
        for name in (OURS, *figure.baselines)
    }


def experiments(figure: Figure) -> list[Experiment]:
    """Return the charts of a figure."""
    return [
        Experiment(
            name=f"cogra-fig-{figure.number}{letter}",
            title=f"{figure.title}: {_WHAT[letter]}",
            x_label=figure.x_label,
            y_label={"a": LATENCY, "b": MEMORY, "c": THROUGHPUT}[letter],
            paper=paper,
            differs=figure.differs + GENERAL,
            run=_runner(figure, letter),
            claims=_judge(figure.judges[letter]),
            log_x=figure.log_x,
            log_y=True,
        )
        for letter, paper in figure.papers.items()
    ]


_WHAT = {"a": "latency", "b": "memory", "c": "throughput"}
GENERAL = (
    " COUNT(*) in windows that do not overlap. Baselines are compiled with Numba instead of Java; "
    "the two-step approach builds its trends with Cepheid's match engine; Flink, the other "
    "two-step approach, is not run. Latency is the time that a window takes. Where the paper says "
    "that it failed or took hours, here the two-step approach is not started: it would build more "
    "than 20 million trends (less at a smaller scale)."
)


def _runner(figure: Figure, letter: str) -> Callable[[float], Outcome]:
    def run(scale: float) -> Outcome:
        swept, windows = measured(figure, scale)
        names: Sequence[str] = (OURS, *figure.baselines)
        if letter == "a":
            curves = {name: swept.milliseconds(name, per_events=windows) for name in names}
        elif letter == "b":
            curves = {name: swept.memory(name) for name in names}
        else:
            curves = {name: swept.throughput(name) for name in names}
        ratios = [] if letter == "b" else swept.ratios(figure.baselines)
        return Outcome(swept.points, curves, ratios)

    return run


def _judge(judge: Judge) -> Callable[[Outcome], list[Claim]]:
    return lambda outcome: judge(outcome.curves)
