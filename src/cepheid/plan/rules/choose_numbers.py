"""The number type of counts: it follows from the text, so that the schema is stable."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery, Strategy
from cepheid.plan.physical import Choice, NumberType


def choose_numbers(query: BoundQuery) -> Choice[NumberType]:
    """BIGINT, or DOUBLE where repetition can make counts exponential."""
    if query.aggregates is None:
        return Choice(NumberType.NONE, "no aggregate")
    repeats = any(each.automaton.has_unbounded_repetition for each in query.patterns)
    contiguous = query.strategy in (Strategy.CONTIGUOUS, Strategy.STRICT)
    if repeats and not contiguous:
        return Choice(
            NumberType.DOUBLE, "the pattern repeats without bound, so counts can grow like 2^n"
        )
    reason = "contiguous trends" if repeats else "no unbounded repetition"
    return Choice(NumberType.BIGINT, f"{reason}; an overflow is an error")
