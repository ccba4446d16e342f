"""The variables and types that an expression mentions."""

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
