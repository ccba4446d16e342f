"""A negated part as a pattern of its own, where its conditions allow that."""

from __future__ import annotations

from cepheid.analysis.automaton import NegatedPart
from cepheid.analysis.bound import BoundPattern, Clause, PredicateClass, Variable
from cepheid.analysis.expressions import Condition, references
from cepheid.language.source import Span
from cepheid.plan.place_tests import place_tests
from cepheid.program.lower_negation import is_local


def negated_pattern(pattern: BoundPattern, part: NegatedPart) -> BoundPattern | None:
    """Return the part with its conditions as clauses, which a fold tests event by event.

    None if it has none, if one of them reads the positive match or needs whole paths, or if the
    fold would read it otherwise: conditions on a negated part are about the latest block of a
    variable, and so there must be just one.
    """
    (branch,) = pattern.branches
    conditions = [
        each for each in branch.negative.get(part.index, ()) if not is_local(each, pattern)
    ]
    edges = part.automaton.edges
    has_blocks = all(edge.source <= edge.target for edge in edges)
    if not conditions or part.automaton.negated_parts or not has_blocks:
        return None
    for condition in conditions:
        variables = [pattern.variables[each.variable] for each in references(condition)]
        if any(each.negated_part != part.index or len(each.occurrences) > 1 for each in variables):
            return None
    clauses = tuple(_clause(condition, pattern.variables[next(references(condition)).variable])
                    for condition in conditions)  # fmt: skip
    own = BoundPattern(part.automaton, pattern.variables, clauses, ())
    return None if any(each.needs_path for each in place_tests(own)) else own


def _clause(condition: Condition, variable: Variable) -> Clause:
    names = frozenset(each.variable for each in references(condition))
    span: Span = variable.span
    return Clause(condition, PredicateClass.GENERAL, names, "", span)
