"""Time columns that hold numbers: every time is a whole number of ticks, exactly.

An integer is its own tick. A decimal has its digits without the point. A float stands for the
decimal with few digits after the point that it is the nearest float of, as 0.1 stands for a tenth:
up to six digits below 2^32, and up to three below 2^42, where no two such decimals have the same
float. What is no such decimal is an error, since two of them could fall on one tick.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.errors import DataError
from cepheid.program.arrow_arrays import to_arrow, to_numpy

Int64s = NDArray[np.int64]
FLOAT_DIGITS, DIGITS_FROM_LIMIT = 6, 3
FLOAT_LIMIT, FAR_LIMIT = 2.0**32, 2.0**42
NO_TICK = -(2**53)
MOST_DIGITS = 18  # after the point of a decimal: a unit must fit 64 bits
TICK_DIGITS = 19  # of a decimal that holds any tick
WORDS = {128: 2, 256: 4}  # of 64 bits, the lowest first


def is_numeric_time(kind: pa.DataType) -> bool:
    """Whether times of a type are numbers."""
    return bool(pa.types.is_integer(kind)) or has_digits(kind)


def has_digits(kind: pa.DataType) -> bool:
    """Whether times of a type are numbers with digits after the point."""
    if pa.types.is_decimal(kind):
        return bool(0 <= kind.scale <= MOST_DIGITS)
    return bool(pa.types.is_floating(kind))


def digits_of(kind: pa.DataType) -> int:
    """Return how many digits after the point make a tick of a type; 0 for other times."""
    if not has_digits(kind):
        return 0
    return int(kind.scale) if pa.types.is_decimal(kind) else FLOAT_DIGITS


def number_ticks(column: Any, name: str) -> Int64s:
    """Return times with digits after the point as ticks; none of them is NULL."""
    if pa.types.is_floating(column.type):
        return _of_floats(np.asarray(to_numpy(column)), name)
    return _of_decimals(column, name)


def number_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of window bounds."""
    return pa.float64() if pa.types.is_floating(kind) else pa.decimal128(TICK_DIGITS, kind.scale)


def numbers_of(ticks: Int64s, kind: pa.DataType) -> pa.Array:
    """Return ticks as window bounds."""
    if pa.types.is_floating(kind):
        unit = 10**FLOAT_DIGITS
        whole, rest = ticks // unit, ticks % unit
        # In one division as long as a tick is a float: that is the nearest float.
        near = np.abs(ticks) < 2**53
        return to_arrow(np.where(near, ticks / unit, whole + rest / unit))
    words = np.empty((ticks.size, 2), np.int64)
    words[:, 0], words[:, 1] = ticks, ticks >> 63
    data = pa.py_buffer(words.tobytes())
    return pa.Array.from_buffers(number_type(kind), ticks.size, [None, data])


def _of_decimals(column: Any, name: str) -> Int64s:
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    kind = column.type
    if kind.bit_width not in WORDS:
        wide = pa.decimal128(kind.precision, kind.scale)
        chunks, kind = [each.cast(wide) for each in chunks], wide
    width, found = WORDS[kind.bit_width], [np.zeros(0, np.int64)]
    for each in chunks:
        words = np.frombuffer(each.buffers()[1], np.int64) if len(each) else found[0]
        own = words[each.offset * width : (each.offset + len(each)) * width].reshape(-1, width)
        if (own[:, 1:] != (own[:, :1] >> 63)).any():
            raise DataError(
                f"the time column '{name}' does not fit 64 bits: a number of {kind} has too many "
                "digits",
                hint="without the point, a time may have 18 digits",
            )
        found.append(own[:, 0])
    return np.concatenate(found)


def _of_floats(times: NDArray[Any], name: str) -> Int64s:
    wide = times.astype(np.float64)
    small = np.abs(wide) < FLOAT_LIMIT
    ticks = _ticks(times, np.where(small, wide, 0.0), FLOAT_DIGITS)
    is_time = small & (ticks != NO_TICK)
    if not small.all():
        far = ~small & (np.abs(wide) < FAR_LIMIT)
        unit = 10 ** (FLOAT_DIGITS - DIGITS_FROM_LIMIT)
        others = _ticks(times, np.where(far, wide, 0.0), DIGITS_FROM_LIMIT)
        is_time |= far & (others != NO_TICK)
        ticks = np.where(small, ticks, others * unit)
    if not is_time.all():
        row = int(np.argmin(is_time))
        raise _no_time(float(wide[row]), row, name, pa.from_numpy_dtype(times.dtype))
    return ticks


def _ticks(times: NDArray[Any], wide: NDArray[np.float64], digits: int) -> Int64s:
    """Return the whole number that is the nearest float of a time if divided; else NO_TICK.

    The product is off by less than one, so that it is one of three numbers.
    """
    unit, found = 10.0**digits, np.full(wide.size, NO_TICK, np.int64)
    near = np.rint(wide * unit)
    exact = wide.astype(times.dtype)
    for step in (-1.0, 1.0, 0.0):
        fits = ((near + step) / unit).astype(times.dtype) == exact
        found[fits] = (near[fits] + step).astype(np.int64)
    return found


def _no_time(time: float, row: int, name: str, kind: pa.DataType) -> DataError:
    if not np.isfinite(time):
        return DataError(
            f"the time column '{name}' has {time} in row {row}, which is no time",
            hint="fill or drop such rows",
        )
    if abs(time) >= FAR_LIMIT:
        return DataError(
            f"the time {time!r} in row {row} of column '{name}' is too large for a time that is a "
            "float",
            hint=f"the limit is 2^42; cast the column to an integer or a decimal, not {kind}",
        )
    digits = FLOAT_DIGITS if abs(time) < FLOAT_LIMIT else DIGITS_FROM_LIMIT
    return DataError(
        f"the time {time!r} in row {row} of column '{name}' has more than {digits} digits after "
        "the point, so that it is not known which other times it equals",
        hint=f"round the column to {digits} digits, or cast it to a decimal or a timestamp",
    )
