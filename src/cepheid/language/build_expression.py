"""Parse tree of an expression to `ast` nodes."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from lark import Token, Tree

from cepheid.errors import Diagnostic
from cepheid.language import ast
from cepheid.language.numbers import to_number
from cepheid.language.source import Source, Span

COMPARISON_SPELLINGS = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}
ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "modulo": "%"}
INDEX_FORMS = {
    "": ast.IndexKind.ALL,
    "1": ast.IndexKind.FIRST,
    "i": ast.IndexKind.CURRENT,
    "i-1": ast.IndexKind.PREVIOUS,
    "..i-1": ast.IndexKind.BEFORE,
}
MOST_DIGITS = 4300  # that Python reads
LENGTH = re.compile(r"\[\s*(.+?)\s*\.\s*len\s*\]", re.IGNORECASE)


def name_of(token: Token) -> str:
    """Return a name without its backticks."""
    return str(token).strip("`")


class ExpressionBuilder:
    """Builds expressions and collects mistakes; the query builder extends it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []

    def report(self, code: str, message: str, span: Span, hint: str) -> None:
        """Record a mistake and go on."""
        self.diagnostics.append(self.source.diagnose(code, message, span, hint))

    def span(self, tree: Tree[Token]) -> Span:
        """Return where the tree was written."""
        if tree.meta.empty:
            return Span(0, 0)
        return Span(tree.meta.start_pos, tree.meta.end_pos)

    def span_of_token(self, token: Token) -> Span:
        """Return where the token was written."""
        start = token.start_pos or 0
        return Span(start, start + len(token))

    def trees(self, tree: Tree[Token]) -> list[Tree[Token]]:
        """Return the children that are trees."""
        return [each for each in tree.children if isinstance(each, Tree)]

    def tokens(self, tree: Tree[Token]) -> list[Token]:
        """Return the children that are tokens."""
        return [each for each in tree.children if isinstance(each, Token)]

    def expression(self, tree: Tree[Token]) -> ast.Expression:
        """Build any expression."""
        kind = str(tree.data)
        parts = self.trees(tree)
        span = self.span(tree)
        if kind in ARITHMETIC:
            left, right = map(self.expression, parts)
            return ast.Arithmetic(ARITHMETIC[kind], left, right, span=span)
        match kind:
            case "either":
                return ast.Or(tuple(map(self.expression, parts)), span=span)
            case "all_of":
                return ast.And(tuple(map(self.expression, parts)), span=span)
            case "negated":
                return ast.Not(self.expression(parts[0]), span=span)
            case "comparison":
                operators = tuple(
                    COMPARISON_SPELLINGS.get(str(each), str(each)) for each in self.tokens(tree)
                )
                return ast.Comparison(tuple(map(self.expression, parts)), operators, span=span)
            case "negative":
                return self._negative(self.expression(parts[0]), span)
            case "parenthesised":
                return self.expression(parts[0])
            case "call":
                return self._call(tree, span)
            case "strategy":
                return self._strategy(tree, span)
            case "equivalence":
                return ast.Equivalence(tuple(map(name_of, self.tokens(tree))), span=span)
            case "equivalence_value":
                return self._equivalence_value(tree, span)
        return self._leaf(kind, self.tokens(tree), span)

    def _leaf(self, kind: str, tokens: list[Token], span: Span) -> ast.Expression:
        match kind:
            case "number":
                return ast.Literal(self.number_value(tokens[0]), span=span)
            case "negative_number":
                return ast.Literal(-self.number_value(tokens[0]), span=span)
            case "percent":
                return ast.Literal(to_number(Decimal(tokens[0][:-1]).scaleb(-2)), span=span)
            case "string":
                quote = tokens[0][0]
                return ast.Literal(tokens[0][1:-1].replace(quote * 2, quote), span=span)
            case "true" | "false":
                return ast.Literal(kind == "true", span=span)
            case "null":
                return ast.Literal(None, span=span)
            case "parameter":
                return ast.Parameter(str(tokens[0])[1:], span=span)
            case "indexed":
                return ast.Indexed(name_of(tokens[0]), self._index(*tokens[:2]), span=span)
            case "attribute":
                return ast.Attribute(name_of(tokens[0]), name_of(tokens[1]), span=span)
            case "indexed_attribute":
                index = self._index(*tokens[:2])
                return ast.Attribute(name_of(tokens[0]), name_of(tokens[2]), index, span=span)
            case "next_attribute":
                return ast.Attribute(
                    name_of(tokens[1]), name_of(tokens[2]), is_next=True, span=span
                )
            case _:
                return ast.Name(name_of(tokens[0]), span=span)

    def number_value(self, token: Token) -> int | float | Decimal:
        """Return an int for whole numbers, else a number with all its digits."""
        if token.isdigit() and len(token) <= MOST_DIGITS:
            return int(token)
        value = to_number(Decimal(token))
        if value == math.inf:
            written = token if len(token) <= 40 else f"{token[:20]}…"
            self.report(
                "number-too-large",
                f"{written} is larger than any number a column can hold",
                self.span_of_token(token),
                "the largest is about 1.8e308",
            )
        return value

    def _negative(self, operand: ast.Expression, span: Span) -> ast.Expression:
        if (
            isinstance(operand, ast.Literal)
            and isinstance(operand.value, int | float | Decimal)
            and not isinstance(operand.value, bool)
        ):
            return ast.Literal(-operand.value, span=span)
        return ast.Negative(operand, span=span)

    def _index(self, variable: Token, token: Token) -> ast.IndexKind:
        length = LENGTH.fullmatch(token)
        if length is not None and length[1].strip("`") == name_of(variable):
            return ast.IndexKind.LAST
        inside = re.sub(r"\s+", "", token[1:-1]).lower()
        if inside in INDEX_FORMS:
            return INDEX_FORMS[inside]
        self.report(
            "bad-index",
            f"'{token}' is not an index",
            self.span_of_token(token),
            f"write [1], [i], [i-1], [..i-1], [{variable}.LEN] or []",
        )
        return ast.IndexKind.ALL

    def _call(self, tree: Tree[Token], span: Span) -> ast.Expression:
        tokens = self.tokens(tree)
        exact = tokens[0].type == "EXACT"
        function = name_of(tokens[1 if exact else 0])
        argument: ast.Expression
        if self.trees(tree):
            argument = self.expression(self.trees(tree)[0])
        else:
            argument = ast.Star(span=self.span_of_token(tokens[-1]))
        return ast.Call(function.upper(), argument, exact, span=span)

    def strategy_name(self, token: Token) -> ast.StrategyName:
        """Return the strategy for any of its spellings."""
        return ast.StrategyName(str(token).lower().replace("-", "_"))

    def _strategy(self, tree: Tree[Token], span: Span) -> ast.Expression:
        variables: tuple[str, ...] | None = None
        body: ast.Expression | None = None
        for part in self.trees(tree):
            if part.data == "arguments":
                variables = tuple(name_of(self.tokens(each)[0]) for each in self.trees(part))
            else:
                body = self.expression(self.trees(part)[0])
        return ast.StrategyTerm(
            self.strategy_name(self.tokens(tree)[0]), variables, body, span=span
        )

    def _equivalence_value(self, tree: Tree[Token], span: Span) -> ast.Expression:
        attribute, operator = self.tokens(tree)
        if operator not in ("=", "=="):
            self.report(
                "bad-equivalence",
                f"[{attribute} {operator} …] is not an equivalence test",
                self.span_of_token(operator),
                f"write [{attribute}] or [{attribute} = 'value']",
            )
        value = self.expression(self.trees(tree)[0])
        assert isinstance(value, ast.Literal | ast.Parameter)
        return ast.Equivalence((name_of(attribute),), value, span=span)
