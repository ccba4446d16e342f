"""Conditions with other names for their variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

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
    Reference,
    Role,
    Truth,
    Value,
)


def rename_variables(condition: Condition, new_name: Callable[[str], str]) -> Condition:
    """Return a condition with every variable called by its new name."""
    return change_condition(condition, partial(_renamed, new_name=new_name))


def of_event(value: Value, name: str) -> Value:
    """Return what is said of one event as said of an event that is called so."""

    def called(reference: Reference) -> Value:
        assert isinstance(reference, AttributeReference)
        return replace(reference, variable=name, role=Role.EACH)

    return change_value(value, called)


def _renamed(reference: Reference, new_name: Callable[[str], str]) -> Value:
    return replace(reference, variable=new_name(reference.variable))


def change_condition(condition: Condition, change: Callable[[Reference], Value]) -> Condition:
    """Return a condition with every reference changed."""
    match condition:
        case Compare():
            left, right = (change_value(each, change) for each in (condition.left, condition.right))
            return replace(condition, left=left, right=right)
        case AllOf() | AnyOf():
            operands = tuple(change_condition(each, change) for each in condition.operands)
            return replace(condition, operands=operands)
        case Truth():
            return condition


def change_value(value: Value, change: Callable[[Reference], Value]) -> Value:
    """Return a value with every reference changed."""
    match value:
        case AttributeReference() | BlockAggregate():
            return change(value)
        case Minus():
            return replace(value, operand=change_value(value.operand, change))
        case Operation():
            left, right = (change_value(each, change) for each in (value.left, value.right))
            return replace(value, left=left, right=right)
        case Apply():
            return replace(
                value,
                arguments=tuple(
                    change_condition(each, change)
                    if isinstance(each, AllOf | AnyOf | Compare | Truth)
                    else change_value(each, change)
                    for each in value.arguments
                ),
            )
        case Constant():
            return value
