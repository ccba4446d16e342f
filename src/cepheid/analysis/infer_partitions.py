"""Partition attributes: `[attr]`, GROUP BY, and equality chains over every positive variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from cepheid.analysis.bound import Clause, PredicateClass, Variable
from cepheid.analysis.classify_predicates import is_equality_of_one_attribute
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import (
    AttributeReference,
    Compare,
    Condition,
    references,
)
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import AttributeType, EventSchema
from cepheid.analysis.scope import Scope
from cepheid.errors import suggest
from cepheid.language import ast
from cepheid.language.source import Span

FLOAT = AttributeType.FLOAT


def chained_attributes(clauses: Iterable[Clause], scope: Scope) -> dict[str, Span]:
    """Return attributes whose equalities join every positive variable, and where they start.

    Negated variables may take part in a chain; they belong to the same partition anyway.
    """
    links: dict[str, list[frozenset[str]]] = {}
    spans: dict[str, Span] = {}
    for clause in clauses:
        # `A.id = A.id` reads one event, even if the type A occurs twice in the pattern.
        if is_equality_of_one_attribute(clause.condition) and len(clause.variables) > 1:
            attribute = next(references(clause.condition)).attribute
            assert attribute is not None
            links.setdefault(attribute, []).append(_occurrences(clause, scope.variables))
            spans.setdefault(attribute, clause.span)
    positive = {str(each.index) for each in scope.positive}
    return {
        attribute: spans[attribute]
        for attribute, groups in links.items()
        if len(positive) > 1 and any(positive <= group for group in _merged(groups))
    }


def _occurrences(clause: Clause, variables: Mapping[str, Variable]) -> frozenset[str]:
    return frozenset(
        str(occurrence) for name in clause.variables for occurrence in variables[name].occurrences
    )


def _merged(groups: list[frozenset[str]]) -> list[frozenset[str]]:
    merged: list[frozenset[str]] = []
    for group in groups:
        joined = group
        apart = []
        for other in merged:
            if other & joined:
                joined |= other
            else:
                apart.append(other)
        merged = [*apart, joined]
    return merged


def without_chains(
    clauses: Iterable[Clause], partition_by: Iterable[str], variables: Mapping[str, Variable]
) -> tuple[Clause, ...]:
    """Drop the equalities that partitioning already guarantees.

    All NaN are one partition, but NaN does not equal NaN: of an equality of floats there remains
    that each of its events has a number.
    """
    attributes = set(partition_by)

    def is_implied(clause: Clause) -> bool:
        return (
            clause.predicate_class in (PredicateClass.EQUIVALENCE, PredicateClass.NEGATED)
            and is_equality_of_one_attribute(clause.condition)
            and isinstance(clause.condition, Compare)
            and next(references(clause.condition)).attribute in attributes
        )

    kept: dict[Condition, Clause] = {}
    for clause in clauses:
        for each in _without_nan(clause, variables) if is_implied(clause) else (clause,):
            kept.setdefault(each.condition, each)
    return tuple(kept.values())


def _without_nan(clause: Clause, variables: Mapping[str, Variable]) -> Iterator[Clause]:
    """Yield `a.y = a.y` for each event of an equality of floats.

    With a negated event only that one is restricted: if the other has NaN, nothing blocks it.
    """
    is_negated = clause.predicate_class is PredicateClass.NEGATED
    for reference in references(clause.condition):
        is_float = isinstance(reference, AttributeReference) and reference.type is FLOAT
        if is_float and (variables[reference.variable].negated_part is not None) is is_negated:
            condition = Compare("=", reference, reference)
            names = frozenset((reference.variable,))
            kind = PredicateClass.NEGATED if is_negated else PredicateClass.LOCAL
            yield Clause(condition, kind, names, describe(condition), clause.span)


def check_partition_attribute(
    attribute: str, span: Span, scope: Scope, schema: EventSchema, problems: Problems
) -> bool:
    """Report an attribute that some type of the pattern does not have."""
    if schema.type_of(attribute) is None:
        problems.add(
            "unknown-attribute",
            f"the events have no attribute '{attribute}'",
            span,
            suggest(attribute, schema.attributes, owner="the stream"),
        )
        return False
    types = dict.fromkeys(each for one in scope.occurrences for each in one.types)
    lacking = [each for each in types if not schema.has_attribute(each, attribute)]
    for event_type in lacking:
        problems.add(
            "missing-partition-attribute",
            f"event type {event_type} has no attribute '{attribute}' to partition by",
            span,
            "every type of the pattern, negated ones included, needs it",
        )
    return not lacking


def equivalence_attributes(terms: Iterable[ast.Equivalence]) -> list[tuple[str, Span]]:
    """Return the attributes of `[a, b]` and `[a = 'v']` tests."""
    return [(attribute, term.span) for term in terms for attribute in term.attributes]
