"""Aggregates over trends, and HAVING (semantics, sections 7 and 8)."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import (
    BoundQuery,
    HavingArithmetic,
    HavingCompare,
    HavingCondition,
    HavingConstant,
    HavingFunction,
    HavingGroup,
    HavingLogical,
    HavingReference,
    HavingValue,
    TrendAggregate,
)
from cepheid.analysis.expressions import Value, references
from tests.oracle.arithmetic import aggregate, compare, operate
from tests.oracle.events import Event
from tests.oracle.functions import function, value_of
from tests.oracle.matches import bindings
from tests.oracle.trends import Trend


def aggregate_trends(query: BoundQuery, wanted: TrendAggregate, trends: Sequence[Trend]) -> Any:
    """Return a number, exact for COUNT and SUM of integers; NULL of no value."""
    if wanted.variable is None:
        count = len(trends)
        if wanted.log2:
            return math.log2(count) if count else None
        return count
    if wanted.minus is not None:
        return _of_differences(query, wanted, wanted.minus, trends)
    events = [event for trend in trends for event in _events_of(query, wanted.variable, trend)]
    if wanted.attribute is None:
        return len(events)
    values = [event.row.get(wanted.attribute) for event in events]
    found = aggregate(wanted.function, [each for each in values if each is not None])
    return with_point(found, wanted.scale)


def _of_differences(
    query: BoundQuery, wanted: TrendAggregate, minus: str, trends: Sequence[Trend]
) -> Any:
    differences = []
    for trend in trends:
        (one,) = _events_of(query, str(wanted.variable), trend)
        (other,) = _events_of(query, minus, trend)
        differences.append(one.row[wanted.attribute] - other.row[wanted.attribute])
    return aggregate(wanted.function, differences)


def with_point(value: Any, scale: int | None) -> Any:
    """Sums and averages of decimals are those of their digits, and the point comes back."""
    if value is None or scale is None:
        return value
    return Decimal(value).scaleb(-scale) if isinstance(value, int) else value / 10**scale


def as_column(wanted: TrendAggregate, value: Any) -> Any:
    """EXACT is text."""
    return str(value) if wanted.exact else value


def arithmetic(node: Value, columns: Mapping[str, Any]) -> Any:
    """What an expression over aggregates gives; their numbers are DOUBLE in it."""
    read = {each.attribute: columns[str(each.attribute)] for each in references(node)}
    for each in references(node):
        value = read[each.attribute]
        if each.type is AttributeType.FLOAT and value is not None:
            read[each.attribute] = float(value)
    return value_of(node, read)


def _events_of(query: BoundQuery, name: str, trend: Trend) -> list[Event]:
    """The events that a name stands for in a trend, with AND in the trends of both sides.

    A pair is counted as a match query shows it.
    """
    return [
        event
        for pattern, match in zip(query.patterns, trend, strict=True)
        if name in pattern.variables and pattern.variables[name].negated_part is None
        for event, each in bindings(pattern, match)
        if each in pattern.variables[name].occurrences
    ]


def satisfies_having(query: BoundQuery, trends: Sequence[Trend], group: tuple[Any, ...]) -> bool:
    """Whether a row stays; unknown is not enough."""
    values = dict(zip((each.attribute for each in query.group_by), group, strict=True))

    def value(node: HavingValue) -> Any:
        match node:
            case HavingReference():
                return aggregate_trends(query, node.aggregate, trends)
            case HavingGroup():
                return values[node.attribute]
            case HavingConstant():
                return node.value
            case HavingArithmetic():
                return operate(node.operator, value(node.left), value(node.right))
            case HavingFunction():
                return function(node.value, [value(each) for each in node.leaves])

    def truth(node: HavingCondition) -> bool | None:
        match node:
            case HavingCompare():
                return compare(node.operator, *_alike(value(node.left), value(node.right)))
            case HavingLogical():
                return _combine(node.operator, [truth(each) for each in node.operands])

    return query.having is None or truth(query.having) is True


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    """A text that is compared with a time is a time."""
    if isinstance(left, str) and isinstance(right, datetime.date):
        return datetime.datetime.fromisoformat(left), right
    if isinstance(right, str) and isinstance(left, datetime.date):
        return left, datetime.datetime.fromisoformat(right)
    return left, right


def _combine(operator: str, truths: list[bool | None]) -> bool | None:
    """SQL's logic of three values."""
    if operator == "NOT":
        return None if truths[0] is None else not truths[0]
    decisive = operator == "OR"
    if decisive in truths:
        return decisive
    return None if None in truths else not decisive
