"""Lark's parse tree to the frozen tree of `ast`, collecting the mistakes a grammar cannot see."""

from __future__ import annotations

import re
from dataclasses import replace

from lark import Token, Tree

from cepheid.errors import Diagnostic
from cepheid.language import ast
from cepheid.language.build_expression import ExpressionBuilder, name_of
from cepheid.language.source import Source, Span
from cepheid.language.sql_words import WORDS, not_here


def build_tree(tree: Tree[Token], source: Source) -> tuple[ast.Query | None, list[Diagnostic]]:
    """Return the query, or None with the mistakes found."""
    builder = _QueryBuilder(source)
    query = builder.query(tree)
    return query, builder.diagnostics


class _QueryBuilder(ExpressionBuilder):
    """Walks the parse tree once; clauses in any order."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.misnamed: set[Span] = set()  # reported once, however many names follow

    def query(self, tree: Tree[Token]) -> ast.Query | None:
        clauses: dict[str, list[Tree[Token]]] = {}
        for clause in self.trees(tree):
            clauses.setdefault(str(clause.data), []).append(clause)
        self._reject_repeated_clauses(clauses)
        if "pattern_clause" not in clauses:
            self.report(
                "missing-pattern",
                "the query has no PATTERN clause",
                self.span(tree),
                "write PATTERN SEQ(A, B) or EVENT A",
            )
            return None
        output = self._first(clauses, "output_clause")
        into = self._first(clauses, "into_clause")
        where = self._first(clauses, "where_clause")
        having = self._first(clauses, "having_clause")
        group = self._first(clauses, "group_clause")
        semantics = self._first(clauses, "semantics_clause")
        return ast.Query(
            pattern=self.pattern(self.trees(clauses["pattern_clause"][0])[0]),
            semantics=None if semantics is None else self._semantics(semantics),
            where=None if where is None else self.expression(self.trees(where)[0]),
            window=self._window(clauses),
            neighbour_windows=tuple(map(self._neighbours, clauses.get("neighbour_clause", []))),
            group_by=() if group is None else self._group_by(group),
            returns=self._returns(clauses),
            having=None if having is None else self.expression(self.trees(having)[0]),
            output=None if output is None else self._output(output),
            skip=None if output is None else self._skip(output),
            into=None if into is None else name_of(self.tokens(into)[-1]),
            span=self.span(tree),
            output_span=self.span(tree if output is None else output),
            into_span=self.span(tree if into is None else into),
        )

    def _first(self, clauses: dict[str, list[Tree[Token]]], kind: str) -> Tree[Token] | None:
        found = clauses.get(kind)
        return found[0] if found else None

    def _reject_repeated_clauses(self, clauses: dict[str, list[Tree[Token]]]) -> None:
        for kind, written in clauses.items():
            if kind == "neighbour_clause":
                continue
            for again in written[1:]:
                word = " ".join(str(self.tokens(again)[0]).upper().replace("-", " ").split())
                self.report(
                    "duplicate-clause",
                    f"{word} is given twice",
                    self.span_of_token(self.tokens(again)[0]),
                    f"keep one {word} clause",
                )

    # --- patterns -------------------------------------------------------------------------------

    def pattern(self, tree: Tree[Token]) -> ast.Pattern:
        span = self.span(tree)
        parts = self.trees(tree)
        match str(tree.data):
            case "event":
                return ast.EventPattern((name_of(self.tokens(tree)[0]),), span=span)
            case "every_event":
                return ast.EventPattern((ast.EVERY_TYPE,), span=span)
            case "any_event":
                types = tuple(name_of(each) for each in self.tokens(tree) if each.type != "ANY")
                return ast.EventPattern(types, span=span)
            case "sequence" | "group":
                patterns = tuple(self.pattern(each) for each in parts)
                if len(patterns) == 1:
                    return patterns[0]
                return ast.Sequence(patterns, span=span)
            case "alternation":
                return ast.Alternation(tuple(map(self.pattern, parts)), span=span)
            case "conjunction":
                return ast.Conjunction(tuple(map(self.pattern, parts)), span=span)
            case "negation":
                return ast.Negation(self.pattern(parts[0]), span=span)
            case "repeat":
                minimum, maximum = self._quantifier(parts[1])
                return ast.Repeat(self.pattern(parts[0]), minimum, maximum, span=span)
            case _:  # named
                return self._named(self.pattern(parts[0]), parts[1], span)

    def _quantifier(self, tree: Tree[Token]) -> tuple[int, int | None]:
        numbers = [self._whole(each) for each in self.tokens(tree) if each.type == "INTEGER"]
        match str(tree.data):
            case "plus":
                return 1, None
            case "star":
                return 0, None
            case "optional":
                return 0, 1
            case "at_least":
                return numbers[0], None
            case "at_most":
                minimum, maximum = 0, numbers[0]
            case _:
                minimum, maximum = numbers[0], numbers[-1]
        if maximum == 0 or minimum > maximum:
            span = self.span(tree)
            written = self.source.text[span.start : span.end]
            self.report(
                "bad-repetition",
                f"{written} repeats nothing"
                if maximum == 0
                else f"the repetition {written} has its bounds in the wrong order",
                span,
                "write {n}, {n,} or {n,m} with 0 <= n <= m and m >= 1",
            )
        return minimum, maximum

    def _whole(self, token: Token) -> int:
        value = self.number_value(token)
        return value if isinstance(value, int) else 1  # one too large has been reported

    def _named(self, pattern: ast.Pattern, variable: Tree[Token], span: Span) -> ast.Pattern:
        """Give the variable to the event under any quantifiers: `Stock+ a[]`."""
        match pattern:
            case ast.Repeat(pattern=inner):
                return replace(pattern, pattern=self._named(inner, variable, span), span=span)
            case ast.EventPattern(variable=None):
                return replace(pattern, variable=name_of(self.tokens(variable)[0]), span=span)
        if pattern.span in self.misnamed:
            return pattern
        self.misnamed.add(pattern.span)
        name = self.tokens(variable)[0]
        foreign = next((each for each in (getattr(pattern, "variable", None), name)
                        if each is not None and each.upper() in WORDS), None)  # fmt: skip
        if foreign is not None and foreign.upper() == "ORDER" and name.upper() != "BY":
            foreign = None  # Create Order o
        if foreign is not None:  # PATTERN A ORDER BY x
            self.report("sql-word", not_here(foreign), self.span(variable), WORDS[foreign.upper()])
            return pattern
        if isinstance(pattern, ast.EventPattern):
            message = f"'{name}' cannot name an event that is called '{pattern.variable}' already"
            hint = "is a comma missing between two events? a type of several words needs backticks"
        else:
            message = f"'{name}' cannot name a group of events"
            hint = "a variable names one event type or one ANY(…)"
        self.report("misplaced-variable", message, self.span(variable), hint)
        return pattern

    # --- clauses --------------------------------------------------------------------------------

    def _semantics(self, tree: Tree[Token]) -> ast.Semantics:
        return ast.Semantics(self.strategy_name(self.tokens(tree)[1]), span=self.span(tree))

    def _duration(self, tree: Tree[Token]) -> ast.Duration:
        tokens = self.tokens(tree)
        amount: int | float | ast.Parameter
        if tokens[0].type == "PARAMETER":
            amount = ast.Parameter(str(tokens[0])[1:], span=self.span_of_token(tokens[0]))
        else:
            number = self.number_value(tokens[0])
            amount = number if isinstance(number, int) else float(number)
        unit = str(tokens[1]).lower() if len(tokens) > 1 else None
        more = []
        for written, word in zip(tokens[2::2], tokens[3::2], strict=True):
            value = self.number_value(written)
            length = value if isinstance(value, int) else float(value)
            more.append(ast.Duration(length, str(word).lower(), span=self.span(tree)))
        return ast.Duration(amount, unit, tuple(more), span=self.span(tree))

    def _window(self, clauses: dict[str, list[Tree[Token]]]) -> ast.Window | None:
        within = self._first(clauses, "within_clause")
        slide = self._first(clauses, "slide_clause")
        slide_duration = None if slide is None else self._duration(self.trees(slide)[0])
        if within is None:
            if slide is not None:
                self.report(
                    "slide-without-within",
                    "SLIDE needs a WITHIN",
                    self.span(slide),
                    "write WITHIN w SLIDE s",
                )
            return None
        duration = self._duration(self.trees(within)[0])
        return ast.Window(duration, slide_duration, span=self.span(within))

    def _neighbours(self, tree: Tree[Token]) -> ast.NeighbourWindow:
        first, second = (name_of(each) for each in self.tokens(tree) if each.type == "NAME")
        return ast.NeighbourWindow(
            self._duration(self.trees(tree)[0]), first, second, span=self.span(tree)
        )

    def _group_by(self, tree: Tree[Token]) -> tuple[ast.Expression, ...]:
        return tuple(self.expression(each) for each in self.trees(self.trees(tree)[0]))

    def _returns(self, clauses: dict[str, list[Tree[Token]]]) -> tuple[ast.ReturnItem, ...]:
        """RETURN's columns, then AGG's."""
        items = []
        for kind in ("return_clause", "aggregate_clause"):
            clause = self._first(clauses, kind)
            if clause is not None:
                items += [self._return_item(each) for each in self.trees(self.trees(clause)[0])]
        return tuple(items)

    def _return_item(self, tree: Tree[Token]) -> ast.ReturnItem:
        names = [each for each in self.tokens(tree) if each.type == "NAME"]
        expression: ast.Expression
        if any(each.type == "STAR" for each in self.tokens(tree)):
            span = self.span(tree)
            variable = name_of(names[0]) if names else None
            return ast.ReturnItem(ast.Star(variable, span=span), span=span)
        if tree.data == "bare_aggregate":
            function = names.pop(0)
            if function.upper() != "COUNT":
                self.report(
                    "missing-argument",
                    f"{function} needs an attribute",
                    self.span_of_token(function),
                    f"write {function.upper()}(E.attribute)",
                )
            span = self.span_of_token(function)
            expression = ast.Call("COUNT", ast.Star(span=span), span=span)
        else:
            expression = self.expression(self.trees(tree)[0])
        alias = name_of(names[0]) if names else None
        return ast.ReturnItem(expression, alias, span=self.span(tree))

    def _output(self, tree: Tree[Token]) -> ast.OutputMode:
        word = self.tokens(tree)[1]
        if word.type == "NON_OVERLAPPING":
            return ast.OutputMode.NON_OVERLAPPING
        return ast.OutputMode(re.sub(r"[\s_-]+", " ", str(word)).upper())

    def _skip(self, tree: Tree[Token]) -> ast.Skip | None:
        for rule in self.trees(tree):
            span = self.span(rule)
            match rule.data:
                case "skip_past_last":
                    return ast.Skip(ast.SkipTo.PAST_LAST_EVENT, span=span)
                case "skip_to_next":
                    return ast.Skip(ast.SkipTo.NEXT_EVENT, span=span)
            *words, name = self.tokens(rule)
            to = ast.SkipTo.FIRST if words[-1].type == "FIRST" else ast.SkipTo.LAST
            return ast.Skip(to, name_of(name), span=span)
        return None
