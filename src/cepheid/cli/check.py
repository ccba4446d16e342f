"""`cepheid check`: parse and bind queries, run nothing."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Annotated

import typer

from cepheid.cli.arguments import (
    ParameterOption,
    SchemaOption,
    TimeOption,
    TimeUnitOption,
    TypeOption,
    WithOption,
)
from cepheid.cli.console import QUERY_OR_DATA, output_console, reporting, show_error, show_warning
from cepheid.cli.query_set import QuerySet, load_queries
from cepheid.errors import ConfigError, QueryError
from cepheid.language.printer import print_query

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cepheid.analysis.schema import EventSchema
    from cepheid.plan.physical import PhysicalPlan

EventsOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="A file of events, whose columns the query must fit."),
]


def check(
    queries: Annotated[
        list[str],
        typer.Argument(help="Query files (.cep) or texts.", metavar="QUERY...", show_default=False),
    ],
    schema: SchemaOption = None,
    events: EventsOption = None,
    time: TimeOption = None,
    type: TypeOption = None,
    time_unit: TimeUnitOption = "s",
    param: ParameterOption = None,
    others: WithOption = None,
) -> None:
    """Check queries: syntax, names and rules; with events or a schema also columns and types.

    Prints ok and the query in its normal form for each that is correct, and all mistakes of the
    others; then the exit code is 1.

    [bold]Examples[/bold]

    cepheid check queries/*.cep

    cepheid check rides.cep --events rides.csv

    cepheid check alarms.cep --with fires.cep --events readings.csv
    """
    from cepheid.cli.highlight_query import highlight_query

    console = output_console()
    failed = False
    with reporting():
        if schema is not None and events is not None:
            raise ConfigError("give --schema or --events, not both")
        for group in [[*queries, *others]] if others else [[each] for each in queries]:
            try:
                loaded = load_queries(group[0], group[1:], param)
                known = schema_for(loaded, schema, events, time=time, type=type, unit=time_unit)
                plans = loaded.plans(known)
            except QueryError as error:
                show_error(error)
                failed = True
                continue
            if events is not None:
                _warn_of_missing_types(plans.values(), known, events)
            for name, plan in plans.items():
                console.print(f"{name}: ok", markup=False, soft_wrap=True)
                text = indent(print_query(plan.query.tree), "  ")
                console.print(highlight_query(text), soft_wrap=True)
                for diagnostic in plan.unsupported:
                    show_warning(f"{name}: {diagnostic.message}")
                for warning in plan.warnings:
                    show_warning(f"{name}: {warning}")
    if failed:
        raise typer.Exit(QUERY_OR_DATA)


def _warn_of_missing_types(plans: Iterable[PhysicalPlan], known: EventSchema, path: str) -> None:
    """Say which event types of the queries do not occur in a file."""
    from cepheid.connectors.read_local import EventFiles
    from cepheid.engine.events.warn_of_events import warn_of_missing_types
    from cepheid.program.lower import lower

    column = known.type_column
    if column is not None:
        programs = [lower(each) for each in plans if not each.unsupported]
        warn_of_missing_types(programs, EventFiles([path]).read([column], [column])[column])


def schema_for(
    queries: QuerySet,
    schema: str | None,
    events: str | None,
    *,
    time: str | None,
    type: str | None,
    unit: str,
) -> EventSchema:
    """Return what is known of the events: a declaration, a file's columns, or nothing."""
    from cepheid.analysis.schema import OPEN_SCHEMA
    from cepheid.cli.column_roles import types_of
    from cepheid.cli.read_events import schema_of_declaration, schema_of_file

    if schema is not None:
        return schema_of_declaration(schema)
    if events is not None:
        types = types_of(queries.all)
        return schema_of_file(events, types, time=time, type=type, time_unit=unit)
    return OPEN_SCHEMA
