"""Comparisons of decimals with one event on each side: `b.d - a.d > 0.01` is `b.d > a.d + 0.01`.

What reads one event is computed exactly, and sums may be turned round without changing them.
"""

from __future__ import annotations

from dataclasses import replace

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import (
    BlockAggregate,
    Compare,
    Constant,
    Minus,
    Operation,
    Value,
    references,
)

SWAPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
DECIMAL = AttributeType.DECIMAL
Term = tuple[int, Value]  # a sign and what has it


def separate_events(atom: Compare) -> Compare:
    """Return a sum of decimals of two events as a comparison of the one with the other."""
    left, right = _terms(atom.left, 1), _terms(atom.right, -1)
    if AttributeType.FLOAT not in (atom.left.type, atom.right.type) or not left or not right:
        return atom
    terms = [*left, *right]
    events = list(dict.fromkeys(each for _, value in terms for each in _events(value)))
    if len(events) != 2 or not any(value.type is DECIMAL for _, value in terms):
        return atom
    first = [each for each in terms if _events(each[1]) == {events[0]}]
    others = [(-sign, value) for sign, value in terms if _events(value) != {events[0]}]
    others.sort(key=lambda each: isinstance(each[1], Constant))
    operator = atom.operator
    if first[0][0] < 0:
        first, others = _opposite(first), _opposite(others)
        operator = SWAPPED[operator]
    return Compare(operator, _sum(first), _sum(others))


def _events(value: Value) -> set[tuple[str, str]]:
    return {(each.variable, each.role) for each in references(value)}


def _terms(value: Value, sign: int) -> list[Term]:
    """Return what is added up, or nothing if it is no sum of exact numbers of single events."""
    if isinstance(value, Constant) and value.type.is_numeric and value.value is not None:
        return [(sign, value)]
    has_aggregate = any(isinstance(each, BlockAggregate) for each in references(value))
    if value.type.is_exact and len(_events(value)) == 1 and not has_aggregate:
        return [(sign, value)]
    if isinstance(value, Minus):
        return _terms(value.operand, -sign)
    if isinstance(value, Operation) and value.operator in ("+", "-"):
        left = _terms(value.left, sign)
        right = _terms(value.right, sign if value.operator == "+" else -sign)
        return left + right if left and right else []
    return []


def _opposite(terms: list[Term]) -> list[Term]:
    return [(-sign, value) for sign, value in terms]


def _sum(terms: list[Term]) -> Value:
    (sign, total), *rest = terms
    total = _exact(total)
    if sign < 0:
        total = Minus(total, DECIMAL)
    for sign, value in rest:
        total = Operation("+" if sign > 0 else "-", total, _exact(value), DECIMAL)
    return total


def _exact(value: Value) -> Value:
    return replace(value, type=DECIMAL) if isinstance(value, Constant) else value
