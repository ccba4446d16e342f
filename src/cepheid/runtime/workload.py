"""Several queries on the same events, one after the other; some read the results of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.analysis.schema import EventSchema
from cepheid.errors import ConfigError, DataError
from cepheid.plan.run_options import Batch
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.compute_columns import with_computed
from cepheid.program.lower import lower
from cepheid.program.program import Program
from cepheid.runtime.bundle import whole_bundle
from cepheid.runtime.compressed import CompressedMatches
from cepheid.runtime.derived_events import (
    DerivedStream,
    derived_schema,
    key_sources,
    own_columns,
    ticks_before_end,
    united_schema,
)
from cepheid.runtime.dispatch import (
    EventInput,
    MakePlan,
    MakeProgram,
    as_kind,
    available_cores,
    is_stream,
    read_input,
    tell_warnings,
)
from cepheid.runtime.event_schema import ColumnRoles, event_schema
from cepheid.runtime.event_tables import TableKind
from cepheid.runtime.interruptible import interruptible
from cepheid.runtime.local import LocalResult, run_local
from cepheid.runtime.missing_types import warn_of_missing_types
from cepheid.runtime.name_errors import errors_of, errors_of_one
from cepheid.runtime.sharing.analyze_set import SetAnalysis
from cepheid.runtime.sharing.policy import Policy, Sharing
from cepheid.runtime.sharing.run_set import RunSet, run_set
from cepheid.runtime.sharing.run_together import run_together
from cepheid.runtime.stored_events import StoredEvents
from cepheid.runtime.stream_options import Streaming


@dataclass(frozen=True, slots=True)
class Member:
    """A query of a workload; `givers` are the queries whose results it reads.

    `stream_type` is the type of its results as events, if another query reads them. `make_program`
    is for queries without givers that no other query reads.
    """

    name: str
    make_plan: MakePlan
    givers: tuple[str, ...]
    stream_type: str | None
    make_program: MakeProgram


class MemberRunner(Protocol):
    """Runs one query after the other on events of one kind."""

    def run(
        self, member: Member, streams: Sequence[DerivedStream]
    ) -> tuple[Any, DerivedStream | None]:
        """Return the result, and the same as events if another query reads them."""


def run_workload(
    members: Sequence[Member],
    events: Any,
    roles: ColumnRoles,
    options: Batch | Streaming,
    sharing: Sharing | None = None,
    analysis: SetAnalysis | None = None,
) -> dict[str, Any]:
    """Return the result of every query by its name; each comes after those that it reads.

    `sharing` says when queries that are folded together share the work on a burst of events;
    `analysis` writes down what they did.
    """
    given = read_input(events, roles)
    if analysis is not None:
        if given.kind is TableKind.SPARK:
            raise ConfigError(
                "what queries share is recorded in process only, and these events are on Spark",
                hint="give a table of this process: frame.toArrow() or frame.toPandas()",
            )
        analysis.schema = event_schema(given.events.schema, given.roles)
    _require_type_column(members, given.roles)
    run = partial(_run_members, members, given, options, sharing or Sharing(), analysis)
    if given.kind is TableKind.SPARK:
        return run()
    with errors_of(None):
        return interruptible(run)


def _run_members(
    members: Sequence[Member],
    given: EventInput,
    options: Batch | Streaming,
    sharing: Sharing,
    analysis: SetAnalysis | None,
) -> dict[str, Any]:
    runner: MemberRunner
    results: dict[str, Any] = {}
    if is_stream(given):
        from cepheid.runtime.spark.stream.workload import StreamMembers

        assert isinstance(options, Streaming)
        runner = StreamMembers(given.events, given.roles, options)
    elif given.kind is TableKind.SPARK:
        from cepheid.runtime.spark.workload import SparkMembers

        runner = on_spark = SparkMembers(given.events, given.roles)
        results |= on_spark.run_together(members, sharing)
    else:
        runner = in_process = LocalMembers(
            given.events, given.roles, run_set if analysis is None else analysis.run_set
        )
        together = in_process.run_together(members, sharing)
        results |= {name: as_kind(each, given.kind) for name, each in together.items()}
    streams: dict[str, DerivedStream] = {}
    for member in members:
        if member.name in results:
            continue
        result, stream = runner.run(member, [streams[each] for each in member.givers])
        results[member.name] = (
            result if given.kind is TableKind.SPARK else as_kind(result, given.kind)
        )
        if stream is not None:
            streams[member.name] = stream
    return results


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
    from cepheid.runtime.spark.stream.workload import run_as_one

    return run_as_one(members, given.events, given.roles, options, sharing.policy)


@dataclass(frozen=True, slots=True)
class ChangingQueries:
    """A folder of query files; events with the same `keys` are folded in the same place.

    `make_program` is given the name and the text of a query, and the schema of the events.
    """

    path: str
    keys: tuple[str, ...]
    make_program: Callable[[str, str, EventSchema], Program]

    def compiler(self, schema: pa.Schema, roles: ColumnRoles) -> Callable[[str, str], Program]:
        """Return what makes a program of name and text."""
        return partial(_compile, self.make_program, event_schema(schema, roles))


def _compile(
    make_program: Callable[[str, str, EventSchema], Program],
    schema: EventSchema,
    name: str,
    text: str,
) -> Program:
    return make_program(name, text, schema)


def stream_changing(
    queries: ChangingQueries,
    events: Any,
    roles: ColumnRoles,
    options: Streaming,
    policy: Policy,
) -> Any:
    """Return the results of the queries of a folder on a stream; see `QueryFolder.stream`."""
    given = read_input(events, roles)
    from cepheid.runtime.spark.stream.run_changing import run_changing

    return run_changing(queries, given.events, given.roles, options, policy)


def read_stored(members: Sequence[Member], stored: StoredEvents, roles: ColumnRoles) -> pa.Table:
    """Return the columns that queries need; types come as codes where no result shows them."""
    names = stored.schema.names
    if roles.schemas is not None or any(each.givers or each.stream_type for each in members):
        return stored.read(names, [])
    schema = event_schema(stored.schema, roles)
    programs = [each.make_program(schema) for each in members]
    needed = [name for name in names if any(name in each.stored_columns for each in programs)]
    has_codes = not any(_shows_types(each) for each in programs)
    return stored.read(needed, [name for name in needed if has_codes and name == roles.type])


def _shows_types(program: Program) -> bool:
    output = program.output
    return not isinstance(output, AggregateOutput) or program.type_column in {
        *program.partition_by,
        *output.attributes,
        *(column for column, _ in output.groups),
    }


def _require_type_column(members: Sequence[Member], roles: ColumnRoles) -> None:
    stream_type = next((e.stream_type for e in members if e.stream_type is not None), None)
    if roles.type is None and stream_type is not None:
        raise DataError(
            f"without a type column the events cannot be told from those of type {stream_type}",
            hint="name the column, type='…' (--type), or give a mapping from type to table",
        )


class LocalMembers:
    """Arrow tables in this process."""

    def __init__(self, table: pa.Table, roles: ColumnRoles, run_set: RunSet) -> None:
        self.table = table
        self.roles = roles
        self.run_set = run_set

    def run_together(self, members: Sequence[Member], sharing: Sharing) -> dict[str, LocalResult]:
        """Return the results of queries that share a pass over the events, or a scan of them."""
        known = derived_schema(self.table.schema, self.table.column_names, (), self.roles)
        apart = [each for each in members if not each.givers and each.stream_type is None]
        programs = [each.make_program(known) for each in apart]
        for each in programs:
            tell_warnings(each)
        threads = available_cores()
        table = with_computed(self.table, [one for each in programs for one in each.computed])

        def run_alone(place: int, columns: Mapping[str, Any]) -> LocalResult:
            return run_local(programs[place], table, threads=threads, columns=columns)

        found = run_together(
            whole_bundle(programs, sharing),
            table,
            run_alone,
            run_set=self.run_set,
            threads=threads,
        )
        with errors_of_one(partial(run_local, each, table) for each in programs):
            results = {apart[place].name: each for place, each in found}
        self._warn_of_missing_types(programs)
        return results

    def run(
        self, member: Member, streams: Sequence[DerivedStream]
    ) -> tuple[pa.Table | CompressedMatches, DerivedStream | None]:
        """Return the result, and the same as events if another query reads them."""
        schema = united_schema(self.table.schema, streams, self.roles.time)
        known = derived_schema(schema, self.table.column_names, streams, self.roles)
        is_read = member.stream_type is not None
        program = lower(member.make_plan(known), as_stream=is_read)
        tell_warnings(program)
        table = with_computed(self._united(schema, streams), program.computed)
        result = run_local(program, table, threads=available_cores())
        self._warn_of_missing_types([program])
        if member.stream_type is None:
            return result, None
        assert isinstance(result, pa.Table), "analysis refuses other forms of OUTPUT with INTO"
        own = own_columns(program, result.column_names)
        stream = self._stream(program, result, own, schema, member.stream_type)
        return result.select(own), DerivedStream(
            member.name, member.stream_type, tuple(own), stream.schema, stream
        )

    def _warn_of_missing_types(self, programs: Sequence[Program]) -> None:
        if self.roles.type is not None and self.roles.schemas is None:
            warn_of_missing_types(programs, self.table[self.roles.type])

    def _united(self, schema: pa.Schema, streams: Sequence[DerivedStream]) -> pa.Table:
        parts = [self.table, *(each.events for each in streams)]
        return pa.concat_tables(
            [_fitted(each, schema) for each in parts], promote_options="default"
        )

    def _stream(
        self,
        program: Program,
        result: pa.Table,
        own: Sequence[str],
        events: pa.Schema,
        stream_type: str,
    ) -> pa.Table:
        """Return the results as events: order key, type, attributes."""
        assert self.roles.type is not None
        columns: dict[str, Any] = {each: result.column(each) for each in own}
        for name, source in key_sources(program, own).items():
            kind = events.field(name).type
            columns[name] = (
                pa.nulls(result.num_rows, kind) if source is None else result.column(source)
            )
        early = ticks_before_end(program, events.field(program.time).type)
        if early:
            end = columns[program.time]
            ticks = pc.subtract(end.cast(pa.int64()), early)
            columns[program.time] = ticks.cast(end.type)
        kind = self.table.schema.field(self.roles.type).type
        columns[self.roles.type] = _repeated(stream_type, result.num_rows, kind)
        return pa.table(columns)


def _fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the table with its columns cast to the types of a schema."""
    fields = [schema.field(each) for each in table.column_names]
    columns = [
        column if column.type == field.type else pc.cast(column, field.type)
        for column, field in zip(table.columns, fields, strict=True)
    ]
    return pa.Table.from_arrays(columns, names=table.column_names)


def _repeated(word: str, count: int, kind: pa.DataType) -> Any:
    if pa.types.is_dictionary(kind):
        codes = pa.array([0] * count, kind.index_type)
        return pa.DictionaryArray.from_arrays(codes, pa.array([word], kind.value_type))
    return pa.array([word] * count, kind)
