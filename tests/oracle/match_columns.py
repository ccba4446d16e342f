"""What a match shows in a column (semantics, section 7)."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

from cepheid.analysis.bound import (
    BoundQuery,
    EventsColumn,
    ExpressionColumn,
    MatchColumn,
    SummaryColumn,
    ValueColumn,
)
from cepheid.analysis.expressions import BlockAggregate, Role
from tests.oracle.arithmetic import summary
from tests.oracle.combinations import Scene, choices, read, slots_of
from tests.oracle.functions import of_no_event, value_of
from tests.oracle.matches import bindings, scene
from tests.oracle.predicates import single_value
from tests.oracle.trends import Trend, trend_first, trend_last


def column_of(query: BoundQuery, column: MatchColumn, trend: Trend) -> Any:
    """Return what a trend shows in a column of a match query."""
    match column:
        case EventsColumn():
            pattern = query.patterns[column.side]
            occurrences = pattern.variables[column.variable].occurrences
            values = [
                event.row.get(column.attribute)
                for event, occurrence in bindings(pattern, trend[column.side])
                if occurrence in occurrences
            ]
            if column.is_array:
                return values
            return values[0] if values else of_no_event(column.attribute, query.schema)
        case ValueColumn():
            pattern = query.patterns[column.side]
            here = scene(query, pattern, trend[column.side], ended=True)
            return with_point(single_value(column.value, here), column.scale)
        case ExpressionColumn():
            parts = {each.output: column_of(query, each, trend) for each in column.parts}
            return value_of(column.value, parts)
        case SummaryColumn(function="duration"):
            times = [each(trend).row[column.attribute] for each in (trend_first, trend_last)]
            return length(*times)
        case SummaryColumn():
            pattern = query.patterns[column.side]
            here = scene(query, pattern, trend[column.side], ended=True)
            return _summary(column, here)


def length(first: Any, last: Any) -> int:
    """Times that are numbers are subtracted as they are, others as microseconds."""
    apart = last - first
    return apart // timedelta(microseconds=1) if isinstance(apart, timedelta) else apart


def _summary(column: SummaryColumn, here: Scene) -> Any:
    """What a function says of the values of the latest block; NULL counts in lists and places."""
    every = BlockAggregate("COUNT", column.variable, Role.ALL, column.attribute, column.type)
    chosen = {slot: choices(slot, here)[0] for slot in slots_of(every) if choices(slot, here)}
    values = [event.row.get(column.attribute) for event in read(every, here, chosen)]
    known = [each for each in values if each is not None]
    match column.function:
        case "array":
            return values
        case "nth":
            return values[column.option - 1] if len(values) >= column.option else None
        case "string_agg":
            return column.option.join(known) if known else None
    return summary(column.function, known)


def with_point(value: Any, scale: int | None) -> Any:
    """Sums and averages of decimals are those of their digits, and the point comes back."""
    if value is None or scale is None:
        return value
    return Decimal(value).scaleb(-scale) if isinstance(value, int) else value / 10**scale
