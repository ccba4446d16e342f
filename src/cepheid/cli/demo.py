"""`cepheid demo`: a generated stream, a pattern query and a trend aggregation."""

from __future__ import annotations

import time as clock
from importlib.resources import files
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.rule import Rule
from rich.text import Text

from cepheid import Query, query
from cepheid.cli.arguments import Engine, QuietOption
from cepheid.cli.console import page_console, reporting, working
from cepheid.cli.highlight_query import highlight_query

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from cepheid.cli.engines import EngineRun

STREAM = "ridesharing"
SHOWN_EVENTS, SHOWN_ROWS = 5, 15
WHERE = {Engine.SPARK: "Spark (local[*])", Engine.LOCAL: "the local engine"}


class Example(NamedTuple):
    """A query in demo_queries, and the planner's choices to tell of."""

    file: str
    title: str
    topics: tuple[str, ...]


QUERIES = (
    Example("cancelled_rides.cep", "A pattern: which rides were given up?", ("strategy", "scan")),
    Example("slow_pickups.cep", "Trends, counted: where is the jam?", ("granularity", "partition")),
)


def demo(
    engine: Annotated[Engine, typer.Option("--engine", "-e", help="Where to run.")] = Engine.SPARK,
    events: Annotated[
        int, typer.Option("--events", "-n", min=1, help="Events to generate.")
    ] = 25_000,
    quiet: QuietOption = False,
) -> None:
    """See Cepheid at work: two queries on a generated stream of rides, on a local Spark.

    [bold]Examples[/bold]

    cepheid demo

    cepheid demo --engine local --events 1000000
    """
    from cepheid.cli.engines import open_engine
    from cepheid.cli.show_table import show_table
    from cepheid.generate import generate

    with reporting(quiet=quiet):
        console = page_console()
        with working("Making events", quiet=quiet):
            stream = generate(STREAM, events=events, districts=5, events_per_minute=1000.0)
        _show_events(console, stream)
        with open_engine(engine, quiet=quiet) as runner:
            frame = runner.from_arrow(stream)
            for number, each in enumerate(QUERIES, start=1):
                _title(console, f"{number}. {each.title}")
                text = files("cepheid.cli").joinpath("demo_queries", each.file).read_text("utf-8")
                parsed = query(text, name=each.file)
                _show_query(console, text)
                with working("Running the query", quiet=quiet):
                    result, seconds = _run(runner, frame, parsed)
                show_table(console, result, limit=SHOWN_ROWS, more="")
                _show_outcome(console, result, seconds, WHERE[engine])
                _show_choices(console, parsed, each.topics)
        _show_next_steps(console)


def _title(console: Console, title: str) -> None:
    console.print()
    console.print(Rule(Text(title, "bold"), align="left", style="dim", characters="─"))


def _show_events(console: Console, stream: pa.Table) -> None:
    from cepheid.cli.show_table import show_table

    _title(console, "The events")
    first, last = (stream["time"][index].as_py() for index in (0, -1))
    minutes = (last - first).total_seconds() / 60
    console.print(
        f"{stream.num_rows:,} events of {minutes:.0f} minutes of ridesharing: each trip is a "
        "Request, a burst of Travel, a Pickup,\nmore Travel and a Dropoff; or it is cancelled."
    )
    console.print()
    show_table(console, stream, limit=SHOWN_EVENTS, more="")


def _show_query(console: Console, text: str) -> None:
    console.print()
    console.print(highlight_query(indent(text, "  ")))
    console.print()


def _run(runner: EngineRun, frame: Any, parsed: Query) -> tuple[pa.Table, float]:
    from cepheid.cli.order_rows import order_rows

    start = clock.perf_counter()
    result = runner.collect(parsed.run(frame, time="time", type="kind"))
    return order_rows(result), clock.perf_counter() - start


def _show_outcome(console: Console, result: pa.Table, seconds: float, where: str) -> None:
    found = f"{result.num_rows} rows"
    if "trends" in result.column_names:
        found += f" for {sum(result['trends'].to_pylist()):,.0f} trends, counted and never built,"
    console.print()
    console.print(Text.assemble((f"{found} in {seconds:.1f} s on {where}", "green")))


def _show_choices(console: Console, parsed: Query, topics: tuple[str, ...]) -> None:
    """Print what EXPLAIN says of some choices, one line each."""
    from cepheid.explain.explain_plan import explain_plan

    choices = {each.topic: each for each in explain_plan(parsed.plan()).choices}
    for topic in topics:
        choice = choices[topic]
        line = Text.assemble((f"{topic}: ", "dim"), choice.choice, (f": {choice.reason}", "dim"))
        console.print(line)


def _show_next_steps(console: Console) -> None:
    _title(console, "What to try next")
    steps = (
        ("cepheid demo --engine local -n 1000000", "the same without Spark, on more events"),
        ("cepheid generate ridesharing -o rides.parquet", "make events of your own"),
        ("cepheid run 'PATTERN …' rides.parquet --type kind", "and ask your own question"),
        ("cepheid explain 'PATTERN …'", "see how it will be run, and why"),
    )
    for command, purpose in steps:
        console.print(Text.assemble("  ", (f"{command:<52}", "bold cyan"), (purpose, "dim")))
    console.print()
