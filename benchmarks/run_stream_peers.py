"""Measure Cepheid on Spark and Flink CEP on the same stream: a line for each, and the ratios.

`--events` is how many events are timed as fast as they are taken; after that others come at a fixed
rate for half a minute; `--flink-jars` says where the jars of Flink are.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from benchmarks.contender import NotRunnableError
from benchmarks.peers.flink import jar_names
from benchmarks.spark_stream import few_tasks
from benchmarks.stream_peers import CONTENDERS, KEYS, Streamed, make_events, measure_streamed
from benchmarks.surroundings import RESULTS, require_clean, sentence, surroundings, written

NAME = "stream-peers"
WINDOW, EVENTS, RATE, PACED = 100_000, 400_000, 1_000.0, 30_000
PACKAGES = ("cepheid", "pyspark")
QUESTION = (
    "SEQ(A, B) of one key, skip-till-next, {keys:,} keys, a window of {window:,} events that is "
    "full; event time, 2 tasks, events as lines from a socket of the same machine"
)
HEAD = "| contender | events/s | event to match, median | 99 % | matches |"


def run_stream_peers(options: argparse.Namespace, console: Console) -> None:
    """Measure whoever can run, and print and write what was found."""
    timed = options.events or EVENTS
    window = min(WINDOW, timed)
    events = make_events(window + timed + min(PACED, timed), window)
    measured, skipped = dict[str, Streamed](), dict[str, str]()
    lines = [HEAD, "|---|" + "---:|" * 4]
    with few_tasks():
        for name, (run, ready) in CONTENDERS.items():
            try:
                ready()
            except NotRunnableError as error:
                skipped[name] = str(error)
                lines.append(f"| {name} | - | - | - | {error} |")
                continue
            measured[name] = measure_streamed(run, events, window, timed, RATE)
            lines.append(_line(name, measured[name]))
    lines += ["", *_ratios(measured)]
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False, markup=False)
    question = QUESTION.format(keys=KEYS, window=window)

    def write(folder: Path) -> Path:
        require_clean(folder)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{NAME}-{timed}.md"
        where = surroundings(PACKAGES)
        facts = {"benchmark": NAME, "question": question, "events": timed, "rate": RATE, **where}
        found = {name: asdict(each) for name, each in measured.items()}
        content = facts | {"jars": jar_names(), "contenders": found, "skipped": skipped}
        path.with_suffix(".json").write_text(json.dumps(content, indent=2) + "\n")
        about = f"{question}. The time from an event to its match is at {RATE:,.0f} events/s."
        text = [f"# {NAME}", "", about, "", sentence(where), "", *lines]
        path.write_text("\n".join(text) + "\n")
        return path

    console.print(written(write, options.results or RESULTS) + "\n", soft_wrap=True)


def _line(name: str, found: Streamed) -> str:
    return (
        f"| {name} | {found.per_second:,.0f} | {found.median * 1000:,.0f} ms "
        f"| {found.slowest * 1000:,.0f} ms | {found.matches:,} |"
    )


def _ratios(measured: dict[str, Streamed]) -> list[str]:
    """Return how the contenders compare, if there are two."""
    if len(measured) < 2:
        return []
    (one, first), (other, second) = measured.items()
    return [
        f"{one} ÷ {other}: {first.per_second / second.per_second:.2f} times the events/s, "
        f"{first.median / second.median:.1f} times the time from an event to its match."
    ]
