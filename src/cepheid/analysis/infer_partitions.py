"""Partition attributes: `[attr]`, GROUP BY, and equality chains over every variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import Clause, PredicateClass, Variable
from cepheid.analysis.classify_predicates import equal_attributes, is_equality_of_one_attribute
from cepheid.analysis.describe import describe
from cepheid.analysis.expressions import (
    AttributeReference,
    Compare,
    Condition,
    references,
)
from cepheid.analysis.join_keys import JoinKeys
from cepheid.analysis.problems import Problems
from cepheid.analysis.schema import EventSchema
from cepheid.analysis.scope import Scope
from cepheid.errors import suggest
from cepheid.language import ast
from cepheid.language.source import Span

FLOAT = AttributeType.FLOAT


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


@dataclass(frozen=True, slots=True)
class Partitions:
    """What the events are partitioned by; `joined` are keys that have several names."""

    attributes: tuple[str, ...] = ()
    joined: JoinKeys = field(default_factory=JoinKeys)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that hold the keys of events."""
        return (*self.attributes, *self.joined.columns)

    def imply(self, clause: Clause, variables: Mapping[str, Variable]) -> bool:
        """Whether partitioning guarantees the clause: an equality of a partition attribute."""
        sides = equal_attributes(clause.condition)
        is_local = clause.predicate_class is PredicateClass.LOCAL
        if sides is None or is_local:
            return False
        is_attribute = sides[0].attribute == sides[1].attribute in self.attributes
        return is_attribute or any(each.implies(clause, variables) for each in self.joined.keys)


def without_chains(
    clauses: Iterable[Clause], partitions: Partitions, variables: Mapping[str, Variable]
) -> tuple[Clause, ...]:
    """Drop the equalities that partitioning already guarantees.

    All NaN are one partition, but NaN does not equal NaN: of an equality of floats there remains
    that each of its events has a number.
    """
    kept: dict[Condition, Clause] = {}
    for clause in clauses:
        is_gone = partitions.imply(clause, variables)
        for each in _without_nan(clause, variables) if is_gone else (clause,):
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
            suggest(attribute, schema.attributes, owner="the stream", in_query=True),
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
