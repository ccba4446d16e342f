"""One side of a pattern: its clauses in classes, and its negations with their conditions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from cepheid.analysis.automaton import Automaton
from cepheid.analysis.bound import BoundPattern, Branch, Clause, PredicateClass
from cepheid.analysis.classify_predicates import classify_predicate
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import (
    Compare,
    Condition,
    Reference,
    Role,
    Truth,
    Value,
    references,
    variables_of,
)
from cepheid.analysis.infer_partitions import Partitions, without_chains
from cepheid.analysis.normal_forms import (
    TooManyClausesError,
    all_of,
    any_of,
    conjuncts,
    disjuncts,
)
from cepheid.analysis.problems import Problems
from cepheid.analysis.rename_variables import change_condition
from cepheid.analysis.scope import Scope
from cepheid.language.source import Span


@dataclass(frozen=True, slots=True)
class Side:
    """What binding knows of one side of the pattern."""

    automaton: Automaton
    scope: Scope


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One term of WHERE as written between its outermost ANDs, and its clauses."""

    condition: Condition
    clauses: tuple[Clause, ...]
    span: Span


def make_conjunct(
    condition: Condition, span: Span, side: Side, problems: Problems
) -> Conjunct | None:
    """Put a condition into conjunctive clauses and classify each."""
    try:
        parts = conjuncts(condition)
    except TooManyClausesError:
        _report_size(problems, span)
        return None
    clauses = [_clause(_orient_neighbours(part, span, problems), span, side) for part in parts]
    return Conjunct(condition, tuple(clauses), span)


def _report_size(problems: Problems, span: Span) -> None:
    problems.add(
        "condition-too-large",
        "this condition has too many combinations of AND and OR",
        span,
        "simplify it, or split the query",
    )


def _clause(condition: Condition, span: Span, side: Side) -> Clause:
    variables = side.scope.variables
    kind = classify_predicate(condition, variables, side.automaton)
    return Clause(condition, kind, variables_of(condition), describe(condition), span)


def _orient_neighbours(condition: Condition, span: Span, problems: Problems) -> Condition:
    """In a clause with NEXT, the other references are the left one of the two events."""
    found = list(references(condition))
    if not any(each.role is Role.RIGHT for each in found):
        return condition
    left = {each.variable for each in found if each.role is Role.EACH}
    right = {each.variable for each in found if each.role is Role.RIGHT}
    others = {each.role for each in found} - {Role.EACH, Role.RIGHT}
    if len(left) != 1 or len(right) != 1 or others:
        problems.add(
            "bad-next",
            "a predicate with NEXT compares one event with the event right after it",
            span,
            "write S.price < NEXT(S).price, and other conditions with AND",
        )
        return condition
    return change_condition(condition, _to_left)


def _to_left(reference: Reference) -> Value:
    return replace(reference, role=Role.LEFT) if reference.role is Role.EACH else reference


def finish_pattern(
    side: Side, terms: Iterable[Conjunct], partitions: Partitions, problems: Problems
) -> BoundPattern:
    """Set the terms over negated parts apart; an OR there splits WHERE into branches.

    The branches come from the terms as written: clauses would distribute an OR differently, and
    with it what a negated event must satisfy.
    """
    positive: list[Clause] = []
    negative: list[Conjunct] = []
    implied: list[Clause] = []
    for term in terms:
        variables = side.scope.variables
        implied += [each for each in term.clauses if partitions.imply(each, variables)]
        kept = without_chains(term.clauses, partitions, variables)
        if any(each.predicate_class is PredicateClass.NEGATED for each in kept):
            negative.append(replace(term, clauses=kept))
        else:
            positive += kept
    for term in negative:
        for clause in term.clauses:
            _check_negative(clause, side, problems)
    branches = _branches(negative, side, problems)
    if any(each.positive for each in branches):
        formed = any_of([all_of(list(each.positive)) for each in branches])
        positive += [_clause(part, negative[0].span, side) for part in conjuncts(formed)]
    return BoundPattern(
        side.automaton, side.scope.variables, tuple(positive), branches, tuple(implied)
    )


def _branches(terms: list[Conjunct], side: Side, problems: Problems) -> tuple[Branch, ...]:
    """Put the terms into disjunctive normal form."""
    try:
        choices = disjuncts(all_of([_unless_implied(each) for each in terms]))
    except TooManyClausesError:
        _report_size(problems, terms[0].span)
        choices = [[]]
    return tuple(_branch(atoms, side) for atoms in choices)


def _unless_implied(term: Conjunct) -> Condition:
    """Without OR the clauses are the atoms, and those that partitioning implies are gone."""
    if all(isinstance(each.condition, Compare | Truth) for each in term.clauses):
        return all_of([each.condition for each in term.clauses])
    return term.condition


def _branch(atoms: list[Condition], side: Side) -> Branch:
    positive: list[Condition] = []
    negative: dict[int, list[Condition]] = {}
    for atom in atoms:
        parts = {side.scope.variables[name].negated_part for name in variables_of(atom)} - {None}
        if parts:
            negative.setdefault(min(part for part in parts if part is not None), []).append(atom)
        else:
            positive.append(atom)
    return Branch(tuple(positive), {part: tuple(each) for part, each in negative.items()})


def _check_negative(clause: Clause, side: Side, problems: Problems) -> None:
    occurrences = {
        each for name in clause.variables for each in side.scope.variables[name].occurrences
    }
    parts = {side.scope.occurrences[each].negated_part for each in occurrences} - {None}
    if len(parts) > 1:
        problems.add(
            "two-negated-parts",
            f"'{clause.text}' names two negated parts, which never occur together",
            clause.span,
            "give each a variable and compare it with an event that occurs",
        )
    if any(each.role in (Role.LEFT, Role.RIGHT) for each in references(clause.condition)):
        problems.add(
            "bad-next",
            "NEXT compares events of a match, and a negated event is never part of one",
            clause.span,
            "compare the negated event without NEXT",
        )
    nested = _nested_occurrences(side.automaton)
    for name in sorted(clause.variables):
        if not nested & set(side.scope.variables[name].occurrences):
            continue
        problems.add(
            "nested-negation-predicate",
            f"'{name}' is negated inside a negated pattern and cannot be used in WHERE",
            clause.span,
            "drop the predicate, or take the inner negation out",
        )


def _nested_occurrences(automaton: Automaton) -> frozenset[int]:
    """Return the events that are negated inside a negated part, at any depth."""
    found: set[int] = set()
    waiting = [inner for part in automaton.negated_parts for inner in part.automaton.negated_parts]
    while waiting:
        part = waiting.pop()
        found |= {position.occurrence for position in part.automaton.positions}
        waiting += part.automaton.negated_parts
    return frozenset(found)
