"""What a user should know before a query is run, although nothing is wrong with it."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery


def find_warnings(query: BoundQuery) -> tuple[str, ...]:
    """Return what may go otherwise than expected."""
    return tuple(each.line for each in query.warnings)
