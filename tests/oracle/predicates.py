"""Whether events satisfy clauses (semantics, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    BlockAggregate,
    Compare,
    Condition,
    Constant,
    Minus,
    Operation,
    Truth,
    Value,
)
from tests.oracle.arithmetic import aggregate, compare, operate, summary, to_float
from tests.oracle.combinations import Choice, Scene, Slot, choices, combinations, read, slots_of
from tests.oracle.functions import apply, constant, of_no_event


class LackingAttribute(Exception):
    """The event's type does not have the attribute, by its declared schema."""


def holds(condition: Condition, scene: Scene, before: Scene | None = None) -> bool:
    """Whether every combination of the scene that was not there before satisfies the clause."""
    known = set() if before is None else combinations(condition, before)
    return all(
        _satisfies(condition, scene, dict(each)) for each in combinations(condition, scene) - known
    )


def single_value(value: Value, scene: Scene) -> Any:
    """The value of an expression in RETURN: every slot has one choice, or none (NULL)."""
    chosen = {slot: choices(slot, scene) for slot in slots_of(value)}
    try:
        return _value(value, scene, {slot: each[0] for slot, each in chosen.items() if each})
    except LackingAttribute:
        return None


def _satisfies(condition: Condition, scene: Scene, chosen: Mapping[Slot, Choice]) -> bool:
    match condition:
        case Truth():
            return condition.value
        case AllOf():
            return all(_satisfies(each, scene, chosen) for each in condition.operands)
        case AnyOf():
            return any(_satisfies(each, scene, chosen) for each in condition.operands)
        case Compare():
            try:
                left = _value(condition.left, scene, chosen)
                right = _value(condition.right, scene, chosen)
            except LackingAttribute:
                return True
            return compare(condition.operator, left, right) is True


def _truth(condition: Condition, scene: Scene, chosen: Mapping[Slot, Choice]) -> bool | None:
    """Whether a condition that is a value holds; None if that is not known."""
    match condition:
        case Truth():
            return condition.value
        case Compare():
            left, right = (_value(e, scene, chosen) for e in (condition.left, condition.right))
            return compare(condition.operator, left, right)
    found = [_truth(each, scene, chosen) for each in condition.operands]
    decides = isinstance(condition, AnyOf)
    if decides in found:
        return decides
    return None if None in found else not decides


def _value(value: Value, scene: Scene, chosen: Mapping[Slot, Choice]) -> Any:
    match value:
        case Constant():
            return constant(value)
        case Minus():
            operand = _value(value.operand, scene, chosen)
            is_float = value.type is AttributeType.FLOAT
            return operate("-", 0, to_float(operand) if is_float else operand)
        case Operation():
            left, right = _value(value.left, scene, chosen), _value(value.right, scene, chosen)
            if value.type is AttributeType.FLOAT:
                left, right = to_float(left), to_float(right)
            return operate(value.operator, left, right)
        case Apply():
            truth = _truth if value.function == "condition" else _satisfies
            return apply(
                value,
                lambda each: _value(each, scene, chosen),
                lambda each: truth(each, scene, chosen),
            )
        case AttributeReference():
            return _attribute(value, scene, chosen)
        case BlockAggregate():
            events = read(value, scene, chosen)
            if value.attribute is None:
                return len(events)
            values = [event.row.get(value.attribute) for event in events]
            if value.function == "NTH":
                return values[value.place - 1] if len(values) >= value.place else None
            known = [each for each in values if each is not None]
            return summary(value.function, known) if value.reads_all else (
                aggregate(value.function, known))  # fmt: skip


def _attribute(reference: AttributeReference, scene: Scene, chosen: Mapping[Slot, Choice]) -> Any:
    events = read(reference, scene, chosen)
    if not events:
        return of_no_event(reference.attribute, scene.schema)
    if not scene.schema.has_attribute(str(events[0].type), reference.attribute):
        raise LackingAttribute
    return events[0].row.get(reference.attribute)
