"""`cepheid generate`: synthetic event streams."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cepheid.cli.arguments import QuietOption, parse_values
from cepheid.cli.console import message_console, page_console, reporting
from cepheid.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

    from cepheid.analysis.fill_parameters import ParameterValue
    from cepheid.generate import Stream


def generate(
    stream: Annotated[
        str | None, typer.Argument(help="The name of a stream; see --list.", show_default=False)
    ] = None,
    events: Annotated[
        int, typer.Option("--events", "-n", min=0, help="Number of events.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same events.")] = 7,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="A .csv, .jsonl or .parquet file. Default: CSV to stdout.",
        ),
    ] = None,
    set: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A parameter of the stream; repeatable."),
    ] = None,
    list: Annotated[bool, typer.Option("--list", help="Show all streams and exit.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Make a stream of synthetic events, as in the papers on complex event processing.

    [bold]Examples[/bold]

    cepheid generate --list

    cepheid generate ridesharing --events 50000 --set districts=5 --output rides.parquet

    cepheid generate stock -n 1000 | head
    """
    from cepheid.connectors.event_files import FileFormat, format_of
    from cepheid.connectors.write_files import open_writer
    from cepheid.generate import STREAMS, generate_chunks

    with reporting(quiet=quiet):
        if list:
            _show_streams(STREAMS.values())
            return
        if stream is None:
            raise ConfigError("which stream?", hint=f"the streams are: {', '.join(STREAMS)}")
        parameters: dict[str, Any] = {
            name: _number(name, value)
            for name, value in parse_values(set or (), option="--set").items()
        }
        file_format = FileFormat.CSV if output is None else format_of(output)
        chunks = generate_chunks(stream, events=events, seed=seed, **parameters)
        target = sys.stdout.buffer if output is None else output
        with (
            open_writer(target, file_format, STREAMS[stream].schema) as writer,
            _counting(chunks, events, quiet=quiet or output is None) as counted,
        ):
            for chunk in counted:
                writer.write(chunk)


def _number(name: str, value: ParameterValue) -> float:
    if not isinstance(value, int | float | Decimal):
        raise ConfigError(f"parameter '{name}' must be a number, not {value!r}")
    return value if isinstance(value, int) else float(value)


@contextmanager
def _counting(
    chunks: Iterable[pa.Table], events: int, *, quiet: bool
) -> Iterator[Iterable[pa.Table]]:
    """Show on a terminal how many events have been made."""
    console = message_console()
    if quiet or not console.is_terminal:
        yield chunks
        return
    from rich.progress import Progress

    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("Making events", total=events)

        def counted() -> Iterator[pa.Table]:
            for chunk in chunks:
                yield chunk
                progress.advance(task, chunk.num_rows)

        yield counted()


def _show_streams(streams: Iterable[Stream]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = page_console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_lines=False)
    table.add_column("stream", style="bold cyan", no_wrap=True)
    table.add_column("columns")
    table.add_column("parameters (--set)")
    for each in streams:
        columns = ", ".join(column.name for column in each.columns)
        parameters = ", ".join(f"{p.name}={p.default:g}" for p in each.parameters)
        table.add_row(each.name, Text(columns), Text(parameters, "dim"))
        table.add_row("", Text(each.description, "italic"), "")
        table.add_section()
    console.print(table)
