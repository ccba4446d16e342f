"""Streams on local Spark. Timed: one micro-batch, as Spark reports it.

All events are of types that the query names, so that all of them go through the operator. The first
1,000 are a micro-batch of their own, in which Spark's Python workers start; the others, in several
files, are the one that is timed; a third one without events follows, in which windows are closed. A
last event that the query does not name moves the watermark to the end.
`counts packets` is the floor: the same packets, handed to the same operator, which counts events
and keeps a number. `unpacked rows` is the same engine without packets of events; its results come
the same way. `small micro-batch` is the median of micro-batches of 1,000 events, after the first.
`small, bare job` is its floor: a stateful job of Spark's that counts the same rows in as many
groups, without anything of ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import references
from benchmarks.contender import Benchmark, Contender, Timed
from benchmarks.on_spark import require_spark, session
from benchmarks.references import Answer, summarize
from benchmarks.w1 import QUERY, RETURNED
from benchmarks.workloads import STREAM_DENSE, STREAM_SPARSE, Workload

COUNTS = (
    "PATTERN SEQ(A a, B+ b, C c) WHERE [id] WITHIN 1000 SLIDE 500 "
    "RETURN id, COUNT(*) AS n GROUP BY id"
)
OPTIONS: dict[str, Any] = {"time": "ts", "type": "etype"}
EVENTS = 1_000_000
FILES = 4  # per micro-batch: a scan that several tasks share
SMALL, SMALL_BATCHES = 1_000, 6
SMALL_BARE = "small, bare job"
HEARTBEAT = "Z"
SHUFFLE_PARTITIONS = "spark.sql.shuffle.partitions"

Result = Callable[[Any, str], Any]


def packed(stream: Any, text: str) -> Any:
    """Run the query as a user does."""
    import cepheid

    return cepheid.query(text).run(stream, **OPTIONS, ordered=True)


def unpacked(stream: Any, text: str) -> Any:
    """Hand every event over as a row."""
    from cepheid.spark.stream.bucket_processor import BucketProcessor
    from cepheid.spark.stream.run_stream import results_of, step_through

    work = _work(stream, text)
    events = work.events  # a processor must not take a DataFrame along

    class RowProcessor(BucketProcessor):
        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Any:
            parts = [pa.Table.from_pandas(each, preserve_index=False) for each in rows]
            table = pa.concat_tables(parts).select(range(len(events)))
            arrived = table.rename_columns(events.names).cast(events)
            return self._advance(key, arrived, timerValues, fired=None)

    return results_of(work, step_through(work.frame, RowProcessor(work.job))).results


def counted(stream: Any, text: str) -> Any:
    """Hand over packets and count their events."""
    import pandas as pd
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

    from cepheid.spark.shuffle.packed_events import (
        BUCKET,
        EVENTS,
        PACKETS,
        from_packets,
        pack_batches,
    )

    work = _work(stream, text)

    class Counter(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.total = handle.getValueState("total", "events bigint")

        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Any:
            packets = [packet for frame in rows for packet in frame[EVENTS] if packet]
            before = self.total.get()[0] if self.total.exists() else 0
            total = before + (from_packets(packets).num_rows if packets else 0)
            self.total.update((total,))
            yield pd.DataFrame({"events": [total]})

        def close(self) -> None:
            pass

    packets = work.frame.mapInArrow(pack_batches(work.events.names), PACKETS)
    return packets.groupBy(BUCKET).transformWithStateInPandas(
        Counter(), "events bigint", "append", "EventTime"
    )


def bare(stream: Any, text: str) -> Any:
    """Count rows, in as many groups as there are buckets."""
    import pandas as pd
    from pyspark.sql import functions as F
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

    from cepheid.plan.stream_options import DEFAULT_BUCKETS
    from cepheid.spark.stream.stream_input import PROVIDER, ROCKS

    class Counter(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.total = handle.getValueState("total", "events bigint")

        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Any:
            before = self.total.get()[0] if self.total.exists() else 0
            total = before + sum(len(each) for each in rows)
            self.total.update((total,))
            yield pd.DataFrame({"events": [total]})

        def close(self) -> None:
            pass

    stream.sparkSession.conf.set(PROVIDER, ROCKS)
    bucket = F.pmod(F.col("id"), F.lit(DEFAULT_BUCKETS))
    grouped = stream.withColumn("bucket", bucket).groupBy("bucket")
    return grouped.transformWithStateInPandas(Counter(), "events bigint", "append", "None")


def _work(stream: Any, text: str) -> Any:
    import cepheid
    from cepheid.engine.events.event_schema import ColumnRoles, event_schema
    from cepheid.plan.stream_options import Streaming
    from cepheid.program.lower import lower
    from cepheid.spark.stream.run_stream import bucketed
    from cepheid.spark.stream.stream_input import stream_input
    from cepheid.stream.stream_bundle import stream_of_one

    roles = ColumnRoles(OPTIONS["time"], OPTIONS["type"])
    given = stream_input(stream, roles, Streaming(ordered=True))
    plan = cepheid.query(text).plan(event_schema(given.schema, roles))
    return bucketed(stream_of_one(lower(plan)), given)


def timed_stream(text: str, result: Result, *, small: bool = False) -> Callable[[Path], Timed]:
    """Return what runs a query on a stream, and takes the time of its micro-batch."""

    def run(path: Path) -> Timed:
        from pyspark.sql import SparkSession

        spark = SparkSession.getActiveSession()
        assert spark is not None
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "in"
            source.mkdir()
            files = _write_small(path, source) if small else _write(path, source)
            schema = spark.read.parquet(str(source)).schema
            stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", files)
            found = result(stream.parquet(str(source)), text)
            writer = found.writeStream.format("parquet").trigger(availableNow=True)
            writer = writer.option("checkpointLocation", f"{folder}/checkpoint")
            query = writer.start(f"{folder}/out")
            query.awaitTermination()
            progress = [json.loads(each.json) for each in query.recentProgress]
            seconds = statistics.median(
                each["durationMs"]["triggerExecution"] / 1000
                for each in progress[1:]
                if each["numInputRows"]
            )
            written = spark.read.schema(found.schema).parquet(f"{folder}/out").toArrow()
            return Timed(written, seconds)

    return run


def _write(path: Path, folder: Path) -> int:
    """Write a small micro-batch and one of all other events; return how many files each has."""
    table = _with_heartbeat(pq.read_table(path))
    for number, part in enumerate((table[:SMALL], table[SMALL:])):
        rows = -(-part.num_rows // FILES)
        for place in range(FILES):
            _write_file(part.slice(place * rows, rows), folder, number * FILES + place)
    return FILES


def _with_heartbeat(events: pa.Table) -> pa.Table:
    """Add an event of an unused type, after which no window of the others is open."""
    beat = {each: [None] for each in events.column_names}
    beat |= {"ts": [events.num_rows], "etype": [HEARTBEAT]}
    return pa.concat_tables([events, pa.table(beat, events.schema)])


def _write_small(path: Path, folder: Path) -> int:
    """Write small micro-batches of one file each."""
    table = pq.read_table(path)
    for number in range(min(SMALL_BATCHES, table.num_rows // SMALL)):
        _write_file(table.slice(number * SMALL, SMALL), folder, number)
    return 1


def _write_file(table: pa.Table, folder: Path, number: int) -> None:
    """Write a file; Spark takes files in the order of their times."""
    path = folder / f"{number}.parquet"
    pq.write_table(table, path)
    os.utime(path, (number, number))


@contextlib.contextmanager
def few_tasks() -> Iterator[None]:
    """Keep a session for one machine: a task per core."""
    with session():
        from pyspark.sql import SparkSession

        active = SparkSession.getActiveSession()
        if active is not None:
            active.conf.set(SHUFFLE_PARTITIONS, "2")
        yield


def stream_contender(
    name: str,
    run: Callable[[Path], Timed],
    answer: Callable[[pa.Table], Answer] | None = None,
) -> Contender:
    """Return a contender that runs on the session; a floor has no answer."""
    return Contender(name, run, answer, require_spark, packages=("cepheid", "pyspark"))


def small_contender(name: str, text: str, result: Result) -> Contender:
    """Return a contender with small micro-batches; the bare job is its baseline."""
    run = timed_stream(text, result, small=True)
    return replace(stream_contender(name, run), share=SMALL / EVENTS, baseline=SMALL_BARE)


def _benchmark(
    name: str,
    question: str,
    text: str,
    workload: Workload,
    reference: Callable[[Path], Answer],
    answer: Callable[[pa.Table], Answer],
) -> Benchmark:
    return Benchmark(
        name=name,
        question=question,
        workload=workload,
        events=EVENTS,
        reference=reference,
        contenders=(
            stream_contender("Cepheid on Spark", timed_stream(text, packed), answer),
            stream_contender("Cepheid, unpacked rows", timed_stream(text, unpacked), answer),
            stream_contender("counts packets", timed_stream(text, counted)),
            small_contender("small micro-batch", text, packed),
            small_contender(SMALL_BARE, text, bare),
        ),
        baseline="counts packets",
        around=few_tasks,
        counts_cpu=False,
    )


SPARK_STREAM = (
    _benchmark(
        "spark-stream-w1",
        "W1 on a stream in order, in one micro-batch: SEQ(A, B, C) of one id within 1000",
        f"{QUERY} {RETURNED}",
        STREAM_SPARSE,
        references.w1,
        summarize,
    ),
    _benchmark(
        "spark-stream-counts",
        "trends of SEQ(A, B+, C) per id and window on a stream in order, in one micro-batch",
        COUNTS,
        STREAM_DENSE,
        references.closed_trends,
        lambda table: summarize(table.select(["window_end", "id", "n"])),
    ),
)
