"""Aggregates over trends (semantics, sections 7 and 8)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cepheid.analysis.bound import BoundQuery, TrendAggregate
from tests.oracle.arithmetic import aggregate
from tests.oracle.events import Event
from tests.oracle.match_columns import column_of, with_point
from tests.oracle.matches import bindings
from tests.oracle.trends import Trend


def aggregate_trends(query: BoundQuery, wanted: TrendAggregate, trends: Sequence[Trend]) -> Any:
    """Return a number, exact for COUNT and SUM of integers; NULL of no value."""
    if wanted.variable is None:
        count = len(trends)
        if wanted.log2:
            return math.log2(count) if count else None
        return count
    if wanted.of_match is not None:
        shown = [column_of(query, wanted.of_match, trend) for trend in trends]
        found = aggregate(wanted.function, [each for each in shown if each is not None])
        return with_point(found, wanted.scale)
    if wanted.other is not None:
        return _of_two(query, wanted, trends)
    events = [event for trend in trends for event in _events_of(query, wanted.variable, trend)]
    if wanted.attribute is None:
        return len(events)
    values = [event.row.get(wanted.attribute) for event in events]
    found = aggregate(wanted.function, [each for each in values if each is not None])
    return with_point(found, wanted.scale)


def _of_two(query: BoundQuery, wanted: TrendAggregate, trends: Sequence[Trend]) -> Any:
    """Of the events that both have a value only, as of any expression."""
    values = []
    for trend in trends:
        (one,) = _events_of(query, str(wanted.variable), trend)
        (other,) = _events_of(query, str(wanted.other), trend)
        pair = one.row[wanted.attribute], other.row[wanted.other_attribute]
        if None not in pair:
            values.append(pair[0] + wanted.sign * pair[1])
    return with_point(aggregate(wanted.function, values), wanted.scale)


def as_column(wanted: TrendAggregate, value: Any) -> Any:
    """EXACT is text where it is shown."""
    return str(value) if wanted.exact else value


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
