"""Conditions with other names for their variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
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


def rename_variables(condition: Condition, new_name: Callable[[str], str]) -> Condition:
    """Return a condition with every variable called by its new name."""
    match condition:
        case Compare():
            left, right = (_renamed(each, new_name) for each in (condition.left, condition.right))
            return replace(condition, left=left, right=right)
        case AllOf() | AnyOf():
            operands = tuple(rename_variables(each, new_name) for each in condition.operands)
            return replace(condition, operands=operands)
        case Truth():
            return condition


def _renamed(value: Value, new_name: Callable[[str], str]) -> Value:
    match value:
        case AttributeReference() | BlockAggregate():
            return replace(value, variable=new_name(value.variable))
        case Minus():
            return replace(value, operand=_renamed(value.operand, new_name))
        case Operation():
            left, right = (_renamed(each, new_name) for each in (value.left, value.right))
            return replace(value, left=left, right=right)
        case Constant():
            return value
