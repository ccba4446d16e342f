"""Comparisons with NULL, which are allowed but never hold: `x = NULL`, `x NOT IN (1, NULL)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cepheid.analysis.names import parts_of
from cepheid.errors import Diagnostic
from cepheid.language import ast
from cepheid.language.printer import print_expression
from cepheid.language.source import Source, Span


def find_null_comparisons(query: ast.Query, source: Source) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for every comparison with NULL, in the order of the text.

    >>> from cepheid.language.parser import parse
    >>> text = "PATTERN A a WHERE a.x = NULL"
    >>> [each.message for each in find_null_comparisons(parse(text), Source(text))]
    ["'a.x = NULL' never holds: whatever is compared with NULL, the comparison is not satisfied"]
    """
    written = [query.where, *(each.expression for each in query.returns), query.having]
    return tuple(
        source.diagnose("never-holds", each.message, each.span, each.hint)
        for expression in written
        if expression is not None
        for each in _with_null(expression, negated=False)
    )


class _Never(NamedTuple):
    """What is said of a test that never holds."""

    message: str
    span: Span
    hint: str


def _with_null(node: ast.Expression, *, negated: bool) -> Iterator[_Never]:
    """Yield the tests that are NULL of every event; `negated`: NOT is before them."""
    match node:
        case ast.Comparison():
            yield from _comparisons(node)
        case ast.In():
            yield from _in_list(node, negated=negated)
        case ast.Between():
            yield from _between(node, negated=negated)
        case ast.Like() if _is_null(node.pattern):
            value = print_expression(node.operand)
            yield _never(node, negated, "a text is like NULL or not is not known",
                         f"write {value} {node.operator} 'a%', or {value} IS NULL")  # fmt: skip
    body = node.body if isinstance(node, ast.StrategyTerm) else None
    keeps = isinstance(node, ast.And | ast.Or)
    below = not negated if isinstance(node, ast.Not) else negated and keeps
    for part in parts_of(node) if body is None else (body,):
        yield from _with_null(part, negated=below)


def _never(node: ast.Expression, negated: bool, why: str, hint: str) -> _Never:
    shown = print_expression(ast.Not(node, span=node.span) if negated else node)
    return _Never(f"'{shown}' never holds: whether {why}", node.span, hint)


def _comparisons(node: ast.Comparison) -> Iterator[_Never]:
    for place, operator in enumerate(node.operators):
        left, right = node.operands[place : place + 2]
        if _is_null(left) or _is_null(right):
            value = print_expression(right if _is_null(left) else left)
            text = f"{print_expression(left)} {operator} {print_expression(right)}"
            yield _Never(
                f"'{text}' never holds: whatever is compared with NULL, the comparison is not "
                "satisfied",
                left.span.to(right.span),
                f"write {value} IS {'NOT ' if operator == '!=' else ''}NULL",
            )


def _in_list(node: ast.In, *, negated: bool) -> Iterator[_Never]:
    nulls = list(map(_is_null, node.values))
    value = print_expression(node.operand)
    if negated and any(nulls):
        others = [each for each, is_null in zip(node.values, nulls, strict=True) if not is_null]
        listed = ", ".join(map(print_expression, others))
        kept = f"{value} NOT IN ({listed})" if others else f"{value} IS NOT NULL"
        yield _never(node, True, "a value equals NULL is not known", f"write {kept}")
    elif not negated and nulls and all(nulls):
        yield _never(node, False, "a value equals NULL is not known", f"write {value} IS NULL")


def _between(node: ast.Between, *, negated: bool) -> Iterator[_Never]:
    """`x NOT BETWEEN NULL AND 2` holds above 2."""
    nulls = [_is_null(each) for each in (node.operand, node.low, node.high)]
    value = print_expression(node.operand)
    if nulls[0] or all(nulls[1:]):
        hint = "name an attribute" if nulls[0] else f"compare {value} with two values"
        yield _never(
            node,
            negated,
            "NULL lies between values is not known"
            if nulls[0]
            else "a value lies between NULL and NULL is not known",
            hint,
        )
    elif any(nulls) and not negated:
        sign, bound = ("<=", node.high) if nulls[1] else (">=", node.low)
        yield _never(node, False, "a value lies on one side of NULL is not known",
                     f"write {value} {sign} {print_expression(bound)}")  # fmt: skip


def _is_null(node: ast.Expression) -> bool:
    return isinstance(node, ast.Literal) and node.value is None
