"""Conditions and values as text, in the language's own spelling."""

from __future__ import annotations

from decimal import Decimal

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
    Role,
    Truth,
    Value,
)

ROLE_INDEX = {
    Role.EACH: "",
    Role.LEFT: "",
    Role.FIRST: "[1]",
    Role.CURRENT: "[i]",
    Role.PREVIOUS: "[i-1]",
    Role.BEFORE: "[..i-1]",
    Role.ALL: "[]",
}


def describe(node: Condition | Value) -> str:
    """Return the text of a condition or value."""
    match node:
        case Compare():
            return f"{describe(node.left)} {node.operator} {describe(node.right)}"
        case Truth():
            return "TRUE" if node.value else "FALSE"
        case AllOf() | AnyOf():
            word = " AND " if isinstance(node, AllOf) else " OR "
            return word.join(_grouped(each) for each in node.operands)
        case Constant():
            return _constant(node.value)
        case AttributeReference(role=Role.RIGHT):
            return f"NEXT({node.variable}).{node.attribute}"
        case AttributeReference():
            return f"{node.variable}{_index(node.variable, node.role)}.{node.attribute}"
        case BlockAggregate():
            attribute = "" if node.attribute is None else f".{node.attribute}"
            index = _index(node.variable, node.role)
            return f"{node.function}({node.variable}{index}{attribute})"
        case Minus():
            return f"-{_operand(node.operand)}"
        case Operation():
            return f"{_operand(node.left)} {node.operator} {_operand(node.right)}"


def _grouped(condition: Condition) -> str:
    text = describe(condition)
    return f"({text})" if isinstance(condition, AllOf | AnyOf) else text


def _operand(value: Value) -> str:
    text = describe(value)
    return f"({text})" if isinstance(value, Operation | Minus) else text


def _index(variable: str, role: Role) -> str:
    return f"[{variable}.LEN]" if role is Role.LAST else ROLE_INDEX[role]


def _constant(value: int | float | Decimal | str | bool | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value) if isinstance(value, Decimal) else repr(value)
