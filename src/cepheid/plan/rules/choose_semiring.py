"""What is folded over the events."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery
from cepheid.plan.physical import AggregateMethod, Choice, Semiring


def choose_semiring(query: BoundQuery, method: Choice[AggregateMethod]) -> Choice[Semiring]:
    """Matches need the graph; aggregates need numbers, unless runs cannot be merged."""
    if query.aggregates is None:
        return Choice(Semiring.MATCH_GRAPH, "the query returns matches")
    if method.value is AggregateMethod.ENUMERATION:
        return Choice(Semiring.ENUMERATION, f"{method.reason}, so matches are enumerated")
    aggregates = [each.aggregate for each in query.aggregates]
    if any(each.exact for each in aggregates):
        return Choice(Semiring.EXACT, "EXACT asks for arbitrary precision")
    if all(each.variable is None for each in aggregates):
        return Choice(Semiring.COUNT, "only trends are counted")
    return Choice(Semiring.COUNT_AND_SUM, "attributes are aggregated along with the count")
