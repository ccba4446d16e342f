"""What conditions can see of the events of a run, and of the aggregates of a block.

First, which way a value can only help a condition to hold. A larger `count(a[])` never hurts
`count(a[]) > 5`, a smaller `sum(a[].x)` never hurts `b.y >= sum(a[].x) + 1`, and a smaller `a[1].x`
never hurts `a[a.LEN].x > a[1].x + 2`. Averages can be compared so if they are of as many values:
what is added later moves a small block more than a large one.

Second, up to where a count matters. Counts only grow: once `count(a[])` is beyond 5,
`count(a[]) = 5` is settled, and runs with 6 and with 60 events have the same future.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    AttributeReference,
    BlockAggregate,
    Compare,
    Condition,
    Constant,
    Minus,
    Operation,
    Reference,
    Value,
    references,
)

LESS, NEITHER, MORE = -1, 0, 1
SIGNS = {">": MORE, ">=": MORE, "<": LESS, "<=": LESS}
TAME = 1e100  # numbers beyond it may become infinite, and their difference no number at all


def helpful_directions(condition: Condition) -> dict[Reference, int]:
    """Return MORE, LESS or NEITHER for everything that a condition reads."""
    found: dict[Reference, int] = {}
    for reference, direction in _of_condition(condition):
        found[reference] = agreed(found.get(reference, direction), direction)
    return found


def agreed(one: int, other: int) -> int:
    """Return a direction that helps two conditions."""
    return one if one == other else NEITHER


def _of_condition(condition: Condition) -> Iterator[tuple[Reference, int]]:
    match condition:
        case AllOf() | AnyOf():
            for operand in condition.operands:
                yield from _of_condition(operand)
        case Compare():
            sign = SIGNS.get(condition.operator, NEITHER)
            yield from _of_value(condition.left, sign)
            yield from _of_value(condition.right, -sign)


def _of_value(value: Value, sign: int) -> Iterator[tuple[Reference, int]]:
    match value:
        case AttributeReference() | BlockAggregate():
            yield value, sign
        case Minus() | Operation() if value.type is AttributeType.DECIMAL:
            yield from _neither(value)  # it is read as a column of its own
        case Minus():
            yield from _of_value(value.operand, -sign)
        case Operation(operator="+" | "-"):
            yield from _of_value(value.left, sign)
            yield from _of_value(value.right, sign if value.operator == "+" else -sign)
        case Operation(operator="*" | "/", right=Constant(value=int() | float() as factor)):
            yield from _of_value(value.left, sign if 1 / TAME < factor < TAME else NEITHER)
        case Operation(operator="*", left=Constant(value=int() | float() as factor)):
            yield from _of_value(value.right, sign if 1 / TAME < factor < TAME else NEITHER)
        case _:
            yield from _neither(value)


def _neither(value: Value) -> Iterator[tuple[Reference, int]]:
    return ((each, NEITHER) for each in references(value))


def counted_until(condition: Condition) -> Iterator[tuple[BlockAggregate, int | None]]:
    """Yield every count that a condition reads, with the number from which on all are alike.

    None: they never are, because the count is compared with more than a number.
    """
    match condition:
        case AllOf() | AnyOf():
            for operand in condition.operands:
                yield from counted_until(operand)
        case Compare(left=BlockAggregate(function="COUNT") as count, right=Constant(value=value)):
            yield count, _beyond(value)
        case Compare(left=Constant(value=value), right=BlockAggregate(function="COUNT") as count):
            yield count, _beyond(value)
        case _:
            for each in references(condition):
                if isinstance(each, BlockAggregate) and each.function == "COUNT":
                    yield each, None


def _beyond(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return max(math.floor(value) + 1, 1)
