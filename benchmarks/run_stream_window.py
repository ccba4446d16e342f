"""Measure steps of a stream in ever longer windows: a line for each, one table, one plot.

`--events` is how many events the longest window has, `--repeat` how many steps are timed. A step
without a cache, that runs the window again, is timed in the longest window only. What was found is
written as it comes: whoever interrupts it loses nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.papers.plot import COLOURS, INCHES, MARKERS, require_matplotlib
from benchmarks.stream_window import KINDS, NOT_REPLAYED, Measured, measure
from benchmarks.surroundings import RESULTS, require_clean, sentence, surroundings

NAME = "stream-window"
WINDOWS, LONGEST = (10_000, 100_000, 1_000_000, 4_000_000, 16_000_000), 1_000_000
KEYS = (1, 1_000, 200_000)
STEPS, REPLAYS = 9, 3
PACKAGES = ("numba", "numpy", "pyarrow")
HEAD = (
    "| query | keys | events in the window | ms per step | to the first | to running all again "
    "| kB read | kB written | run again | rows |"
)
LINES = (HEAD, "|" + "---|" + "---:|" * 9)


@dataclass(frozen=True, slots=True)
class Point:
    """A kind of query, the number of keys, the window, and what steps took."""

    kind: str
    keys: int
    window: int
    found: Measured
    first: float
    replay: float | None

    @property
    def line(self) -> str:
        """A row of the table."""
        found = self.found
        replay = "" if self.replay is None else f"{found.milliseconds / self.replay:.2f}"
        return (
            f"| {self.kind} | {self.keys:,} | {self.window:,} | {found.milliseconds:.1f} "
            f"| {found.milliseconds / self.first:.2f} | {replay} "
            f"| {found.bytes_read / 1000:.0f} | {found.bytes_written / 1000:.0f} "
            f"| {found.replayed:,} | {found.rows:,} |"
        )


def run_stream_window(options: argparse.Namespace, console: Console) -> None:
    """Measure all kinds of queries, and print and write what was found.

    Raises:
        NotRunnableError: it could not be written; nothing is measured.
    """
    require_matplotlib()
    folder = options.results or RESULTS
    require_clean(folder)
    where = surroundings(PACKAGES)  # before what is written changes the work tree
    longest, steps = options.events or LONGEST, options.repeat or STEPS
    windows = [*(each for each in WINDOWS if each < longest), longest]
    facts = {"benchmark": NAME, "events": longest, "repeat": steps, **where}
    points = list[Point]()
    for line in LINES:
        console.print(line, soft_wrap=True, highlight=False, markup=False)
    for kind in KINDS:
        for keys in KEYS:
            for point in measure_kind(kind, keys, windows, steps):
                console.print(point.line, soft_wrap=True, highlight=False, markup=False)
                points.append(point)
                path = write(points, facts, folder)
    console.print(f"written: {path}\n", soft_wrap=True)


def write(points: Sequence[Point], facts: dict[str, Any], folder: Path) -> Path:
    """Write all points so far, as a table, a plot and facts; return where."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}-{facts['events']}.md"
    where = sentence(facts)
    content = facts | {"where": where, "points": [_as_facts(each) for each in points]}
    path.with_suffix(".json").write_text(json.dumps(content, indent=2) + "\n")
    draw(points, path.with_suffix(".svg"))
    text = [f"# {NAME}", "", where, "", *LINES, *(each.line for each in points)]
    path.write_text("\n".join([*text, "", f"![Steps]({path.stem}.svg)"]) + "\n")
    return path


def measure_kind(kind: str, keys: int, windows: Sequence[int], steps: int) -> Iterator[Point]:
    """Yield what steps of a query took in every window."""
    first: float | None = None
    for window in windows:
        found, replay = measure(kind, window, keys, steps), None
        if window == windows[-1] and kind not in NOT_REPLAYED:
            replay = measure(kind, window, keys, min(REPLAYS, steps), replays=True).milliseconds
        first = first or found.milliseconds
        yield Point(kind, keys, window, found, first, replay)


def draw(points: Sequence[Point], path: Path) -> None:
    """Draw a panel for every number of keys: how long a step takes, by window."""
    import matplotlib
    from matplotlib.figure import Figure

    settings: Any = {"svg.hashsalt": NAME, "axes.grid": True, "grid.color": "#DDDDDD"}
    keys = list(dict.fromkeys(each.keys for each in points))
    kinds = list(dict.fromkeys(each.kind for each in points))
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(INCHES[0] * 1.5, INCHES[1]), layout="constrained")
        panels = figure.subplots(1, len(keys), sharey=True, squeeze=False)[0]
        for axes, own in zip(panels, keys, strict=True):
            for place, kind in enumerate(kinds):
                shown = [each for each in points if (each.kind, each.keys) == (kind, own)]
                axes.plot(
                    [each.window for each in shown],
                    [each.found.milliseconds for each in shown],
                    label=kind if own == keys[0] else None,
                    color=COLOURS[place % len(COLOURS)],
                    marker=MARKERS[place % len(MARKERS)],
                )
            axes.set(xscale="log", yscale="log", xlabel="events in the window")
            axes.set_title(f"{own:,} key{'' if own == 1 else 's'}", loc="left", fontsize=10)
        panels[0].set_ylabel("ms per step of 2,000 events")
        figure.legend(loc="outside lower center", ncols=4, frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": "cepheid bench"})


def _as_facts(point: Point) -> dict[str, object]:
    return {
        "query": point.kind,
        "keys": point.keys,
        "window": point.window,
        "to_first": round(point.found.milliseconds / point.first, 3),
        "replay_milliseconds": point.replay,
        **point.found._asdict(),
    }
