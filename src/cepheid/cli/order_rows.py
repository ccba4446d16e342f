"""The rows of a result in one order, whichever engine and however many tasks made them."""

from __future__ import annotations

import pyarrow as pa

TIMES = ("window_start", "window_end", "time", "first_time", "last_time")


def order_rows(table: pa.Table) -> pa.Table:
    """Sort by the result's times, then by its other columns; arrays cannot be compared."""
    named = [each for each in TIMES if each in table.column_names]
    keys = [*named, *(each for each in table.column_names if each not in named)]
    sortable = [each for each in keys if _is_sortable(table.schema.field(each).type)]
    return table.sort_by([(each, "ascending") for each in sortable]) if sortable else table


def _is_sortable(kind: pa.DataType) -> bool:
    """Whether Arrow can sort values of a type; half floats and types of others it cannot."""
    kinds = pa.types
    return not (
        kinds.is_nested(kind)
        or kinds.is_null(kind)
        or kinds.is_dictionary(kind)
        or kinds.is_float16(kind)
        or isinstance(kind, pa.BaseExtensionType)
    )
