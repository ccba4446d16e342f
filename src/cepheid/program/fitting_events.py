"""Which events can fit some position, type by type: what a reader of events may ask for."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, replace

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    AttributeReference,
    Compare,
    Condition,
    Constant,
    Minus,
    Operation,
    Role,
    Truth,
    Value,
    references,
)
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Program

TRUE = Truth(True)


@dataclass(frozen=True, slots=True)
class FittingEvents:
    """Events of one of the types fit a position if one of the conditions holds.

    `types` is empty if the program tests no types: then its conditions are asked of every event.
    """

    types: tuple[str, ...]
    conditions: tuple[Condition, ...]


def fitting_events(*programs: Program) -> tuple[FittingEvents, ...]:
    """Return groups of types with the same conditions, negated parts included.

    Types are set apart, because an event of a type that lacks an attribute satisfies every
    comparison that reads it. Several programs have the type column in common.
    """
    tests = tuple(dict.fromkeys(test for each in programs for test in each.all_tests))
    if programs[0].type_column is None:
        conditions = [_condition(each, {name for _, name in each.exempt}) for each in tests]
        return (FittingEvents((), _alternatives(conditions)),)
    types: dict[tuple[Condition, ...], list[str]] = {}
    for name in sorted({name for test in tests for name in test.types}):
        conditions = [
            _condition(test, {attribute for owner, attribute in test.exempt if owner == name})
            for test in tests
            if name in test.types
        ]
        types.setdefault(_alternatives(conditions), []).append(name)
    return tuple(FittingEvents(tuple(names), each) for each, names in types.items())


def _alternatives(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return the conditions without repetitions; one that always holds replaces the others."""
    distinct = dict.fromkeys(conditions)
    return (TRUE,) if TRUE in distinct else tuple(distinct)


def _condition(test: PositionTest, lacking: Set[str]) -> Condition:
    """Return when an event fits, or is one that must be seen for an error."""
    if test.condition is None:
        return TRUE
    fits = _without(test.condition, lacking)
    if fits == TRUE or not test.checked_first:
        return fits
    kind = AttributeType.BOOLEAN
    wrong = (
        Compare("=", AttributeReference("", Role.EACH, each, kind), Constant(True, kind))
        for each in test.checked_first
    )
    return AnyOf((fits, *wrong))


def _without(condition: Condition, lacking: Set[str]) -> Condition:
    """Return the condition on one event of a type that lacks some attributes."""
    match condition:
        case AllOf():
            operands = tuple(_without(each, lacking) for each in condition.operands)
            return TRUE if all(each == TRUE for each in operands) else AllOf(operands)
        case AnyOf():
            operands = tuple(_without(each, lacking) for each in condition.operands)
            return TRUE if TRUE in operands else AnyOf(operands)
    if isinstance(condition, Truth):
        return condition
    if any(each.attribute in lacking for each in references(condition)):
        return TRUE
    return Compare(condition.operator, _nameless(condition.left), _nameless(condition.right))


def _nameless(value: Value) -> Value:
    """Forget the variable: two positions may ask the same of an event."""
    match value:
        case AttributeReference():
            return replace(value, variable="")
        case Minus():
            return replace(value, operand=_nameless(value.operand))
        case Operation():
            return replace(value, left=_nameless(value.left), right=_nameless(value.right))
    return value
