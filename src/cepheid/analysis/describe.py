"""Conditions and values as text, in the language's own spelling."""

from __future__ import annotations

import json
from decimal import Decimal

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
    Role,
    Truth,
    Value,
)

ROLE_INDEX = {
    Role.EACH: "",
    Role.LEFT: "",
    Role.RIGHT: "",
    Role.FIRST: "[1]",
    Role.CURRENT: "[i]",
    Role.PREVIOUS: "[i-1]",
    Role.BEFORE: "[..i-1]",
    Role.ALL: "[]",
}


def describe(node: Condition | Value) -> str:
    """Return the text of a condition or value."""
    match node:
        case Compare(
            operator="=", left=AttributeReference(attribute=name), right=Constant(value=bool(truth))
        ) if "@." in name:  # a test that is a column
            return describe(node.left) if truth else f"NOT ({describe(node.left)})"
        case Compare(
            operator="=", left=Apply(function="condition"), right=Constant(value=bool(truth))
        ):
            return describe(node.left) if truth else f"NOT ({describe(node.left)})"
        case Compare():
            return f"{describe(node.left)} {node.operator} {describe(node.right)}"
        case Truth():
            return "TRUE" if node.value else "FALSE"
        case AllOf() | AnyOf():
            word = " AND " if isinstance(node, AllOf) else " OR "
            return word.join(_grouped(each) for each in node.operands)
        case Constant(type=AttributeType.DURATION, value=int(length)):
            return f"{length} us"
        case Constant():
            return _constant(node.value)
        case AttributeReference():
            return _reference(node)
        case Apply():
            return _apply(node)
        case BlockAggregate():
            attribute = "" if node.attribute is None else f".{node.attribute}"
            index = _index(node.variable, node.role)
            return _aggregate(node, f"{node.variable}{index}{attribute}")
        case Minus():
            return f"-{_operand(node.operand)}"
        case Operation():
            return f"{_operand(node.left)} {node.operator} {_operand(node.right)}"


def _aggregate(node: BlockAggregate, argument: str) -> str:
    if node.function == "COUNT_DISTINCT":
        return f"COUNT(DISTINCT {argument})"
    return f"NTH({argument}, {node.place})" if node.place else f"{node.function}({argument})"


def _reference(node: AttributeReference) -> str:
    """In the name of a computed column `@` stands for the event."""
    event = f"{node.variable}{_index(node.variable, node.role)}"
    if node.role is Role.RIGHT:
        event = f"NEXT({node.variable})"
    if "@." in node.attribute:
        return node.attribute.replace("@.", f"{event}.")
    return f"{event}.{node.attribute}"


def _apply(node: Apply) -> str:
    parts = [describe(each) for each in node.arguments]
    match node.function:
        case "condition":
            (inner,) = node.arguments
            match inner:
                case Compare(operator="=", left=Apply(), right=Constant(value=True)):
                    return describe(inner.left)
            return parts[0]
        case "in":
            return f"{parts[0]} IN ({', '.join(parts[1:])})"
        case "is_null":
            return f"{parts[0]} IS NULL"
        case "like" | "ilike" | "rlike":
            escape = f" ESCAPE {_constant(node.option)}" if node.option else ""
            return f"{parts[0]} {node.function.upper()} {parts[1]}{escape}"
        case "case":
            pairs = zip(parts[:-1:2], parts[1:-1:2], strict=True)
            whens = "".join(f"WHEN {one} THEN {other} " for one, other in pairs)
            return f"CASE {whens}ELSE {parts[-1]} END"
        case "cast":
            digits = f"({node.option})" if node.type is AttributeType.DECIMAL else ""
            return f"CAST({parts[0]} AS {node.type.value.upper()}{digits})"
        case "path":
            steps = [f".{each}" if isinstance(each, str) else f"[{_constant(each['key'])}]"
                     for each in json.loads(node.option)]  # fmt: skip
            return parts[0] + "".join(steps)
        case "later":
            return f"{parts[0]} + {parts[1]}"
        case _:
            return f"{node.function}({', '.join(parts)})"


def _grouped(condition: Condition) -> str:
    text = describe(condition)
    return f"({text})" if isinstance(condition, AllOf | AnyOf) else text


def _operand(value: Value) -> str:
    text = describe(value)
    is_sum = isinstance(value, Apply) and value.function == "later"
    return f"({text})" if isinstance(value, Operation | Minus) or is_sum else text


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
