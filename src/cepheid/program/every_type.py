"""`ANY x`: where an event of the pattern may have every type, types are conditions like others."""

from __future__ import annotations

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.automaton import Position
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.expressions import (
    AnyOf,
    AttributeReference,
    Compare,
    Condition,
    Constant,
    Role,
)
from cepheid.analysis.names import event_patterns
from cepheid.language.ast import EVERY_TYPE


def tests_types(query: BoundQuery) -> bool:
    """Whether the types of a query are conditions: to the program every event has every type."""
    return any(EVERY_TYPE in each.types for each in event_patterns(query.tree.pattern))


def has_type(query: BoundQuery, position: Position) -> list[Condition]:
    """Return the condition that an event has the type of a position, if that is to be tested."""
    column = query.schema.type_column
    if column is None or EVERY_TYPE in position.types or not tests_types(query):
        return []
    found = AttributeReference(position.variable, Role.EACH, column, AttributeType.STRING)
    tests = tuple(
        Compare("=", found, Constant(each, AttributeType.STRING)) for each in position.types
    )
    return [tests[0] if len(tests) == 1 else AnyOf(tests)]
