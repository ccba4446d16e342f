"""Several queries on one stream; a reader's operator comes after those whose results it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from math import ceil
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cepheid.engine.derived_events import (
    DerivedStream,
    derived_schema,
    own_columns,
    united_schema,
)
from cepheid.engine.events.event_schema import ColumnRoles, ticks_per_second
from cepheid.engine.members import Member, tell_warnings
from cepheid.engine.results import result_schema
from cepheid.engine.shared.policy import Policy
from cepheid.errors import ConfigError
from cepheid.plan.stream_options import Late, Streaming
from cepheid.program.compute_columns import computed_schema
from cepheid.program.program import Program
from cepheid.program.when_final import reported_after
from cepheid.spark.batch.batch_members import SparkMembers
from cepheid.spark.batch.run_batch import is_added_up
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.query_functions import known, require_setting, some_columns
from cepheid.spark.stream.finish_packets import QueryForm
from cepheid.spark.stream.run_stream import as_streamed, run_alone, run_together
from cepheid.spark.stream.step_reports import QUERY, RESULT, TAGGED, TOGETHER, tagged_columns
from cepheid.spark.stream.stream_input import StreamInput, stream_input
from cepheid.spark.stream.stream_results import StreamResults
from cepheid.spark.stream.workload_stream import WorkloadStream
from cepheid.stream.pane_state import keeps_panes
from cepheid.stream.stream_bundle import reject_unbounded
from cepheid.stream.stream_bundles import stream_bundles

REUSE = "spark.sql.exchange.reuse"


@dataclass(frozen=True, slots=True)
class StreamedMember:
    """The packets of a query, and its program for events of a schema."""

    results: StreamResults
    program: Program
    schema: pa.Schema


class StreamMembers:
    """Runs queries by themselves, each after those whose results it reads."""

    def __init__(self, given: StreamInput) -> None:
        self.given = given
        self.members = SparkMembers(given.frame, given.roles)
        self.streams: dict[str, DerivedStream] = {}  # results of queries as events
        self.behind: dict[str, Fraction] = {}  # seconds that results of a query may come late

    def run(self, member: Member, program: Program | None = None) -> StreamedMember:
        """Return the packets of a query; its results are events if another query reads them."""
        given, roles = self.given, self.given.roles
        read = [self.streams[each] for each in member.givers]
        if read:
            # Two readers of one query's results would share a shuffle, behind which Spark does not
            # find the watermark again.
            require_setting(given.frame.sparkSession, REUSE, "false")
        schema = united_schema(given.schema, read, roles.time)
        if program is None:
            program = member.make_program(derived_schema(schema, given.schema.names, read, roles))
            tell_warnings(program)
        per_second = ticks_per_second(schema.field(program.time).type, roles)
        seconds = max((self.behind[each.query] for each in read), default=Fraction(0))
        self.behind[member.name] = seconds + Fraction(reported_after(program), per_second)
        own_input = replace(
            given,
            frame=self.members.united(schema, read),
            schema=schema,
            reads_results=bool(read),
            behind=ceil(seconds * per_second),
        )
        results = run_alone(program, own_input)
        if member.stream_type is not None:
            _, stream = self.members.as_events(member, program, results.results, schema)
            self.streams[member.name] = stream
            shown = partial(_own_columns, results.unpack_results, stream.attributes)
            results = replace(results, unpack_results=shown)
        return StreamedMember(results, program, schema)


def run_streams(
    members: Sequence[Member], frame: DataFrame, roles: ColumnRoles, options: Streaming
) -> dict[str, Any]:
    """Return the result of every query by its name, each a stream of its own.

    If late events are asked for, they come with the results.
    """
    runner = StreamMembers(stream_input(frame, roles, options))
    found = {each.name: runner.run(each).results for each in members}
    if options.late == Late.DELIVER:
        return found
    return {name: each.results for name, each in found.items()}


def run_as_one(
    members: Sequence[Member],
    frame: DataFrame,
    roles: ColumnRoles,
    options: Streaming,
    policy: Policy,
) -> WorkloadStream:
    """Return all queries as one stream; those that can be are one operator."""
    if options.late != Late.DROP:
        raise ConfigError(
            f"late='{options.late}' is for queries one by one",
            hint="use run, or leave it out: late events are counted",
        )
    given = replace(stream_input(frame, roles, options), name=TOGETHER)
    runner = StreamMembers(given)
    known = derived_schema(given.schema, given.schema.names, (), roles)
    queries = {
        each.name: as_streamed(each.name, each.make_program(known))
        for each in members
        if each.is_apart
    }
    for query in queries.values():
        reject_unbounded(query.program)
        tell_warnings(query.program)
    frames: list[DataFrame] = []
    forms: dict[str, QueryForm] = {}
    keeps_own = partial(keeps_panes, events=given.schema)
    for bundle in stream_bundles([*queries.values()], keeps_own, policy):
        frames.append(run_together(bundle, given))
        forms |= {each.name: _form(each.program, given.schema) for each in bundle.queries}
    for member in members:
        if member.name not in forms:
            program = queries[member.name].program if member.is_apart else None
            found = runner.run(member, program)
            frames.append(_named(found.results.tagged, member.name))
            forms[member.name] = _form(found.program, found.schema)
    return WorkloadStream(reduce(DataFrame.unionAll, frames), forms)


def _named(packets: DataFrame, name: str) -> DataFrame:
    """Return packets of one query with the tags that several have."""
    none = F.lit(None).cast("string")
    given = {QUERY: F.lit(name), RESULT: F.col(RESULT)}
    found = packets.filter(F.col(RESULT).isNotNull())
    tags = found.select(*(given.get(each, none).alias(each) for each in TAGGED))
    return known(tags, tagged_columns())


def _form(program: Program, events: pa.Schema) -> QueryForm:
    events = computed_schema(events, program.computed)
    own = own_columns(program, result_schema(program, events).names)
    return QueryForm(program, events, is_added_up(program), tuple(own))


def _own_columns(unpack: Any, columns: Sequence[str], tagged: DataFrame) -> DataFrame:
    found: DataFrame = unpack(tagged)
    return known(found.select(*map(column_named, columns)), some_columns(found, columns))
