"""What this version cannot execute; refused before any event is read."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.analysis.bound import BoundPattern, BoundQuery, Clause, PredicateClass
from cepheid.errors import Diagnostic
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


def _comes_back(pattern: BoundPattern, name: str) -> bool:
    """Whether a match can leave a variable and bind it again; only its first event is bounded."""
    own = set(pattern.variables[name].positions)
    left = {edge.target for edge in pattern.automaton.edges if edge.source in own} - own
    waiting = list(left)
    while waiting:
        position = waiting.pop()
        for edge in pattern.automaton.edges_from(position):
            if edge.target in own:
                return True
            if edge.target not in left:
                left.add(edge.target)
                waiting.append(edge.target)
    return False


def _features(query: BoundQuery) -> Iterator[tuple[str, Span, str]]:
    tree = query.tree
    if len(query.patterns) > 1:
        yield "AND of two patterns", tree.pattern.span, NOTHING_ELSE
    for pattern in query.patterns:
        for clause in _clauses(query, pattern):
            kind = clause.predicate_class.value
            yield f"the {kind} predicate '{clause.text}'", clause.span, NOTHING_ELSE
        for part in pattern.automaton.negated_parts:
            if query.is_aggregate or part.automaton.negated_parts:
                where = "in an aggregate query" if query.is_aggregate else "with one inside it"
                yield f"the negation !{part.text} {where}", tree.pattern.span, NOTHING_ELSE
        if len(pattern.automaton.positions) > MAXIMUM_POSITIONS:
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
        elif _comes_back(query.pattern, neighbours.second):
            feature = f"WITHIN … BETWEEN with '{neighbours.second}' in a repeated group"
            yield feature, neighbours.span, NOTHING_ELSE
    for column in query.aggregates or ():
        aggregate = column.aggregate
        if aggregate.variable is not None or aggregate.exact:
            span = next((item.span for item in tree.returns), tree.span)
            yield f"the aggregate '{column.output}'", span, "COUNT(*) can be executed"
    if query.having is not None:
        yield "HAVING", tree.having.span if tree.having else tree.span, NOTHING_ELSE
