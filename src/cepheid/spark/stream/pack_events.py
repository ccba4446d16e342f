"""Packets of a stream: those of spark/shuffle/packed_events.py, and one that checks the checkpoint.

A stateful operator handles every row on its own, in the JVM and in Python. Packed, its rows are few
and its work is the engine's.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence

import pyarrow as pa

from cepheid.spark.shuffle.packed_events import pack_batches, packet_row
from cepheid.spark.shuffle.whole_task import MapBatches, named

IDENTITY = -1  # the bucket without events, which knows whose checkpoint it is


def pack_with_identity(names: Sequence[str]) -> MapBatches:
    """Return what packs the batches of a task; the bucket is their last column.

    Every task also sends an empty packet to the bucket that checks the checkpoint: with another
    number of buckets, events may come to one that knows nothing yet.

    No two functions are the same to Spark: where two operators of a stream get the same packets, it
    would shuffle these once, and the second operator would not see the watermark.
    """
    pack_events, only_here = pack_batches(names), uuid.uuid4().bytes

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from pack_events(batches)
        yield packet_row(IDENTITY, only_here[:0])

    return named(pack, "pack events")
