"""Values of one column for events, in any order and as often as asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.program.arrow_arrays import empty, to_arrow

Int64s = NDArray[np.int64]


class RowTaker:
    """Takes values of a column, as values of a type; event e is the row `row[e]`.

    Fixed-width columns without NULL go through NumPy, which is several times faster than Arrow.
    When many are taken, the column is first put into the order of the events.
    """

    def __init__(self, column: Any, kind: pa.DataType, row: Int64s) -> None:
        if isinstance(column, pa.ChunkedArray):  # several times faster from one chunk
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        self.column = column
        self.kind = kind
        self.row = row
        self.numbers: NDArray[Any] | None = None
        self.by_event: NDArray[Any] | None = None
        is_plain = pa.types.is_primitive(kind) and kind.bit_width in (8, 16, 32, 64)
        if is_plain and column.type == kind and column.null_count == 0 and len(column):
            width = kind.bit_width // 8
            self.numbers = np.frombuffer(
                column.buffers()[1], f"u{width}", len(column), column.offset * width
            )

    def take(self, events: Int64s, is_null: NDArray[np.bool_] | None = None) -> pa.Array:
        """Return the values of some events, NULL where asked."""
        if self.numbers is None or is_null is not None:
            rows = to_arrow(self.row[events], is_null)
            return self.column.take(rows).cast(self.kind)
        if self.by_event is None and 2 * events.size >= self.row.size:
            self.by_event = self.numbers[self.row]
        taken = empty(events.size, self.numbers.dtype.type)
        if self.by_event is not None:  # all events are valid: there is no need to check
            self.by_event.take(events, out=taken, mode="clip")
        else:
            self.numbers.take(self.row[events], out=taken, mode="clip")
        return pa.Array.from_buffers(
            self.kind, events.size, [None, pa.py_buffer(taken)], null_count=0
        )
