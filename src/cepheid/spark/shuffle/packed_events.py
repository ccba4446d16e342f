"""Events as packets: one row per task and bucket with Arrow IPC, and back.

Spark shuffles and hands over every row on its own. Packed, rows are few and the events of a packet
stay columns all the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BinaryType,
    DoubleType,
    FloatType,
    IntegerType,
    StructField,
    StructType,
)

from cepheid.program.arrow_arrays import to_arrow, to_numpy
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.shuffle.whole_task import MapBatches, named

BUCKET, EVENTS = "bucket", "events"
PACKET_SCHEMA = pa.schema([(BUCKET, pa.int32()), (EVENTS, pa.binary())])
PACKETS = StructType([StructField(BUCKET, IntegerType()), StructField(EVENTS, BinaryType())])
FULL_ROWS = 2**14  # of a packet: the JVM has trouble with values of many megabytes
PACKET_BYTES = 2**26  # of results, before a further packet begins: a row must stay below 2 GiB
MOST_ROWS = 2**20  # that wait to be packed: bounds the memory of a task with many buckets


def bucket_of(frame: DataFrame, keys: Sequence[str], buckets: int) -> Column:
    """Return the bucket of an event: all events with the same keys have the same."""
    if not keys:
        return F.lit(0)
    columns = [key_column(frame, name) for name in keys]
    return F.pmod(F.hash(*columns), F.lit(buckets)).cast("int")


def key_column(frame: DataFrame, name: str) -> Column:
    """Return a column whose hash is the same for equal values."""
    column = column_named(name)
    if isinstance(frame.schema[name].dataType, FloatType | DoubleType):
        column = column + F.lit(0.0)  # -0.0 becomes 0.0, which it is equal to
    return column


def pack_batches(names: Sequence[str]) -> MapBatches:
    """Return what packs the batches of a task; the bucket is their last column.

    Batches are sorted one by one while Spark makes the next, so that a packet has a batch of each.
    """

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        parts: dict[int, list[pa.RecordBatch]] = {}
        rows: Counter[int] = Counter()
        for batch in batches:
            for bucket, part in _by_bucket(batch, names):
                parts.setdefault(bucket, []).append(part)
                rows[bucket] += part.num_rows
            full = list(rows) if rows.total() >= MOST_ROWS else _full(rows)
            yield from _packets({each: parts.pop(each) for each in full})
            for each in full:
                del rows[each]
        yield from _packets(parts)

    return named(pack, "pack events")


def _full(rows: Counter[int]) -> list[int]:
    return [bucket for bucket, count in rows.items() if count >= FULL_ROWS]


def _by_bucket(batch: pa.RecordBatch, names: Sequence[str]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield the events of every bucket, with their own names."""
    events = pa.RecordBatch.from_arrays(batch.columns[: len(names)], names=list(names))
    bucket = to_numpy(batch.column(len(names)))
    if batch.num_rows and bucket.max() <= np.iinfo(np.int16).max:
        bucket = bucket.astype(np.int16)  # which NumPy sorts in one pass
    order = np.argsort(bucket, kind="stable")
    ordered = bucket[order]
    begins = np.flatnonzero(np.diff(ordered, prepend=-1)).tolist()
    if len(begins) > 1:
        events = events.take(to_arrow(order))
    for begin, end in zip(begins, [*begins[1:], batch.num_rows], strict=False):
        yield int(ordered[begin]), events.slice(begin, end - begin)


def _packets(parts: dict[int, list[pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
    for bucket, batches in sorted(parts.items()):
        yield packet_row(bucket, to_packet(pa.Table.from_batches(batches)))


def packet_row(bucket: int, packet: bytes) -> pa.RecordBatch:
    """Return the row of a packet."""
    columns = [pa.array([bucket], pa.int32()), pa.array([packet], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, schema=PACKET_SCHEMA)


def to_packet(table: pa.Table) -> bytes:
    """Return a table as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    packet: bytes = sink.getvalue().to_pybytes()
    return packet


def to_packets(table: pa.Table) -> list[bytes]:
    """Return a table as packets of limited size; none if it has no rows."""
    if not table.num_rows:
        return []
    parts = -(-table.nbytes // PACKET_BYTES)
    rows = -(-table.num_rows // max(1, parts))
    return [to_packet(table.slice(start, rows)) for start in range(0, table.num_rows, rows)]


def from_packet(packet: bytes | pa.Buffer) -> pa.Table:
    """Return the table that was packed."""
    return pa.ipc.open_stream(packet).read_all()


def from_packets(packets: Iterable[bytes]) -> pa.Table:
    """Return the tables that were packed as one."""
    return pa.concat_tables([from_packet(each) for each in packets])


def unpacked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of packets, which are the only column."""
    for batch in batches:
        for packet in batch.column(0):
            yield from from_packet(packet.as_buffer()).to_batches()
