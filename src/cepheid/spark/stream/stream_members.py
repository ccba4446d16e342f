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
from cepheid.engine.matches.final_matches import reported_after
from cepheid.engine.members import Member, tell_warnings
from cepheid.engine.run import result_schema
from cepheid.engine.shared.policy import Policy
from cepheid.errors import ConfigError
from cepheid.plan.stream_options import Late, Streaming
from cepheid.program.program import Program
from cepheid.spark.batch.batch_members import SparkMembers
from cepheid.spark.batch.run_batch import is_added_up
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.stream.finish_packets import TAGGED, QueryForm
from cepheid.spark.stream.run_stream import finished, stream_input, tagged_results
from cepheid.spark.stream.run_stream_bundle import (
    TOGETHER,
    as_streamed,
    run_stream_bundle,
    stream_bundles,
)
from cepheid.spark.stream.stream_results import StreamResults
from cepheid.spark.stream.workload_stream import WorkloadStream
from cepheid.stream.stream_step import reject_unbounded

REUSE = "spark.sql.exchange.reuse"


@dataclass(frozen=True, slots=True)
class TaggedMember:
    """The packets of a query, its program for events of a schema, and its results as events."""

    results: StreamResults
    program: Program
    schema: pa.Schema
    stream: DerivedStream | None


class StreamMembers:
    """Streaming DataFrames; each is a query of its own when it is started."""

    def __init__(self, frame: DataFrame, roles: ColumnRoles, options: Streaming) -> None:
        self.given = stream_input(frame, roles, options)
        self.members = SparkMembers(self.given.frame, roles)
        self.behind: dict[str, Fraction] = {}  # seconds that results of a query may come late

    def run(
        self, member: Member, streams: Sequence[DerivedStream]
    ) -> tuple[Any, DerivedStream | None]:
        """Return the result, and the same as events if another query reads them."""
        found = self.run_tagged(member, streams)
        results, options = found.results, self.given.options
        if found.stream is None:
            return finished(results, options), None
        shown = partial(_own_columns, results.unpack_results, found.stream.attributes)
        return finished(replace(results, unpack_results=shown), options), found.stream

    def run_tagged(
        self,
        member: Member,
        streams: Sequence[DerivedStream],
        program: Program | None = None,
    ) -> TaggedMember:
        """Return the packets of a query, and its results as events if another query reads them."""
        given, roles = self.given, self.given.roles
        if streams:
            # Two readers of one query's results would share a shuffle, behind which Spark does not
            # find the watermark again.
            given.frame.sparkSession.conf.set(REUSE, "false")
        schema = united_schema(given.schema, streams, roles.time)
        if program is None:
            known = derived_schema(schema, given.schema.names, streams, roles)
            program = member.make_program(known)
            tell_warnings(program)
        united = self.members.united(schema, streams)
        per_second = ticks_per_second(schema.field(program.time).type, roles)
        seconds = max((self.behind[each.query] for each in streams), default=Fraction(0))
        self.behind[member.name] = seconds + Fraction(reported_after(program), per_second)
        behind = ceil(seconds * per_second)
        own_input = replace(
            given, frame=united, schema=schema, reads_results=bool(streams), behind=behind
        )
        found = tagged_results(program, own_input)
        stream = None
        if member.stream_type is not None:
            _, stream = self.members.as_events(member, program, found.results, schema)
        return TaggedMember(found, program, schema, stream)


def run_streams(
    members: Sequence[Member], frame: DataFrame, roles: ColumnRoles, options: Streaming
) -> dict[str, Any]:
    """Return the result of every query by its name, each a stream of its own."""
    runner = StreamMembers(frame, roles, options)
    results: dict[str, Any] = {}
    streams: dict[str, DerivedStream] = {}
    for member in members:
        read = [streams[each] for each in member.givers]
        results[member.name], stream = runner.run(member, read)
        if stream is not None:
            streams[member.name] = stream
    return results


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
    runner = StreamMembers(frame, roles, options)
    runner.given = replace(runner.given, name=TOGETHER)
    given, streams = runner.given, dict[str, DerivedStream]()
    known = derived_schema(given.schema, given.schema.names, (), roles)
    apart = [each for each in members if not each.givers and each.stream_type is None]
    queries = [as_streamed(each.name, each.make_program(known)) for each in apart]
    for query in queries:
        reject_unbounded(query.program)
        tell_warnings(query.program)
    frames: list[DataFrame] = []
    forms: dict[str, QueryForm] = {}
    for bundle in stream_bundles(queries, given.schema, policy):
        frames.append(run_stream_bundle(bundle, given))
        forms |= {each.name: _form(each.program, given.schema) for each in bundle.queries}
    by_name = {each.name: each.program for each in queries}
    for member in members:
        if member.name in forms:
            continue
        listed = [streams[each] for each in member.givers]
        found = runner.run_tagged(member, listed, by_name.get(member.name))
        frames.append(_named(found.results.tagged, member.name))
        forms[member.name] = _form(found.program, found.schema)
        if found.stream is not None:
            streams[member.name] = found.stream
    return WorkloadStream(reduce(DataFrame.unionAll, frames), forms)


def _named(packets: DataFrame, name: str) -> DataFrame:
    none = F.lit(None).cast("string")
    columns = {"query": F.lit(name), "text": none, "change": none, "result": F.col("result")}
    found = packets.filter(F.col("result").isNotNull())
    return found.select(*(columns[each].alias(each) for each in TAGGED))


def _form(program: Program, events: pa.Schema) -> QueryForm:
    own = own_columns(program, result_schema(program, events).names)
    return QueryForm(program, events, is_added_up(program), tuple(own))


def _own_columns(unpack: Any, columns: Sequence[str], tagged: DataFrame) -> DataFrame:
    found: DataFrame = unpack(tagged).select(*map(column_named, columns))
    return found
