"""Which variants the positions of contiguous trends have, where edges compare neighbours.

A position has a variant for every set of edges into it that may be open (contiguous_slots.py). This
is told by the program alone, so that EXPLAIN can say it without kernels.
"""

from __future__ import annotations

from cepheid.program.program import Program, StrategyCode

MOST_VARIANTS = 64  # a mask has so many bits


def why_not_linear(program: Program) -> str | None:
    """Return why the trends of a program have no value per position; None if they have."""
    adjacent = program.adjacent
    if adjacent is None or program.strategy is not StrategyCode.CONTIGUOUS:
        return "trends are not contiguous"
    if program.negation is not None:
        return "a part is negated"
    if any(adjacent.tests[len(program.automaton.edges) :]):
        return "first or last events are tested by themselves"
    for tests, edge in zip(adjacent.tests, adjacent.edges, strict=False):
        if len(tests) > 1 or (len(tests) == 1 and edge.comparison is None):
            return "an edge makes more than one comparison"
    if sum(len(each) for each in variants_of(program)) > MOST_VARIANTS:
        return "too many edges make comparisons"
    return None


def variants_of(program: Program) -> list[list[tuple[int, ...]]]:
    """Return by position the positions that runs may come from, for every set of open edges."""
    automaton, adjacent = program.automaton, program.adjacent
    assert adjacent is not None
    found: list[list[tuple[int, ...]]] = [[()] for _ in automaton.follow]
    for tests, (source, target) in zip(adjacent.tests, automaton.edges, strict=False):
        own = found[target]
        with_edge = [(*each, source) for each in own]
        found[target] = [*own, *with_edge] if tests else with_edge
        if sum(map(len, found)) > MOST_VARIANTS:
            break
    return found
