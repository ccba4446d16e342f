"""Decimals of Arrow columns, compared and computed digit by digit.

Arrow derives the type of a result from the types of its operands alone, and refuses one that could
need more than 76 digits. Operands are therefore given the fewest digits that hold their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Context, Decimal, localcontext
from typing import Any, assert_never

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bind_columns import CHOICES
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    BlockAggregate,
    Compare,
    Constant,
    Minus,
    Operation,
    Truth,
    Value,
)
from cepheid.language.numbers import exactly
from cepheid.program.arrow_arrays import to_scalar
from cepheid.program.exact_conditions import at_scale

COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
MOST_DIGITS = 76
MOST_IN_RESULTS = 38
INTEGER_DIGITS = 19
DECIMAL_OF_INTEGER = pa.decimal128(20, 0)  # as in Spark
ALL_DIGITS = Context(prec=4 * MOST_DIGITS)
ROUNDED = {"round": None, "floor": 0, "ceil": 0}  # to how many digits, if it is no argument


def is_exact(kind: pa.DataType) -> bool:
    """Whether values of a type are compared with all digits of a number."""
    return bool(pa.types.is_integer(kind) or pa.types.is_decimal(kind))


def compare_with(operator: str, column: Any, number: Decimal) -> Any:
    """Return whether integers or decimals compare so with a number of any size."""
    is_decimal = pa.types.is_decimal(column.type)
    bound = at_scale(operator, number, column.type.scale if is_decimal else 0)
    if not isinstance(bound, bool):
        operator, digits = bound
        if is_decimal and abs(digits) < 10**column.type.precision:
            with localcontext(ALL_DIGITS):
                value = Decimal(digits).scaleb(-column.type.scale)
            return COMPARE[operator](column, pa.scalar(value, column.type))
        if not is_decimal and -(2**63) <= digits < 2**63:
            return COMPARE[operator](column, to_scalar(digits))
        is_below = operator in ("<", "<=")
        bound = operator == "!=" or (operator != "=" and is_below is (digits > 0))
    return pc.if_else(pc.is_valid(column), to_scalar(bound), to_scalar(None, pa.bool_()))


def as_decimal(column: Any) -> Any:
    """Return a column or scalar of numbers as decimals with as few digits as possible."""
    if not pa.types.is_decimal(column.type):
        column = pc.cast(column, pa.decimal128(19, 0))
    elif column.type.bit_width < 128:  # Arrow has few functions for short decimals
        column = pc.cast(column, pa.decimal128(column.type.precision, column.type.scale))
    scale = column.type.scale
    extremes = [column.as_py()] if isinstance(column, pa.Scalar) else _extremes(column)
    before = max((_digits_before(each) for each in extremes if each is not None), default=1)
    precision = max(1, min(scale + before, column.type.precision))
    return pc.cast(column, pa.decimal256(max(precision, scale), scale))


def most_digits(kinds: Iterable[pa.DataType]) -> tuple[int, int]:
    """Return how many digits decimals of some types have at most before the point, and after it."""
    found = [each for each in kinds if pa.types.is_decimal(each)]
    return max(each.precision - each.scale for each in found), max(each.scale for each in found)


def _extremes(column: Any) -> list[Decimal | None]:
    found = pc.min_max(column).as_py()
    return [found["min"], found["max"]]


def _digits_before(value: Decimal) -> int:
    """Return how many digits a number has before its point."""
    return max(value.adjusted() + 1, 0) if value else 0


def remainders(left: Any, divisor: Any) -> pa.Array:
    """Return remainders with the sign of the dividend; NULL where a side is."""
    pairs = zip(left.to_pylist(), divisor.to_pylist(), strict=True)
    with localcontext(ALL_DIGITS):
        values = [None if None in pair else Decimal(pair[0]) % Decimal(pair[1]) for pair in pairs]
    scales = (each.type.scale if pa.types.is_decimal(each.type) else 0 for each in (left, divisor))
    return pa.array(values, pa.decimal256(MOST_DIGITS, max(scales)))


def decimal_type(value: Value, events: pa.Schema) -> pa.DataType:
    """Return the type of decimals that an expression gives: at most 38 digits, as in Spark."""
    before, scale = _digits(value, events)
    scale = min(scale, MOST_IN_RESULTS)
    return pa.decimal128(max(1, min(before + scale, MOST_IN_RESULTS)), scale)


def _digits(value: Value, events: pa.Schema) -> tuple[int, int]:
    """Return how many digits values can have before the point, and after it."""
    match value:
        case Constant():
            number = exactly(value.value) if isinstance(value.value, int | float | Decimal) else 0
            digits = Decimal(number).as_tuple()
            after = max(0, -int(digits.exponent))
            return max(0, len(digits.digits) + int(digits.exponent)), after
        case AttributeReference() | BlockAggregate():
            kind = events.field(str(value.attribute)).type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            if pa.types.is_decimal(kind):
                return kind.precision - kind.scale, kind.scale
            return INTEGER_DIGITS + pa.types.is_uint64(kind), 0
        case Minus():
            return _digits(value.operand, events)
        case Operation():
            left, right = _digits(value.left, events), _digits(value.right, events)
            if value.operator == "*":
                return left[0] + right[0], left[1] + right[1]
            carry = 0 if value.operator == "%" else 1
            return max(left[0], right[0]) + carry, max(left[1], right[1])
        case Apply():
            return _digits_of_function(value, events)
    assert_never(value)


def _digits_of_function(value: Apply, events: pa.Schema) -> tuple[int, int]:
    """Return the digits of what a function gives; others than these have those of an argument."""
    if value.function == "cast":
        precision, scale = map(int, value.option.split(","))
        return precision - scale, scale
    values = [
        each for each in value.arguments if not isinstance(each, AllOf | AnyOf | Compare | Truth)
    ]
    if value.function in ROUNDED:
        (before, scale), digits = _digits(values[0], events), ROUNDED[value.function]
        if digits is None and isinstance(values[1], Constant):
            digits = int(str(values[1].value or 0))
        return before + 1, min(scale, digits or 0)
    some = values if value.function in CHOICES else values[:1]
    found = [_digits(each, events) for each in some if each.type is not AttributeType.NULL]
    return max(each[0] for each in found), max(each[1] for each in found)


def decimal_of(scale: int) -> pa.DataType:
    """Return the type of a sum of decimals with so many digits after the point."""
    return pa.decimal128(MOST_IN_RESULTS, scale)


def with_point(numbers: pa.Array, scale: int | None) -> pa.Array:
    """Return whole numbers as the decimals that they are with a point, and floats likewise.

    >>> with_point(pa.array([1230, None]), 2).to_pylist()
    [Decimal('12.30'), None]
    >>> with_point(pa.array([30.0]), 2).to_pylist()
    [0.3]
    """
    if scale is None:
        return numbers
    if pa.types.is_floating(numbers.type):
        return pc.divide(numbers, float(10**scale))
    digits = pc.cast(numbers, pa.decimal128(19, 0))
    one = pa.scalar(Decimal(1).scaleb(-scale), pa.decimal128(scale + 1, scale))
    return pc.cast(pc.multiply(digits, one), decimal_of(scale))
