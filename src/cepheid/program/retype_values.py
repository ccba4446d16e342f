"""Expressions over columns that are floats after all: of a whole number that is kept as DOUBLE."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bind_columns import CHOICES
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    Compare,
    Condition,
    Minus,
    Operation,
    Truth,
    Value,
)
from cepheid.analysis.functions import BY_NAME

FLOAT = AttributeType.FLOAT


def retype_condition(condition: Condition, floats: Collection[str]) -> Condition:
    """Return a condition of whose columns some are floats."""
    match condition:
        case Compare():
            sides = (retype_value(each, floats) for each in (condition.left, condition.right))
            return Compare(condition.operator, *sides)
        case AllOf() | AnyOf():
            operands = tuple(retype_condition(each, floats) for each in condition.operands)
            return type(condition)(operands)
        case Truth():
            return condition


def retype_value(value: Value, floats: Collection[str]) -> Value:
    """Return a value of whose columns some are floats: what is computed of them is one, too."""
    match value:
        case AttributeReference() if value.attribute in floats and value.type.is_exact:
            return replace(value, type=FLOAT)
        case Minus():
            operand = retype_value(value.operand, floats)
            return replace(value, operand=operand, type=_joined(value.type, operand))
        case Operation():
            left, right = retype_value(value.left, floats), retype_value(value.right, floats)
            return replace(value, left=left, right=right, type=_joined(value.type, left, right))
        case Apply():
            arguments = tuple(
                retype_condition(each, floats)
                if isinstance(each, AllOf | AnyOf | Compare | Truth)
                else retype_value(each, floats)
                for each in value.arguments
            )
            return replace(value, arguments=arguments, type=_result(value, arguments))
    return value


def _joined(kind: AttributeType, *operands: Value) -> AttributeType:
    """Next to a float every number is one; lengths of time stay what they are."""
    is_float = kind.is_exact and any(each.type is FLOAT for each in operands)
    return FLOAT if is_float else kind


def _result(value: Apply, arguments: tuple[Value | Condition, ...]) -> AttributeType:
    """Return the type of a function, which may be that of its arguments."""
    values = [each for each in arguments if not isinstance(each, AllOf | AnyOf | Compare | Truth)]
    if value.function in CHOICES:
        return _joined(value.type, *values)
    function = BY_NAME.get(value.function)
    if function is not None and isinstance(function.result, int):
        return _joined(value.type, values[function.result])
    return value.type
