"""The command: python -m benchmarks [NAME …] [--events N] [--repeat R]."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.catalogue import BENCHMARKS
from benchmarks.measure import WrongAnswerError, measure
from benchmarks.peers.flink import JARS
from benchmarks.report import RESULTS, Report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks that are named, or list them."""
    options = _parser().parse_args(arguments)
    console = Console()
    if not options.names:
        _list(console)
        return 0
    unknown = [name for name in options.names if name not in BENCHMARKS and name != "all"]
    if unknown:
        console.print(f"no benchmark is called {unknown[0]}; there are: {', '.join(BENCHMARKS)}")
        return 2
    if options.flink_jars is not None:
        os.environ[JARS] = str(options.flink_jars.resolve())
    for name in BENCHMARKS if "all" in options.names else options.names:
        benchmark = BENCHMARKS[name]
        events = options.events or benchmark.events
        try:
            measurements = measure(
                benchmark, events=events, repeat=options.repeat, memory=not options.no_memory
            )
        except WrongAnswerError as error:
            console.print(f"wrong answer: {error}", style="bold red")
            return 1
        report = Report(benchmark, events, options.repeat, measurements)
        report.show(console)
        console.print(f"written: {report.write(options.results)}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run, or all")
    parser.add_argument("--events", type=int, help="how many events, if not the usual number")
    parser.add_argument("--repeat", type=int, default=5, help="how often each contender runs")
    parser.add_argument("--no-memory", action="store_true", help="do not measure memory")
    parser.add_argument("--flink-jars", type=Path, metavar="DIR", help="where Flink's jars are")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where results are written")
    return parser


def _list(console: Console) -> None:
    table = Table(title="Benchmarks", title_justify="left")
    table.add_column("name")
    table.add_column("question")
    table.add_column("events", justify="right")
    table.add_column("contenders")
    for each in BENCHMARKS.values():
        names = ", ".join(contender.name for contender in each.contenders)
        table.add_row(each.name, each.question, f"{each.events:,}", names)
    console.print(table)
    console.print("Run one with: python -m benchmarks NAME [--events N] [--repeat R]")


if __name__ == "__main__":
    sys.exit(main())
