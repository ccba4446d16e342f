"""Partition attributes as short numbers that every process computes alike.

Equal keys have equal numbers; others may have the same one, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.kernels.order.hash_keys import add_to_hashes
from cepheid.program.arrow_arrays import in_one, read_only

Int64s = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Hashes = NDArray[np.uint32]


def can_be_hashed(kind: pa.DataType) -> bool:
    """Whether keys of a type can be told apart by their bytes."""
    return bool(
        pa.types.is_primitive(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )


def key_hashes(events: pa.Table, names: Sequence[str]) -> Hashes:
    """Return a number for every event that follows from the values of some columns."""
    hashes = np.zeros(events.num_rows, np.uint64)
    for name in names if events.num_rows else ():
        offsets, data = _bytes_of(in_one(events[name]))
        add_to_hashes(read_only(offsets), read_only(data), hashes)
    folded: Hashes = (hashes ^ (hashes >> np.uint64(32))).astype(np.uint32)
    return folded


def _bytes_of(column: Any) -> tuple[Int64s, Bytes]:
    """Return the bytes of all values, and where those of each begin.

    Those of NULL may be any: an event without a key is in no partition.
    """
    kind, rows = column.type, len(column)
    if not pa.types.is_primitive(kind) and not pa.types.is_decimal(kind):
        column = column.cast(pa.large_binary())
        _, offsets, data = column.buffers()
        begin = np.frombuffer(offsets, np.int64)[column.offset : column.offset + rows + 1]
        return begin, np.frombuffer(data or b"", np.uint8)
    if pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    elif pa.types.is_floating(kind):
        column = column.cast(pa.float64())
    width = column.type.bit_width // 8
    data = np.frombuffer(column.buffers()[1], np.uint8)[column.offset * width :][: rows * width]
    if pa.types.is_floating(kind):
        values = data.view(np.float64) + 0.0  # -0.0 equals 0.0
        values[np.isnan(values)] = np.nan
        data = values.view(np.uint8)
    return np.arange(rows + 1, dtype=np.int64) * width, data
