"""All benchmarks and experiments, in a list that fits a narrow terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.catalogue import BENCHMARKS
from benchmarks.papers.catalogue import PAPERS, experiments_of
from benchmarks.run_grid import NAME as GRID
from benchmarks.run_stream_peers import NAME as STREAM_PEERS
from benchmarks.run_stream_window import NAME as STREAM_WINDOW
from benchmarks.sharing_costs import NAME as COSTS

# Those that have more to show than a time for every contender.
APART = {
    GRID: "many workloads that share or not, each in four ways; --points N takes some of them",
    COSTS: "what sharing costs here, next to the constants that bursts are decided by",
    STREAM_WINDOW: "steps of a stream in ever longer windows, with and without a cache",
    STREAM_PEERS: "one stream through Cepheid on Spark and Flink CEP: events/s, time to a match",
}


def list_benchmarks(console: Console) -> None:
    """Print the names that can be run, and what each asks."""
    _part(
        console,
        "Benchmarks",
        "cepheid bench NAME",
        [
            *(
                (each.name, each.question, f"{each.events:,} events")
                for each in BENCHMARKS.values()
            ),
            *((name, question, "") for name, question in APART.items()),
        ],
    )
    for paper in PAPERS:
        _part(
            console,
            f"Experiments of {paper}",
            f"cepheid bench {paper} [--figure F]",
            [(each.name, each.title, "") for each in experiments_of(paper)],
        )


def _part(console: Console, title: str, command: str, rows: Iterable[tuple[str, str, str]]) -> None:
    console.print(Text.assemble((title, "bold"), "  ", (command, "dim")))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column()
    for name, text, more in rows:
        grid.add_row(f"  {name}", Text.assemble(text, (f"; {more}" if more else "", "dim")))
    console.print(grid)
    console.print()
