"""Sums and averages of decimals, as those of the whole numbers that are left without the point.

0.10 and 0.20 are 10 and 20, which add up to exactly 30, and 30 / 100 is the float next to 0.30.
"""

from __future__ import annotations

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.decimal_digits import UNKNOWN, digits_of
from cepheid.analysis.expressions import Apply, BlockAggregate, Constant, Operation, Value
from cepheid.analysis.schema import EventSchema
from cepheid.errors import InternalError
from cepheid.language import ast

DIGITS_OF_64_BITS = 18  # of which every number fits


def scale_of_sum(function: str, attribute: str | None, schema: EventSchema) -> int | None:
    """Return the digits after the point if an aggregate adds up decimals that fit 64 bits."""
    is_sum = attribute is not None and function in ("SUM", "AVG")
    return schema.scales.get(attribute or "") if is_sum else None


def scale_of_expression(function: str, value: Value, schema: EventSchema) -> int | None:
    """Return the digits after the point if an aggregate adds up decimals that fit 64 bits."""
    if value.type is not AttributeType.DECIMAL or function not in ("SUM", "AVG"):
        return None
    before, after = digits_of(value, lambda name: schema.digits.get(name, UNKNOWN))
    return after if before + after <= DIGITS_OF_64_BITS else None


def same_scale(attributes: list[str], schema: EventSchema) -> int | None:
    """Return the digits after the point if all are decimals with so many that fit 64 bits."""
    scales = {schema.scales.get(each) for each in attributes}
    return scales.pop() if len(scales) == 1 else None


def scale_of_whole(column: str, schema: EventSchema) -> int:
    """Return the digits after the point of a decimal, given the column without its point."""
    match schema.computed[column].value:
        case Apply("cast", (Operation(right=Constant(value=int(power))),)):
            return len(str(power)) - 1
    raise InternalError(f"{column} is no decimal without its point")


def without_point(argument: ast.Expression, scale: int) -> ast.Expression:
    """Return the whole number that a decimal is without its point."""
    span = argument.span
    shifted = ast.Arithmetic("*", argument, ast.Literal(10**scale, span=span), span=span)
    return ast.Cast(shifted, "INT", span=span)


def with_point(value: BlockAggregate, scale: int) -> Value:
    """Return the float next to a decimal, given the number without the point."""
    divisor = Constant(float(10**scale), AttributeType.FLOAT)
    return Operation("/", value, divisor, AttributeType.FLOAT)


def sum_without_point(value: Value, node: ast.Expression) -> BlockAggregate | None:
    """Return the sum that a call of SUM of decimals has become, without the point."""
    is_call = isinstance(node, ast.Call) and node.function == "SUM"
    if is_call and isinstance(value, Operation) and isinstance(value.left, BlockAggregate):
        return value.left
    return None
