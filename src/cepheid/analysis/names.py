"""The variables and types that an expression or a pattern mentions."""

from __future__ import annotations

from cepheid.language import ast


def names_in(node: ast.Expression) -> frozenset[str]:
    """Return the names before a dot or an index."""
    match node:
        case ast.Attribute() | ast.Indexed():
            return frozenset([node.variable])
        case ast.Negative() | ast.Not():
            return names_in(node.operand)
        case ast.Arithmetic():
            return names_in(node.left) | names_in(node.right)
        case ast.Comparison() | ast.And() | ast.Or():
            return frozenset().union(*(names_in(each) for each in node.operands))
        case ast.Call():
            return names_in(node.argument)
        case _:
            return frozenset()


def event_patterns(pattern: ast.Pattern) -> list[ast.EventPattern]:
    """Return the events of a pattern in the order of the text, negated ones included."""
    match pattern:
        case ast.EventPattern():
            return [pattern]
        case ast.Repeat() | ast.Negation():
            return event_patterns(pattern.pattern)
        case _:
            return [each for part in pattern.parts for each in event_patterns(part)]
