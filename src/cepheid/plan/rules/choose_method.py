"""How the trends of an aggregate query are added up."""

from __future__ import annotations

from cepheid.analysis.automaton import FREE
from cepheid.analysis.bound import BoundQuery
from cepheid.plan.adjacent_tests import AdjacentTests, find_adjacent_tests
from cepheid.plan.physical import AggregateMethod, Choice
from cepheid.plan.slot_layout import covers_recent, lay_out_slots


def choose_method(query: BoundQuery) -> Choice[AggregateMethod]:
    """A value per position if that is all that the rest of a run depends on, or per last event.

    Where it depends on more, matches are enumerated.
    """
    if query.aggregates is None:
        return Choice(AggregateMethod.NONE, "the query returns matches")
    slots = lay_out_slots(query)
    if not isinstance(slots, str):
        return Choice(AggregateMethod.POSITIONS, "no predicate reads an earlier event of a trend")
    if len(query.patterns) > 1:
        return Choice(AggregateMethod.ENUMERATION, slots)
    tests = find_adjacent_tests(query)
    if not isinstance(tests, AdjacentTests):
        return Choice(AggregateMethod.ENUMERATION, tests.reason)
    starts_blocked = any(each.blocked_by != FREE for each in query.pattern.automaton.first)
    if covers_recent(query) and starts_blocked:
        return Choice(
            AggregateMethod.ENUMERATION,
            f"{slots}, and a negated part at the start looks back from the end of a trend",
        )
    return Choice(AggregateMethod.LAST_EVENTS, slots)
