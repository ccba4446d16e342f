"""A bundle of queries on a streaming DataFrame: one stateful operator for all of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cepheid.metrics.stream_metrics import metric_name
from cepheid.program.program import MatchOutput, Program
from cepheid.runtime.event_schema import ticks_per_second
from cepheid.runtime.sharing.policy import Policy, Sharing
from cepheid.runtime.spark.batch import shuffle_keys
from cepheid.runtime.spark.column_named import column_named
from cepheid.runtime.spark.packed_events import BUCKET, bucket_of
from cepheid.runtime.spark.packed_events import PACKETS as EVENT_PACKETS
from cepheid.runtime.spark.push_down import drop_or_bare_for_all
from cepheid.runtime.spark.run_bundle import is_added_up
from cepheid.runtime.spark.stream.bundle_processor import (
    BUNDLE_REPORTS,
    QUERY,
    BundleJob,
    BundleProcessor,
)
from cepheid.runtime.spark.stream.end_of_input import with_end
from cepheid.runtime.spark.stream.event_clock import EventClock
from cepheid.runtime.spark.stream.finish_packets import TAGGED
from cepheid.runtime.spark.stream.in_lots import RESULT
from cepheid.runtime.spark.stream.pack_events import pack_with_identity
from cepheid.runtime.spark.stream.run_stream import StreamInput, identity, with_computed_input
from cepheid.runtime.stream.bundle_step import StreamBundle, StreamedQuery, stream_bundle
from cepheid.runtime.stream.keep import keeps_apart
from cepheid.runtime.stream.pane_state import keeps_panes
from cepheid.runtime.stream_options import DEFAULT_BUCKETS

TOGETHER = "workload"
MOST_OBSERVED = 32  # queries whose results are counted apart: each one is a node of Spark's plan


def as_streamed(name: str, program: Program) -> StreamedQuery:
    """Return a query as it runs with others: compressed matches come as rows."""
    output = program.output
    if isinstance(output, MatchOutput) and output.is_compressed:
        program = replace(program, output=replace(output, is_compressed=False))
    program = replace(program, cuts_time=False)
    return StreamedQuery(name, program, is_added_up(program))


def stream_bundles(
    queries: Sequence[StreamedQuery], events: pa.Schema, policy: Policy
) -> list[StreamBundle]:
    """Return the bundles of two or more queries.

    Queries whose settled events carry what happened to them have a state of their own; so have
    those that keep matrices instead of events, unless they share work.
    """
    by_keys: dict[tuple[str, ...], list[StreamedQuery]] = {}
    for each in queries:
        if not keeps_apart(each.program):
            by_keys.setdefault(shuffle_keys(each.program), []).append(each)
    bundles = []
    for group in by_keys.values():
        found = stream_bundle(group, Sharing(policy))
        own = {e.name for e in found.alone if keeps_panes(e.program, events)}
        if own:
            others = [each for each in group if each.name not in own]
            found = stream_bundle(others, Sharing(policy))
        if len(found.queries) > 1:
            bundles.append(found)
    return bundles


def run_stream_bundle(bundle: StreamBundle, given: StreamInput) -> DataFrame:
    """Return the packets of all queries, as `TAGGED` says."""
    programs, options = bundle.programs, given.options
    given = with_computed_input(given, programs)
    needed = frozenset(name for each in programs for name in each.columns)
    names = [each for each in given.schema.names if each in needed]
    events = pa.schema([given.schema.field(each) for each in names])
    selected = given.frame.select(*map(column_named, names))
    fitting = drop_or_bare_for_all(programs, selected, keeps_all_times=True)
    keys = shuffle_keys(programs[0])
    buckets = (options.buckets or DEFAULT_BUCKETS) if keys else 1
    # Buckets must agree on what is settled if their results are put together.
    ordered = options.ordered and not any(each.partially for each in bundle.queries)
    texts = {each.name: " ".join(each.program.text.split()) for each in bundle.queries}
    job = BundleJob(
        bundle,
        EventClock(ticks_per_second(given.schema.field(programs[0].time).type, given.roles)),
        identity(programs[0], events, given)
        | {
            "query": json.dumps(texts, sort_keys=True),
            "buckets": str(buckets),
            "ordered": str(ordered),
        },
        ordered=ordered,
        state_limit=options.state_limit,
    )
    packed = with_end(pack_all(fitting, names, keys, buckets), options.end, buckets)
    reports = step_through_bundle(packed, BundleProcessor(job))
    return tagged(reports, [each.name for each in bundle.queries])


def pack_all(
    frame: DataFrame, names: Sequence[str], keys: Sequence[str], buckets: int
) -> DataFrame:
    """Return events in packets, each with its bucket."""
    # Spark reads the dots of a name as fields when it hands columns to Python: numbers go instead.
    numbers = map(str, range(len(names)))
    numbered = frame.select("*", bucket_of(frame, keys, buckets)).toDF(*numbers, BUCKET)
    return numbered.mapInArrow(pack_with_identity(names), EVENT_PACKETS)


def step_through_bundle(packets: DataFrame, processor: BundleProcessor) -> DataFrame:
    """Return what a processor reports of every bucket."""
    return packets.groupBy(BUCKET).transformWithStateInPandas(
        processor, BUNDLE_REPORTS, "append", "EventTime"
    )


def tagged(reports: DataFrame, names: Sequence[str] = ()) -> DataFrame:
    """Return the packets of reports; what was counted is observed, for all queries and for each."""

    def total(column: str, name: str | None = None) -> Column:
        counted = F.col(column)
        if name is not None:
            counted = F.when(F.col(QUERY) == name, counted)
        return F.coalesce(F.sum(counted), F.lit(0)).alias(column)

    counts = ("events", "late", "results", "state_bytes", "waiting")
    reports = reports.observe(metric_name(TOGETHER), total(counts[0]), *map(total, counts[1:]))
    # Results of a query that has the name of all of them are among theirs already.
    for name in names if len(names) <= MOST_OBSERVED else ():
        if name != TOGETHER:
            reports = reports.observe(metric_name(name), total("results", name))
    return reports.filter(F.col(RESULT).isNotNull()).select(*TAGGED)
