"""`cepheid run`: a query on files of events."""

from __future__ import annotations

import sys
import time as clock
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cepheid.cli.arguments import (
    Engine,
    ParameterOption,
    QueryArgument,
    QuietOption,
    SchemaOption,
    TimeOption,
    TimeUnitOption,
    TypeOption,
    load_query,
)
from cepheid.cli.console import output_console, reporting, show_note, working
from cepheid.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

DEFAULT_LIMIT = 20


class Format(StrEnum):
    """The formats of results."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


def run(
    query: QueryArgument,
    events: Annotated[
        list[str],
        typer.Argument(
            help="Event files or directories: CSV, JSON lines or Parquet; or one file per event "
            "type as TYPE=path.",
            show_default=False,
        ),
    ],
    time: TimeOption = None,
    type: TypeOption = None,
    order: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Breaks ties between equal times; repeatable."),
    ] = None,
    time_unit: TimeUnitOption = "s",
    schema: SchemaOption = None,
    param: ParameterOption = None,
    engine: Annotated[Engine, typer.Option("--engine", "-e", help="Where to run.")] = Engine.LOCAL,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            help="Default: by the suffix of --output, else table.",
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="PATH", help="File for the result.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=0, help=f"Rows of a table; 0 for all. Default: {DEFAULT_LIMIT}."),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    r"""Run a query on files of events and print the result.

    [bold]Examples[/bold]

    cepheid run rides.cep rides.csv

    cepheid run "PATTERN SEQ(Login a, Buy b) WHERE \[user] WITHIN 1 h" clicks/ --engine spark

    cepheid run funnel.cep View=views.parquet Buy=buys.parquet --time ts -p limit=100 -o out.csv
    """
    from cepheid.cli.engines import open_engine
    from cepheid.cli.order_rows import order_rows
    from cepheid.cli.read_events import find_files, read_events

    with reporting(quiet=quiet):
        chosen = _format(format, output, limit)
        parsed = load_query(query, param)
        parsed.plan().require_executable()
        files = find_files(events)
        schemas = _schemas(schema)
        with open_engine(engine, quiet=quiet) as runner:
            start = clock.perf_counter()
            with working("Running the query", quiet=quiet):
                read = read_events(runner, files, parsed, time, type)
                lazy = parsed.run(
                    read.events,
                    time=read.time,
                    type=read.type,
                    order=order or (),
                    schemas=schemas,
                    time_unit=time_unit,
                )
                result = order_rows(runner.collect(lazy))
            seconds = clock.perf_counter() - start
        _write(result, chosen, output, DEFAULT_LIMIT if limit is None else limit)
        rows = f"{result.num_rows:,} row{'' if result.num_rows == 1 else 's'}"
        place = "" if output is None else f" to {output}"
        show_note(f"{rows}{place} in {seconds:.2f} s ({engine.value} engine)", quiet=quiet)


def _format(given: Format | None, output: str | None, limit: int | None) -> Format:
    chosen = given or (Format.TABLE if output is None else _format_of(output))
    if chosen is Format.PARQUET and output is None:
        raise ConfigError("Parquet cannot be printed", hint="name a file with --output")
    if limit is not None and chosen is not Format.TABLE:
        raise ConfigError(f"--limit is for tables, but the format is {chosen.value}")
    return chosen


def _format_of(output: str) -> Format:
    from cepheid.connectors.event_files import format_of

    return Format(format_of(output).value)


def _schemas(path: str | None) -> dict[str, list[str]] | None:
    if path is None:
        return None
    from cepheid.connectors.read_schema import read_schema

    return {name: list(attributes) for name, attributes in read_schema(path).items()}


def _write(result: pa.Table, chosen: Format, output: str | None, limit: int) -> None:
    from cepheid.cli.show_table import show_table
    from cepheid.connectors.event_files import FileFormat
    from cepheid.connectors.write_files import open_writer

    if chosen is not Format.TABLE:
        target = sys.stdout.buffer if output is None else output
        with open_writer(target, FileFormat(chosen.value), result.schema) as writer:
            writer.write(result)
    elif output is None:
        show_table(output_console(), result, limit=limit)
    else:
        with open(output, "w", encoding="utf-8") as file:
            show_table(output_console(file), result, limit=limit)
