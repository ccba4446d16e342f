"""What runs are told apart by: the finest key that the rest of the query can see."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery, PredicateClass, Strategy
from cepheid.plan.physical import AggregateMethod, Choice, Granularity


def choose_granularity(query: BoundQuery, method: Choice[AggregateMethod]) -> Choice[Granularity]:
    """Return the granularity; names as in COGRA, `run` for what COGRA does not cover."""
    clauses = [each for pattern in query.patterns for each in pattern.clauses]
    across = [each for each in clauses if each.predicate_class is not PredicateClass.LOCAL]
    coarse = [each for each in across if each.predicate_class is not PredicateClass.ADJACENT]
    if coarse:
        first = coarse[0]
        return Choice(
            Granularity.RUN,
            f"the {first.predicate_class.value} predicate '{first.text}' reads more of a run "
            "than its last event",
        )
    if query.neighbour_bounds:
        bound = query.neighbour_bounds[0]
        names = f"{bound.first}, {bound.second}"
        return Choice(
            Granularity.RUN, f"WITHIN … BETWEEN {names} reads the latest {bound.first} of a run"
        )
    if method.value is AggregateMethod.ENUMERATION:
        return Choice(Granularity.RUN, f"{method.reason}, so every match is looked at by itself")
    if query.strategy is not Strategy.SKIP_TILL_ANY:
        detail = "" if not across else f"; '{across[0].text}' is tested against it"
        return Choice(
            Granularity.PATTERN,
            f"under {query.strategy.value} a partial match is known by its last event{detail}",
        )
    if across:
        return Choice(
            Granularity.MIXED,
            f"the adjacent predicate '{across[0].text}' needs the last event of a run",
        )
    return Choice(Granularity.TYPE, "no predicate between adjacent events")
