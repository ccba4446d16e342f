"""A bundle of queries on a streaming DataFrame: pack events, step through every bucket, unpack."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

from cepheid.errors import ConfigError
from cepheid.plan.stream_options import DEFAULT_BUCKETS, Late
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.compute_columns import computed_schema
from cepheid.program.program import MatchOutput, Program
from cepheid.program.shuffle_keys import shuffle_keys
from cepheid.spark.batch.run_batch import is_added_up
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.compressed_frame import SparkCompressedMatches
from cepheid.spark.frames.query_functions import known, some_columns
from cepheid.spark.push_down.computed_columns import with_computed_columns
from cepheid.spark.push_down.copied_events import with_copied_events
from cepheid.spark.push_down.filter_events import drop_or_bare_for_all
from cepheid.spark.shuffle.packed_events import BUCKET, PACKETS, bucket_of
from cepheid.spark.stream.bucket_processor import BucketJob, BucketProcessor
from cepheid.spark.stream.cache_place import cache_place
from cepheid.spark.stream.end_of_input import with_end
from cepheid.spark.stream.finish_packets import finished_frame, unpacked_frame
from cepheid.spark.stream.pack_events import pack_with_identity
from cepheid.spark.stream.step_reports import (
    LATE,
    RESULT,
    TAGGED,
    observed,
    packet_column,
    report_columns,
    tagged_columns,
)
from cepheid.spark.stream.stream_input import StreamInput
from cepheid.spark.stream.stream_results import StreamResults
from cepheid.stream.guards import REASON
from cepheid.stream.stream_bundle import StreamBundle, StreamedQuery, stream_of_one


@dataclass(frozen=True, slots=True)
class Bucketed:
    """Events with numbers as column names, the bucket last, and what is to be done with them.

    `events` are the columns by name, but for keys of copies, which are `keys`; `needed` are those
    that the programs read; `stream` is the name of the stream.
    """

    frame: DataFrame
    events: pa.Schema
    needed: pa.Schema
    job: BucketJob
    buckets: int
    keys: tuple[str, ...] = ()
    stream: str | None = None


def run_alone(program: Program, given: StreamInput) -> StreamResults:
    """Return packets with the results of a query and late events, and how to unpack them."""
    work = bucketed(stream_of_one(program, partially=is_added_up(program)), given)
    return results_of(work, reports_of(work, given))


def run_together(bundle: StreamBundle, given: StreamInput) -> DataFrame:
    """Return the packets of all queries, as `TAGGED` says."""
    return tagged(reports_of(bucketed(bundle, given), given))


def as_streamed(name: str, program: Program) -> StreamedQuery:
    """Return a query as it runs with others: compressed matches come as rows."""
    output = program.output
    if isinstance(output, MatchOutput) and output.is_compressed:
        program = replace(program, output=replace(output, is_compressed=False))
    program = replace(program, cuts_time=False)
    return StreamedQuery(name, program, is_added_up(program))


def bucketed(bundle: StreamBundle, given: StreamInput) -> Bucketed:
    """Return the events that can matter, each with its bucket."""
    options, columns = given.options, bundle.stored_columns
    delivers = options.late == Late.DELIVER
    names = [each for each in given.schema.names if delivers or each in columns]
    needed = pa.schema([given.schema.field(each) for each in names if each in columns])
    selected = given.frame.select(*map(column_named, names))
    selected = known(selected, some_columns(given.frame, names))
    computed = with_computed_columns(selected, bundle.programs, given.schema)
    every = any(each.keeps_all_types for each in bundle.programs)
    spread = with_copied_events(computed, bundle.copies, given.schema, keeps_all=every)
    fitting = drop_or_bare_for_all(bundle.programs, spread, keeps_all_times=True)
    keys = shuffle_keys(bundle.programs[0])
    buckets = (options.buckets or DEFAULT_BUCKETS) if keys else 1
    # Buckets must agree on what is settled if their results are put together.
    is_shared = any(each.partially for each in bundle.queries) or given.reads_results
    ordered = options.ordered and not is_shared
    job = BucketJob(
        bundle,
        given.clock,
        identity(bundle, needed, given) | {"buckets": str(buckets), "ordered": str(ordered)},
        ordered=ordered,
        state_limit=options.state_limit,
        cache=cache_place(options),
        delivers_late=delivers,
        behind=given.behind,
        ahead_ms=options.ahead_ms,
        bad=options.bad,
        gives_reasons=options.gives_reasons,
    )
    events = pa.schema([given.schema.field(each) for each in names])
    copied = () if bundle.copies is None else bundle.copies.names
    frame = numbered(fitting, [*names, *copied], keys, buckets)
    return Bucketed(frame, events, needed, job, buckets, copied, given.name)


def numbered(
    frame: DataFrame, names: Sequence[str], keys: Sequence[str], buckets: int
) -> DataFrame:
    """Return columns of events with their bucket, which is the last one.

    Spark reads the dots of a name as fields when it hands columns to Python: numbers go instead.
    """
    columns = [*map(column_named, names), bucket_of(frame, keys, buckets)]
    numbers = [*map(str, range(len(names))), BUCKET]
    fields = [each.dataType for each in some_columns(frame, names).fields]
    types = zip(numbers, [*fields, IntegerType()], strict=True)
    schema = StructType([StructField(*each) for each in types])
    return known(frame.select(*columns).toDF(*numbers), schema)


def reports_of(work: Bucketed, given: StreamInput) -> DataFrame:
    """Return what the operator reports of every step."""
    packets = work.frame.mapInArrow(pack_with_identity([*work.events.names, *work.keys]), PACKETS)
    packets = known(with_end(packets, given.options.end, work.buckets), PACKETS)
    return step_through(packets, BucketProcessor(work.job), work.stream)


def step_through(
    packets: DataFrame, processor: BucketProcessor, stream: str | None = None
) -> DataFrame:
    """Return what a processor reports of every bucket; what was counted is observed."""
    job = processor.job
    groups = packets.groupBy(BUCKET)
    if not hasattr(groups, "transformWithStateInPandas"):
        raise ConfigError(
            "streams with state cannot run on Spark Connect before Spark 4.1",
            hint="use a session that is not one of Spark Connect, or a later version",
        )
    reports = groups.transformWithStateInPandas(
        processor, report_columns(is_tagged=job.is_tagged), "append", "EventTime"
    )
    return observed(reports, job.bundle, stream)


def results_of(work: Bucketed, reports: DataFrame) -> StreamResults:
    """Return the packets of a query by itself, and how to unpack them."""
    (query,) = work.job.bundle.queries
    return StreamResults(
        reports.select(RESULT, LATE),
        partial(_results, query, work.needed),
        partial(_late, _late_schema(work)),
    )


def _results(
    query: StreamedQuery, events: pa.Schema, packets: DataFrame
) -> DataFrame | SparkCompressedMatches:
    found = known(packets.select(RESULT), packet_column(RESULT))
    events = computed_schema(events, query.program.computed)
    return finished_frame(query.program, events, found, partially=query.partially)


def _late_schema(work: Bucketed) -> pa.Schema:
    """Return the columns of late events, and the reason where others are among them."""
    if not work.job.gives_reasons:
        return work.events
    if REASON in work.events.names:
        raise ConfigError(
            f"the events have a column '{REASON}', which is what late events and others are told "
            "apart by",
            hint="give that column of the events another name",
        )
    return work.events.append(pa.field(REASON, pa.string()))


def _late(events: pa.Schema, packets: DataFrame) -> DataFrame:
    return unpacked_frame(known(packets.select(LATE), packet_column(LATE)), events)


def tagged(reports: DataFrame) -> DataFrame:
    """Return the packets of several queries."""
    return known(reports.filter(F.col(RESULT).isNotNull()).select(*TAGGED), tagged_columns())


def identity(bundle: StreamBundle, events: pa.Schema, given: StreamInput) -> dict[str, str]:
    """Return what the state of a bundle belongs to, part by part, in words."""
    columns: Mapping[str, str] = {each.name: str(each.type) for each in events}
    first = bundle.programs[0]
    query = " ".join(map(str.strip, first.text.splitlines()))
    if bundle.name is None:
        texts = {each.name: " ".join(each.program.text.split()) for each in bundle.queries}
        query = json.dumps(texts, sort_keys=True)
    output = first.output
    return {
        "query": query,
        "columns": ", ".join(f"{name} {kind}" for name, kind in sorted(columns.items())),
        **given.roles_in_words(),
        "on_expiry": str(isinstance(output, AggregateOutput) and output.shows_expiry),
    }
