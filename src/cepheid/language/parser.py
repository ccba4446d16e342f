"""Text to tree."""

from __future__ import annotations

from functools import cache
from importlib import resources

from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from cepheid.errors import Diagnostic, QuerySyntaxError
from cepheid.language import ast
from cepheid.language.build_tree import build_tree
from cepheid.language.source import Source, Span

CLAUSE_WORDS = {
    "EVENT", "PATTERN", "SEMANTICS", "WHERE", "WITHIN", "SLIDE", "GROUP_BY", "RETURN", "AGG",
    "HAVING", "OUTPUT", "INTO",
}  # fmt: skip
WORDS = {
    "EVENT_TYPE": "an event type",
    "NAME": "a name",
    "INTEGER": "a whole number",
    "NUMBER": "a number",
    "STRING": "a string",
    "COMPARE": "a comparison",
    "LPAR": "'('",
    "RPAR": "')'",
    "RBRACE": "'}'",
    "LBRACE": "'{'",
    "RSQB": "']'",
    "COMMA": "','",
    "DOT": "'.'",
    "STRATEGY": "a strategy (skip_till_any_match, skip_till_next_match, contiguous, …)",
    "ALL": "ALL",
    "NON_OVERLAPPING": "NON OVERLAPPING",
    "COMPRESSED": "COMPRESSED",
    "PARTIAL": "PARTIAL",
    "CLOSE_ANGLE": "'>'",
    "STAR": "'*'",
}
OPERANDS = {"NAME", "NUMBER", "STRING"}


@cache
def _grammar() -> Lark:
    text = resources.files("cepheid.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", propagate_positions=True, maybe_placeholders=False)


def parse(text: str, *, name: str = "query") -> ast.Query:
    """Parse the text of one query; `name` is shown in error messages.

    >>> parse("PATTERN SEQ(A, B+) WITHIN 10s").window.within.amount
    10
    """
    source = Source(text, name)
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        raise QuerySyntaxError([_describe(error, source)]) from None
    query, diagnostics = build_tree(tree, source)
    if query is None or diagnostics:
        raise QuerySyntaxError(diagnostics)
    return query


def _describe(error: UnexpectedInput, source: Source) -> Diagnostic:
    if isinstance(error, UnexpectedCharacters):
        return _describe_characters(error.pos_in_stream or 0, source, error.allowed or set())
    if isinstance(error, UnexpectedToken):
        expected = set(error.accepts or error.expected or ())
        if error.token.type == "$END":
            end = len(source.text.rstrip())
            message = "the query is empty" if end == 0 else "the query ends too early"
            return source.diagnose(
                "unexpected-end", message, Span(end, end + 1), _expectation(expected)
            )
        start = error.token.start_pos or 0
        span = Span(start, start + len(error.token))
        return source.diagnose(
            "unexpected-word", f"unexpected '{error.token}'", span, _expectation(expected)
        )
    return source.diagnose("syntax", str(error), Span(0, 1))


def _describe_characters(position: int, source: Source, allowed: set[str]) -> Diagnostic:
    rest = source.text[position:]
    if rest[:1] in ("'", '"'):
        end = source.text.find("\n", position)
        span = Span(position, len(source.text) if end < 0 else end)
        return source.diagnose(
            "unterminated-string",
            "this string is not closed",
            span,
            f"close it with {rest[0]} on the same line",
        )
    if rest.startswith("/*"):
        return source.diagnose(
            "unterminated-comment",
            "this comment is not closed",
            Span(position, position + 2),
            "close it with */",
        )
    span = Span(position, position + 1)
    return source.diagnose(
        "unexpected-character", f"unexpected character '{rest[:1]}'", span, _expectation(allowed)
    )


def _expectation(expected: set[str]) -> str | None:
    """Say in a few words what could have stood here."""
    if expected >= OPERANDS:
        return "expected a value: a number, a string, an attribute or '('"
    words = [WORDS[each] for each in sorted(expected) if each in WORDS]
    if expected & CLAUSE_WORDS == CLAUSE_WORDS or expected >= {"WHERE", "WITHIN"}:
        words.append("a clause (PATTERN, WHERE, WITHIN, GROUP BY, RETURN, …)")
    if {"PLUS", "QMARK"} <= expected:
        words.append("a quantifier (+, *, ?, {n,m})")
    if not words:
        return None
    return f"expected {words[0]}" if len(words) == 1 else f"expected one of: {', '.join(words)}"
