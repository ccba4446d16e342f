"""Aggregates in plain Python over the rows of the same query as a match query."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from cepheid.analysis.automaton import FREE
from cepheid.analysis.bound import BoundQuery, TrendAggregate, WindowUnit
from tests.oracle.aggregates import as_column
from tests.oracle.arithmetic import aggregate
from tests.properties.aggregate_streams import SCHEMA, bound
from tests.properties.queries import Case

Row = Mapping[str, Any]


class Trend(NamedTuple):
    """A match: the events of every variable, and the place of the whole."""

    events: Mapping[str, Sequence[Row]]
    first_time: int
    last_key: tuple[int, ...]
    group: tuple[Any, ...]


def is_comparable(case: Case) -> bool:
    """Whether aggregate and match query read the same gaps and rows say what is in a window."""
    query = bound(case)
    if query.having is not None:
        return False
    automata = [each.automaton for each in query.patterns]
    has_end = any(border.blocked_by != FREE for each in automata for border in each.last)
    has_start = any(border.blocked_by != FREE for each in automata for border in each.first)
    if query.window is None:
        return True
    is_sliding = query.window.slide is not None
    in_time = query.window.unit is WindowUnit.TIME
    return in_time and not has_end and not (has_start and is_sliding)


def as_match_query(case: Case) -> Case:
    """Return every attribute of every event instead of aggregates; groups become partitions."""
    query = bound(case)
    lines = [each for each in case.text.splitlines() if not each.startswith(("RETURN", "GROUP BY"))]
    lines = [line.split(" SLIDE")[0] for line in lines]
    partitions = [f"[{each.attribute}]" for each in query.group_by]
    where = next((each for each in lines if each.startswith("WHERE")), None)
    if partitions and where is None:
        lines.append(f"WHERE {' AND '.join(partitions)}")
    elif where is not None:
        lines[lines.index(where)] = " AND ".join([where, *partitions])
    columns = [
        f"{name}.{attribute}"
        for pattern in query.patterns
        for name in pattern.positive_variables
        for attribute in SCHEMA.names
    ]
    return replace(case, text="\n".join([*lines, f"RETURN {', '.join(columns)}"]))


def trends_of(case: Case, rows: Sequence[Row]) -> list[Trend]:
    """Read the rows of the match query."""
    query = bound(case)
    return [_trend(query, row) for row in rows]


def _trend(query: BoundQuery, row: Row) -> Trend:
    events = {
        name: _events(row, name) for each in query.patterns for name in each.positive_variables
    }
    everything = [event for each in events.values() for event in each]
    keys = [(event["time"], *(event[each] for each in query.schema.order)) for event in everything]
    group = tuple(everything[0][each.attribute] for each in query.group_by)
    return Trend(events, min(keys)[0], max(keys), group)


def _events(row: Row, name: str) -> list[Row]:
    columns = {attribute: row[f"{name}_{attribute}"] for attribute in SCHEMA.names}
    if not isinstance(columns["time"], list):
        return [] if columns["time"] is None else [columns]
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def rows_over(case: Case, trends: Sequence[Trend], found: Sequence[Row]) -> Iterator[Row]:
    """Yield the row of every window, or of the moments that the engine reports, and group.

    At which moments there is a row is not to be seen from matches: every match has one at its end.
    """
    query = bound(case)
    window = query.window
    if window is None:
        yield from _grouped(query, {}, trends, None)
    elif window.slide is None:
        shown = {_moment(query, row): row for row in found}
        missing = {(trend.last_key, trend.group) for trend in trends} - shown.keys()
        assert not missing, "matches end where there is no row"
        for (key, group), row in shown.items():
            oldest = key[0] - window.length
            inside = [
                each
                for each in trends
                if each.group == group and each.first_time > oldest and each.last_key <= key
            ]
            columns = {name: row[name] for name in ("time", *query.schema.order)}
            yield from _grouped(query, columns, inside, group)
    else:
        slide, length = window.slide, window.length
        numbers = {
            number
            for each in trends
            for number in range((each.last_key[0] - length) // slide + 1,
                                each.first_time // slide + 1)
        }  # fmt: skip
        for number in numbers:
            columns = {"window_start": number * slide, "window_end": number * slide + length}
            inside = [
                each
                for each in trends
                if columns["window_start"] <= each.first_time
                and each.last_key[0] < columns["window_end"]
            ]
            yield from _grouped(query, columns, inside, None)


def _moment(query: BoundQuery, row: Row) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    key = (row["time"], *(row[each] for each in query.schema.order))
    return key, tuple(row[each.output] for each in query.group_by)


def _grouped(
    query: BoundQuery, columns: Row, trends: Sequence[Trend], group: tuple[Any, ...] | None
) -> Iterator[Row]:
    groups = {each.group for each in trends} if group is None else {group}
    for each in groups:
        members = [trend for trend in trends if trend.group == each]
        names = [column.output for column in query.group_by]
        values = {
            column.output: as_column(column.aggregate, _value(query, column.aggregate, members))
            for column in query.aggregates or ()
        }
        values |= {column.output: column.constant.value for column in query.constants}
        yield {**columns, **dict(zip(names, each, strict=True)), **values}


def _value(query: BoundQuery, wanted: TrendAggregate, trends: Sequence[Trend]) -> Any:
    if wanted.variable is None:
        count = len(trends)
        if wanted.log2:
            return math.log2(count) if count else None
        return count
    names = [
        name
        for pattern in query.patterns
        if wanted.variable in pattern.variables
        for name in pattern.positive_variables
        if set(pattern.variables[name].occurrences)
        <= set(pattern.variables[wanted.variable].occurrences)
    ]
    events = [event for trend in trends for name in names for event in trend.events[name]]
    if wanted.attribute is None:
        return len(events)
    values = [event[wanted.attribute] for event in events]
    return aggregate(wanted.function, [each for each in values if each is not None])
