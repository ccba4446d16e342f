"""Queries that read the results of others (semantics, section 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.derived_types import check_stream, result_columns, with_derived_types
from cepheid.analysis.names import event_patterns
from cepheid.analysis.schema import EventSchema
from cepheid.language.parser import parse
from tests.oracle.ask import bind
from tests.oracle.results import results, stream

Rows = list[dict[str, Any]]


class TooManyEvents(Exception):
    """Results and events together are more than brute force should be asked to look at."""


def compose(
    texts: Mapping[str, str],
    events: Sequence[Mapping[str, Any]],
    schema: EventSchema,
    *,
    most_events: int | None = None,
) -> dict[str, Rows]:
    """Return the rows of every query; those that read others wait until these are done.

    A query sees the events, and of the composite events those of types that its pattern names.
    """
    rows: dict[str, Rows] = {}
    bound: dict[str, BoundQuery] = {}
    streams: dict[str, Rows] = {}
    while len(rows) < len(texts):
        waiting = [name for name in texts if name not in rows]
        name = next(each for each in waiting if _givers(each, texts) <= set(rows))
        givers = [each for each in texts if each in _givers(name, texts)]
        columns: dict[str, dict[str, AttributeType]] = {}
        for each in givers:
            into = str(bound[each].into)
            columns[into] = columns.get(into, {}) | result_columns(bound[each])
        inputs = [*events, *(event for each in givers for event in streams[each])]
        if most_events is not None and len(inputs) > most_events:
            raise TooManyEvents
        bound[name] = bind(texts[name], with_derived_types(schema, columns))
        rows[name] = [result.row for result in results(bound[name], inputs)]
        if any(name in _givers(each, texts) for each in texts):
            streams[name] = stream(check_stream(bound[name]), inputs)
    return rows


def _givers(name: str, texts: Mapping[str, str]) -> set[str]:
    """The queries that give events of a type that the pattern names."""
    types = {each for event in event_patterns(parse(texts[name]).pattern) for each in event.types}
    return {giver for giver, text in texts.items() if parse(text).into in types}
