"""Which attributes have a value in every match, because WHERE keeps the others out."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.language import ast


def find_not_null(where: ast.Expression | None) -> frozenset[tuple[str, str]]:
    """Return variables with an attribute that is not NULL where the condition holds.

    >>> from cepheid.language.parser import parse
    >>> text = "PATTERN SEQ(A a, B b) WHERE a.x < b.x - 1 AND b.y IS NOT NULL AND (TRUE OR a.z = 1)"
    >>> sorted(find_not_null(parse(text).where))
    [('a', 'x'), ('b', 'x'), ('b', 'y')]
    """
    return frozenset() if where is None else frozenset(_of_condition(where))


def _of_condition(node: ast.Expression) -> Iterator[tuple[str, str]]:
    match node:
        case ast.And():
            for each in node.operands:
                yield from _of_condition(each)
        case ast.StrategyTerm() if node.body is not None:
            yield from _of_condition(node.body)
        case ast.Comparison():
            for each in node.operands:
                yield from _of_value(each)
        case ast.Between():
            for each in (node.operand, node.low, node.high):
                yield from _of_value(each)
        case ast.Not(operand=ast.IsNull(operand=value) | ast.In(operand=value)):
            yield from _of_value(value)
        case ast.In(operand=value) | ast.Like(operand=value):
            yield from _of_value(value)


def _of_value(node: ast.Expression) -> Iterator[tuple[str, str]]:
    """Yield what makes a value NULL if it is NULL."""
    match node:
        case ast.Attribute(index=None, is_next=False):
            yield node.variable, node.name
        case ast.Negative():
            yield from _of_value(node.operand)
        case ast.Arithmetic():
            yield from _of_value(node.left)
            yield from _of_value(node.right)
