"""Conditions with other names for their variables."""

from __future__ import annotations

from collections.abc import Mapping
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


def rename_variables(condition: Condition, names: Mapping[str, str]) -> Condition:
    """Return a condition with every variable called by its new name."""
    match condition:
        case Compare():
            left, right = (_renamed(each, names) for each in (condition.left, condition.right))
            return replace(condition, left=left, right=right)
        case AllOf() | AnyOf():
            operands = tuple(rename_variables(each, names) for each in condition.operands)
            return replace(condition, operands=operands)
        case Truth():
            return condition


def _renamed(value: Value, names: Mapping[str, str]) -> Value:
    match value:
        case AttributeReference() | BlockAggregate():
            return replace(value, variable=names[value.variable])
        case Minus():
            return replace(value, operand=_renamed(value.operand, names))
        case Operation():
            left, right = (_renamed(each, names) for each in (value.left, value.right))
            return replace(value, left=left, right=right)
        case Constant():
            return value
