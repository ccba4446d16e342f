"""What the demo prints around its tables."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

from rich.rule import Rule
from rich.text import Text

from cepheid import Query
from cepheid.cli.highlight_query import highlight_query

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

SHOWN_EVENTS = 5


def show_title(console: Console, title: str) -> None:
    """Print a title with a rule."""
    console.print()
    console.print(Rule(Text(title, "bold"), align="left", style="dim", characters="─"))


def show_events(console: Console, stream: pa.Table) -> None:
    """Print what the stream is, and its first events."""
    from cepheid.cli.show_table import show_table

    show_title(console, "The events")
    first, last = (stream["time"][index].as_py() for index in (0, -1))
    minutes = (last - first).total_seconds() / 60
    console.print(
        f"{stream.num_rows:,} events of {minutes:.0f} minutes of ridesharing: each trip is a "
        "Request, a burst of Travel, a Pickup,\nmore Travel and a Dropoff; or it is cancelled."
    )
    console.print()
    show_table(console, stream, limit=SHOWN_EVENTS, more="")


def show_query(console: Console, text: str) -> None:
    """Print a query in colours."""
    console.print()
    console.print(highlight_query(indent(text, "  ")))
    console.print()


def show_outcome(
    console: Console, result: pa.Table, seconds: tuple[float, float], where: str
) -> None:
    """Print two times: the first run also starts workers and loads compiled kernels."""
    found = f"{result.num_rows} rows"
    if "trends" in result.column_names:
        trends = sum(result["trends"].to_pylist())
        found = f"{trends:,.0f} trends, counted and never built,"
    first, second = seconds
    console.print()
    console.print(
        Text.assemble(
            (f"{found} in {second:.2f} s on {where}", "green"),
            (f" ({first:.2f} s with starting up)", "dim"),
        )
    )


def show_choices(console: Console, parsed: Query, topics: tuple[str, ...]) -> None:
    """Print what EXPLAIN says of some choices, one line each."""
    from cepheid.explain.explain_plan import explain_plan

    choices = {each.topic: each for each in explain_plan(parsed.plan()).choices}
    for topic in topics:
        choice = choices[topic]
        reason = f", because {choice.reason}"
        console.print(Text.assemble((f"{topic:<13}", "bold"), choice.choice, (reason, "dim")))


def show_next_steps(console: Console) -> None:
    """Print commands to go on with."""
    show_title(console, "What to try next")
    steps = (
        ("cepheid demo --engine local -n 1000000", "the same without Spark, on more events"),
        ("cepheid generate ridesharing -o rides.parquet", "make events of your own"),
        ("cepheid run 'PATTERN …' rides.parquet --type kind", "and ask your own question"),
        ("cepheid explain 'PATTERN …'", "see how it will be run, and why"),
    )
    for command, purpose in steps:
        console.print(Text.assemble("  ", (f"{command:<52}", "bold cyan"), (purpose, "dim")))
    console.print()
