"""`cepheid run`: a query on files of events."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from cepheid import Query
from cepheid.cli.arguments import (
    Engine,
    ParameterOption,
    QueryArgument,
    QuietOption,
    SchemaOption,
    TimeOption,
    TimeUnitOption,
    TypeOption,
    WithOption,
)
from cepheid.cli.console import reporting, show_note, working
from cepheid.cli.query_set import QuerySet, load_queries, split_queries
from cepheid.cli.write_result import (
    DEFAULT_LIMIT,
    MOST_LOOKED_FOR,
    Format,
    Target,
    choose_output,
    expanded,
    is_compressed,
    write_batches,
    write_results,
)
from cepheid.errors import ConfigError
from cepheid.plan.run_options import MOST_MATCHES


def run(
    query: QueryArgument,
    events: Annotated[
        list[str],
        typer.Argument(
            help="Event files or directories: CSV, JSON lines or Parquet; or one file per event "
            "type as TYPE=path. Before them, further query files (.cep).",
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
            help="table, json (lines), csv, parquet or html (a page with pictures). Default: by "
            "the suffix of --output, else table; csv in a directory.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="File for the result; with several queries a directory, for one file each. A page "
            "has all of them in one file.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=0,
            help=f"Matches to look for, any of them; 0 for all. Of a table: rows to show, the "
            f"first of at most {MOST_LOOKED_FOR:,} matches. Default: {DEFAULT_LIMIT} rows of a "
            "table, else all.",
        ),
    ] = None,
    max_matches: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Fail if a query lists more than N matches, before they are built; 0 for any "
            "number.",
        ),
    ] = MOST_MATCHES,
    live_limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Fail if more than N partial matches stay alive in a partition (looked at when "
            "there are twice as many).",
            show_default=False,
        ),
    ] = None,
    on_expiry: Annotated[
        bool,
        typer.Option(
            "--on-expiry",
            help="Aggregates with WITHIN alone: also give a row when only time changes the result.",
        ),
    ] = False,
    parallel_in_time: Annotated[
        bool | None,
        typer.Option(
            "--parallel-in-time/--no-parallel-in-time",
            help="Spark: fold ranges of time on several tasks, also of one hot partition.",
            show_default="where there are no partitions",
        ),
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(
            metavar="ATTRIBUTE",
            help="A page: draw this attribute as a line above the events of each row.",
            show_default=False,
        ),
    ] = None,
    quiet: QuietOption = False,
    others: WithOption = None,
    sharing: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="Several queries: how they share work on common parts; dynamic, always or never.",
            show_default="dynamic",
        ),
    ] = None,
) -> None:
    r"""Run a query on files of events and print the result.

    [bold]Examples[/bold]

    cepheid run rides.cep rides.csv

    cepheid run "PATTERN SEQ(A a, B+ b) WHERE \[user] WITHIN 1 h" clicks/ -e spark

    cepheid run funnel.cep View=v.csv Buy=b.csv -p limit=100 -o out.parquet

    cepheid run alarms.cep fires.cep readings.csv -o found -f parquet

    cepheid run alarms.cep readings.csv -o report.html

    cepheid run alarms.cep readings.csv --with "PATTERN Smoke s" --sharing never
    """
    from cepheid.analysis.schema import OPEN_SCHEMA
    from cepheid.cli.column_roles import types_of
    from cepheid.cli.engines import open_engine
    from cepheid.cli.order_rows import order_rows
    from cepheid.cli.read_events import find_files, read_events
    from cepheid.cli.write_report import write_report

    with reporting(quiet=quiet):
        further, paths = split_queries(events)
        further += others or []
        target = choose_output(format, output, limit, is_single=not further)
        if value is not None and target.format is not Format.HTML:
            raise ConfigError("--value is for pages", hint="write one: --format html -o NAME.html")
        queries = load_queries(query, further, param)
        for plan in queries.plans(OPEN_SCHEMA).values():
            plan.require_executable()
        files = find_files(paths)
        schemas = _schemas(schema)
        with open_engine(engine, quiet=quiet) as runner:
            start = clock.perf_counter()
            with working("Running the query", quiet=quiet):
                read = read_events(runner, files, types_of(queries.all), time, type)
                options: dict[str, Any] = {
                    "time": read.time,
                    "type": read.type,
                    "order": order or (),
                    "schemas": schemas,
                    "time_unit": time_unit,
                    "live_limit": live_limit,
                    "max_matches": max_matches or None,
                    "limit": _limit(queries, target),
                    "on_expiry": on_expiry,
                }
                sharing_options = _sharing(queries, sharing)
                is_whole = engine is Engine.LOCAL and parallel_in_time is None
                rows, results, notes = "", dict[str, Any](), list[str]()
                if target.format is Format.HTML:
                    _refuse_for_pages(sharing=sharing, parallel_in_time=parallel_in_time)
                    rows = write_report(queries, read.events, {**options, "value": value}, output)
                elif is_whole and target.is_streamed:
                    rows = _counted(write_batches(queries.batches(read.events, **options), target))
                else:
                    lazy = queries.run(
                        read.events,
                        **options,
                        parallel_in_time=parallel_in_time,
                        **sharing_options,
                    )
                    notes = _notes(lazy, target)
                    results = {
                        name: order_rows(runner.collect(expanded(each, target), name))
                        for name, each in lazy.items()
                    }
                    rows = _counted(sum(each.num_rows for each in results.values()))
            seconds = clock.perf_counter() - start
        write_results(results, target)
        for note in notes:
            show_note(note, quiet=quiet)
        place = "" if output is None else f" to {output}"
        show_note(f"{rows}{place} in {seconds:.2f} s ({engine.value} engine)", quiet=quiet)


def _refuse_for_pages(**options: object) -> None:
    """A page is made in this process, whatever read the events."""
    given = next((name for name, each in options.items() if each is not None), None)
    if given is not None:
        raise ConfigError(
            f"--{given.replace('_', '-')} changes nothing of a page", hint="leave it out"
        )


def _counted(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _limit(queries: QuerySet, target: Target) -> int | None:
    """Return how many matches are looked for; of other results a table shows the first rows."""
    from cepheid.analysis.schema import OPEN_SCHEMA
    from cepheid.plan.run_options import lists_matches

    plans = queries.plans(OPEN_SCHEMA).values()
    is_shown = target.shows_a_part and not any(map(lists_matches, plans))
    return None if is_shown else target.most_rows


def _sharing(queries: QuerySet, policy: str | None) -> dict[str, str]:
    if policy is None:
        return {}
    if isinstance(queries.queries, Query):
        raise ConfigError(
            "--sharing is for several queries", hint="name further query files, or use --with"
        )
    return {"sharing": policy}


def _notes(results: Mapping[str, Any], target: Target) -> list[str]:
    """Say how many matches compressed results stand for, where not all of them are shown."""
    if not target.shows_a_part:
        return []
    compressed = {name: each for name, each in results.items() if is_compressed(each)}
    return [
        f"{name}: {each.count():,} matches, compressed; at most {target.limit} are shown"
        for name, each in compressed.items()
    ]


def _schemas(path: str | None) -> dict[str, list[str]] | None:
    if path is None:
        return None
    from cepheid.connectors.read_schema import read_schema

    return {name: list(attributes) for name, attributes in read_schema(path).items()}
