"""What this version cannot execute; refused before any event is read."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.analysis.automaton import Automaton
from cepheid.analysis.bound import BoundPattern, BoundQuery, Clause, PredicateClass
from cepheid.errors import Diagnostic
from cepheid.language import ast
from cepheid.language.source import Span

MAXIMUM_POSITIONS = 64
MAXIMUM_OPEN_WINDOWS = 1_000_000
NOTHING_ELSE = "EXPLAIN works; running it is planned"


def find_unsupported(query: BoundQuery) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for every feature that cannot run yet."""
    return tuple(
        query.source.diagnose("unsupported", f"{feature} cannot be executed yet", span, hint)
        for feature, span, hint in _features(query)
    )


def _clauses(query: BoundQuery, pattern: BoundPattern) -> list[Clause]:
    """Return the clauses that cannot be tested: in aggregates, those over several events."""
    if query.aggregates is None:
        return []
    return [e for e in pattern.clauses if e.predicate_class is not PredicateClass.LOCAL]


def _largest(automaton: Automaton) -> int:
    """Return the number of positions of the pattern or of its largest negated part."""
    inner = [_largest(part.automaton) for part in automaton.negated_parts]
    return max(len(automaton.positions), *inner, 0)


def _features(query: BoundQuery) -> Iterator[tuple[str, Span, str]]:
    tree = query.tree
    if len(query.patterns) > 1:
        if query.is_aggregate:
            yield "AND of two patterns in an aggregate query", tree.pattern.span, NOTHING_ELSE
        elif query.output not in (ast.OutputMode.ALL, ast.OutputMode.NON_OVERLAPPING):
            feature = f"OUTPUT {query.output.value} with AND of two patterns"
            yield feature, tree.pattern.span, "return all pairs, or non-overlapping ones"
    for pattern in query.patterns:
        for clause in _clauses(query, pattern):
            kind = clause.predicate_class.value
            yield f"the {kind} predicate '{clause.text}'", clause.span, NOTHING_ELSE
        for part in pattern.automaton.negated_parts:
            if query.is_aggregate:
                feature = f"the negation !{part.text} in an aggregate query"
                yield feature, tree.pattern.span, NOTHING_ELSE
        if _largest(pattern.automaton) > MAXIMUM_POSITIONS:
            hint = "use + or * instead of a large repetition count"
            yield f"a pattern of more than {MAXIMUM_POSITIONS} events", tree.pattern.span, hint
    window = query.window
    overlap = window.length // window.slide if window is not None and window.slide else 0
    if query.is_aggregate and overlap > MAXIMUM_OPEN_WINDOWS:
        feature = f"a window of more than {MAXIMUM_OPEN_WINDOWS:,} slides"
        yield feature, (tree.window or tree).span, "use a larger SLIDE"
    for neighbours in tree.neighbour_windows:
        if query.is_aggregate:
            yield "WITHIN … BETWEEN in an aggregate query", neighbours.span, NOTHING_ELSE
    for column in query.aggregates or ():
        aggregate = column.aggregate
        if aggregate.variable is not None or aggregate.exact:
            span = next((item.span for item in tree.returns), tree.span)
            yield f"the aggregate '{column.output}'", span, "COUNT(*) can be executed"
    if query.having is not None:
        yield "HAVING", tree.having.span if tree.having else tree.span, NOTHING_ELSE
