"""Tests of texts of two events, `contains(b.s, a.t)`: what they say of every pair is a table."""

from __future__ import annotations

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    Compare,
    Condition,
    Constant,
    Minus,
    Operation,
    Value,
    references,
)

TEXTS = (AttributeType.STRING, AttributeType.UNKNOWN)
MAKE_TEXTS = frozenset((
    "lower", "upper", "trim", "ltrim", "rtrim", "substr", "replace", "concat", "length",
    "starts_with", "ends_with", "contains", "regexp_extract", "split_part", "like", "ilike",
    "rlike",
))  # fmt: skip


def as_test_of_texts(atom: Compare) -> Compare | None:
    """Return a comparison with functions of two texts as one with what their table says."""
    if not is_of_two_texts(atom) or not (_makes_texts(atom.left) or _makes_texts(atom.right)):
        return None
    kind = AttributeType.BOOLEAN
    return Compare("=", Apply("condition", (atom,), kind), Constant(True, kind))


def is_of_two_texts(node: Value | Condition) -> bool:
    """Whether all that is read are two attributes, each of another event, that are texts."""
    found = list(dict.fromkeys(references(node)))
    return (
        len(found) == 2
        and len({(each.variable, getattr(each, "role", None)) for each in found}) == 2
        and all(isinstance(each, AttributeReference) and each.type in TEXTS for each in found)
    )


def _makes_texts(node: Value | Condition) -> bool:
    """Whether it has a function of texts that reads both events."""
    match node:
        case Apply():
            is_such = node.function in MAKE_TEXTS and is_of_two_texts(node)
            return is_such or any(map(_makes_texts, node.arguments))
        case Minus():
            return _makes_texts(node.operand)
        case Operation() | Compare():
            return _makes_texts(node.left) or _makes_texts(node.right)
        case AllOf() | AnyOf():
            return any(map(_makes_texts, node.operands))
        case _:
            return False
