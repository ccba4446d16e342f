"""Conditions as kernels need them: integers are compared with integers, decimals with decimals.

`x > 2.5` of an integer becomes `x >= 3`. Next to a float everything is a float. Of a comparison of
decimals every side becomes one, if its values are known before the fold; a count or a sum is not.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import (
    AggregateColumn,
    BoundPattern,
    BoundQuery,
    Branch,
    EventsColumn,
    ExpressionColumn,
    MatchColumn,
    SummaryColumn,
    ValueColumn,
)
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    BlockAggregate,
    Compare,
    Condition,
    Constant,
    Minus,
    Operation,
    Truth,
    Value,
    references,
)
from cepheid.language.numbers import exactly

CHOICES = ("least", "greatest", "coalesce", "case")
SWAPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
EXTREMES = ("MIN", "MAX", "NTH")
INTEGER, FLOAT, DECIMAL = AttributeType.INTEGER, AttributeType.FLOAT, AttributeType.DECIMAL


def with_exact_numbers(query: BoundQuery) -> BoundQuery:
    """Return the query with conditions and values that kernels compare without rounding."""
    matches = query.matches and tuple(map(_exact_column, query.matches))
    aggregates = query.aggregates and tuple(map(_exact_aggregate, query.aggregates))
    patterns = tuple(map(_exact_pattern, query.patterns))
    return replace(query, patterns=patterns, matches=matches, aggregates=aggregates)


def at_scale(operator: str, number: Decimal, scale: int) -> tuple[str, int] | bool:
    """Return `v operator number` for values with so many digits after the point, in these digits.

    True or False if all values agree.

    >>> at_scale(">", Decimal("2.5"), 0), at_scale("<", Decimal("2.5"), 2)
    (('>=', 3), ('<', 250))
    >>> at_scale("=", Decimal("2.5"), 0)
    False
    """
    exact = Fraction(number) * 10**scale
    if exact.denominator == 1:
        return operator, exact.numerator
    match operator:
        case "<" | "<=":
            return "<=", math.floor(exact)
        case ">" | ">=":
            return ">=", math.ceil(exact)
        case _:
            return operator == "!="


def _exact_pattern(pattern: BoundPattern) -> BoundPattern:
    clauses = tuple(
        replace(each, condition=_exact_condition(each.condition)) for each in pattern.clauses
    )
    branches = tuple(
        Branch(
            tuple(map(_exact_condition, each.positive)),
            {part: tuple(map(_exact_condition, some)) for part, some in each.negative.items()},
        )
        for each in pattern.branches
    )
    return replace(pattern, clauses=clauses, branches=branches)


def _exact_aggregate(column: AggregateColumn) -> AggregateColumn:
    found = column.aggregate.of_match
    if found is None:
        return column
    return replace(column, aggregate=replace(column.aggregate, of_match=_exact_column(found)))


def _exact_column(column: MatchColumn) -> MatchColumn:
    if isinstance(column, ExpressionColumn):
        return replace(column, parts=tuple(map(_exact_part, column.parts)))
    return column if isinstance(column, SummaryColumn) else _exact_part(column)


def _exact_part(column: EventsColumn | ValueColumn) -> EventsColumn | ValueColumn:
    if isinstance(column, ValueColumn):
        return replace(column, value=_exact_value(column.value))
    return column


def _exact_value(value: Value) -> Value:
    """Return a value of which conditions, and arithmetic with decimals, are those of WHERE."""
    match value:
        case Apply():
            return replace(value, arguments=tuple(map(_exact_argument, value.arguments)))
        case Minus() | Operation() | BlockAggregate() if value.type is FLOAT:
            return _as_float(value)
        case Minus() if value.type is not DECIMAL:
            return replace(value, operand=_exact_value(value.operand))
        case Operation() if value.type is not DECIMAL:
            return replace(value, left=_exact_value(value.left), right=_exact_value(value.right))
        case _:
            return value


def _exact_argument(node: Value | Condition) -> Value | Condition:
    """Return an argument of a function of several events; such functions know no decimals."""
    if isinstance(node, AllOf | AnyOf | Compare | Truth):
        return _exact_condition(node)
    return _as_float(node)


def _exact_condition(condition: Condition) -> Condition:
    match condition:
        case AllOf() | AnyOf():
            return type(condition)(tuple(map(_exact_condition, condition.operands)))
        case Compare():
            return _exact_comparison(condition)
        case Truth():
            return condition


def _exact_comparison(atom: Compare) -> Compare:
    left, right = atom.left, atom.right
    if left.type is INTEGER and isinstance(right, Constant) and right.type is DECIMAL:
        return _of_integers(atom.operator, _exact_value(left), right)
    if right.type is INTEGER and isinstance(left, Constant) and left.type is DECIMAL:
        return _of_integers(SWAPPED[atom.operator], _exact_value(right), left)
    types = (left.type, right.type)
    is_exact = DECIMAL in types and FLOAT not in types
    if is_exact and _is_known(left) and _is_known(right):
        return Compare(atom.operator, _as_decimal(left), _as_decimal(right))
    if DECIMAL in types or FLOAT in types:
        return Compare(atom.operator, _as_float(left), _as_float(right))
    return Compare(atom.operator, _exact_value(left), _exact_value(right))


def _of_integers(operator: str, value: Value, constant: Constant) -> Compare:
    assert isinstance(constant.value, int | float | Decimal)
    bound = at_scale(operator, exactly(constant.value), 0)
    if isinstance(bound, bool):
        return _always(bound, value)
    return Compare(bound[0], value, Constant(bound[1], INTEGER))


def _always(holds: bool, value: Value) -> Compare:
    """A value that is known equals itself; so what is NULL, or lacking, is still told apart."""
    return Compare("=" if holds else "!=", value, value)


def within_64_bits(atom: Compare) -> Compare:
    """Return a comparison of integers of 64 bits without a literal that none of them can be."""
    for value, other, operator in (
        (atom.left, atom.right, atom.operator),
        (atom.right, atom.left, SWAPPED[atom.operator]),
    ):
        if value.type is INTEGER and isinstance(other, Constant) and isinstance(other.value, int):
            is_above = other.value >= 2**63
            if is_above or other.value < -(2**63):
                is_below = operator in ("<", "<=")
                return _always(
                    operator == "!=" or (operator != "=" and is_below is is_above), value
                )
    return atom


def _is_known(value: Value) -> bool:
    """Whether a value is one of a single event, or one of a block: the smallest, the second."""
    if isinstance(value, BlockAggregate):
        return value.function in EXTREMES
    if isinstance(value, Apply) and value.type is DECIMAL and value.function in CHOICES:
        conditions = AllOf | AnyOf | Compare | Truth
        return all(_is_known(each) for each in value.arguments if not isinstance(each, conditions))
    found = list(references(value))
    has_aggregate = any(isinstance(each, BlockAggregate) for each in found)
    return not has_aggregate and len({(each.variable, each.role) for each in found}) < 2


def _as_decimal(value: Value) -> Value:
    match value:
        case Constant() if value.value is None:
            return value
        case BlockAggregate():
            return replace(value, type=DECIMAL, attribute_type=DECIMAL)
        case Apply():
            arguments = tuple(
                _exact_condition(each)
                if isinstance(each, AllOf | AnyOf | Compare | Truth)
                else _as_decimal(each)
                for each in value.arguments
            )
            return replace(value, arguments=arguments, type=DECIMAL)
        case _:
            return replace(value, type=DECIMAL)


def _as_float(value: Value) -> Value:
    """Return a value of which no decimal is left but arithmetic of one event, rounded once."""
    match value:
        case Constant() | AttributeReference():
            return replace(value, type=FLOAT) if value.type is DECIMAL else value
        case BlockAggregate():
            result = FLOAT if value.type is DECIMAL else value.type
            is_decimal = value.attribute_type is DECIMAL
            kind = FLOAT if is_decimal else value.attribute_type
            return replace(value, type=result, attribute_type=kind)
        case Apply() if value.type is DECIMAL:
            return replace(
                value, arguments=tuple(map(_exact_argument, value.arguments)), type=FLOAT
            )
        case Minus() if value.type is FLOAT:
            return replace(value, operand=_as_float(value.operand))
        case Operation() if value.type is FLOAT:
            return replace(value, left=_as_float(value.left), right=_as_float(value.right))
        case _:
            return _exact_value(value)
