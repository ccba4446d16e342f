"""How many digits decimals of an expression can have before the point, and after it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TypeAlias, assert_never

from cepheid.analysis.attribute_types import AttributeType
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

Digits: TypeAlias = tuple[int, int]
CHOICES = ("least", "greatest", "coalesce", "case")
WHOLE, UNKNOWN = (19, 0), (19, 19)  # of whole numbers, and of the field of a struct
ROUNDED = {"round": None, "floor": 0, "ceil": 0}  # to how many digits, if it is no argument


def digits_of(value: Value, of_column: Callable[[str], Digits]) -> Digits:
    """Return the digits that suffice for all values, given those of columns.

    >>> from cepheid.analysis.expressions import Role
    >>> price = AttributeReference("a", Role.EACH, "price", AttributeType.DECIMAL)
    >>> half = Constant(Decimal("0.5"), AttributeType.DECIMAL)
    >>> digits_of(Operation("*", price, half, AttributeType.DECIMAL), {"price": (8, 2)}.__getitem__)
    (8, 3)
    """
    match value:
        case Constant():
            number = exactly(value.value) if isinstance(value.value, int | float | Decimal) else 0
            digits = Decimal(number).as_tuple()
            after = max(0, -int(digits.exponent))
            return max(0, len(digits.digits) + int(digits.exponent)), after
        case AttributeReference() | BlockAggregate():
            return of_column(str(value.attribute))
        case Minus():
            return digits_of(value.operand, of_column)
        case Operation():
            left, right = digits_of(value.left, of_column), digits_of(value.right, of_column)
            if value.operator == "*":
                return left[0] + right[0], left[1] + right[1]
            carry = 0 if value.operator == "%" else 1
            return max(left[0], right[0]) + carry, max(left[1], right[1])
        case Apply():
            return _of_function(value, of_column)
    assert_never(value)


def _of_function(value: Apply, of_column: Callable[[str], Digits]) -> Digits:
    """Return the digits of what a function gives."""
    if value.function == "cast" and value.type is AttributeType.DECIMAL:
        precision, scale = map(int, value.option.split(","))
        return precision - scale, scale
    conditions = AllOf | AnyOf | Compare | Truth
    values = [each for each in value.arguments if not isinstance(each, conditions)]
    if value.function in ROUNDED:
        (before, scale), digits = digits_of(values[0], of_column), ROUNDED[value.function]
        if digits is None and isinstance(values[1], Constant):
            digits = int(str(values[1].value or 0))
        return before + 1, min(scale, digits or 0)
    if value.type is not AttributeType.DECIMAL:
        return WHOLE
    if value.function not in (*CHOICES, "abs"):
        return UNKNOWN
    some = values if value.function in CHOICES else values[:1]
    found = [digits_of(each, of_column) for each in some if each.type is not AttributeType.NULL]
    return max(each[0] for each in found), max(each[1] for each in found)
