"""Functions of the latest block of a variable, for many matches at once: `median(a[].x)`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import SummaryColumn
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.kernels.graph.path_clauses import FAR_EXPONENT
from cepheid.program.arrow_arrays import to_arrow, to_numpy, to_scalar
from cepheid.program.arrow_functions import microseconds

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]
KINDS = {
    AttributeType.INTEGER: pa.int64(),
    AttributeType.FLOAT: pa.float64(),
    AttributeType.STRING: pa.string(),
}


def summary_type(column: SummaryColumn, stored: pa.DataType) -> pa.DataType:
    """Return the type of a column that reads one of a type."""
    match column.function:
        case "array":
            return pa.list_(stored)
        case "nth":
            return stored
        case "duration":
            return pa.int64()
        case _:
            return KINDS[column.type]


def whole_time(times: pa.Array) -> pa.Array:
    """Return times as microseconds, or as the whole numbers that they are."""
    return microseconds([times]) if pa.types.is_temporal(times.type) else pc.cast(times, pa.int64())


def latest_blocks(matches: MatchArrays, positions: np.uint64) -> tuple[Int64s, Int64s]:
    """Return where the events of the latest block of every match begin, and the events.

    A block is a stretch of neighbours in a match, all of them at the positions of the variable.
    """
    place = np.arange(matches.event.size)
    bits = np.uint64(1) << matches.position.astype(np.uint64)
    is_own = (bits & positions) != 0
    sizes = np.diff(matches.offsets)
    begins = np.repeat(matches.offsets[:-1], sizes)
    follows = np.append(False, is_own[:-1]) & (place > begins)
    latest = np.maximum.accumulate(np.where(is_own & ~follows, place, -1))
    ends = np.repeat(matches.offsets[1:] - 1, sizes)
    chosen = is_own & (place >= latest[ends])
    offsets = np.append(0, np.cumsum(chosen))[matches.offsets]
    return offsets.astype(np.int64), matches.event[chosen]


def summarize(column: SummaryColumn, offsets: Int64s, values: pa.Array) -> pa.Array:
    """Return a value a match from the values of its events; NULL is no value."""
    count = offsets.size - 1
    match column.function:
        case "array":
            return pa.ListArray.from_arrays(to_arrow(offsets.astype(np.int32)), values)
        case "nth":
            assert isinstance(column.option, int)
            place = offsets[:-1] + column.option - 1
            return values.take(to_arrow(np.minimum(place, len(values)), place >= offsets[1:]))
    owner = np.repeat(np.arange(count), np.diff(offsets))
    if values.null_count:
        is_known = values.is_valid()
        values, owner = values.filter(is_known), owner[to_numpy(is_known)]
    sizes = np.bincount(owner, minlength=count)
    match column.function:
        case "count_distinct":
            return to_arrow(_count_distinct(values, owner, count))
        case "string_agg":
            begins = np.append(0, np.cumsum(sizes)).astype(np.int32)
            texts = pc.cast(values, pa.string())
            joined = pc.binary_join(pa.ListArray.from_arrays(to_arrow(begins), texts),
                                    to_scalar(column.option))  # fmt: skip
            return pc.if_else(to_arrow(sizes > 0), joined, pa.scalar(None, pa.string()))
    numbers = to_numpy(pc.cast(values, pa.float64(), safe=False))
    if column.function == "median":
        return _median(numbers, owner, sizes)
    return _deviation(numbers, owner, sizes)


def _count_distinct(values: pa.Array, owner: Int64s, count: int) -> Int64s:
    """All NaN are one value, and so are 0.0 and -0.0."""
    if pa.types.is_floating(values.type):
        values = pc.add(pc.cast(values, pa.float64()), 0.0)
    if not pa.types.is_dictionary(values.type):
        values = _encoded(values)
    width = max(1, len(values.dictionary))
    pairs = np.unique(owner * width + to_numpy(values.indices).astype(np.int64))
    return np.bincount(pairs // width, minlength=count).astype(np.int64)


def _encoded(values: pa.Array) -> pa.DictionaryArray:
    try:
        return pc.dictionary_encode(values)
    except pa.ArrowNotImplementedError:  # such as identifiers, and values of several types
        return pa.array(
            [repr(each) for each in values.to_pylist()], pa.string()
        ).dictionary_encode()


def _median(numbers: Floats, owner: Int64s, sizes: Int64s) -> pa.Array:
    """Of an even number of values it is the mean of the two in the middle."""
    if not numbers.size:
        return pa.nulls(sizes.size, pa.float64())
    ordered = numbers[np.lexsort((numbers, owner))]
    begins = np.cumsum(sizes) - sizes
    low, high = begins + (np.maximum(sizes, 1) - 1) // 2, begins + sizes // 2
    last = numbers.size - 1
    one, other = ordered[np.minimum(low, last)], ordered[np.minimum(high, last)]
    with np.errstate(invalid="ignore"):
        middle = np.where(one == other, one, one / 2 + other / 2)
    return to_arrow(middle, sizes == 0)


def _deviation(numbers: Floats, owner: Int64s, sizes: Int64s) -> pa.Array:
    """That of a sample; of fewer than two values there is none.

    Values whose squares would leave the range of doubles are divided by a power of two first.
    """
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        largest = np.zeros(sizes.size)
        np.maximum.at(largest, owner, np.abs(numbers))
        is_far = np.isfinite(largest) & (largest > 0) & (np.abs(np.log2(largest)) > FAR_EXPONENT)
        scale = np.where(is_far, np.exp2(np.floor(np.log2(largest))), 1.0)
        scaled = numbers / scale[owner]
        mean = np.bincount(owner, scaled, sizes.size) / sizes
        squares = np.bincount(owner, (scaled - mean[owner]) ** 2, sizes.size)
        return to_arrow(np.sqrt(squares / (sizes - 1)) * scale, sizes < 2)
