"""Which columns are the time and the event type, when the options do not say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cepheid import Query
from cepheid.analysis.names import event_patterns
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


def choose_type(types: Sequence[str], columns: Mapping[str, bool], given: str | None) -> str | None:
    """Return the given column, or the one whose name says that it is the type; None for no type.

    `types` are those of the patterns; `columns` says of every column whether it is text. Patterns
    of one type need no column, so a column that holds no text is not taken for it.
    """
    if given is not None:
        return given or None
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


def types_of(queries: Iterable[Query]) -> list[str]:
    """Return the event types that patterns name, but for those that one of the queries gives."""
    trees = [each.tree for each in queries]
    named = {name for tree in trees for event in event_patterns(tree.pattern)
             for name in event.types}  # fmt: skip
    given = {tree.into for tree in trees} if len(trees) > 1 else set()
    return sorted(named - given)
