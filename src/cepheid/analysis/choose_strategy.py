"""Which event selection strategy the text asks for."""

from __future__ import annotations

from cepheid.analysis.bound import Strategy
from cepheid.analysis.problems import Problems
from cepheid.analysis.scope import Scope
from cepheid.errors import suggest
from cepheid.language import ast
from cepheid.language.source import Span

BY_CLAUSE = {
    ast.StrategyName.SKIP_TILL_ANY_MATCH: Strategy.SKIP_TILL_ANY,
    ast.StrategyName.SKIP_TILL_NEXT_MATCH: Strategy.SKIP_TILL_NEXT,
    ast.StrategyName.CONTIGUOUS: Strategy.CONTIGUOUS,
    ast.StrategyName.PARTITION_CONTIGUITY: Strategy.CONTIGUOUS,
    ast.StrategyName.STRICT_CONTIGUITY: Strategy.STRICT,
    ast.StrategyName.LATEST_WINS: Strategy.LATEST_WINS,
}
IN_WHERE = {**BY_CLAUSE, ast.StrategyName.SKIP_TILL_NEXT_MATCH: Strategy.SKIP_TILL_NEXT_KLEENE}


def choose_strategy(
    semantics: ast.Semantics | None,
    terms: list[ast.StrategyTerm],
    scopes: tuple[Scope, ...],
    problems: Problems,
) -> Strategy:
    """Return the strategy; SEMANTICS and WHERE read skip-till-next-match differently."""
    written = [each.span for each in terms]
    if semantics is not None:
        written.append(semantics.span)
    if len(written) > 1:
        problems.add(
            "two-strategies",
            "the query names more than one strategy",
            max(written, key=lambda span: span.start),
            "keep one of them",
        )
    for term in terms:
        if term.variables is not None:
            _check_arguments(term, scopes, problems)
    if semantics is not None:
        return BY_CLAUSE[semantics.strategy]
    return IN_WHERE[terms[0].strategy] if terms else Strategy.SKIP_TILL_ANY


def _head(term: ast.StrategyTerm) -> Span:
    """Return where the strategy and its arguments stand, without the body."""
    return term.span if term.body is None else Span(term.span.start, term.body.span.start)


def _check_arguments(term: ast.StrategyTerm, scopes: tuple[Scope, ...], problems: Problems) -> None:
    known = {name: each for scope in scopes for name, each in scope.variables.items()}
    given = set(term.variables or ())
    for name in sorted(given - set(known)):
        problems.add(
            "unknown-variable",
            f"there is no variable or event type '{name}' in the pattern",
            problems.source.narrow(_head(term), name),
            suggest(name, known, owner="the pattern"),
        )
    missing = []
    for scope in scopes:  # the two sides of AND number their occurrences separately
        named = {index for name in given & set(scope.variables)
                 for index in scope.variables[name].occurrences}  # fmt: skip
        missing += [each.variable for each in scope.positive if each.index not in named]
    if missing:
        problems.add(
            "incomplete-strategy",
            f"{term.strategy.value} must name every variable; "
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing",
            _head(term),
            "list all variables, or write the strategy without arguments",
        )
