"""One comparison of an event's attributes as a Spark column: the same meaning, or a weaker one.

`program/evaluate.py` says what a comparison means. Spark means something else in places:

- NaN equals NaN and is greater than every number; here it satisfies `!=` alone. The greater side
  is therefore bounded by infinity. Parquet's statistics leave NaN out, so `!=` of floats is weak.
- Parquet's filters take -0.0 for less than 0.0. Bounds are written with the zero that lets both in.
- Times become Java's on the way to Parquet, whose calendars agree with Spark's from 1901 on.
- CHAR(n) pads the texts it is compared with, and collations have their own order.
- Decimals lose digits where two of them need more than 38. A literal is given those of the column.
- Arithmetic overflows and divides otherwise in Spark.

The weak form of a comparison is that no attribute it reads is NULL. It never drops an event that
could fit, and the engine tests the rest again.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import reduce
from typing import TypeAlias

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from cepheid.analysis.expressions import (
    AttributeReference,
    Compare,
    Constant,
    Minus,
    Value,
    references,
)
from cepheid.language.numbers import exactly
from cepheid.program.evaluate import time_like
from cepheid.program.exact_conditions import at_scale
from cepheid.spark.frames.column_named import column_named

Known: TypeAlias = Column | bool
OPERATORS: dict[str, Callable[[Column, Column], Column]] = {
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
SWAPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
INTEGERS = (ByteType, ShortType, IntegerType, LongType)
FLOATS = (FloatType, DoubleType)
TIMES: dict[type[DataType], tuple[pa.DataType, str]] = {
    TimestampType: (pa.timestamp("us"), "timestamp"),
    TimestampNTZType: (pa.timestamp("us"), "timestamp_ntz"),
    DateType: (pa.date32(), "date"),
}
PADDED = "__CHAR_VARCHAR_TYPE_STRING"  # the metadata by which Spark remembers CHAR and VARCHAR
CALENDARS_AGREE = 1901


class SparkComparisons:
    """Translates comparisons for the columns of a schema.

    With `pushable` only what a data source understands is used: comparisons of two columns are
    weakened, since one of them would keep everything that OR joins it to from the source.
    """

    def __init__(self, schema: StructType, *, pushable: bool) -> None:
        self.fields: dict[str, StructField] = {each.name: each for each in schema.fields}
        self.pushable = pushable

    def column(self, atom: Compare) -> Known:
        """Return a condition that holds wherever the comparison does; True if nothing is known."""
        left, right = _folded(atom.left), _folded(atom.right)
        operator = atom.operator
        if isinstance(left, Constant):
            left, right, operator = right, left, SWAPPED[operator]
        if isinstance(right, Constant) and right.value is None:
            return False
        exact: Known | None = None
        if isinstance(left, AttributeReference) and isinstance(right, Constant):
            exact = self._with_constant(left.attribute, operator, right)
        elif isinstance(left, AttributeReference) and isinstance(right, AttributeReference):
            exact = self._with_column(left.attribute, operator, right.attribute)
        return self._weak(atom) if exact is None else exact

    def _weak(self, atom: Compare) -> Known:
        names = {each.attribute for each in references(atom) if each.attribute is not None}
        present = [column_named(name).isNotNull() for name in sorted(names)]
        return reduce(lambda one, other: one & other, present) if present else True

    def _with_constant(self, name: str, operator: str, constant: Constant) -> Known | None:
        field, column, value = self.fields[name], column_named(name), constant.value
        kind = field.dataType
        if isinstance(value, bool):
            is_equality = isinstance(kind, BooleanType) and operator in ("=", "!=")
            if is_equality and "@." in name:  # a test that Catalyst can hand on to a data source
                return column if value is (operator == "=") else ~column
            return OPERATORS[operator](column, F.lit(value)) if is_equality else None
        if isinstance(value, int | float | Decimal):
            if isinstance(kind, FLOATS):
                return _float_column(column, operator, value)
            return _exact_column(column, kind, operator, exactly(value))
        if isinstance(value, str) and type(kind) in TIMES:
            moment = _moment(field, value)
            return None if moment is None else OPERATORS[operator](column, moment)
        if isinstance(value, str) and is_plain_text(field):
            return OPERATORS[operator](column, F.lit(value))
        return None

    def _with_column(self, name: str, operator: str, other: str) -> Known | None:
        if self.pushable:
            return None
        kinds = (self.fields[name].dataType, self.fields[other].dataType)
        left, right = column_named(name), column_named(other)
        if all(isinstance(each, INTEGERS) for each in kinds):
            return OPERATORS[operator](left, right)
        if all(isinstance(each, INTEGERS + FLOATS) for each in kinds):
            left, right = left.cast("double"), right.cast("double")
            greater = left if operator in (">", ">=") else right
            return (
                None if operator == "!=" else OPERATORS[operator](left, right) & _bounded(greater)
            )
        if all(isinstance(each, BooleanType) for each in kinds):
            return OPERATORS[operator](left, right) if operator in ("=", "!=") else None
        is_text = is_plain_text(self.fields[name]) and is_plain_text(self.fields[other])
        is_time = type(kinds[0]) in TIMES and type(kinds[0]) is type(kinds[1])
        return OPERATORS[operator](left, right) if is_text or is_time else None


def all_of(operands: Iterable[Known]) -> Known:
    """Return the conjunction."""
    listed = [each for each in operands if each is not True]
    if any(each is False for each in listed):
        return False
    columns = [each for each in listed if isinstance(each, Column)]
    return reduce(lambda one, other: one & other, columns) if columns else True


def any_of(operands: Iterable[Known]) -> Known:
    """Return the disjunction."""
    listed = [each for each in operands if each is not False]
    if any(each is True for each in listed):
        return True
    columns = [each for each in listed if isinstance(each, Column)]
    return reduce(lambda one, other: one | other, columns) if columns else False


def _folded(value: Value) -> Value:
    """Return a negative number as a constant."""
    if isinstance(value, Minus):
        operand = _folded(value.operand)
        if isinstance(operand, Constant) and isinstance(operand.value, int | float | Decimal):
            return Constant(-operand.value, operand.type)
    return value


def is_plain_text(field: StructField) -> bool:
    """Whether texts are compared byte by byte."""
    kind = field.dataType
    is_text = type(kind) is StringType and kind.isUTF8BinaryCollation()
    return is_text and PADDED not in (field.metadata or {})


def _bounded(column: Column) -> Column:
    """Whether a float is a number; a data source understands this, but not `isnan`."""
    return column <= F.lit(math.inf)


def _float_column(column: Column, operator: str, value: float | Decimal) -> Known | None:
    if operator == "!=" or (isinstance(value, int) and not _fits(value)):
        return None
    number = float(value)
    below, above = (-0.0, 0.0) if number == 0 else (number, number)
    match operator:
        case "=" if number == 0:
            return (column >= F.lit(below)) & (column <= F.lit(above))
        case "=":
            return column == F.lit(number)
        case "<":
            return column < F.lit(below)
        case "<=":
            return column <= F.lit(above)
        case ">":
            return (column > F.lit(above)) & _bounded(column)
        case _:
            return (column >= F.lit(below)) & _bounded(column)


def _exact_column(column: Column, kind: DataType, operator: str, value: Decimal) -> Known | None:
    """Compare integers and decimals with a literal of their own type: `x > 1.5` is `x >= 2`."""
    if not isinstance(kind, (*INTEGERS, DecimalType)):
        return None
    bound = at_scale(operator, value, kind.scale if isinstance(kind, DecimalType) else 0)
    if isinstance(bound, bool):
        return column.isNotNull() if bound else False
    operator, digits = bound
    if not isinstance(kind, DecimalType):
        return OPERATORS[operator](column, F.lit(digits)) if _fits(digits) else None
    if abs(digits) >= 10**kind.precision:
        return None
    return OPERATORS[operator](column, F.lit(f"{digits}e-{kind.scale}").cast(kind))


def _fits(value: int) -> bool:
    return -(2**63) <= value < 2**63


def _moment(field: StructField, text: str) -> Column | None:
    """Return a time as Spark's own, or None where Spark's types have none that is equal."""
    arrow_type, kind = TIMES[type(field.dataType)]
    scalar = time_like(arrow_type, text)
    is_finer = pa.types.is_timestamp(scalar.type) and scalar.type.unit == "ns"
    if is_finer or pa.types.is_date(scalar.type) is not (kind == "date"):
        return None
    moment = scalar.as_py()
    if moment.year < CALENDARS_AGREE:
        return None
    has_zone = datetime.datetime.fromisoformat(text).tzinfo is not None
    zone = "+00:00" if kind == "timestamp" and has_zone else ""  # without, it is the session's
    return F.lit(f"{moment.isoformat()}{zone}").cast(kind)
