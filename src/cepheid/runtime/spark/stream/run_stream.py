"""A query on a streaming DataFrame: pack events, step through every bucket, unpack results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from cepheid.errors import ConfigError
from cepheid.metrics.stream_metrics import metric_name
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput, Program
from cepheid.runtime.aggregate.partial_table import partial_schema
from cepheid.runtime.compressed import GRAPHS
from cepheid.runtime.dispatch import MakeProgram, tell_warnings
from cepheid.runtime.event_schema import ColumnRoles, event_schema, ticks_per_second
from cepheid.runtime.local import result_schema
from cepheid.runtime.spark.batch import arrow_schema_of, is_whole_group, shuffle_keys
from cepheid.runtime.spark.column_named import column_named
from cepheid.runtime.spark.compressed import SparkCompressedMatches
from cepheid.runtime.spark.computed_columns import with_computed_columns
from cepheid.runtime.spark.packed_events import BUCKET, PACKETS, bucket_of, unpacked
from cepheid.runtime.spark.push_down import drop_or_bare
from cepheid.runtime.spark.stream.bucket_processor import (
    COUNTS,
    LATE,
    REPORTS,
    RESULT,
    BucketJob,
    BucketProcessor,
)
from cepheid.runtime.spark.stream.combine_in_batch import combine_in_batch
from cepheid.runtime.spark.stream.end_of_input import with_end
from cepheid.runtime.spark.stream.event_clock import EventClock
from cepheid.runtime.spark.stream.event_time import with_watermark
from cepheid.runtime.spark.stream.pack_events import pack_with_identity
from cepheid.runtime.spark.stream.stream_results import StreamResults
from cepheid.runtime.stream.step import reject_unbounded
from cepheid.runtime.stream_options import DEFAULT_BUCKETS, Late, Streaming

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


@dataclass(frozen=True, slots=True)
class StreamInput:
    """Events with a watermark; `schema` is how workers see them.

    Results of other queries among them may come `behind` ticks after their own time. Operators are
    counted by the name of their query, and by that of the stream if it has one.
    """

    frame: DataFrame
    schema: pa.Schema
    roles: ColumnRoles
    options: Streaming
    reads_results: bool = False
    behind: int = 0
    name: str | None = None


def run_stream(
    make_program: MakeProgram, frame: DataFrame, roles: ColumnRoles, options: Streaming
) -> Any:
    """Return the result of a query on a streaming DataFrame; see `Streaming`."""
    given = stream_input(frame, roles, options)
    program = make_program(event_schema(given.schema, roles))
    tell_warnings(program)
    return finished(tagged_results(program, given), options)


def stream_input(frame: DataFrame, roles: ColumnRoles, options: Streaming) -> StreamInput:
    """Check what the stream needs, and give it a watermark."""
    require_rocks(frame.sparkSession)
    schema = arrow_schema_of(frame)
    event_schema(schema, roles)  # a missing column is told before a missing watermark
    return StreamInput(with_watermark(frame, roles, options), schema, roles, options)


def require_rocks(session: SparkSession) -> None:
    """Choose the state store that Spark wants for such operators, unless another one is chosen."""
    chosen = session.conf.get(PROVIDER, None)
    if chosen is None or chosen.endswith("HDFSBackedStateStoreProvider"):
        session.conf.set(PROVIDER, ROCKS)
    elif "RocksDB" not in chosen:
        raise ConfigError(
            f"{PROVIDER} is {chosen}, but the state of a stream needs RocksDB",
            hint=f"set it to {ROCKS}",
        )


def finished(found: StreamResults, options: Streaming) -> Any:
    """Return the results, with the late events if these are asked for."""
    return found if options.late == Late.DELIVER else found.results


def tagged_results(program: Program, given: StreamInput) -> StreamResults:
    """Return packets with results and late events, and how to unpack them."""
    work = bucketed(program, given)
    packets = work.frame.mapInArrow(pack_with_identity(work.events.names), PACKETS)
    packets = with_end(packets, given.options.end, work.buckets)
    return results_of(work, step_through(packets, BucketProcessor(work.job)))


def step_through(frame: DataFrame, processor: BucketProcessor) -> DataFrame:
    """Return what a processor reports of every bucket."""
    return frame.groupBy(BUCKET).transformWithStateInPandas(
        processor, REPORTS, "append", "EventTime"
    )


def results_of(work: Bucketed, reports: DataFrame) -> StreamResults:
    """Return the packets of reports, and how to unpack them; what was counted is observed."""
    sums = [F.coalesce(F.sum(each), F.lit(0)).alias(each) for each in COUNTS]
    own = work.job.program.name
    for name in (own,) if work.stream in (None, own) else (own, work.stream):
        reports = reports.observe(metric_name(name), sums[0], *sums[1:])
    return StreamResults(
        reports.select(RESULT, LATE),
        partial(_unpack_results, work.job, work.needed),
        partial(_unpack_late, work.events),
    )


@dataclass(frozen=True, slots=True)
class Bucketed:
    """Events with numbers as column names, the bucket last, and what is to be done with them.

    `events` are the columns by name; `needed` those that the program reads; `stream` is the name of
    the stream.
    """

    frame: DataFrame
    events: pa.Schema
    needed: pa.Schema
    job: BucketJob
    buckets: int
    stream: str | None = None


def with_computed_input(given: StreamInput, programs: Sequence[Program]) -> StreamInput:
    """Return the events with the columns that programs add to them."""
    if not any(each.computed for each in programs):
        return given
    frame = with_computed_columns(given.frame, programs)
    return replace(given, frame=frame, schema=arrow_schema_of(frame))


def bucketed(program: Program, given: StreamInput) -> Bucketed:
    """Return the events that can matter, each with its bucket."""
    reject_unbounded(program)
    options = given.options
    stored = given.schema.names
    given = with_computed_input(given, [program])
    program = replace(program, cuts_time=False)
    delivers = options.late == Late.DELIVER
    names = [each for each in given.schema.names
             if each in program.columns or (delivers and each in stored)]  # fmt: skip
    needed = pa.schema([given.schema.field(each) for each in names if each in program.columns])
    fitting = drop_or_bare(
        program, given.frame.select(*map(column_named, names)), keeps_all_times=True
    )
    keys = shuffle_keys(program)
    buckets = (options.buckets or DEFAULT_BUCKETS) if keys else 1
    output = program.output
    partially = isinstance(output, AggregateOutput) and not is_whole_group(program, output)
    # Buckets must agree on what is settled if their results are put together.
    ordered = options.ordered and not partially and not given.reads_results
    job = BucketJob(
        program,
        EventClock(ticks_per_second(given.schema.field(program.time).type, given.roles)),
        identity(program, needed, given) | {"buckets": str(buckets), "ordered": str(ordered)},
        ordered=ordered,
        partially=partially,
        delivers_late=delivers,
        state_limit=options.state_limit,
        behind=given.behind,
    )
    # Spark reads the dots of a name as fields when it hands columns to Python: numbers go instead.
    numbers = map(str, range(len(names)))
    frame = fitting.select("*", bucket_of(fitting, keys, buckets)).toDF(*numbers, BUCKET)
    events = pa.schema([given.schema.field(each) for each in names])
    return Bucketed(frame, events, needed, job, buckets, given.name)


def identity(program: Program, events: pa.Schema, given: StreamInput) -> dict[str, str]:
    """Return what the state of a query belongs to, part by part, in words."""
    columns: Mapping[str, str] = {each.name: str(each.type) for each in events}
    output = program.output
    return {
        "query": " ".join(map(str.strip, program.text.splitlines())),
        "columns": ", ".join(f"{name} {kind}" for name, kind in sorted(columns.items())),
        **roles_in_words(given.roles),
        "on_expiry": str(isinstance(output, AggregateOutput) and output.shows_expiry),
    }


def roles_in_words(roles: ColumnRoles) -> dict[str, str]:
    """Return what the columns of events are for, part by part."""
    return {
        "time": roles.time,
        "type": str(roles.type),
        "order": ", ".join(roles.order) or "none",
        "time_unit": roles.time_unit,
        "schemas": json.dumps(roles.schemas, default=list, sort_keys=True),
    }


def _unpack_results(
    job: BucketJob, events: pa.Schema, tagged: DataFrame
) -> DataFrame | SparkCompressedMatches:
    program, output = job.program, job.program.output
    if isinstance(output, MatchOutput) and output.is_compressed:
        graphs = _unpack(RESULT, GRAPHS, tagged)
        return SparkCompressedMatches(graphs, program, output, events)
    if job.partially:
        assert isinstance(output, AggregateOutput)
        found = _unpack(RESULT, partial_schema(program, output, events), tagged)
        return combine_in_batch(found, program, output, events)
    return _unpack(RESULT, result_schema(program, events), tagged)


def _unpack_late(schema: pa.Schema, tagged: DataFrame) -> DataFrame:
    """Return the late events, without what the query computes of them."""
    computed = [name for name in schema.names if "@" in name]
    return _unpack(LATE, schema, tagged).drop(*computed)


def _unpack(column: str, schema: pa.Schema, tagged: DataFrame) -> DataFrame:
    packets = tagged.select(column).filter(F.col(column).isNotNull())
    return packets.mapInArrow(unpacked, from_arrow_schema(schema))
