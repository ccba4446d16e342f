"""How the trends of an aggregate query are added up."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.analysis.automaton import FREE
from cepheid.analysis.bound import BoundQuery, Strategy
from cepheid.plan.adjacent_tests import AdjacentTests, find_adjacent_tests
from cepheid.plan.common_trends import (
    SKIPS_TILL_NEXT,
    CommonTrends,
    find_common_trends,
    is_unambiguous,
    shared_places,
)
from cepheid.plan.paired_aggregates import find_one_sided_name
from cepheid.plan.physical import AggregateMethod, Choice
from cepheid.plan.slot_layout import covers_recent, lay_out_slots
from cepheid.plan.split_sides import split_sides

ORDER = (AggregateMethod.POSITIONS, AggregateMethod.LAST_EVENTS, AggregateMethod.ENUMERATION)


@dataclass(frozen=True, slots=True)
class Sides:
    """The sides of AND, each with its own method; what both sides have is told by `common`.

    None: no sequence of events can be a trend of both.
    """

    queries: tuple[BoundQuery, BoundQuery]
    methods: tuple[Choice[AggregateMethod], Choice[AggregateMethod]]
    common: CommonTrends | None


def choose_method(query: BoundQuery) -> Choice[AggregateMethod]:
    """A value per position if that is all that the rest of a run depends on, or per last event.

    Where it depends on more, matches are enumerated. The sides of AND have methods of their own.
    """
    if query.aggregates is None:
        return Choice(AggregateMethod.NONE, "the query returns matches")
    for each in query.aggregates:
        if each.aggregate.of_match is not None:
            return Choice(AggregateMethod.ENUMERATION, each.aggregate.reason)
    if len(query.patterns) == 1:
        return _method_of_pattern(query)
    sides = plan_sides(query)
    if isinstance(sides, str):
        return Choice(AggregateMethod.ENUMERATION, sides)
    return Choice(AggregateMethod.SIDES, _combination(sides))


def _method_of_pattern(query: BoundQuery) -> Choice[AggregateMethod]:
    if query.strategy is Strategy.LATEST_WINS:
        return Choice(AggregateMethod.ENUMERATION, "a newer run replaces one that waits")
    slots = lay_out_slots(query)
    if not isinstance(slots, str):
        return Choice(AggregateMethod.POSITIONS, "no predicate reads an earlier event of a trend")
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


def plan_sides(query: BoundQuery) -> Sides | str:
    """Return how each side of AND is added up; or why pairs are built, as a part of a sentence.

    AND counts sequences of events. They are as many as the runs if each has one path. Of those that
    are trends of both sides the number is needed, too.
    """
    first, second = split_sides(query)
    automata = [each.pattern.automaton for each in (first, second)]
    for name, automaton in zip(("first", "second"), automata, strict=True):
        if not is_unambiguous(automaton):
            return (
                "AND pairs sequences of events, and the "
                f"{name} side can match one sequence in several ways"
            )
    methods = _method_of_pattern(first), _method_of_pattern(second)
    if not shared_places(automata[0], automata[1]):
        return Sides((first, second), methods, None)
    shared = "a sequence of events can be a trend of both sides of AND"
    one_sided = find_one_sided_name(query)
    if one_sided is not None:
        return f"{shared}, and its side decides which of its events are called '{one_sided}'"
    for each in methods:
        if each.value is AggregateMethod.ENUMERATION:
            return f"{shared}, and {each.reason}"
    common = find_common_trends((first, second))
    if common is None:
        return f"{shared}, and too many positions are needed to count those"
    obstacle = _why_not_common(common)
    return Sides((first, second), methods, common) if obstacle is None else f"{shared}{obstacle}"


def _why_not_common(common: CommonTrends) -> str | None:
    """Return why trends of both sides cannot be counted; None if they can."""
    query = common.query
    method = _method_of_pattern(query)
    if method.value is AggregateMethod.POSITIONS:
        return None
    if method.value is AggregateMethod.ENUMERATION:
        return f", and {method.reason}"
    if query.strategy in SKIPS_TILL_NEXT:
        return f"; under {query.strategy.value} predicates decide which events end a run of both"
    if query.pattern.automaton.negated_parts:
        return ", which negated parts and predicates across events concern"
    return None


def dearest_method(query: BoundQuery, method: Choice[AggregateMethod]) -> Choice[AggregateMethod]:
    """Return the method that windows must suit: with AND, that of the dearer side."""
    sides = plan_sides(query) if method.value is AggregateMethod.SIDES else ""
    if isinstance(sides, str):
        return method
    return max(sides.methods, key=lambda each: ORDER.index(each.value))


def _combination(sides: Sides) -> str:
    one, other = map(_way, sides.methods)
    each = f"each side by {one}" if one == other else f"one side by {one}, the other by {other}"
    common = "no sequence of events is a trend of both"
    if sides.common is not None:
        common = "trends of both sides are the runs of both automata at once"
    return f"{each}, combined by GRETA's formula: {common}"


def _way(method: Choice[AggregateMethod]) -> str:
    if method.value is AggregateMethod.ENUMERATION:
        return f"its matches ({method.reason})"
    return method.value.value
