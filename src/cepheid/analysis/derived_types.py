"""Results as events of the type that INTO names (semantics, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.automaton import FREE
from cepheid.analysis.bind_match_aggregates import type_of_column
from cepheid.analysis.bound import BoundQuery, WindowUnit
from cepheid.analysis.column_names import default_name
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.language import ast
from cepheid.language.source import Span


class StreamTime(StrEnum):
    """Where the time of a composite event comes from."""

    LAST_EVENT = "the last event"
    SPAN_END = "the end of the span that an end negation looks at"
    MOMENT = "the moment of the aggregate"
    WINDOW_END = "the end of the window"


def stream_time(query: BoundQuery) -> StreamTime | None:
    """Return what gives the results their time; None if they have none."""
    window = query.window
    counts_events = window is not None and window.unit is WindowUnit.EVENTS
    if query.is_aggregate:
        if window is None:
            return None
        if window.slide is None:
            return StreamTime.MOMENT
        return None if counts_events else StreamTime.WINDOW_END
    has_end_negation = any(
        border.blocked_by != FREE for each in query.patterns for border in each.automaton.last
    )
    if not has_end_negation:
        return StreamTime.LAST_EVENT
    return None if counts_events else StreamTime.SPAN_END


def check_stream(query: BoundQuery) -> BoundQuery:
    """Return the query if its results can be events of another query.

    Raises:
        BindingError: they have no time, are no single events, or hide the roles of columns.
    """
    problems = Problems(query.source)
    span = query.tree.into_span
    if query.output in (ast.OutputMode.COMPRESSED, ast.OutputMode.PARTIAL):
        problems.add(
            "into-with-output",
            f"OUTPUT {query.output.value} does not give one event for each match, so that no "
            f"query can read {query.into}",
            query.tree.output_span,
            "use OUTPUT ALL or NON OVERLAPPING",
        )
    when = stream_time(query)
    if when is None:
        what, hint = _why_without_time(query)
        problems.add("into-without-time", f"{what}, so that no query can read {query.into}",
                     span, hint)  # fmt: skip
    schema = query.schema
    roles = [("type", schema.type_column)]
    # An aggregate with WITHIN alone has the time as a column anyway.
    if not (when is StreamTime.MOMENT and schema.time == "time"):
        roles.append(("time", schema.time))
    for role, column in roles:
        if column is not None and column in result_columns(query):
            problems.add(
                "into-column",
                f"the column '{column}' of the result would hide the {role} of the {query.into} "
                "events",
                _span_of_column(query, column),
                "rename it with AS; each of these events has a time and a type anyway",
            )
    problems.raise_if_any()
    return query


def _span_of_column(query: BoundQuery, column: str) -> Span:
    items = query.tree.returns
    named = (each.span for each in items if column in (each.alias, default_name(each.expression)))
    return next(named, query.tree.into_span)


def _why_without_time(query: BoundQuery) -> tuple[str, str]:
    if query.window is None:
        return (
            "an aggregate over the whole input has no time",
            "add WITHIN, or WITHIN … SLIDE",
        )
    return (
        "the end of a window of EVENTS has no time",
        "measure the window in time",
    )


def result_columns(query: BoundQuery) -> dict[str, AttributeType]:
    """Return the columns of the result: the attributes of its composite events."""
    schema, window = query.schema, query.window
    time = schema.time_type
    if query.aggregates is None:
        columns = {each.output: type_of_column(each) for each in query.matches or ()}
        if not query.tree.returns:
            columns |= {"first_time": time, "last_time": time}
        return columns
    columns = {}
    if window is not None and window.slide is not None:
        by_time = window.unit is WindowUnit.TIME
        bound = _bound_type(time) if by_time else AttributeType.INTEGER
        columns |= {"window_start": bound, "window_end": bound}
    elif window is not None:
        columns["time"] = time
        columns |= {each: schema.type_of(each) or AttributeType.UNKNOWN for each in schema.order}
    columns |= {each.output: each.type for each in query.group_by}
    columns |= {each.output: each.constant.type for each in query.constants}
    # The types of aggregates are the planner's choice.
    shown = [each.output for each in query.aggregates if each.output in query.returned]
    shown += [each.output for each in query.arithmetic]
    return columns | dict.fromkeys(shown, AttributeType.UNKNOWN)


def _bound_type(time: AttributeType) -> AttributeType:
    return AttributeType.TIMESTAMP if time is AttributeType.DATE else time


def with_derived_types(
    schema: EventSchema, streams: Mapping[str, Mapping[str, AttributeType]]
) -> EventSchema:
    """Return the schema of events among which there are results of other queries.

    `streams` has the columns of every derived type. These types lack the attributes of the events,
    and the events lack theirs. An open schema stays as it is: what it does not know may be there.
    """
    if schema.is_open or not streams:
        return schema
    # Without roles, as in a declaration, the time is among the attributes and any type may have it.
    anywhere = frozenset(schema.attributes) if schema.time is None else frozenset()
    attributes = dict(schema.attributes)
    by_type = dict(schema.attributes_by_type or {})
    for name, columns in streams.items():
        attributes |= {each: kind for each, kind in columns.items() if each not in attributes}
        by_type[name] = by_type.get(name, frozenset()) | frozenset(columns) | anywhere
    others = None if schema.attributes_by_type is not None else frozenset(schema.attributes)
    return replace(
        schema,
        attributes=attributes,
        attributes_by_type=by_type,
        derived_types=frozenset(streams),
        other_attributes=others,
    )
