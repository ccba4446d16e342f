"""CAST: a value that the other type cannot have is NULL."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.cast_types import OF_FLOATS
from cepheid.program.arrow_arrays import to_scalar
from cepheid.program.arrow_functions import each_text

Column: TypeAlias = Any  # pyarrow ships no types
INTEGER = re.compile(r"\s*[+-]?\d{1,40}\s*", re.ASCII)
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)
TRUE, FALSE = ("t", "true", "y", "yes", "1"), ("f", "false", "n", "no", "0")
DATE = re.compile(r"\s*\d{4}-\d\d-\d\d\s*", re.ASCII)
TIME = re.compile(r"\s*\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?\s*", re.ASCII)


def cast(column: Column, kind: AttributeType, option: str) -> Column:
    """Return a column as another type."""
    if pa.types.is_null(column.type):
        column = pc.cast(column, pa.int64())
    if pa.types.is_integer(column.type) and kind in NULL_TIMES:  # NULL throughout
        nothing = to_scalar(None, NULL_TIMES[kind])
        return pc.if_else(pc.is_null(column), nothing, nothing)
    if kind is AttributeType.DECIMAL:
        return _to_decimal(column, option)
    if _is_text(column) and kind in READ:
        read, arrow_type = READ[kind]
        return each_text(column, read, arrow_type)
    match kind:
        case AttributeType.INTEGER:
            return _to_integer(column)
        case AttributeType.FLOAT:
            return pc.cast(column, pa.float64(), safe=False)
        case AttributeType.BOOLEAN if pa.types.is_decimal(column.type):
            return pc.not_equal(column, pa.scalar(Decimal(0)).cast(column.type))
        case AttributeType.BOOLEAN:
            return pc.cast(column, pa.bool_())
        case AttributeType.DATE:
            return _to_date(column)
        case AttributeType.TIMESTAMP:
            return pc.cast(_local(column), pa.timestamp("us"))
        case _ if pa.types.is_floating(column.type):
            return _spelled(column, repr if option == OF_FLOATS else _whole)
        case _ if pa.types.is_decimal(column.type):
            return _spelled(column, "{:f}".format)
        case _ if pa.types.is_timestamp(column.type):
            return _without_zeros(pc.cast(_local(column), pa.string()))
        case _:
            return pc.cast(column, pa.string())


def _spelled(column: Column, spell: Callable[[Any], str | None]) -> Column:
    """Return texts of numbers."""

    def text(value: Any) -> str | None:
        return None if value is None else spell(value)

    if isinstance(column, pa.Scalar):
        return to_scalar(text(column.as_py()), pa.string())
    return pa.array(map(text, column.to_pylist()), pa.string())


def _whole(value: float) -> str | None:
    """Spell a whole number that is kept as a float, such as a count; NULL if it is not finite."""
    return str(Decimal(value)) if math.isfinite(value) else None


def _without_zeros(texts: Column) -> Column:
    """Return times without the zeros at the end of their fractions."""
    shorter = pc.replace_substring_regex(texts, r"(\.\d*?)0+$", r"\1")
    return pc.utf8_rtrim(shorter, ".")


def _local(column: Column) -> Column:
    """Return times as clocks in their zone show them."""
    is_zoned = pa.types.is_timestamp(column.type) and column.type.tz is not None
    return pc.local_timestamp(column) if is_zoned else column


def _is_text(column: Column) -> bool:
    kind = column.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _to_integer(column: Column) -> Column:
    if pa.types.is_floating(column.type):
        whole = pc.trunc(pc.cast(column, pa.float64()))
        inside = pc.and_(
            pc.greater_equal(whole, to_scalar(-(2.0**63))), pc.less(whole, to_scalar(2.0**63))
        )
        return pc.cast(
            pc.if_else(inside, whole, to_scalar(None, pa.float64())), pa.int64(), safe=False
        )
    if pa.types.is_decimal(column.type):
        whole = pc.trunc(column)
        low, high = (pa.scalar(Decimal(each)) for each in (-(2**63), 2**63 - 1))
        inside = pc.and_(pc.greater_equal(whole, low), pc.less_equal(whole, high))
        nothing = pa.scalar(None, whole.type)
        return pc.cast(pc.if_else(inside, whole, nothing), pa.int64(), safe=False)
    return pc.cast(column, pa.int64())


def _to_decimal(column: Column, option: str) -> Column:
    precision, scale = (int(each) for each in option.split(","))
    kind = pa.decimal128(precision, scale)
    step = Decimal(1).scaleb(-scale)

    def change(value: Any) -> Decimal | None:
        try:
            with localcontext(prec=400):
                number = Decimal(value) if not isinstance(value, float) else Decimal(repr(value))
                if not number.is_finite():
                    return None
                rounded = number.quantize(step, ROUND_HALF_UP)
        except InvalidOperation:
            return None
        return rounded if abs(rounded) < Decimal(10) ** (precision - scale) else None

    if _is_text(column):
        return each_text(
            column, lambda each: change(each.strip()) if NUMBER.fullmatch(each) else None, kind
        )
    values = [column.as_py()] if isinstance(column, pa.Scalar) else column.to_pylist()
    found = pa.array([None if each is None else change(each) for each in values], kind)
    return found[0] if isinstance(column, pa.Scalar) else found


def _to_date(column: Column) -> Column:
    return pc.cast(_local(column), pa.date32(), safe=False)


def _integer(text: str) -> int | None:
    if not INTEGER.fullmatch(text):
        return None
    value = int(text)
    return value if -(2**63) <= value < 2**63 else None


def _float(text: str) -> float | None:
    return float(text) if NUMBER.fullmatch(text) else None


def _boolean(text: str) -> bool | None:
    word = text.strip().lower()
    return True if word in TRUE else False if word in FALSE else None


def _date(text: str) -> datetime.date | None:
    if not DATE.fullmatch(text):
        return None
    try:
        return datetime.date.fromisoformat(text.strip())
    except ValueError:
        return None


def _timestamp(text: str) -> datetime.datetime | None:
    if not TIME.fullmatch(text):
        return None
    try:
        return datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        return None


NULL_TIMES = {AttributeType.DATE: pa.date32(), AttributeType.TIMESTAMP: pa.timestamp("us")}
READ: dict[AttributeType, tuple[Callable[[str], Any], pa.DataType]] = {
    AttributeType.INTEGER: (_integer, pa.int64()),
    AttributeType.FLOAT: (_float, pa.float64()),
    AttributeType.BOOLEAN: (_boolean, pa.bool_()),
    AttributeType.DATE: (_date, pa.date32()),
    AttributeType.TIMESTAMP: (_timestamp, pa.timestamp("us")),
}
