"""Benchmarks by name, and the experiments of papers.

python -m benchmarks [NAME …] [--events N] [--repeat R]
python -m benchmarks sharing-grid [--points N] [--events N] [--repeat R]
python -m benchmarks sharing-costs [--points N] [--events N] [--repeat R]
python -m benchmarks stream-window [--events N] [--repeat R]
python -m benchmarks stream-peers [--events N] [--flink-jars DIR]
python -m benchmarks PAPER [--figure F] [--scale S]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.catalogue import BENCHMARKS
from benchmarks.contender import Benchmark, NotRunnableError
from benchmarks.list_names import list_benchmarks
from benchmarks.measure import WrongAnswerError, measure
from benchmarks.papers.catalogue import PAPERS
from benchmarks.papers.command import run_paper
from benchmarks.papers.report import PAPER_RESULTS
from benchmarks.peers.flink import JARS
from benchmarks.report import Report
from benchmarks.run_grid import NAME as GRID
from benchmarks.run_grid import run_grid
from benchmarks.run_stream_peers import NAME as STREAM_PEERS
from benchmarks.run_stream_peers import run_stream_peers
from benchmarks.run_stream_window import NAME as STREAM_WINDOW
from benchmarks.run_stream_window import run_stream_window
from benchmarks.sharing_costs import NAME as COSTS
from benchmarks.sharing_costs import run_costs
from benchmarks.surroundings import RESULTS, written

# Those that have more to show than a time for every contender.
APART = {
    GRID: run_grid,
    COSTS: run_costs,
    STREAM_WINDOW: run_stream_window,
    STREAM_PEERS: run_stream_peers,
}
REPEAT = 5
MOST_SCALE = 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks that are named, or list them."""
    options = _parser().parse_args(arguments)
    console = Console()
    if not options.names:
        list_benchmarks(console)
        return 0
    names = list(BENCHMARKS) if "all" in options.names else options.names
    known_names = [*BENCHMARKS, *APART, *PAPERS]
    unknown = [name for name in names if name not in known_names]
    if unknown:
        known = ", ".join(known_names)
        console.print(f"no benchmark is called {unknown[0]}; there are: {known}")
        return 2
    misfit = _misfit(options, names)
    if misfit is not None:
        console.print(misfit)
        return 2
    if options.flink_jars is not None:
        os.environ[JARS] = str(options.flink_jars.resolve())
    try:
        for name in names:
            if name in APART:
                APART[name](options, console)
            elif name in PAPERS:
                folder = options.results or PAPER_RESULTS
                run_paper(
                    name,
                    figures=options.figure,
                    scale=options.scale or 1.0,
                    folder=folder,
                    console=console,
                )
            else:
                _run(BENCHMARKS[name], options, console)
    except WrongAnswerError as error:
        console.print(f"wrong answer: {error}", style="bold red")
        return 1
    except NotRunnableError as error:
        console.print(str(error), soft_wrap=True)
        return 2
    return 0


def _misfit(options: argparse.Namespace, names: Sequence[str]) -> str | None:
    """Say which option a name has no use for, rather than to ignore it."""
    of_papers = {"--figure": bool(options.figure), "--scale": options.scale is not None}
    of_benchmarks = {
        "--events": options.events is not None,
        "--repeat": options.repeat is not None,
        "--no-memory": options.no_memory,
    }
    if options.points is not None and names not in ([GRID], [COSTS]):
        return f"--points is for {GRID} alone, or for {COSTS}"
    for name in names:
        given = of_benchmarks if name in PAPERS else of_papers
        for option in (option for option, is_given in given.items() if is_given):
            other = "a benchmark" if name in PAPERS else "the experiments of a paper"
            return f"{option} is for {other}, not for {name}"
    return None


def _run(benchmark: Benchmark, options: argparse.Namespace, console: Console) -> None:
    events, repeat = options.events or benchmark.events, options.repeat or REPEAT
    measurements = measure(benchmark, events=events, repeat=repeat, memory=not options.no_memory)
    report = Report(benchmark, events, repeat, measurements)
    report.show(console)
    console.print(written(report.write, options.results or RESULTS) + "\n", soft_wrap=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks or papers to run")
    parser.add_argument("--events", type=int, help="how many events, if not the usual number")
    parser.add_argument(
        "--repeat", type=int, help=f"how often each contender runs, {REPEAT} if not given"
    )
    parser.add_argument("--no-memory", action="store_true", help="do not measure memory")
    parser.add_argument("--points", type=int, help="how many points of the grid, if not all")
    parser.add_argument("--flink-jars", type=Path, metavar="DIR", help="where Flink's jars are")
    parser.add_argument("--results", type=Path, help="where results are written")
    paper = parser.add_argument_group("papers")
    paper.add_argument(
        "--figure", action="append", default=[], help="a figure, such as 8 or 10a; repeatable"
    )
    paper.add_argument("--scale", type=_scale, help="how many events; 0.1: a tenth")
    return parser


def _scale(text: str) -> float:
    scale = float(text)
    if not 0 < scale <= MOST_SCALE:
        raise argparse.ArgumentTypeError(f"must be above 0 and at most {MOST_SCALE}, not {text}")
    return scale


if __name__ == "__main__":
    sys.exit(main())
