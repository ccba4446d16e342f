"""Which class a clause belongs to (semantics, section 4)."""

from __future__ import annotations

from collections.abc import Mapping

from cepheid.analysis.automaton import Automaton
from cepheid.analysis.bound import PredicateClass, Variable
from cepheid.analysis.expressions import (
    AttributeReference,
    Compare,
    Condition,
    Role,
    references,
    variables_of,
)


def classify_predicate(
    condition: Condition, variables: Mapping[str, Variable], automaton: Automaton
) -> PredicateClass:
    """Return the class; the first rule that fits decides."""
    names = variables_of(condition)
    roles = {each.role for each in references(condition)}
    if any(variables[name].negated_part is not None for name in names):
        return PredicateClass.NEGATED
    if Role.BEFORE in roles:
        return PredicateClass.RUNNING
    if roles & {Role.LAST, Role.ALL}:
        return PredicateClass.LAST_BOUND
    if Role.FIRST in roles:
        return PredicateClass.FIRST_BOUND
    if Role.RIGHT in roles or (len(names) == 1 and roles & {Role.CURRENT, Role.PREVIOUS}):
        return PredicateClass.ADJACENT
    if len(names) <= 1:
        return PredicateClass.LOCAL
    if is_equality_of_one_attribute(condition):
        return PredicateClass.EQUIVALENCE
    if roles == {Role.EACH} and _are_neighbours([variables[each] for each in names], automaton):
        return PredicateClass.ADJACENT
    return PredicateClass.GENERAL


def is_equality_of_one_attribute(condition: Condition) -> bool:
    """Whether the clause is `x.a = y.a`."""
    sides = equal_attributes(condition)
    return sides is not None and sides[0].attribute == sides[1].attribute


def equal_attributes(
    condition: Condition,
) -> tuple[AttributeReference, AttributeReference] | None:
    """Return both sides of a clause `x.a = y.b`."""
    match condition:
        case Compare(
            "=",
            AttributeReference(role=Role.EACH) as left,
            AttributeReference(role=Role.EACH) as right,
        ):
            return left, right
    return None


def _are_neighbours(variables: list[Variable], automaton: Automaton) -> bool:
    """Whether the two variables bind one event each and one always directly follows the other."""
    if len(variables) != 2 or any(each.has_several_events for each in variables):
        return False
    return any(
        _always_follows(automaton, before, after)
        for before, after in (variables, reversed(variables))
    )


def _always_follows(automaton: Automaton, before: Variable, after: Variable) -> bool:
    if any(border.position in after.positions for border in automaton.first):
        return False
    sources = {edge.source for edge in automaton.edges if edge.target in after.positions}
    return bool(sources) and sources <= set(before.positions)
