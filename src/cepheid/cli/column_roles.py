"""Which columns are the time and the event type, when the options do not say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cepheid import Query
from cepheid.analysis.automaton import Automaton
from cepheid.errors import DataError

TIME_NAMES = ("time", "ts", "timestamp")
TYPE_NAMES = ("type", "kind", "event_type", "etype")


def choose_time(columns: Sequence[str], given: str | None) -> str:
    """Return the given column, or the only one whose name says that it is the time."""
    if given is not None:
        return given
    found = [each for each in columns if each.casefold() in TIME_NAMES]
    if len(found) == 1:
        return found[0]
    seen = f"several could be: {', '.join(found)}" if found else "none is called time or ts"
    raise DataError(
        f"which column is the time? {seen}",
        hint=f"say --time COLUMN; the columns are: {', '.join(columns)}",
    )


def choose_type(query: Query, columns: Mapping[str, bool], given: str | None) -> str | None:
    """Return the given column, or the one whose name says that it is the type; None for no type.

    `columns` says of every column whether it is text. A pattern of one type needs no column, so a
    column that holds no text is not taken for it.
    """
    if given is not None:
        return given or None
    types = sorted(set(_types(query)))
    found = [each for each in columns if each.casefold() in TYPE_NAMES]
    if len(types) == 1:
        found = [each for each in found if columns[each]]
    if len(found) == 1:
        return found[0]
    if not found and len(types) == 1:
        return None
    seen = f"several could be: {', '.join(found)}" if found else "none is called type or kind"
    one = ", or --type '' if all events are of one type" if len(types) == 1 else ""
    raise DataError(
        f"which column is the event type ({', '.join(types)})? {seen}",
        hint=f"say --type COLUMN{one}; the columns are: {', '.join(columns)}",
    )


def _types(query: Query) -> Iterator[str]:
    for pattern in query.bind().patterns:
        yield from _automaton_types(pattern.automaton)


def _automaton_types(automaton: Automaton) -> Iterator[str]:
    for position in automaton.positions:
        yield from position.types
    for part in automaton.negated_parts:
        yield from _automaton_types(part.automaton)
