"""Columns that a query adds to the events: what functions say of every event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import ComputedColumn, Operation
from cepheid.errors import DataError
from cepheid.program.arrow_arrays import of_type
from cepheid.program.decimals import LARGEST, MOST_IN_RESULTS, within_64_bits
from cepheid.program.evaluate import CHECKED, OVERFLOW_HINT, LocalPredicates

ARROW_TYPES = {
    AttributeType.INTEGER: pa.int64(),
    AttributeType.DURATION: pa.int64(),
    AttributeType.FLOAT: pa.float64(),
    AttributeType.STRING: pa.string(),
    AttributeType.BOOLEAN: pa.bool_(),
    AttributeType.DATE: pa.date32(),
    AttributeType.NULL: pa.int64(),
}


def with_computed(table: pa.Table, computed: Iterable[ComputedColumn]) -> pa.Table:
    """Return events with the columns that queries add; several may add the same."""
    columns: Mapping[str, Any] = dict(zip(table.column_names, table.columns, strict=True))
    missing = {each.name: each for each in computed if each.name not in columns}
    for name, each in missing.items():
        table = table.append_column(name, compute_column(each, columns, table.num_rows))
    return table


def computed_schema(events: pa.Schema, computed: Iterable[ComputedColumn]) -> pa.Schema:
    """Return the schema of events with the columns that queries add."""
    missing = [each for each in computed if each.name not in events.names]
    return with_computed(events.empty_table(), missing).schema if missing else events


def compute_column(column: ComputedColumn, stored: Mapping[str, Any], length: int) -> Any:
    """Return a column from those that are stored."""
    try:
        values = EventValues(stored, length).value(column.value)
    except pa.ArrowInvalid as error:
        raise DataError(
            f"'{column.name.replace('@.', '')}' cannot be computed: {error}", hint=OVERFLOW_HINT
        ) from None
    if isinstance(values, pa.Scalar):
        values = pa.repeat(values, length)
    kind = ARROW_TYPES.get(column.type)
    if column.is_key:
        return values
    if kind is not None:
        return of_type(values, kind, safe=False)
    if pa.types.is_decimal256(values.type):
        return pc.cast(values, pa.decimal128(MOST_IN_RESULTS, min(values.type.scale, 38)))
    return values


class EventValues(LocalPredicates):
    """Computes of events that nobody may read: what leaves 64 bits is NULL, and no error yet.

    `checked_columns.py` says where it was.
    """

    def _operation(self, node: Operation) -> Any:
        try:
            return super()._operation(node)
        except pa.ArrowInvalid:
            if node.operator not in CHECKED or node.type is AttributeType.DECIMAL:
                raise
        wide = pa.decimal256(19, 0)
        left, right = (pc.cast(self._number(each), wide) for each in (node.left, node.right))
        return within_64_bits(CHECKED[node.operator](left, right))

    def _negated(self, operand: Any) -> Any:
        try:
            return super()._negated(operand)
        except pa.ArrowInvalid:
            return super()._negated(_without_smallest(operand))

    def _function(self, name: str, values: list[Any]) -> Any:
        try:
            return super()._function(name, values)
        except pa.ArrowInvalid:
            if name != "abs":
                raise
            return super()._function(name, [_without_smallest(values[0])])


def _without_smallest(numbers: Any) -> Any:
    """Return numbers without the smallest whole number, which has no opposite."""
    smallest, null = pa.scalar(-LARGEST - 1, pa.int64()), pa.scalar(None, pa.int64())
    return pc.if_else(pc.equal(numbers, smallest), null, numbers)
