"""Which repetitions of negated parts are left out, and which conditions their own runs test."""

import pytest

from tests.program.programs import program_of


def part_of(pattern, condition):
    negation = program_of(f"SEQ(A a, !({pattern}), C c) WHERE {condition}").negation
    assert negation is not None
    return negation


@pytest.mark.parametrize(
    ("pattern", "condition", "edges"),
    [
        ("B+ n", "n.x > a.x", ()),
        ("B+ n", "n[1].x > a.x", ()),
        ("B+ n", "n[n.LEN].x > a.x", ()),
        ("B+ n", "n[i].x > n[i-1].x AND n.x > a.x", ()),
        ("B+ n", "n[1].x > a.x AND n[n.LEN].x > a.x", ((0, 0),)),
        ("B+ n", "sum(n[].x) > a.x", ((0, 0),)),
        ("B+ n", "n.LEN > a.x", ((0, 0),)),
        ("B{3,} n", "n.x > a.x", ((0, 1), (1, 2))),
        ("B{3,} n", "n[1].x > a.x", ((0, 1), (1, 2), (2, 2))),
        ("SEQ(B+ n, D m)", "n.x > a.x AND m.x > a.x", ((0, 1),)),
        ("(SEQ(B n, D m))+", "n.x > a.x", ((0, 1),)),
        ("(SEQ(B n, D m))+", "n[1].x > a.x", ((0, 1), (1, 0))),
        ("(B n OR D m)+", "n.x > a.x", ((0, 1),)),
    ],
)
def test_repetitions_that_conditions_need(pattern, condition, edges):
    (part,) = part_of(pattern, condition).parts
    assert part.automaton.edges == edges
    assert part.runs is None


def test_a_part_with_negations_of_its_own_keeps_its_repetitions():
    (part,) = part_of("(SEQ(B n, !D, B m))+", "n.x > a.x").parts
    assert part.automaton.edges == ((0, 1), (1, 0))


@pytest.mark.parametrize(
    "condition", ["count(n[]) > 3", "n[i].x > n[i-1].x", "n[1].x < n[n.LEN].x", "sum(n[].x) = 7"]
)
def test_conditions_on_nothing_else_are_tested_by_runs(condition):
    negation = part_of("B+ n", condition)
    assert negation.parts[0].runs.has_tests
    assert not negation.is_conditional


@pytest.mark.parametrize(
    ("pattern", "condition"),
    [
        ("B+ n", "count(n[]) > 3 AND n.x > a.x"),
        ("(SEQ(B+ n, D m))+", "count(n[]) > 3"),
        ("SEQ(B+ n, D m)", "n.x > m.x"),
        ("B+ n", "count(n[]) > 3 OR a.x = 1"),
    ],
)
def test_other_conditions_are_tested_on_whole_matches(pattern, condition):
    negation = part_of(pattern, condition)
    assert negation.parts[0].runs is None
    assert negation.is_conditional
