"""Tests of runs to those of a program that keeps one value per last event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cepheid.analysis.bound import BoundQuery
from cepheid.plan.adjacent_tests import AdjacentTest, AdjacentTests, find_adjacent_tests
from cepheid.plan.physical import Structure
from cepheid.plan.rules.choose_structure import choose_structures
from cepheid.program.adjacent_program import (
    AdjacentEdge,
    AdjacentProgram,
    Comparison,
    StructureCode,
)
from cepheid.program.lower_runs import CURRENT_EVENT, LAST_EVENT
from cepheid.program.predicate_code import COMPARISONS
from cepheid.program.run_program import RunProgram, Test, TestKind

CODES = {
    Structure.SCAN: StructureCode.SCAN,
    Structure.LAST_STEP: StructureCode.SCAN,  # contiguity leaves nothing else to scan
    Structure.TOTAL: StructureCode.TOTAL,
    Structure.PREFIX_SUMS: StructureCode.PREFIX_SUMS,
    Structure.EQUAL_SUMS: StructureCode.EQUAL_SUMS,
    Structure.STACK: StructureCode.STACK,
    Structure.TREE: StructureCode.TREE,
}
FLIPPED = {
    COMPARISONS[one]: COMPARISONS[other]
    for one, other in (("=", "="), ("!=", "!="), ("<", ">"), ("<=", ">="), (">", "<"), (">=", "<="))
}
COMPARING = (TestKind.COMPARE_INTEGERS, TestKind.COMPARE_FLOATS)


def lower_adjacent(query: BoundQuery, runs: RunProgram) -> AdjacentProgram | None:
    """Return the program, or None if predicates read more than the last event of a run."""
    found = find_adjacent_tests(query)
    if not isinstance(found, AdjacentTests):
        return None
    kept = [
        _kept(placed, lowered) for placed, lowered in zip(found.by_binding, runs.tests, strict=True)
    ]
    edges = [
        _edge(CODES[choice.value], each)
        for choice, each in zip(choose_structures(query, found), kept, strict=False)
    ]
    tests = tuple(tuple(test for _, test in each) for each in kept)
    sources = [edge.source for edge in query.pattern.automaton.edges]
    return AdjacentProgram(tests, tuple(_agreeing(edges, sources)))


def _kept(
    placed: Sequence[AdjacentTest], lowered: Sequence[Test]
) -> list[tuple[AdjacentTest, Test]]:
    """Return the tests that can fail, with what a run would carry read from its last event."""
    kept = []
    for each, test in zip(placed, lowered, strict=True):
        if not each.always_holds:
            operands = tuple(
                operand if operand.source < 0 else replace(operand, source=LAST_EVENT)
                for operand in test.operands
            )
            kept.append((each, replace(test, operands=operands)))
    return kept


def _edge(code: StructureCode, tests: Sequence[tuple[AdjacentTest, Test]]) -> AdjacentEdge:
    conditions = [each for _, each in tests if each.kind is TestKind.EVENT_CONDITION]
    last, new = (
        tuple(
            operand.column
            for each in conditions
            for operand in each.operands
            if operand.source == source
        )
        for source in (LAST_EVENT, CURRENT_EVENT)
    )
    comparisons = [_comparison(*each) for each in tests if each[1] not in conditions]
    if len(comparisons) > 1 or None in comparisons:
        return AdjacentEdge(StructureCode.SCAN, None, (), ())
    return AdjacentEdge(code, comparisons[0] if comparisons else None, last, new)


def _comparison(placed: AdjacentTest, test: Test) -> Comparison | None:
    """Return the comparison that a test makes, if it is one of the last with the new event."""
    if placed.shift is not None:
        assert placed.operator is not None
        columns = {each.source: each.column for each in test.operands}
        last, new = columns[LAST_EVENT], columns[CURRENT_EVENT]
        return Comparison(COMPARISONS[placed.operator], last, new, False, placed.shift)
    if test.kind not in COMPARING:
        return None
    left, right = test.operands
    is_float = test.kind is TestKind.COMPARE_FLOATS
    if (left.source, right.source) == (LAST_EVENT, CURRENT_EVENT):
        return Comparison(test.comparison, left.column, right.column, is_float)
    if (left.source, right.source) == (CURRENT_EVENT, LAST_EVENT):
        return Comparison(FLIPPED[test.comparison], right.column, left.column, is_float)
    return None


def _agreeing(edges: Sequence[AdjacentEdge], sources: Sequence[int]) -> list[AdjacentEdge]:
    """Return edges of which those out of one position share what waits there."""
    shared = (StructureCode.STACK, StructureCode.TREE)
    result = list(edges)
    for position in set(sources):
        out = [number for number, source in enumerate(sources) if source == position]
        if not any(edges[each].structure in shared for each in out):
            continue
        keys = {(c.last, c.is_float) for each in out if (c := edges[each].comparison) is not None}
        if len(keys) > 1 or any(edges[each].structure not in shared for each in out):
            for each in out:
                result[each] = replace(edges[each], structure=StructureCode.SCAN)
    return result
