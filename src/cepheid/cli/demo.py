"""`cepheid demo`: a generated stream, a pattern query and a trend aggregation."""

from __future__ import annotations

import time as clock
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from cepheid import Query, query
from cepheid.cli.arguments import Engine, QuietOption
from cepheid.cli.console import page_console, reporting, working

if TYPE_CHECKING:
    import pyarrow as pa

    from cepheid.cli.engines import EngineRun

STREAM = "ridesharing"
SHOWN_ROWS = 15
WHERE = {Engine.SPARK: "local Spark", Engine.LOCAL: "the local engine"}


class Example(NamedTuple):
    """A query in demo_queries, and the planner's choices to tell of."""

    file: str
    title: str
    topics: tuple[str, ...]


QUERIES = (
    Example("cancelled_rides.cep", "A pattern: which rides were given up?", ("partition", "scan")),
    Example("slow_pickups.cep", "Trends, counted: where is the jam?", ("granularity", "numbers")),
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
    from cepheid.cli.demo_page import (
        show_choices,
        show_events,
        show_next_steps,
        show_outcome,
        show_query,
        show_title,
    )
    from cepheid.cli.engines import open_engine
    from cepheid.cli.show_table import show_table
    from cepheid.generate import generate

    with reporting(quiet=quiet):
        console = page_console()
        with working("Making events", quiet=quiet):
            stream = generate(STREAM, events=events, districts=5, events_per_minute=1000.0)
        show_events(console, stream)
        with open_engine(engine, quiet=quiet) as runner:
            frame = runner.from_arrow(stream)
            for number, each in enumerate(QUERIES, start=1):
                show_title(console, f"{number}. {each.title}")
                text = files("cepheid.cli").joinpath("demo_queries", each.file).read_text("utf-8")
                parsed = query(text, name=each.file)
                show_query(console, text)
                with working("Running the query", quiet=quiet):
                    _, first = _run(runner, frame, parsed)
                    result, second = _run(runner, frame, parsed)
                show_table(console, result, limit=SHOWN_ROWS, more="")
                show_outcome(console, result, (first, second), WHERE[engine])
                show_choices(console, parsed, each.topics)
        show_next_steps(console)


def _run(runner: EngineRun, frame: Any, parsed: Query) -> tuple[pa.Table, float]:
    from cepheid.cli.order_rows import order_rows

    start = clock.perf_counter()
    result = runner.collect(parsed.run(frame, time="time", type="kind"), parsed.name)
    return order_rows(result), clock.perf_counter() - start
