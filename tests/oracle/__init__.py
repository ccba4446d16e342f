"""The oracle: what a query means, by brute force, straight from the page on semantics.

Takes: a `BoundQuery` and events as plain dicts.
Gives: its rows or its matches, slowly.
May import: errors, language, analysis.

Follow a query through `events` (order key, partition), `matches` (runs, step by step),
`combinations` and `predicates` (clauses), `negation`, `trends` (which matches count), `windows` and
`expiry` (where aggregates look), `aggregates` and `results` (rows). `ask` binds texts,
`composition` lets one query read another's results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cepheid.analysis.bound import BoundQuery
from tests.oracle.ask import bind, schema_of
from tests.oracle.composition import compose
from tests.oracle.events import Event, make_events
from tests.oracle.matches import Match
from tests.oracle.results import results, stream
from tests.oracle.trends import Trend, Trends

__all__ = [
    "Event",
    "Match",
    "Trend",
    "ask",
    "bind",
    "compose",
    "evaluate",
    "matches",
    "schema_of",
    "stream",
]


def evaluate(
    query: BoundQuery, events: Iterable[Mapping[str, Any]], *, on_expiry: bool = False
) -> list[dict[str, Any]]:
    """Return the rows of a query; `on_expiry` adds those that expiry changes (WITHIN alone)."""
    return [result.row for result in results(query, events, on_expiry=on_expiry)]


def matches(query: BoundQuery, events: Iterable[Mapping[str, Any]]) -> list[Match]:
    """Return the matches of a match query, each a tuple of (event, position).

    A match of AND is one side's tuple after the other's.
    """
    found = Trends(query, make_events(query, events)).reported()
    return [tuple(each for match in trend for each in match) for trend in found]


def ask(text: str, events: Sequence[Mapping[str, Any]], **options: Any) -> list[dict[str, Any]]:
    """Bind a query text to the schema that the events show, and return its rows."""
    return evaluate(bind(text, schema_of(events, **options)), events)
