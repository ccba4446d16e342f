"""Comparisons with NULL, which are allowed but never hold."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.analysis.names import parts_of
from cepheid.errors import Diagnostic
from cepheid.language import ast
from cepheid.language.printer import print_expression
from cepheid.language.source import Source


def find_null_comparisons(query: ast.Query, source: Source) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for every comparison with NULL, in the order of the text.

    >>> from cepheid.language.parser import parse
    >>> text = "PATTERN A a WHERE a.x = NULL"
    >>> [each.message for each in find_null_comparisons(parse(text), Source(text))]
    ["'a.x = NULL' never holds: whatever is compared with NULL, the comparison is not satisfied"]
    """
    written = [query.where, *(each.expression for each in query.returns), query.having]
    return tuple(
        _never_holds(comparison, place, source)
        for expression in written
        if expression is not None
        for comparison, place in _with_null(expression)
    )


def _never_holds(comparison: ast.Comparison, place: int, source: Source) -> Diagnostic:
    left, right = comparison.operands[place : place + 2]
    operator = comparison.operators[place]
    value = print_expression(right if _is_null(left) else left)
    text = f"{print_expression(left)} {operator} {print_expression(right)}"
    hint = f"write {value} IS {'NOT ' if operator == '!=' else ''}NULL"
    return source.diagnose(
        "never-holds",
        f"'{text}' never holds: whatever is compared with NULL, the comparison is not satisfied",
        left.span.to(right.span),
        hint,
    )


def _with_null(node: ast.Expression) -> Iterator[tuple[ast.Comparison, int]]:
    """Yield the comparisons with NULL, and which of a chain it is."""
    if isinstance(node, ast.Comparison):
        for place in range(len(node.operators)):
            if any(map(_is_null, node.operands[place : place + 2])):
                yield node, place
    body = node.body if isinstance(node, ast.StrategyTerm) else None
    for part in parts_of(node) if body is None else (body,):
        yield from _with_null(part)


def _is_null(node: ast.Expression) -> bool:
    return isinstance(node, ast.Literal) and node.value is None
