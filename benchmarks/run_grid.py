"""Measure every point of the sharing grid, and print it: those that `dynamic` loses come first.

The processor's time counts, over all threads: the least of some rounds, in which all ways take
turns. The results of a way are compared with those of every query by itself.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from benchmarks.measure import WrongAnswerError
from benchmarks.references import agree
from benchmarks.sharing_grid import WAYS, Asker, GridPoint, answer_of, grid_points
from benchmarks.surroundings import (
    RESULTS,
    require_clean,
    sentence,
    surroundings,
    written,
)

NAME = "sharing-grid"
EVENTS, ROUNDS = 20_000, 3
ALLOWED = 1.1  # times the best way that is no loss
PACKAGES = ("numba", "numpy", "pyarrow")


@dataclass(frozen=True, slots=True)
class Measured:
    """What a point took: by way the seconds of the processor."""

    point: str
    seconds: dict[str, float]

    @property
    def ratio(self) -> float:
        """How many times as long as the best way `dynamic` takes."""
        return self.seconds["dynamic"] / min(self.seconds.values())


def run_grid(options: argparse.Namespace, console: Console) -> None:
    """Measure the grid, or some points of it, and print and write what was found."""
    events, rounds = options.events or EVENTS, options.repeat or ROUNDS
    measured = []
    for point in grid_points(events, options.points):
        measured.append(measure_point(point, rounds))
        console.print(line_of(measured[-1]), soft_wrap=True, highlight=False, markup=False)
    console.print()
    for text in summary(measured):
        console.print(text, soft_wrap=True, highlight=False, markup=False)

    def write(folder: Path) -> Path:
        require_clean(folder)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{NAME}-{events}.json"
        path.write_text(json.dumps(_facts(measured, events, rounds), indent=2) + "\n")
        return path

    console.print(written(write, options.results or RESULTS) + "\n", soft_wrap=True)


def measure_point(point: GridPoint, rounds: int) -> Measured:
    """Return the least time of every way; all must give the same results."""
    askers = point.askers()
    wanted = answer_of(askers["alone"]())
    for way, ask in askers.items():
        found = answer_of(ask())
        if not agree(found, wanted):
            raise WrongAnswerError(f"{point.name}: {way} gives {found}, alone {wanted}")
    seconds = dict.fromkeys(WAYS, float("inf"))
    for turn in range(rounds):
        first = turn % len(WAYS)
        for way in (*WAYS[first:], *WAYS[:first]):
            seconds[way] = min(seconds[way], _seconds(askers[way]))
    return Measured(point.name, seconds)


def _seconds(ask: Asker) -> float:
    gc.collect()
    started = time.process_time()
    ask()
    return time.process_time() - started


def line_of(measured: Measured) -> str:
    """Return a point as one line."""
    times = "  ".join(f"{way} {measured.seconds[way] * 1000:8.1f} ms" for way in WAYS)
    return f"{measured.ratio:5.2f}  {times}  {measured.point}"


def summary(measured: Sequence[Measured]) -> list[str]:
    """Return the points that are lost, the worst first, and the sums over all points."""
    lost = sorted((e for e in measured if e.ratio > ALLOWED), key=lambda each: -each.ratio)
    sums = {way: sum(each.seconds[way] for each in measured) for way in WAYS}
    best = sum(min(each.seconds.values()) for each in measured)
    return [
        f"{len(lost)} of {len(measured)} points where dynamic takes more than {ALLOWED} times "
        "the best of all ways, the worst first:",
        *map(line_of, lost),
        "sum over all points: "
        + ", ".join(f"{way} {seconds:.2f} s" for way, seconds in sums.items())
        + f"; the best way at every point {best:.2f} s",
    ]


def _facts(measured: Sequence[Measured], events: int, rounds: int) -> dict[str, object]:
    return {
        "benchmark": NAME,
        "events": events,
        "repeat": rounds,
        **(facts := surroundings(PACKAGES)),
        "where": sentence(facts),
        "points": [asdict(each) | {"ratio": round(each.ratio, 3)} for each in measured],
    }
