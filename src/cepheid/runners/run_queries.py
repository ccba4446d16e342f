"""Run queries on events of any kind: each comes after those whose results it reads.

A query by itself is the same with one member.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import pyarrow as pa

from cepheid.analysis.schema import EventSchema
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.derived_events import DerivedStream, derived_schema, united_schema
from cepheid.engine.events.event_schema import (
    ColumnRoles,
    check_columns,
    event_schema,
    named_columns,
)
from cepheid.engine.failed import Failed
from cepheid.engine.members import ChangingQueries, Member, tell_warnings
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.process.threads import each_interruptible, interruptible
from cepheid.engine.results import result_schema
from cepheid.engine.run import LocalResult
from cepheid.engine.shared.policy import Policy, Sharing
from cepheid.errors import ConfigError, DataError
from cepheid.plan.run_options import Batch
from cepheid.plan.stream_options import Streaming
from cepheid.program.program import Program
from cepheid.program.run_record import RunRecord
from cepheid.runners.in_process import InProcess
from cepheid.runners.query_results import QueryResults
from cepheid.runners.say_progress import say_progress, say_tasks
from cepheid.tables.stored_columns import PlainEvents, is_stored
from cepheid.tables.table_kinds import (
    TableKind,
    column_names,
    from_arrow,
    kind_of,
    only_columns,
    to_arrow,
    unite_types,
)


@dataclass(frozen=True, slots=True)
class EventInput:
    """Events as one Arrow table, Spark DataFrame or stored ones; their kind and their roles.

    Tables per event type are stacked; then the roles name the type column and the types' schemas.
    """

    events: Any
    kind: TableKind
    roles: ColumnRoles

    @property
    def is_stream(self) -> bool:
        """Whether more events come while a query runs."""
        if self.kind is not TableKind.SPARK:
            return False
        from cepheid.spark.frames.query_functions import is_streaming

        return is_streaming(self.events)


class Runner(Protocol):
    """Runs programs on events that have an end, of one kind."""

    schema: pa.Schema

    def run(self, programs: Sequence[Program], sharing: Sharing) -> Sequence[Any]:
        """Return the result of every program."""

    def run_with_results(
        self, program: Program, schema: pa.Schema, streams: Sequence[DerivedStream]
    ) -> Any:
        """Return the result of a program that reads those of others, or is read by others."""

    def as_events(
        self, member: Member, program: Program, result: Any, schema: pa.Schema
    ) -> tuple[Any, DerivedStream]:
        """Return a result without what only its events need, and its events."""


def run_queries(
    members: Sequence[Member],
    events: Any,
    roles: ColumnRoles,
    options: Batch | Streaming,
    sharing: Sharing | None = None,
    report: RankedFolds | None = None,
) -> dict[str, Any]:
    """Return the result of every query by its name.

    `sharing` says when queries that are folded together share the work on a burst of events;
    `report` writes down what ran.
    """
    folds = RankedFolds() if report is None else report
    record = folds.record
    with record.stage("read"):
        given = read_input(events, roles)
    if report is not None:
        if given.kind is TableKind.SPARK:
            raise ConfigError(
                "what queries share is recorded in process only, and these events are on Spark",
                hint="give a table of this process: frame.toArrow() or frame.toPandas()",
            )
        report.schema = event_schema(given.events.schema, given.roles)
    _require_type_column(members, given.roles)
    if given.kind is TableKind.SPARK:
        _check_workers(given)
    if given.is_stream:
        from cepheid.spark.stream.stream_members import run_streams

        assert isinstance(options, Streaming)
        return run_streams(members, given.events, given.roles, options)
    if given.kind is TableKind.SPARK:
        from cepheid.spark.batch.batch_members import SparkMembers

        say_tasks(given.events.sparkSession)
        return _run_members(
            members, SparkMembers(given.events, given.roles), given, sharing, record
        )
    runner = InProcess(given.events, given.roles, folds)
    with errors_of(None), say_progress(len(members), given.events, record):
        return interruptible(partial(_run_members, members, runner, given, sharing, record))


def _run_members(
    members: Sequence[Member],
    runner: Runner,
    given: EventInput,
    sharing: Sharing | None,
    record: RunRecord,
) -> dict[str, Any]:
    """Run those first that have nothing to do with the results of others: they share work."""
    results: dict[str, Any] = {}
    apart = [each for each in members if each.is_apart]
    if apart:
        known = event_schema(runner.schema, given.roles)
        with record.stage("plan"):
            programs = [_told(each.make_program(known)) for each in apart]
        found = runner.run(programs, sharing or Sharing())
        results |= {each.name: one for each, one in zip(apart, found, strict=True)}
    streams: dict[str, DerivedStream] = {}
    for member in members:
        if member.is_apart:
            continue
        without = [each for each in member.givers if isinstance(results[each], Failed)]
        if without:
            results[member.name] = results[without[0]]
            continue
        read = [streams[each] for each in member.givers]
        schema = united_schema(runner.schema, read, given.roles.time)
        known = derived_schema(schema, runner.schema.names, read, given.roles)
        with record.stage("plan"):
            program = _told(member.make_program(known))
        try:
            result = runner.run_with_results(program, schema, read)
        except DataError as error:
            results[member.name] = Failed(error)
            continue
        if member.stream_type is not None:
            result, streams[member.name] = runner.as_events(member, program, result, schema)
        results[member.name] = result
    failed = [each for each in results.values() if isinstance(each, Failed)]
    if failed and len(failed) == len(results):
        raise failed[0].error
    if given.kind is TableKind.SPARK:
        return QueryResults(results)
    with record.stage("convert"):
        results = {name: _as_kind(name, each, given.kind) for name, each in results.items()}
    return QueryResults(results)


def _told(program: Program) -> Program:
    tell_warnings(program)
    return program


def _as_kind(name: str, result: LocalResult | Failed, kind: TableKind) -> Any:
    """Return a result as the kind of table that the events were."""
    if isinstance(result, Failed):
        return result
    with errors_of(name):
        if isinstance(result, pa.Table):
            return from_arrow(result, kind)
        return result.converted(lambda expanded: from_arrow(expanded, kind))


def find_batches(member: Member, events: Any, roles: ColumnRoles) -> pa.RecordBatchReader:
    """Return a reader of the result, which is found while it is read."""
    given = read_input(events, roles)
    if given.kind is TableKind.SPARK:
        raise ConfigError(
            "batches is for events of this process, and these are on Spark",
            hint="use run: a DataFrame is computed as it is read, too",
        )
    program = _told(member.make_program(event_schema(given.events.schema, given.roles)))
    found = InProcess(given.events, given.roles, RankedFolds()).batches(program)
    schema = result_schema(program, given.events.schema)
    return pa.RecordBatchReader.from_batches(schema, each_interruptible(found))


def stream_workload(
    members: Sequence[Member],
    events: Any,
    roles: ColumnRoles,
    options: Streaming,
    sharing: Sharing,
) -> Any:
    """Return the results of all queries on a stream as one; see `Workload.stream`."""
    given = read_input(events, roles)
    _require_type_column(members, given.roles)
    _check_workers(given)
    from cepheid.spark.stream.stream_members import run_as_one

    return run_as_one(members, given.events, given.roles, options, sharing.policy)


def stream_changing(
    queries: ChangingQueries,
    events: Any,
    roles: ColumnRoles,
    options: Streaming,
    policy: Policy,
) -> Any:
    """Return the results of the queries of a folder on a stream; see `QueryFolder.stream`."""
    given = read_input(events, roles)
    _check_workers(given)
    from cepheid.spark.stream.run_changing import run_changing

    return run_changing(queries, given.events, given.roles, options, policy)


def release_results(results: Iterable[Any]) -> None:
    """Release what Spark keeps for results; other kinds of results keep nothing."""
    if "pyspark" in sys.modules:
        from cepheid.spark.frames.cached_frames import release

        release(results)


def _require_type_column(members: Sequence[Member], roles: ColumnRoles) -> None:
    stream_type = next((e.stream_type for e in members if e.stream_type is not None), None)
    if roles.type is None and stream_type is not None:
        raise DataError(
            f"without a type column the events cannot be told from those of type {stream_type}",
            hint="name the column, type='…' (--type), or give a mapping from type to table",
        )


# --- events of any kind ---


def read_input(events: Any, roles: ColumnRoles) -> EventInput:
    """Return the events as one table; stored ones stay where they are."""
    if isinstance(events, Mapping):
        return _stack(events, roles)
    if is_stored(events):
        return EventInput(PlainEvents(events), TableKind.ARROW, roles)
    kind = kind_of(events)
    if kind is TableKind.SPARK:
        _require_declared(events)
        return EventInput(events, kind, roles)
    return EventInput(to_arrow(events, kind), kind, roles)


def _require_declared(frame: Any) -> None:
    from cepheid.spark.frames.query_functions import require_declared

    require_declared(frame)


def _check_workers(given: EventInput) -> None:
    """Say before a job fails that its workers have the wrong Python."""
    from cepheid.spark.worker_python import check_worker_python

    check_worker_python(given.events.sparkSession)


def schema_of(events: Any, roles: ColumnRoles) -> EventSchema:
    """Return the columns of events of any supported kind, their types and roles."""
    given = read_input(events, roles)
    if given.kind is TableKind.SPARK:
        from cepheid.spark.batch.run_batch import arrow_schema_of

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
        if kind is TableKind.SPARK:
            _require_declared(each)
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
        from cepheid.spark.unite_frames import unite_frames

        for each in events.values():
            _require_declared(each)
        frame, united = unite_frames(events, roles)
        return EventInput(frame, kind, united)
    tables = {name: to_arrow(each, kind) for name, each in events.items()}
    for name, each in tables.items():
        check_columns(each.column_names, replace(roles, type=None), f"the events of type '{name}'")
    table, type_column, schemas = unite_types(tables)
    united = replace(roles, type=type_column, schemas=roles.schemas or schemas)
    return EventInput(table, kind, united)
