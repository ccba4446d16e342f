"""How the trends of an aggregate query are added up."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery
from cepheid.plan.physical import AggregateMethod, Choice
from cepheid.plan.slot_layout import lay_out_slots


def choose_method(query: BoundQuery) -> Choice[AggregateMethod]:
    """Values per position if nothing else matters to the rest of a run; else matches."""
    if query.aggregates is None:
        return Choice(AggregateMethod.NONE, "the query returns matches")
    slots = lay_out_slots(query)
    if isinstance(slots, str):
        return Choice(AggregateMethod.ENUMERATION, slots)
    return Choice(AggregateMethod.POSITIONS, "no predicate reads an earlier event of a trend")
