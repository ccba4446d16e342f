"""Partition attributes: `[attr]`, GROUP BY, and equality chains over every variable."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from cepheid.analysis.bound import Clause, PredicateClass, Variable
from cepheid.analysis.classify_predicates import is_equality_of_one_attribute
from cepheid.analysis.expressions import references
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.analysis.scope import Scope
from cepheid.errors import suggest
from cepheid.language import ast
from cepheid.language.source import Span


def chained_attributes(
    clauses: Iterable[Clause], scope: Scope, schema: EventSchema
) -> dict[str, Span]:
    """Return attributes whose equalities join every variable, and where they start.

    An equality constrains only what it names. So a chain that leaves out a negated variable, or a
    type without the attribute, for which it is true, says nothing of those events: it is a
    predicate. A chain needs two positive variables; else it concerns the negated one only.
    """
    links: dict[str, list[frozenset[int]]] = {}
    spans: dict[str, Span] = {}
    for clause in clauses:
        # `A.id = A.id` reads one event, even if the type A occurs twice in the pattern.
        if is_equality_of_one_attribute(clause.condition) and len(clause.variables) > 1:
            attribute = next(references(clause.condition)).attribute
            assert attribute is not None
            links.setdefault(attribute, []).append(_occurrences(clause, scope.variables))
            spans.setdefault(attribute, clause.span)
    everything = frozenset(each.index for each in scope.occurrences)
    return {
        attribute: spans[attribute]
        for attribute, groups in links.items()
        if len(scope.positive) > 1
        and everything in _merged(groups)
        and not _lacking(attribute, scope, schema)
    }


def _lacking(attribute: str, scope: Scope, schema: EventSchema) -> list[str]:
    """Return the types of the pattern that do not have an attribute."""
    types = dict.fromkeys(each for one in scope.occurrences for each in one.types)
    return [each for each in types if not schema.has_attribute(each, attribute)]


def _occurrences(clause: Clause, variables: Mapping[str, Variable]) -> frozenset[int]:
    return frozenset(
        occurrence for name in clause.variables for occurrence in variables[name].occurrences
    )


def _merged(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    merged: list[frozenset[int]] = []
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


def is_implied(clause: Clause, partition_by: Collection[str]) -> bool:
    """Whether partitioning guarantees the clause: an equality of a partition attribute."""
    return (
        clause.predicate_class in (PredicateClass.EQUIVALENCE, PredicateClass.NEGATED)
        and is_equality_of_one_attribute(clause.condition)
        and next(references(clause.condition)).attribute in partition_by
    )


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
    lacking = _lacking(attribute, scope, schema)
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
