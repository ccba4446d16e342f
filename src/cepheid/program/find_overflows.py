"""Comparisons whose integers may leave 64 bits: what an error names when one did."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundPattern
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    BlockAggregate,
    Compare,
    Condition,
    Minus,
    Operation,
    Value,
)


def find_overflows(pattern: BoundPattern) -> tuple[str, ...]:
    """Return the texts of such comparisons, in the order of the query."""
    conditions = [each.condition for each in pattern.clauses]
    for branch in pattern.branches:
        conditions += branch.positive
        conditions += [one for each in branch.negative.values() for one in each]
    atoms = (atom for each in conditions for atom in _atoms(each))
    found = (describe(each) for each in atoms if _computes(each.left) or _computes(each.right))
    return tuple(dict.fromkeys(found))


def _atoms(condition: Condition) -> Iterator[Compare]:
    match condition:
        case AllOf() | AnyOf():
            for each in condition.operands:
                yield from _atoms(each)
        case Compare():
            yield condition


def _computes(value: Value) -> bool:
    """Whether a value is computed from integers, and can be larger than each of them."""
    is_integer = value.type is AttributeType.INTEGER
    match value:
        case BlockAggregate():
            return is_integer and value.function == "SUM"
        case Minus():
            return is_integer or _computes(value.operand)
        case Operation():
            return is_integer or _computes(value.left) or _computes(value.right)
        case _:
            return False
