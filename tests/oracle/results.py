"""Rows (semantics, section 7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from cepheid.analysis.automaton import FREE
from cepheid.analysis.bound import (
    BoundQuery,
    WindowUnit,
)
from tests.oracle.aggregates import (
    aggregate_trends,
    as_column,
)
from tests.oracle.events import Event, from_ticks, make_events, time_name
from tests.oracle.expiry import expiries
from tests.oracle.functions import constant, truth_of, value_of
from tests.oracle.match_columns import column_of
from tests.oracle.trends import Trend, Trends, trend_first, trend_last
from tests.oracle.windows import View, views

Row = dict[str, Any]


class Result(NamedTuple):
    """A row, and its time and tie-break columns as an event of another stream (INTO)."""

    row: Row
    stream_time: Any
    stream_order: Row


def results(
    query: BoundQuery, rows: Iterable[Mapping[str, Any]], *, on_expiry: bool = False
) -> list[Result]:
    """Return every result of a query over bounded input."""
    events = make_events(query, rows)
    trends = Trends(query, events)
    if query.aggregates is None:
        return [_match_result(query, trend) for trend in trends.reported()]
    found = list(views(query, events))
    if on_expiry:
        found += expiries(query, events, trends)
        found.sort(key=lambda view: view.columns["time"])
    return [result for view in found for result in _aggregate_results(query, trends, view)]


def stream(query: BoundQuery, events: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows as events of the type that INTO names."""
    time, kind = time_name(query.schema), query.schema.type_column or "type"
    return [
        result.row | result.stream_order | {time: result.stream_time, kind: query.into}
        for result in results(query, events)
    ]


# --- aggregate queries ----------------------------------------------------------------------------


def _aggregate_results(query: BoundQuery, trends: Trends, view: View) -> Iterator[Result]:
    by_group: dict[tuple[Any, ...], list[Trend]] = {each: [] for each in view.groups or ()}
    for trend in trends.covered(view.covers):
        group = trend[0][0][0].group
        if view.groups is None or group in by_group:
            by_group.setdefault(group, []).append(trend)
    for group, members in by_group.items():
        columns = _aggregate_columns(query, group, members)
        if query.having is None or truth_of(query.having, columns) is True:
            row = _aggregate_row(query, view, columns)
            yield Result(row, view.stream_time, _tie_breaks(query, row, None))


def _aggregate_columns(query: BoundQuery, group: tuple[Any, ...], trends: list[Trend]) -> Row:
    """Every column, those too that only HAVING and other columns read."""
    assert query.aggregates is not None
    columns = dict(zip((each.output for each in query.group_by), group, strict=True))
    assert columns.keys().isdisjoint(each.output for each in query.aggregates), "a hidden group"
    for each in query.aggregates:
        value = aggregate_trends(query, each.aggregate, trends)
        is_shown = each.output in query.returned
        columns[each.output] = as_column(each.aggregate, value) if is_shown else value
    columns |= {each.output: constant(each.constant) for each in query.constants}
    return columns | {each.output: value_of(each.value, columns) for each in query.arithmetic}


def _aggregate_row(query: BoundQuery, view: View, columns: Row) -> Row:
    """Columns of the view, group attributes that RETURN leaves out, then RETURN."""
    leading = [each.output for each in query.group_by if each.output not in query.returned]
    return view.columns | {name: columns[name] for name in (*leading, *query.returned)}


# --- match queries --------------------------------------------------------------------------------


def _match_result(query: BoundQuery, trend: Trend) -> Result:
    assert query.matches is not None
    time_column = time_name(query.schema)
    row = {each.output: column_of(query, each, trend) for each in query.matches}
    first, last = trend_first(trend), trend_last(trend)
    if not query.tree.returns:
        row |= {"first_time": first.row[time_column], "last_time": last.row[time_column]}
    last_known = last if not _has_end_negation(query) else None
    return Result(row, _stream_time(query, first, last), _tie_breaks(query, row, last_known))


def _stream_time(query: BoundQuery, first: Event, last: Event) -> Any:
    """The last event's time; with end negation the last moment that could have spoilt the match."""
    like = last.row[time_name(query.schema)]
    window = query.window
    if not _has_end_negation(query) or window is None:
        return like
    if window.unit is WindowUnit.EVENTS:
        return None
    return from_ticks(first.time + window.length - 1, like, query.schema)


def _has_end_negation(query: BoundQuery) -> bool:
    return any(
        border.blocked_by != FREE for each in query.patterns for border in each.automaton.last
    )


def _tie_breaks(query: BoundQuery, row: Row, last: Event | None) -> Row:
    """The order columns: those of the result, else those of the last event, else NULL."""
    event = {} if last is None else last.row
    return {each: row[each] if each in row else event.get(each) for each in query.schema.order}
