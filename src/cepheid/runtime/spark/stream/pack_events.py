"""Events as packets: one row per task and bucket with Arrow IPC, and back.

A stateful operator handles every row on its own, in the JVM and in Python. Packed, its rows are few
and its work is the engine's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cepheid.program.arrow_arrays import to_arrow, to_numpy
from cepheid.runtime.spark.column_named import column_named
from cepheid.runtime.spark.whole_task import MapBatches

BUCKET, EVENTS = "bucket", "events"
PACKETS = f"{BUCKET} int, {EVENTS} binary"
PACKET_SCHEMA = pa.schema([(BUCKET, pa.int32()), (EVENTS, pa.binary())])
MOST_ROWS = 2**20  # of a packet: bounds the memory of a task that packs


def bucket_of(frame: DataFrame, keys: Sequence[str], buckets: int) -> Column:
    """Return the bucket of an event: all events with the same keys have the same."""
    if not keys:
        return F.lit(0)
    columns = []
    for name in keys:
        column = column_named(name)
        if frame.schema[name].dataType.typeName() in ("float", "double"):
            column = F.when(column == 0, F.lit(0.0)).otherwise(column)  # -0.0 is 0.0
        columns.append(column)
    return F.pmod(F.hash(*columns), F.lit(buckets)).cast("int")


def pack_batches(names: Sequence[str]) -> MapBatches:
    """Return what packs the batches of a task; the bucket is their last column."""

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        waiting: list[pa.RecordBatch] = []
        rows = 0
        for batch in batches:
            waiting.append(batch)
            rows += batch.num_rows
            if rows >= MOST_ROWS:
                yield from _packets(waiting, names)
                waiting, rows = [], 0
        if rows:
            yield from _packets(waiting, names)

    return pack


def _packets(batches: Sequence[pa.RecordBatch], names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    table = pa.Table.from_batches(batches)
    bucket = to_numpy(table.column(len(names)))
    events = table.select(range(len(names))).rename_columns(list(names))
    order = np.argsort(bucket, kind="stable")
    ordered = bucket[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    if starts.size > 1:
        events = events.take(to_arrow(order))
    for start, end in zip(starts, [*starts[1:], ordered.size], strict=True):
        packet = to_packet(events.slice(start, end - start))
        yield pa.RecordBatch.from_arrays(
            [pa.array([ordered[start]], pa.int32()), pa.array([packet], pa.binary())],
            schema=PACKET_SCHEMA,
        )


def to_packet(table: pa.Table) -> bytes:
    """Return a table as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    packet: bytes = sink.getvalue().to_pybytes()
    return packet


def from_packet(packet: bytes) -> pa.Table:
    """Return the table that was packed."""
    return pa.ipc.open_stream(pa.py_buffer(packet)).read_all()


def from_packets(packets: Iterable[bytes]) -> pa.Table:
    """Return the tables that were packed as one."""
    return pa.concat_tables([from_packet(each) for each in packets])


def unpack_batches() -> MapBatches:
    """Return what gives the rows of packets, which are the only column."""

    def unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for packet in batch.column(0):
                yield from from_packet(packet.as_buffer()).to_batches()

    return unpack
