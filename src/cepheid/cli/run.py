"""`cepheid run`: a query on files of events."""

from __future__ import annotations

import time as clock
from typing import Annotated

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
from cepheid.cli.console import reporting, show_note, working
from cepheid.cli.write_result import DEFAULT_LIMIT, Format, choose_format, write_result


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
            metavar="FORMAT",
            help="table, json (lines), csv or parquet. Default: by the suffix of --output, else "
            "table.",
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

    cepheid run "PATTERN SEQ(A a, B+ b) WHERE \[user] WITHIN 1 h" clicks/ -e spark

    cepheid run funnel.cep View=v.csv Buy=b.csv -p limit=100 -o out.parquet
    """
    from cepheid.cli.engines import open_engine
    from cepheid.cli.order_rows import order_rows
    from cepheid.cli.read_events import find_files, read_events

    with reporting(quiet=quiet):
        chosen = choose_format(format, output, limit)
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
        write_result(result, chosen, output, limit)
        rows = f"{result.num_rows:,} row{'' if result.num_rows == 1 else 's'}"
        place = "" if output is None else f" to {output}"
        show_note(f"{rows}{place} in {seconds:.2f} s ({engine.value} engine)", quiet=quiet)


def _schemas(path: str | None) -> dict[str, list[str]] | None:
    if path is None:
        return None
    from cepheid.connectors.read_schema import read_schema

    return {name: list(attributes) for name, attributes in read_schema(path).items()}
