"""Queries of a folder on a stream: files that come and go while it runs."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cepheid.engine.events.event_schema import ColumnRoles
from cepheid.engine.members import ChangingQueries
from cepheid.engine.shared.policy import Policy
from cepheid.errors import ConfigError, suggest
from cepheid.plan.stream_options import DEFAULT_BUCKETS, Streaming
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.shuffle.packed_events import BUCKET, EVENTS, PACKETS
from cepheid.spark.stream.cache_place import cache_place
from cepheid.spark.stream.changing_processor import (
    CHANGED,
    ChangingJob,
    ChangingProcessor,
    QueryCompiler,
)
from cepheid.spark.stream.event_time import watermark_delay
from cepheid.spark.stream.pack_events import pack_with_identity
from cepheid.spark.stream.query_folder import read_changes
from cepheid.spark.stream.run_stream import numbered, step_through, tagged
from cepheid.spark.stream.step_reports import QUERY
from cepheid.spark.stream.stream_input import stream_input
from cepheid.spark.stream.workload_stream import as_rows
from cepheid.stream.stream_bundle import StreamBundle


def run_changing(
    queries: ChangingQueries,
    frame: DataFrame,
    roles: ColumnRoles,
    options: Streaming,
    policy: Policy,
) -> DataFrame:
    """Return the results of all queries, and the changes of the set, as rows of JSON."""
    given = stream_input(frame, roles, options)
    names, keys = given.schema.names, queries.keys
    for each in keys:
        if each not in names:
            hint = suggest(each, names, owner="the stream")
            raise ConfigError(f"there is no column '{each}' to make buckets by", hint=hint)
    buckets = (options.buckets or DEFAULT_BUCKETS) if keys else 1
    # Buckets must agree on what is settled if their results are put together.
    ordered = options.ordered and not keys
    columns = ", ".join(f"{each.name} {each.type}" for each in given.schema)
    job = ChangingJob(
        StreamBundle(()),
        given.clock,
        given.roles_in_words()
        | {
            "query": "those of a folder",
            "columns": columns,
            "keys": ", ".join(keys) or "none",
            "buckets": str(buckets),
            "ordered": str(ordered),
        },
        ordered=ordered,
        state_limit=options.state_limit,
        cache=cache_place(options),
        ahead_ms=options.ahead_ms,
        bad=options.bad,
        compiler=QueryCompiler(queries.compiler(given.schema, roles), given.schema, keys),
        policy=policy,
        delay=watermark_delay(frame, roles, options),
    )
    selected = given.frame.select(*map(column_named, names))
    numbers = numbered(selected, names, keys, buckets)
    packets = numbers.mapInArrow(pack_with_identity(names), PACKETS)
    packets = packets.withColumn(CHANGED, F.lit(None).cast("string"))
    told = read_changes(frame.sparkSession, queries.path).select(
        F.explode(F.sequence(F.lit(0), F.lit(buckets - 1))).alias(BUCKET),
        F.lit(None).cast("binary").alias(EVENTS),
        F.to_json(F.struct("name", "text", "problem")).alias(CHANGED),
    )
    found = tagged(step_through(packets.unionAll(told), ChangingProcessor(job)))
    gathered = found.repartition(QUERY) if keys else found
    assert job.compiler is not None
    return as_rows(gathered, job.compiler.form, isolates=True)
