"""Conditions on a negated part: those on single events, on its own matches, or on more."""

from __future__ import annotations

from cepheid.analysis.automaton import NegatedPart
from cepheid.analysis.bound import BoundPattern, Clause, PredicateClass, Variable
from cepheid.analysis.expressions import Condition, reads_one_event, references
from cepheid.plan.place_tests import place_tests


def is_local(condition: Condition, pattern: BoundPattern) -> bool:
    """Whether a condition on a negated part reads one event, and so belongs to its test.

    With several branches every condition is tried by itself.
    """
    return reads_one_event(condition) and len(pattern.branches) == 1


def across_events(pattern: BoundPattern, part: NegatedPart) -> tuple[Condition, ...]:
    """Return the conditions on a part that are not tests of single events, of all branches."""
    return tuple(
        each
        for branch in pattern.branches
        for each in branch.negative.get(part.index, ())
        if not is_local(each, pattern)
    )


def negated_pattern(pattern: BoundPattern, part: NegatedPart) -> BoundPattern | None:
    """Return the part with its conditions as clauses, which a fold tests event by event.

    None if it has none, if one of them reads the positive match or needs whole paths, or if the
    fold would read it otherwise: conditions on a negated part are about the latest block of a
    variable, and so there must be just one.
    """
    conditions = across_events(pattern, part)
    has_one_block = all(edge.source <= edge.target for edge in part.automaton.edges)
    if not conditions or part.automaton.negated_parts or not has_one_block:
        return None
    if len(pattern.branches) > 1:
        return None
    for condition in conditions:
        variables = [pattern.variables[each.variable] for each in references(condition)]
        if any(each.negated_part != part.index or len(each.occurrences) > 1 for each in variables):
            return None
    clauses = tuple(
        _clause(each, pattern.variables[next(references(each)).variable]) for each in conditions
    )
    own = BoundPattern(part.automaton, pattern.variables, clauses, ())
    return None if any(each.needs_path for each in place_tests(own)) else own


def _clause(condition: Condition, variable: Variable) -> Clause:
    names = frozenset(each.variable for each in references(condition))
    return Clause(condition, PredicateClass.GENERAL, names, "", variable.span)
