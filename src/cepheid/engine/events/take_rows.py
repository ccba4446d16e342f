"""Values of one column for events, in any order and as often as asked."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.process.threads import cut, side_by_side
from cepheid.program.arrow_arrays import empty, to_arrow

Int64s = NDArray[np.int64]
LEAST_VALUES = 2**17  # that are worth a thread


def take_into(
    target: NDArray[Any], values: NDArray[Any], rows: Int64s, threads: int = 1
) -> NDArray[Any]:
    """Fill an array with the values of some rows, all of which exist."""
    if target.dtype != values.dtype:
        target[:] = values[rows]
        return target
    parts = cut(rows.size, max(1, min(threads, rows.size // LEAST_VALUES)))
    places = [slice(each.start, each.stop) for each in parts]
    # There is no need to check rows; with out= that would also make a copy.
    side_by_side([partial(values.take, rows[at], out=target[at], mode="clip") for at in places])
    return target


class RowTaker:
    """Takes values of a column, as values of a type; event e is the row `row[e]`.

    Fixed-width columns without NULL go through NumPy, which is several times faster than Arrow.
    When many are taken, the column is first put into the order of the events; the time column is
    in that order already: `ticks`.
    """

    def __init__(
        self, column: Any, kind: pa.DataType, row: Int64s, ticks: Int64s | None = None
    ) -> None:
        if isinstance(column, pa.ChunkedArray):  # several times faster from one chunk
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        self.column = column
        self.kind = kind
        self.row = row
        self.count = 0
        self.numbers: NDArray[Any] | None = None
        self.by_event: NDArray[Any] | None = None
        is_plain = pa.types.is_primitive(kind) and kind.bit_width in (8, 16, 32, 64)
        if is_plain and column.type == kind and column.null_count == 0 and len(column):
            width = kind.bit_width // 8
            self.numbers = np.frombuffer(
                column.buffers()[1], f"u{width}", len(column), column.offset * width
            )
            if ticks is not None and self.numbers.itemsize == ticks.itemsize:
                self.by_event = ticks.view(self.numbers.dtype)

    def take(self, events: Int64s, is_null: NDArray[np.bool_] | None = None) -> pa.Array:
        """Return the values of some events, NULL where asked."""
        if self.numbers is None or is_null is not None:
            rows = to_arrow(self.row[events], is_null)
            return self.column.take(rows).cast(self.kind)
        self.count += events.size
        if self.by_event is None and 2 * self.count >= self.row.size:
            kind = self.numbers.dtype.type
            self.by_event = take_into(empty(self.row.size, kind), self.numbers, self.row)
        taken = empty(events.size, self.numbers.dtype.type)
        if self.by_event is not None:
            take_into(taken, self.by_event, events)
        else:
            take_into(taken, self.numbers, self.row[events])
        return pa.Array.from_buffers(
            self.kind, events.size, [None, pa.py_buffer(taken)], null_count=0
        )
