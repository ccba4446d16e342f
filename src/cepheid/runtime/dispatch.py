"""Choose the runner by the kind of events, and give results of the same kind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from cepheid.analysis.schema import EventSchema
from cepheid.errors import UNNAMED, ConfigError, DataError
from cepheid.plan.physical import PhysicalPlan
from cepheid.plan.run_options import Batch
from cepheid.program.compute_columns import with_computed
from cepheid.program.program import Program
from cepheid.runtime.event_schema import ColumnRoles, check_columns, event_schema, named_columns
from cepheid.runtime.event_tables import (
    TableKind,
    column_names,
    from_arrow,
    kind_of,
    only_columns,
    to_arrow,
    unite_types,
)
from cepheid.runtime.interruptible import each_interruptible, interruptible
from cepheid.runtime.local import (
    LOG,
    reads_columns,
    result_schema,
    run_columns,
    run_in_batches,
    run_local,
)
from cepheid.runtime.missing_types import warn_of_missing_types
from cepheid.runtime.name_errors import errors_of
from cepheid.runtime.stored_events import LEAST_ROWS, ColumnReader, StoredEvents
from cepheid.runtime.stream_options import Streaming

if TYPE_CHECKING:
    from cepheid.runtime.compressed import CompressedMatches


MakePlan = Callable[[EventSchema], PhysicalPlan]
MakeProgram = Callable[[EventSchema], Program]


@dataclass(frozen=True, slots=True)
class EventInput:
    """Events as one Arrow table or Spark DataFrame, the kind they were given as, and their roles.

    Tables per event type are stacked; then the roles name the type column and the types' schemas.
    """

    events: Any
    kind: TableKind
    roles: ColumnRoles


def run_events(
    make_program: MakeProgram,
    events: Any,
    roles: ColumnRoles,
    options: Batch | Streaming,
) -> Any:
    """Run on events of any supported kind; the options are for that kind."""
    given = read_input(events, roles)
    if is_stream(given):
        from cepheid.runtime.spark.stream.run_stream import run_stream

        assert isinstance(options, Streaming)
        return run_stream(make_program, given.events, given.roles, options)
    if given.kind is TableKind.SPARK:
        from cepheid.runtime.spark.batch import run_spark

        return run_spark(make_program, given.events, given.roles)
    program = make_program(event_schema(given.events.schema, given.roles))
    tell_warnings(program)

    def run() -> Any:
        table = with_computed(given.events, program.computed)
        found = run_local(program, table, threads=available_cores())
        if program.type_column is not None and given.roles.schemas is None:
            warn_of_missing_types([program], given.events[program.type_column])
        return as_kind(found, given.kind)

    with errors_of(program.name):
        return interruptible(run)


def find_batches(make_program: MakeProgram, events: Any, roles: ColumnRoles) -> Any:
    """Return a reader of the result, which is found while it is read."""
    given = read_input(events, roles)
    if given.kind is TableKind.SPARK:
        raise ConfigError(
            "batches is for events of this process, and these are on Spark",
            hint="use run: a DataFrame is computed as it is read, too",
        )
    program = make_program(event_schema(given.events.schema, given.roles))
    tell_warnings(program)
    if program.type_column is not None and given.roles.schemas is None:
        warn_of_missing_types([program], given.events[program.type_column])
    table = with_computed(given.events, program.computed)
    found = run_in_batches(program, table, threads=available_cores())
    schema = result_schema(program, table.schema)
    return pa.RecordBatchReader.from_batches(schema, each_interruptible(found))


def tell_warnings(program: Program) -> None:
    """Log what the user should know of the query, once for a run."""
    whose = "" if program.name == UNNAMED else f"query '{program.name}': "
    for each in program.warnings:
        LOG.warning("%s%s", whose, each)


def release_results(results: Iterable[Any]) -> None:
    """Release what Spark keeps for results; other kinds of results keep nothing."""
    if "pyspark" in sys.modules:
        from cepheid.runtime.spark.kept_frames import release

        release(results)


def is_stream(given: EventInput) -> bool:
    """Whether more events come while a query runs."""
    return given.kind is TableKind.SPARK and bool(given.events.isStreaming)


def run_stored(make_program: MakeProgram, stored: StoredEvents, roles: ColumnRoles) -> Any:
    """Run on stored events: read the columns that the program needs, event types as codes."""
    program = make_program(event_schema(stored.schema, roles))
    tell_warnings(program)

    with errors_of(program.name):
        return interruptible(partial(_run_stored, program, stored))


def _run_stored(program: Program, stored: StoredEvents) -> Any:
    needed = [name for name in stored.schema.names if name in program.stored_columns]
    is_code = program.type_column is not None and program.type_column not in program.partition_by
    encoded = [name for name in needed if is_code and name == program.type_column]
    threads = available_cores()
    is_small = threads == 1 or stored.row_count < LEAST_ROWS
    if is_small or program.computed or not reads_columns(program):
        table = with_computed(stored.read(needed, encoded), program.computed)
        added = [table.schema.field(each.name) for each in program.computed]
        schema = pa.schema([*stored.schema, *added])
        result = run_local(program, table, schema, threads=threads)
        if program.type_column is not None:
            warn_of_missing_types([program], table[program.type_column])
        return result
    first = [program.time, program.type_column, *program.partition_by]
    needed.sort(key=lambda name: first.index(name) if name in first else len(first))
    with ColumnReader(stored, needed, encoded, threads) as columns:
        found = run_columns(program, columns, columns.row_count, stored.schema, threads=threads)
        if program.type_column is not None:
            warn_of_missing_types([program], columns[program.type_column])
    return found


def as_kind(result: pa.Table | CompressedMatches, kind: TableKind) -> Any:
    """Return a result as the kind of table that the events were."""
    if isinstance(result, pa.Table):
        return from_arrow(result, kind)
    return result.converted(lambda expanded: from_arrow(expanded, kind))


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_input(events: Any, roles: ColumnRoles) -> EventInput:
    """Return the events as one table."""
    if isinstance(events, Mapping):
        return _stack(events, roles)
    kind = kind_of(events)
    return EventInput(events if kind is TableKind.SPARK else to_arrow(events, kind), kind, roles)


def schema_of(events: Any, roles: ColumnRoles) -> EventSchema:
    """Return the columns of events of any supported kind, their types and roles."""
    given = read_input(events, roles)
    if given.kind is TableKind.SPARK:
        from cepheid.runtime.spark.batch import arrow_schema_of

        return event_schema(arrow_schema_of(given.events), given.roles)
    return event_schema(given.events.schema, given.roles)


def check_input(events: Any, roles: ColumnRoles) -> list[str]:
    """Return the names of all columns, if the columns that have a role can have it.

    Only these are converted to Arrow, where that is needed to know what they hold.
    """
    is_typed = isinstance(events, Mapping)
    own = replace(roles, type=None) if is_typed else roles
    found: dict[str, None] = {}
    narrow = {}
    for name, each in (events if is_typed else {"": events}).items():
        kind = kind_of(each)
        names = column_names(each, kind)
        check_columns(names, own, f"the events of type '{name}'" if is_typed else "the events")
        found |= dict.fromkeys(names)
        narrow[name] = only_columns(each, kind, [column for _, column in named_columns(own)])
    schema_of(narrow if is_typed else narrow[""], roles)
    return list(found)


def _stack(events: Mapping[str, Any], roles: ColumnRoles) -> EventInput:
    """Several tables, one per event type: their columns are the declared schemas."""
    if not events:
        raise DataError("no events: the mapping from type to table is empty")
    kinds = {name: kind_of(each) for name, each in events.items()}
    kind = next(iter(kinds.values()))
    for name, other in kinds.items():
        if other is not kind:
            raise DataError(
                f"the events of type '{name}' are a {other.value}, the others a {kind.value}",
                hint="give all types as the same kind of table",
            )
    if kind is TableKind.SPARK:
        from cepheid.runtime.spark.unite_frames import unite_frames

        frame, united = unite_frames(events, roles)
        return EventInput(frame, kind, united)
    tables = {name: to_arrow(each, kind) for name, each in events.items()}
    for name, each in tables.items():
        check_columns(each.column_names, replace(roles, type=None), f"the events of type '{name}'")
    table, type_column, schemas = unite_types(tables)
    united = replace(roles, type=type_column, schemas=roles.schemas or schemas)
    return EventInput(table, kind, united)
