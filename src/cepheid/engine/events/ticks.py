"""The time column as ticks, and ticks as times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.errors import DataError
from cepheid.program.arrow_arrays import to_arrow, to_numpy, to_scalar
from cepheid.program.numeric_times import (
    has_digits,
    number_ticks,
    number_type,
    numbers_of,
)

SMALLEST, LARGEST = -(2**63), 2**63 - 1
FIRST_OF_WINDOWS = -(2**62)


def to_ticks(column: Any, name: str) -> NDArray[np.int64]:
    """Return the time column as int64 in its own unit, or parts of it for digits after the point.

    NULL is an error that names the row.
    """
    reject_nulls(column, name, "time")
    kind = column.type
    if has_digits(kind):
        return number_ticks(column, name)
    if pa.types.is_date32(kind):
        column = pc.cast(column, pa.timestamp("s"))
    elif pa.types.is_date64(kind):
        column = pc.cast(column, pa.timestamp("ms"))
    try:
        is_number = pa.types.is_int64(column.type)
        ticks: NDArray[np.int64] = to_numpy(column if is_number else pc.cast(column, pa.int64()))
    except pa.ArrowInvalid as error:
        raise DataError(f"the time column '{name}' does not fit 64 bits: {error}") from None
    return ticks


def reject_extremes(
    ticks: NDArray[np.int64],
    name: str,
    length: int,
    *,
    has_ends: bool,
    has_negation: bool = False,
) -> None:
    """Raise a DataError if a time is so far out that the bounds of a window would not fit 64 bits.

    `has_ends`: the result shows where windows end, or is timed by it. To a negation the largest
    number stands for the end of a window that ends later, or never.
    """
    if not ticks.size:
        return
    first, last = times_with_windows(length, has_ends=has_ends, has_negation=has_negation)
    earliest, latest = int(ticks.min()), int(ticks.max())
    if earliest < first or latest > last:
        raise too_far(earliest if earliest < first else latest, name, length)


def times_with_windows(length: int, *, has_ends: bool, has_negation: bool) -> tuple[int, int]:
    """Return the first and last time around which a window has bounds; see `reject_extremes`."""
    first = (FIRST_OF_WINDOWS if has_ends else SMALLEST) + length + 1
    return first, LARGEST - length if has_ends else LARGEST - has_negation


def too_far(tick: int, name: str, length: int) -> DataError:
    """Return the error of a time around which a window has no bounds."""
    return DataError(
        f"the time {tick} in column '{name}' is too close to the limit of 64 bits",
        hint=f"a window of {length} that begins or ends there cannot be expressed",
    )


def later(ticks: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return the ticks so much later, or LARGEST where that leaves 64 bits.

    >>> later(np.array([5, LARGEST - 5]), 10).tolist() == [15, LARGEST]
    True
    """
    return np.minimum(ticks, LARGEST - length) + length


def earlier(ticks: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return the ticks so much earlier, or SMALLEST where that leaves 64 bits."""
    return np.maximum(ticks, SMALLEST + length) - length


def window_type(time_type: pa.DataType) -> pa.DataType:
    """Return the type of window bounds for a time column."""
    if has_digits(time_type):
        return number_type(time_type)
    if pa.types.is_date(time_type):
        return pa.timestamp("us")  # the unit that Spark has
    return time_type if pa.types.is_timestamp(time_type) else pa.int64()


def from_ticks(ticks: NDArray[np.int64], time_type: pa.DataType) -> pa.Array:
    """Return ticks as window bounds."""
    if has_digits(time_type):
        return numbers_of(ticks, time_type)
    array = to_arrow(ticks)
    if pa.types.is_date(time_type):
        array = array.cast(pa.timestamp("s" if pa.types.is_date32(time_type) else "ms"))
    return array.cast(window_type(time_type))


def reject_nulls(column: Any, name: str, role: str, *, allowed: Any = None) -> None:
    """Raise a DataError that names the first row with a NULL, but for those that are allowed."""
    if not column.null_count:
        return
    missing = pc.is_null(column)
    if allowed is not None:
        missing = pc.and_not(missing, allowed)
    row = pc.index(missing, to_scalar(True)).as_py()
    if row >= 0:
        raise DataError(
            f"the {role} column '{name}' has a NULL in row {row}",
            hint=f"{pc.sum(missing).as_py()} of {len(column)} rows have none; fill or drop them",
        )
