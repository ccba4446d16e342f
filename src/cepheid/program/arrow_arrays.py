"""Between NumPy and Arrow, and constants as Arrow scalars.

Arrow's own functions for this (`pa.array`, `pa.scalar`, `to_numpy`) first import pandas, where it
is installed, to ask whether a value belongs to it. That takes longer than a small query.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

SMALL_BYTES = 2**16


def empty(size: int, dtype: Any = np.int64) -> NDArray[Any]:
    """Return an array with any content, from Arrow's memory pool if it is large.

    The pool keeps what is freed. Memory that NumPy frees goes back to the system, and touching new
    memory can take many times as long as what is done with it.
    """
    length = size * np.dtype(dtype).itemsize
    if length < SMALL_BYTES:
        return np.empty(size, dtype)
    return np.frombuffer(pa.allocate_buffer(length), dtype)


def empty_table(rows: int, width: int) -> NDArray[np.int64]:
    """Return a table of integers with any content."""
    return empty(rows * width).reshape(rows, width)


def read_only(values: NDArray[Any]) -> NDArray[Any]:
    """Return a view as Arrow's arrays are, so that a kernel is compiled for one kind."""
    view = values.view()
    view.flags.writeable = False
    return view


def look_up(table: NDArray[Any], codes: Any) -> NDArray[Any]:
    """Return the entry of a table for every code, an Arrow array of integers without NULL.

    NumPy would first copy the codes to 64 bits.

    >>> look_up(np.array([5, 7]), to_arrow(np.array([1, 0, 1], np.uint8)))
    array([7, 5, 7])
    """
    found = to_numpy(pc.take(to_arrow(table), codes, boundscheck=False))
    return np.require(found, requirements="W")


def to_arrow(values: NDArray[Any], is_null: NDArray[np.bool_] | None = None) -> pa.Array:
    """Return numbers or booleans as an Arrow array; numbers share their memory.

    >>> to_arrow(np.array([1, 2]), np.array([False, True])).to_pylist()
    [1, None]
    """
    is_boolean = values.dtype == np.bool_
    content = np.packbits(values, bitorder="little") if is_boolean else np.ascontiguousarray(values)
    validity = None if is_null is None else pa.py_buffer(np.packbits(~is_null, bitorder="little"))
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [validity, pa.py_buffer(content)])


def texts_to_arrow(values: Sequence[str], kind: pa.DataType | None = None) -> pa.Array:
    """Return texts as an Arrow array of strings of some kind.

    >>> texts_to_arrow(["a", "", "é"]).to_pylist()
    ['a', '', 'é']
    """
    builder = pa.lib.StringBuilder()
    builder.append_values(values)
    texts = builder.finish()
    return texts if kind is None or kind == texts.type else texts.cast(kind)


def to_scalar(value: int | float | str | bool | None, kind: pa.DataType | None = None) -> pa.Scalar:
    """Return a constant, of the kind that its value has if none is named.

    >>> to_scalar(1), to_scalar(0, pa.float32()), to_scalar("a"), to_scalar(None)
    (<pyarrow.Int64Scalar: 1>, <pyarrow.FloatScalar: 0.0>, <pyarrow.StringScalar: 'a'>, \
<pyarrow.Int64Scalar: None>)
    """
    match value:
        case None:
            return pa.nulls(1, pa.int64() if kind is None else kind)[0]
        case str():
            return texts_to_arrow([value], kind)[0]
        case _ if kind is None or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            number = to_arrow(np.array([value]))
            return (number if kind is None else number.cast(kind))[0]
        case _:
            return to_arrow(np.array([value], kind.to_pandas_dtype()))[0]


def of_type(column: Any, kind: pa.DataType, *, safe: bool = True) -> Any:
    """Return a column or a scalar as another type; what is NULL throughout can be of any.

    >>> of_type(pa.nulls(2), pa.list_view(pa.int64())).to_pylist()
    [None, None]
    >>> of_type(to_scalar(None), pa.date32())
    <pyarrow.Date32Scalar: None>
    """
    if column.type == kind:
        return column
    if isinstance(column, pa.Scalar):
        return pc.cast(column, kind, safe=safe) if column.is_valid else pa.nulls(1, kind)[0]
    if column.null_count == len(column):
        return pa.nulls(len(column), kind)
    return pc.cast(column, kind, safe=safe)


def choose(condition: Any, one: Any, other: Any) -> Any:
    """Return the one where the condition holds, and the other elsewhere; both are of one type.

    >>> ids = pa.nulls(2, pa.uuid())
    >>> choose(pa.array([True, False]), ids, ids[0]).equals(ids)
    True
    """
    try:
        return pc.if_else(condition, one, other)
    except pa.ArrowNotImplementedError:  # Arrow takes what it does not choose among
        if isinstance(condition, pa.Scalar):
            return one if condition.as_py() else other
        count = len(condition)
        sides = [pa.repeat(each, count) if isinstance(each, pa.Scalar) else in_one(each)
                 for each in (one, other)]  # fmt: skip
        place = np.arange(count)
        place[~to_numpy(condition)] += count
        return pa.concat_arrays(sides).take(to_arrow(place))


def in_one(column: Any) -> Any:
    """Return a column without chunks."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def take(column: Any, rows: pa.Array) -> Any:
    """Return the values of some rows, in one array.

    >>> take(pa.chunked_array([["a"], ["b", "c"]]), pa.array([2, 0])).to_pylist()
    ['c', 'a']
    """
    return in_one(column.take(rows))


def take_plain(column: Any, rows: pa.Array) -> Any:
    """Likewise, and decoded if the column is a dictionary."""
    taken = column.take(rows)
    if pa.types.is_dictionary(taken.type):
        taken = taken.cast(taken.type.value_type)
    return in_one(taken)


def filled(column: Any) -> Any:
    """Return numbers with 0 for NULL."""
    return column.fill_null(to_scalar(0, column.type)) if column.null_count else column


def to_numpy(column: Any) -> NDArray[Any]:
    """Return numbers or booleans without NULL as a NumPy array; it may share their memory.

    >>> to_numpy(pa.chunked_array([[True], [False, True]]))
    array([ True, False,  True])
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if pa.types.is_boolean(column.type):
        return to_numpy(column.cast(pa.uint8())).view(np.bool_)
    dtype = np.dtype(column.type.to_pandas_dtype())
    if len(column) == 0:  # Arrow may have no memory for it
        return np.empty(0, dtype)
    return np.frombuffer(column.buffers()[1], dtype, len(column), column.offset * dtype.itemsize)
