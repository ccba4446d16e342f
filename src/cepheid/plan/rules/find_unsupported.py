"""What this version cannot execute; refused before any event is read."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.analysis.automaton import Automaton
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.names import event_patterns
from cepheid.errors import Diagnostic
from cepheid.language import ast
from cepheid.language.source import Span

MAXIMUM_POSITIONS = 64
MAXIMUM_NEGATED_PARTS = 63  # bits of a signed word
MAXIMUM_OPEN_WINDOWS = 1_000_000


def find_unsupported(query: BoundQuery) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for every feature that cannot run yet."""
    return tuple(
        query.source.diagnose("unsupported", f"{feature} cannot be executed yet", span, hint)
        for feature, span, hint in _features(query)
    )


def _largest(automaton: Automaton) -> int:
    """Return the number of positions of the pattern or of its largest negated part."""
    inner = [_largest(part.automaton) for part in automaton.negated_parts]
    return max(len(automaton.positions), *inner, 0)


def _most_parts(automaton: Automaton) -> int:
    """Return the number of negated parts of the pattern, or inside one of them."""
    inner = [_most_parts(part.automaton) for part in automaton.negated_parts]
    return max(len(automaton.negated_parts), *inner, 0)


def _features(query: BoundQuery) -> Iterator[tuple[str, Span, str]]:
    tree = query.tree
    shows_pairs = query.output in (ast.OutputMode.ALL, ast.OutputMode.NON_OVERLAPPING)
    if len(query.patterns) > 1 and not shows_pairs:
        feature = f"OUTPUT {query.output.value} with AND of two patterns"
        yield feature, tree.pattern.span, "return all pairs, or non-overlapping ones"
    wild = [each for each in event_patterns(tree.pattern) if ast.EVERY_TYPE in each.types]
    if wild and len(query.patterns) > 1:
        yield "ANY without types in AND of two patterns", wild[0].span, "list the types: ANY(A, B)"
    if wild and (query.schema.attributes_by_type is not None or query.schema.derived_types):
        feature = "ANY without types, where types have attributes of their own,"
        yield feature, wild[0].span, "list the types: ANY(A, B)"
    for pattern in query.patterns:
        if _largest(pattern.automaton) > MAXIMUM_POSITIONS:
            hint = "use + or * instead of a large repetition count"
            yield f"a pattern of more than {MAXIMUM_POSITIONS} events", tree.pattern.span, hint
        if _most_parts(pattern.automaton) > MAXIMUM_NEGATED_PARTS:
            feature = f"a pattern with more than {MAXIMUM_NEGATED_PARTS} negated parts"
            yield feature, tree.pattern.span, "negate several types at once: !ANY(A, B)"
    window = query.window
    overlap = window.length // window.slide if window is not None and window.slide else 0
    if query.is_aggregate and overlap > MAXIMUM_OPEN_WINDOWS:
        feature = f"a window of more than {MAXIMUM_OPEN_WINDOWS:,} slides"
        yield feature, (tree.window or tree).span, "use a larger SLIDE"
