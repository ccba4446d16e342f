"""Decimals of Arrow columns, compared and computed digit by digit.

Arrow derives the type of a result from the types of its operands alone, and refuses one that could
need more than 76 digits. Operands are therefore given the fewest digits that hold their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Context, Decimal, localcontext
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.analysis.decimal_digits import Digits, digits_of
from cepheid.analysis.expressions import Value
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
INTEGER_DIGITS = {
    **dict.fromkeys((pa.int8(), pa.uint8()), 3),
    **dict.fromkeys((pa.int16(), pa.uint16()), 5),
    **dict.fromkeys((pa.int32(), pa.uint32()), 10),
    pa.uint64(): 20,
}
LARGEST = 2**63 - 1
DECIMAL_OF_INTEGER = pa.decimal128(20, 0)  # as in Spark
ALL_DIGITS = Context(prec=4 * MOST_DIGITS)


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


def within_64_bits(numbers: Any) -> Any:
    """Return decimals that are whole numbers as such; NULL where they have more than 64 bits."""
    is_inside = pc.less_equal(pc.abs(numbers), pa.scalar(LARGEST).cast(numbers.type))
    return pc.cast(pc.if_else(is_inside, numbers, pa.scalar(None, numbers.type)), pa.int64())


def decimal_type(value: Value, events: pa.Schema) -> pa.DataType:
    """Return the type of decimals that an expression gives: at most 38 digits, as in Spark."""
    before, scale = digits_of(value, lambda name: digits_of_type(events.field(name).type))
    scale = min(scale, MOST_IN_RESULTS)
    return pa.decimal128(max(1, min(before + scale, MOST_IN_RESULTS)), scale)


def digits_of_type(kind: pa.DataType) -> Digits:
    """Return how many digits numbers of a type have before the point, and after it.

    >>> digits_of_type(pa.decimal128(10, 2)), digits_of_type(pa.int16())
    ((8, 2), (5, 0))
    """
    if pa.types.is_dictionary(kind):
        return digits_of_type(kind.value_type)
    if pa.types.is_decimal(kind):
        return kind.precision - kind.scale, kind.scale
    return INTEGER_DIGITS.get(kind, 19), 0


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
