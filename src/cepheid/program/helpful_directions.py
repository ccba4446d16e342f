"""Which way an aggregate of a block can only help a condition to hold.

A larger `count(a[])` never hurts `count(a[]) > 5`, a smaller `sum(a[].x)` never hurts
`b.y >= sum(a[].x) + 1`. Of averages nothing like that is known: what is added later moves a small
block more than a large one.
"""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    BlockAggregate,
    Compare,
    Condition,
    Minus,
    Operation,
    Value,
    references,
)

LESS, NEITHER, MORE = -1, 0, 1
SIGNS = {">": MORE, ">=": MORE, "<": LESS, "<=": LESS}


def helpful_directions(condition: Condition) -> Iterator[tuple[BlockAggregate, int]]:
    """Yield every aggregate that a condition reads, with MORE, LESS or NEITHER."""
    match condition:
        case AllOf() | AnyOf():
            for operand in condition.operands:
                yield from helpful_directions(operand)
        case Compare():
            sign = SIGNS.get(condition.operator, NEITHER)
            yield from _of_value(condition.left, sign)
            yield from _of_value(condition.right, -sign)


def _of_value(value: Value, sign: int) -> Iterator[tuple[BlockAggregate, int]]:
    match value:
        case BlockAggregate():
            yield value, NEITHER if value.function == "AVG" else sign
        case Minus():
            yield from _of_value(value.operand, -sign)
        case Operation(operator="+" | "-"):
            yield from _of_value(value.left, sign)
            yield from _of_value(value.right, sign if value.operator == "+" else -sign)
        case _:
            for each in references(value):
                if isinstance(each, BlockAggregate):
                    yield each, NEITHER
