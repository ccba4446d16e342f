"""Measure every point of the sharing grid, and print it: those that `dynamic` loses come first.

The processor's time counts, over all threads: the least of some rounds, in which all ways take
turns. The results of a way are compared with those of every query by itself. Points are written
down as they are measured: who begins again after an interrupt goes on where it was.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from benchmarks.measure import WrongAnswerError
from benchmarks.measured_points import Measured, MeasuredPoints
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
ALLOWED = 1.1  # times the best of the other ways that is no loss
PACKAGES = ("numba", "numpy", "pyarrow")


def run_grid(options: argparse.Namespace, console: Console) -> None:
    """Measure the grid, or some points of it, and print and write what was found."""
    events, rounds = options.events or EVENTS, options.repeat or ROUNDS
    facts = surroundings(PACKAGES)
    folder, name = options.results or RESULTS, f"{NAME}-{events}"
    how = {"events": events, "repeat": rounds} | {e: facts[e] for e in ("commit", "versions")}
    points = MeasuredPoints(folder / f"{name}.jsonl", how)
    if points.known:
        said = f"{len(points.known)} points were measured before: {points.path}"
        console.print(said, soft_wrap=True, highlight=False, markup=False)
    measured = []
    for point in grid_points(events, options.points):
        if point.name not in points.known:
            points.add(measure_point(point, rounds))
        measured.append(points.known[point.name])
        console.print(line_of(measured[-1]), soft_wrap=True, highlight=False, markup=False)
    console.print()
    for text in summary(measured):
        console.print(text, soft_wrap=True, highlight=False, markup=False)

    def write(folder: Path) -> Path:
        require_clean(folder)
        path = folder / f"{name}.json"
        found = {"benchmark": NAME, "events": events, "repeat": rounds, **facts}
        found |= {"where": sentence(facts), **facts_of(measured)}
        path.write_text(json.dumps(found, indent=2) + "\n")
        points.remove()
        return path

    console.print(written(write, folder) + "\n", soft_wrap=True)


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
    lost, sums, worst = _lost(measured), _sums(measured), _worst(measured)
    best = sum(each.best for each in measured)
    return [
        f"{len(lost)} of {len(measured)} points where dynamic takes more than {ALLOWED} times "
        "the best of alone, always and never, the worst first:",
        *map(line_of, lost),
        f"at most {worst.ratio:.2f} times the best of them: {worst.point}",
        "sum over all points: "
        + ", ".join(f"{way} {seconds:.2f} s" for way, seconds in sums.items())
        + f"; the best way at every point {best:.2f} s",
    ]


def facts_of(measured: Sequence[Measured]) -> dict[str, object]:
    """Return the same as facts, with all points."""
    worst = _worst(measured)
    return {
        "allowed": ALLOWED,
        "lost": len(_lost(measured)),
        "worst": {"point": worst.point, "ratio": round(worst.ratio, 3)},
        "sums": {way: round(seconds, 4) for way, seconds in _sums(measured).items()},
        "sum_of_best": round(sum(each.best for each in measured), 4),
        "points": [asdict(each) | {"ratio": round(each.ratio, 3)} for each in measured],
    }


def _lost(measured: Sequence[Measured]) -> list[Measured]:
    return sorted((e for e in measured if e.ratio > ALLOWED), key=lambda each: -each.ratio)


def _worst(measured: Sequence[Measured]) -> Measured:
    return max(measured, key=lambda each: each.ratio)


def _sums(measured: Sequence[Measured]) -> dict[str, float]:
    return {way: sum(each.seconds[way] for each in measured) for way in WAYS}
