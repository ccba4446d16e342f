"""The Arrow types of expressions over columns of a result."""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import Value
from cepheid.engine.events.event_schema import ARROW_TYPES
from cepheid.program.decimals import decimal_type
from cepheid.program.evaluate import LocalPredicates


@lru_cache(maxsize=256)
def expression_type(value: Value, columns: pa.Schema) -> pa.DataType:
    """Return the type of an expression over columns.

    >>> from cepheid.analysis.expressions import AttributeReference, Minus, Role
    >>> column = AttributeReference("", Role.EACH, "n", AttributeType.INTEGER)
    >>> expression_type(Minus(column, AttributeType.INTEGER), pa.schema([("n", pa.int32())]))
    DataType(int64)
    """
    if value.type in ARROW_TYPES and value.type is not AttributeType.INTEGER:
        return ARROW_TYPES[value.type]
    if value.type is AttributeType.DECIMAL:
        return decimal_type(value, columns)
    empty = {each.name: pa.nulls(0, each.type) for each in columns}
    return LocalPredicates(empty, 0).value(value).type
