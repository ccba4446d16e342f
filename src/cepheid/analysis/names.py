"""The variables and types that an expression or a pattern mentions."""

from __future__ import annotations

from cepheid.language import ast


def parts_of(node: ast.Expression) -> tuple[ast.Expression, ...]:
    """Return what an expression is made of, one level down."""
    match node:
        case ast.Negative() | ast.Not() | ast.Cast() | ast.IsNull():
            return (node.operand,)
        case ast.Arithmetic() | ast.IsDistinct():
            return (node.left, node.right)
        case ast.Comparison() | ast.And() | ast.Or():
            return node.operands
        case ast.Call():
            return (node.argument,)
        case ast.Function():
            return node.arguments
        case ast.Path():
            return (node.reference,)
        case ast.In():
            return (node.operand, *node.values)
        case ast.Between():
            return (node.operand, node.low, node.high)
        case ast.Like():
            return (node.operand, node.pattern)
        case ast.Case():
            parts = [node.operand, *(each for pair in node.branches for each in pair)]
            return tuple(each for each in (*parts, node.otherwise) if each is not None)
        case _:
            return ()


def leaves_of(node: ast.Expression) -> list[ast.Expression]:
    """Return what an expression is made of in the end: names and literals."""
    parts = parts_of(node)
    return [each for part in parts for each in leaves_of(part)] if parts else [node]


def references_in(node: ast.Expression) -> list[ast.Attribute | ast.Indexed]:
    """Return every name with a dot or an index, from left to right."""
    if isinstance(node, ast.Attribute | ast.Indexed):
        return [node]
    return [each for part in parts_of(node) for each in references_in(part)]


def names_in(node: ast.Expression) -> frozenset[str]:
    """Return the names before a dot or an index."""
    return frozenset(each.variable for each in references_in(node))


def is_always_bound(pattern: ast.Pattern, name: str) -> bool:
    """Whether every match has an event that is called so."""
    match pattern:
        case ast.EventPattern():
            return name in (pattern.variable, *(pattern.types if pattern.variable is None else ()))
        case ast.Repeat():
            return pattern.minimum > 0 and is_always_bound(pattern.pattern, name)
        case ast.Negation():
            return False
        case ast.Alternation():
            return all(is_always_bound(each, name) for each in pattern.parts)
        case _:
            return any(is_always_bound(each, name) for each in pattern.parts)


def event_patterns(pattern: ast.Pattern) -> list[ast.EventPattern]:
    """Return the events of a pattern in the order of the text, negated ones included."""
    match pattern:
        case ast.EventPattern():
            return [pattern]
        case ast.Repeat() | ast.Negation():
            return event_patterns(pattern.pattern)
        case _:
            return [each for part in pattern.parts for each in event_patterns(part)]
