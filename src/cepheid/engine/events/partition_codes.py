"""Partition attributes as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.errors import DataError
from cepheid.program.arrow_arrays import empty, to_numpy, to_scalar

Int64s = NDArray[np.int64]
Masks = NDArray[np.uint64]
LARGEST_CODE = 2**62
MOST_DISTANT = 16  # how far integers may lie apart, per event, to be codes themselves


class PartitionCodes(NamedTuple):
    """A number below `size` for every event, and whether none of its attributes is NULL.

    `is_member` is empty if that holds for every event.
    """

    code: Int64s
    is_member: NDArray[np.bool_]
    size: int


def count_without_partition(partitions: PartitionCodes, masks: Masks) -> int:
    """Return how many events that fit a position, so that they have a mask, are in no partition."""
    if not partitions.is_member.size:
        return 0
    return int(np.count_nonzero(masks[~partitions.is_member]))


def partition_codes(
    columns: Mapping[str, Any], attributes: Sequence[str], length: int
) -> PartitionCodes:
    """Return a number per event, equal for equal attributes and in the order of their values.

    So partitions, and the rows of results with them, have an order that does not depend on the
    order in which events are stored.
    """
    codes, valid, size = empty(0 if attributes else length), np.empty(0, np.bool_), 1
    codes.fill(0)
    for attribute in attributes:
        try:
            indices, count = _dictionary_codes(columns[attribute])
        except pa.ArrowNotImplementedError:
            raise DataError(
                f"events cannot be partitioned by '{attribute}': it holds {columns[attribute].type}"
            ) from None
        if columns[attribute].null_count:
            is_known = indices >= 0
            valid = valid & is_known if valid.size else is_known
            indices = np.maximum(indices, 0)
        width = max(count, 1)
        if size * width > LARGEST_CODE:
            codes, size = _renumbered(codes)
        codes = indices if size == 1 else codes * width + indices
        size *= width
    if size > MOST_DISTANT * length:
        codes, size = _renumbered(codes)
    return PartitionCodes(codes, valid, size)


def _renumbered(codes: Int64s) -> tuple[Int64s, int]:
    """Return the codes without gaps between them, and how many there are."""
    numbers = np.unique(codes, return_inverse=True)[1]
    return numbers.astype(np.int64), int(numbers.max(initial=0)) + 1


def _dictionary_codes(column: Any) -> tuple[Int64s, int]:
    if len(column) == 0:  # Arrow cannot combine no chunks of a dictionary of every type
        return np.zeros(0, np.int64), 0
    if pa.types.is_float32(column.type) or pa.types.is_float64(column.type):
        column = pc.add(column, to_scalar(0.0, column.type))  # -0.0 equals 0.0
    if pa.types.is_integer(column.type) and not column.null_count:
        distances = _distances(column)
        if distances is not None:
            return distances
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column)
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    indices = pc.cast(column.indices, pa.int64())
    if indices.null_count:
        indices = pc.fill_null(indices, to_scalar(-1))
    return _in_order(np.array(to_numpy(indices)), column.dictionary), len(column.dictionary)


def _in_order(codes: Int64s, dictionary: Any) -> Int64s:
    """Return codes as places in the sorted dictionary; -1 stays what it is.

    Sorting the values that differ takes at most half as long as finding them.
    """
    order = to_numpy(pc.sort_indices(dictionary)).astype(np.int64)
    if (order[1:] > order[:-1]).all():
        return codes
    places = np.empty(order.size + 1, np.int64)
    places[order] = np.arange(order.size)
    places[-1] = -1
    return places[codes]


def _distances(column: Any) -> tuple[Int64s, int] | None:
    """Return integers as distances from the smallest, if these are small enough to be codes."""
    values = to_numpy(column)
    smallest, largest = int(values.min()), int(values.max())
    if largest - smallest >= MOST_DISTANT * values.size:
        return None
    distances = empty(values.size)
    if values.dtype == np.uint64:  # may be beyond int64, but not below zero
        distances[:] = values - values.min()
    else:
        np.subtract(values, smallest, out=distances, dtype=np.int64)
    return distances, largest - smallest + 1


def partition_of_event(step_offsets: Int64s, partition_offsets: Int64s) -> Int64s:
    """Return the number of every event's partition."""
    sizes = np.diff(step_offsets[partition_offsets])
    return np.repeat(np.arange(sizes.size), sizes)
