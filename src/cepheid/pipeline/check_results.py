"""What queries give fits a stream and the sinks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pyarrow as pa

from cepheid.engine.results import result_schema
from cepheid.errors import Diagnostic, UnsupportedQueryError
from cepheid.pipeline.bind_queries import BoundQueries
from cepheid.pipeline.event_columns import EventColumns
from cepheid.pipeline.model import Pipeline, Sink
from cepheid.pipeline.pipeline_document import Document, Path
from cepheid.program.lower import lower
from cepheid.stream.stream_bundle import reject_unbounded

LATE_IN_A_TABLE = pa.schema([("query", pa.string()), ("event", pa.string())])


def check_results(
    settings: Pipeline,
    document: Document,
    columns: EventColumns,
    queries: BoundQueries,
    problems: list[Diagnostic],
) -> None:
    """Add results that never end, or that a sink cannot take, to the problems."""
    schemas: dict[str, pa.Schema] = {}
    for name, plan in queries.plans.items():
        program = lower(plan)
        try:
            reject_unbounded(program)
        except UnsupportedQueryError as error:
            place = document.place_of_key(("queries", name))
            problems += [replace(each, location=place) for each in error.diagnostics]
            continue
        if columns.arrow is not None and not plan.query.schema.derived_types:
            schemas[name] = result_schema(program, columns.arrow)
    problems += _lists_in_csv(settings, document, schemas)
    problems += _late_lists_in_csv(settings, document, columns)
    problems += _different_results_in_one_table(settings, document, schemas)


def _lists_in_csv(
    settings: Pipeline, document: Document, schemas: Mapping[str, pa.Schema]
) -> Iterator[Diagnostic]:
    for name, schema in schemas.items():
        sink = settings.sinks.get(name)
        column = None if sink is None else _no_column_of_csv(sink, schema)
        if column is not None:
            message = f"a CSV file cannot hold the lists of column '{column}'"
            hint = "use json or parquet, or return single values"
            yield Diagnostic("conflict", message, document.place_of_key(("sinks", name)), hint)


def _late_lists_in_csv(
    settings: Pipeline, document: Document, columns: EventColumns
) -> Iterator[Diagnostic]:
    """Late events have all columns of the source."""
    if settings.late is None or columns.arrow is None:
        return
    column = _no_column_of_csv(settings.late, columns.arrow)
    if column is not None:
        message = f"a CSV file cannot hold column '{column}' of late events: it is no single value"
        hint = "use json or parquet, or leave the column out of the schema"
        yield Diagnostic("conflict", message, document.place_of_key(("late",)), hint)


def _no_column_of_csv(sink: Sink, schema: pa.Schema) -> str | None:
    if sink.files is None or sink.files.format != "csv":
        return None
    return next((each.name for each in schema if pa.types.is_nested(each.type)), None)


def _different_results_in_one_table(
    settings: Pipeline, document: Document, schemas: Mapping[str, pa.Schema]
) -> Iterator[Diagnostic]:
    first: dict[tuple[str, ...], tuple[str, pa.Schema]] = {}
    named: list[tuple[str, Path, Sink, pa.Schema]] = [
        (f"the results of '{name}'", ("sinks", name), settings.sinks[name], schema)
        for name, schema in schemas.items()
        if name in settings.sinks
    ]
    if settings.late is not None:
        named.append(("late events", ("late",), settings.late, LATE_IN_A_TABLE))
    for what, key, sink, schema in named:
        table = _table(sink)
        if table is None:
            continue
        other, columns = first.setdefault(table, (what, schema))
        if not columns.equals(schema):
            message = (
                f"{what} and {other} have different columns, but go to one table: "
                f"{', '.join(schema.names)}; {', '.join(columns.names)}"
            )
            hint = "give each a table of its own, or return columns of the same names and types"
            yield Diagnostic("conflict", message, document.place_of_key(key), hint)


def _table(sink: Sink) -> tuple[str, ...] | None:
    if sink.table is not None:
        return ("table", sink.table.name.casefold())
    if sink.postgresql is not None:
        return ("postgresql", sink.postgresql.url, sink.postgresql.table)
    return None
