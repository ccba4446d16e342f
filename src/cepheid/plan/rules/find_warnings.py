"""What a user should know before a query is run, although nothing is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.analysis.bound import BoundQuery, Strategy
from cepheid.errors import WAYS_OUT
from cepheid.language.ast import OutputMode
from cepheid.language.printer import print_pattern


def find_warnings(query: BoundQuery, *, lists_all: bool = True) -> tuple[str, ...]:
    """Return what may go otherwise than expected; a part of many matches is harmless."""
    exploding = _exploding_matches(query) if lists_all else ()
    return (*(each.line for each in query.warnings), *exploding)


def _exploding_matches(query: BoundQuery) -> Iterator[str]:
    """Skip-till-any has a match for every subset of the events that a repetition fits."""
    is_listed = not query.is_aggregate and query.output in (OutputMode.ALL, OutputMode.PARTIAL)
    repeats = any(each.automaton.has_unbounded_repetition for each in query.patterns)
    if is_listed and repeats and query.strategy is Strategy.SKIP_TILL_ANY:
        yield (
            f"every match of {print_pattern(query.tree.pattern)} is listed, and under "
            f"{query.strategy.value} each choice of repeated events is one: one more event can "
            f"double their number. If there are too many, {WAYS_OUT}"
        )
