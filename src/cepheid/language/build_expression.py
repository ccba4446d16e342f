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
KEY = re.compile(r"""'([^'\n]|'')*'|"([^"\n]|"")*\"""")
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)")
ESCAPE_SIGN = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
LENGTH = re.compile(r"\[\s*(.+?)\s*\.\s*len\s*\]", re.IGNORECASE)


def name_of(token: Token) -> str:
    """Return a name without its backticks."""
    return str(token).strip("`")


def text_of(token: str) -> str:
    """Return what a string in quotes says.

    >>> text_of("'it''s'")
    "it's"
    """
    quote = token[0]
    return token[1:-1].replace(quote * 2, quote)


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
        test = self._test(kind, tree, span)
        if test is not None:
            return test
        return self._leaf(kind, self.tokens(tree), span)

    def _test(self, kind: str, tree: Tree[Token], span: Span) -> ast.Expression | None:
        """Build a test of SQL such as IN, CASE, CAST and `||`, or nothing if it is none."""
        tokens = self.tokens(tree)
        values = [self.expression(each) for each in self.trees(tree)
                  if each.data not in ("when", "type", "step")]  # fmt: skip
        built: ast.Expression
        match kind:
            case "in_list":
                parameters = [each for each in tokens if each.type == "PARAMETER"]
                values += [ast.Parameter(str(each)[1:], span=self.span_of_token(each))
                           for each in parameters]  # fmt: skip
                built = ast.In(values[0], tuple(values[1:]), span=span)
            case "in_range":
                built = ast.Between(values[0], values[1], values[2], span=span)
            case "like":
                operator = next(str(each).upper() for each in tokens if each.type == "LIKE")
                escapes = [text_of(each) for each in tokens if each.type == "STRING"]
                escape = escapes[0] if escapes else None
                built = ast.Like(operator, values[0], values[1], escape, span=span)
            case "is_null":
                built = ast.IsNull(values[0], span=span)
            case "is_distinct":
                built = ast.IsDistinct(values[0], values[1], span=span)
                return built if not self._is_negated(tokens) else ast.Not(built, span=span)
            case "concatenate":
                is_chain = isinstance(values[0], ast.Function) and values[0].name == "concat"
                left = values[0].arguments if is_chain else (values[0],)  # type: ignore[union-attr]
                return ast.Function("concat", (*left, values[1]), span=span)
            case "cast":
                return ast.Cast(values[0], self._type(self.trees(tree)[-1]), span=span)
            case "case":
                return self._case(tree, values, span)
            case "path":
                return self._path(tree, values[0], span)
            case _:
                return None
        return ast.Not(built, span=span) if self._is_negated(tokens) else built

    def _is_negated(self, tokens: list[Token]) -> bool:
        return any(each.type == "NOT" for each in tokens)

    def _type(self, tree: Tree[Token]) -> str:
        name, *digits = self.tokens(tree)
        text = name_of(name).upper()
        return f"{text}({', '.join(digits)})" if digits else text

    def _case(self, tree: Tree[Token], values: list[ast.Expression], span: Span) -> ast.Expression:
        branches = []
        for each in self.trees(tree):
            if each.data == "when":
                condition, result = map(self.expression, self.trees(each))
                branches.append((condition, result))
        otherwise = values.pop() if any(t.type == "ELSE" for t in self.tokens(tree)) else None
        return ast.Case(values[0] if values else None, tuple(branches), otherwise, span=span)

    def _path(self, tree: Tree[Token], reference: ast.Expression, span: Span) -> ast.Expression:
        steps: list[str | ast.Literal] = []
        for each in self.trees(tree)[1:]:
            token = self.tokens(each)[0]
            steps.append(self._key(token) if token.type == "INDEX" else name_of(token))
        if not isinstance(reference, ast.Attribute):  # a[2].device.os
            self.report(
                "bad-index",
                "fields and entries are read of an event, of the first (a[1]) or of the last "
                "(a[a.LEN])",
                span,
                "make the field a column of its own, and write nth(a[].x, 2)",
            )
            return reference
        return ast.Path(reference, tuple(steps), span=span)

    def _key(self, token: Token) -> ast.Literal:
        """Build the key of a map: `['color']` or `[3]`."""
        inside, span = token[1:-1].strip(), self.span_of_token(token)
        if KEY.fullmatch(inside):
            return ast.Literal(text_of(inside), span=span)
        if re.fullmatch(r"-?\d{1,18}", inside):
            return ast.Literal(int(inside), span=span)
        self.report(
            "bad-index",
            f"'{token}' is not the key of a map",
            span,
            "write a string or a whole number: a.tags['color']",
        )
        return ast.Literal("", span=span)

    def _leaf(self, kind: str, tokens: list[Token], span: Span) -> ast.Expression:
        match kind:
            case "number":
                return ast.Literal(self.number_value(tokens[0]), span=span)
            case "negative_number":
                return ast.Literal(-self.number_value(tokens[0]), span=span)
            case "percent":
                return ast.Literal(to_number(Decimal(tokens[0][:-1]).scaleb(-2)), span=span)
            case "string":
                return ast.Literal(text_of(tokens[0]), span=span)
            case "escaped":
                return ast.Literal(self._unescaped(tokens[0]), span=span)
            case "typed":
                kind, text = str(tokens[0]).upper(), text_of(tokens[1])
                return self._typed(kind, text, span)
            case "interval":
                pairs = zip(tokens[::2], tokens[1::2], strict=True)
                parts = tuple((self.number_value(n), name_of(unit).lower()) for n, unit in pairs)
                return ast.Interval(parts, span=span)
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
                number = re.fullmatch(r"\[\s*0*([2-9]|[1-9]\d{1,8})\s*\]", tokens[1])
                if number is not None:
                    every = ast.IndexKind.ALL
                    read = ast.Attribute(name_of(tokens[0]), name_of(tokens[2]), every, span=span)
                    place = ast.Literal(int(number[1]), span=span)
                    return ast.Function("nth", (read, place), span=span)
                index = self._index(*tokens[:2])
                return ast.Attribute(name_of(tokens[0]), name_of(tokens[2]), index, span=span)
            case "next_attribute":
                return ast.Attribute(
                    name_of(tokens[1]), name_of(tokens[2]), is_next=True, span=span
                )
            case _:
                return ast.Name(name_of(tokens[0]), span=span)

    def _typed(self, kind: str, text: str, span: Span) -> ast.Expression:
        if kind == "INTERVAL":
            found = AMOUNT.findall(text)
            if found and not AMOUNT.sub("", text).strip():
                parts = tuple((self.number_value(Token("NUMBER", amount)), unit.lower())
                              for amount, unit in found)  # fmt: skip
                return ast.Interval(parts, span=span)
            self.report(
                "bad-interval", f"'{text}' is not a length of time", span,
                "write 10 minutes, 1h 30min or INTERVAL '1 hour 30 minutes'",
            )  # fmt: skip
        return ast.TypedLiteral(kind, text, span=span)

    def _unescaped(self, token: Token) -> str:
        """Return the text of E'…'."""

        def meaning(found: re.Match[str]) -> str:
            sign = found[1]
            if sign[0] in "ux" and len(sign) > 1:
                return chr(int(sign[1:], 16))
            return ESCAPES.get(sign, sign)

        return ESCAPE_SIGN.sub(meaning, token[2:-1].replace("''", "'"))

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
            f"write [1], [2], [i], [i-1], [..i-1], [{variable}.LEN] or []",
        )
        return ast.IndexKind.ALL

    def _call(self, tree: Tree[Token], span: Span) -> ast.Expression:
        tokens = self.tokens(tree)
        exact = tokens[0].type == "EXACT"
        function = name_of(tokens[1 if exact else 0])
        arguments = tuple(map(self.expression, self.trees(tree)))
        is_aggregate = function.upper() in ast.AGGREGATE_FUNCTIONS
        if tokens[-1].type == "STAR":
            arguments = (ast.Star(span=self.span_of_token(tokens[-1])),)
        elif tokens[-1].type == "DISTINCT":
            return ast.Function(f"{function.lower()}_distinct", arguments, span=span)
        elif not is_aggregate and not exact:
            return self._border(function.lower(), arguments, span) or ast.Function(
                function.lower(), arguments, span=span
            )
        if len(arguments) != 1:
            self.report(
                "missing-argument" if not arguments else "bad-aggregate",
                f"{function.upper()} takes one argument",
                span,
                f"write {function.upper()}(E.attribute)",
            )
            arguments = (*arguments, ast.Star(span=span))
        return ast.Call(function.upper(), arguments[0], exact, span=span)

    def _border(
        self, function: str, arguments: tuple[ast.Expression, ...], span: Span
    ) -> ast.Expression | None:
        """`first(a.x)` is `a[1].x`, and `last(a.x)` is `a[a.LEN].x`."""
        index = {"first": ast.IndexKind.FIRST, "last": ast.IndexKind.LAST}.get(function)
        match arguments:
            case (ast.Attribute(index=None | ast.IndexKind.ALL, is_next=False) as read,) if index:
                return ast.Attribute(read.variable, read.name, index, span=span)
        return None

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
