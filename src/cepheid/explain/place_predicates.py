"""Where in the automaton a clause is tested.

A clause about neighbours stands on the edges between them. Any other clause stands at the states
that can bind the last event it reads: those that all its other variables can come before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cepheid.analysis.automaton import Automaton
from cepheid.analysis.bound import BoundPattern, Branch, Clause, PredicateClass
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import AttributeReference, Role, references
from cepheid.explain.document import Predicate

INSIDE_A_BLOCK = {Role.CURRENT, Role.PREVIOUS, Role.BEFORE}
SEEN_BY_THE_NEXT_EVENT = {PredicateClass.ADJACENT, PredicateClass.LAST_BOUND}


@dataclass(frozen=True, slots=True)
class Placed:
    """A predicate and the states and edges at which it is tested."""

    predicate: Predicate
    states: frozenset[int] = frozenset()
    edges: frozenset[tuple[int, int]] = frozenset()


def place_predicates(pattern: BoundPattern) -> tuple[Placed, ...]:
    """Return every clause of a pattern, those about negated parts last."""
    return (*(_place(each, pattern) for each in pattern.clauses), *_about_negated_parts(pattern))


def negated_conditions(pattern: BoundPattern, part_index: int) -> tuple[str, ...]:
    """Return when a negated part blocks, one text for each branch of WHERE that restricts it."""
    return tuple(
        _branch_condition(branch, part_index)
        for branch in pattern.branches
        if branch.negative.get(part_index)
    )


def _branch_condition(branch: Branch, part_index: int) -> str:
    text = " AND ".join(describe(each) for each in branch.negative[part_index])
    if not branch.positive:
        return text
    return f"{text} (in the case {' AND '.join(describe(each) for each in branch.positive)})"


def _about_negated_parts(pattern: BoundPattern) -> Iterator[Placed]:
    for part in pattern.automaton.negated_parts:
        for text in negated_conditions(pattern, part.index):
            yield Placed(Predicate(text, PredicateClass.NEGATED.value, f"¬ {part.text}"))


def _place(clause: Clause, pattern: BoundPattern) -> Placed:
    edges = _edges_of(clause, pattern)
    states = frozenset[int]() if edges else _states_of(clause, pattern)
    tested = _in_words(clause, states, edges)
    return Placed(Predicate(clause.text, clause.predicate_class.value, tested), states, edges)


def _in_words(clause: Clause, states: frozenset[int], edges: frozenset[tuple[int, int]]) -> str:
    if edges:
        return ", ".join(f"{source} → {target}" for source, target in sorted(edges))
    if not clause.variables:
        return "once, for the whole query"
    if not states:
        return "never: no match has all its events"
    leaving = clause.predicate_class is PredicateClass.LAST_BOUND and len(clause.variables) == 1
    where = "on leaving " if leaving else "at "
    return where + ", ".join(str(each) for each in sorted(states))


def _edges_of(clause: Clause, pattern: BoundPattern) -> frozenset[tuple[int, int]]:
    positions = {name: set(pattern.variables[name].positions) for name in clause.variables}
    roles = {each.role for each in references(clause.condition)}
    pairs = {(edge.source, edge.target) for edge in pattern.automaton.edges}
    if Role.RIGHT in roles:
        before = _positions_in_role(clause, Role.LEFT, pattern)
        after = _positions_in_role(clause, Role.RIGHT, pattern)
        return frozenset(pair for pair in pairs if pair[0] in before and pair[1] in after)
    if len(positions) == 1 and roles & INSIDE_A_BLOCK:
        inside = next(iter(positions.values()))
        return frozenset(pair for pair in pairs if inside.issuperset(pair))
    if len(positions) == 2 and clause.predicate_class in SEEN_BY_THE_NEXT_EVENT:
        one, other = positions.values()
        return _only_way(pairs, one, other) or _only_way(pairs, other, one)
    return frozenset()


def _positions_in_role(clause: Clause, role: Role, pattern: BoundPattern) -> set[int]:
    return {
        position
        for each in references(clause.condition)
        if isinstance(each, AttributeReference) and each.role is role
        for position in pattern.variables[each.variable].positions
    }


def _only_way(
    pairs: set[tuple[int, int]], before: set[int], after: set[int]
) -> frozenset[tuple[int, int]]:
    """Return the edges into `after` from elsewhere if all of them come from `before`."""
    into = {pair for pair in pairs if pair[1] in after and pair[0] not in after}
    return frozenset(into) if {source for source, _ in into} <= before else frozenset()


def _states_of(clause: Clause, pattern: BoundPattern) -> frozenset[int]:
    reachable = _reachable(pattern.automaton)
    positions = [set(pattern.variables[name].positions) for name in clause.variables]
    found = set[int]()
    for own in positions:
        others = [each for each in positions if each is not own]
        found |= {
            state
            for state in own
            if all(any(state in reachable[other] for other in each) for each in others)
        }
    return frozenset(found)


def _reachable(automaton: Automaton) -> dict[int, set[int]]:
    """Return the states that can come after each state."""
    after = {position.index: set[int]() for position in automaton.positions}
    for edge in automaton.edges:
        after[edge.source].add(edge.target)
    for middle, beyond in after.items():  # Warshall's transitive closure
        for found in after.values():
            if middle in found:
                found.update(beyond)
    return after
