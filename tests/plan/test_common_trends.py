"""What the sides of AND have in common, and whether a side has one path for every sequence."""

import pytest

from cepheid.analysis.analyze import analyze
from cepheid.analysis.automaton import FREE
from cepheid.language.parser import parse
from cepheid.language.source import Source
from cepheid.plan.common_trends import find_common_trends, is_unambiguous, shared_places
from cepheid.plan.split_sides import split_sides


def sides_of(pattern):
    text = f"PATTERN {pattern} WITHIN 9 RETURN COUNT(*)"
    return split_sides(analyze(parse(text), Source(text)))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("A+", True),
        ("SEQ(A, B+)", True),
        ("SEQ(A+, B, A)", True),
        ("SEQ(A*, A)", True),
        ("A{2,4}", True),
        ("SEQ(A, B) OR SEQ(A, C)", True),
        ("(SEQ(A, B?))+", True),
        ("SEQ(A+, A+)", False),
        ("A OR ANY(A, B)", False),
        ("SEQ(A?, A?)", False),
        ("(A+){2,}", False),
        ("SEQ(ANY(A, B)+, B*)", False),
    ],
)
def test_is_unambiguous(pattern, expected):
    (side,) = sides_of(pattern)
    assert is_unambiguous(side.pattern.automaton) is expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("A+ AND B+", set()),
        ("A+ AND SEQ(A, B)", set()),
        ("SEQ(A, B) AND SEQ(B, A)", set()),
        ("A{2} AND A{3}", set()),
        ("A+ AND A+", {(0, 0)}),
        ("ANY(A, B)+ AND A+", {(0, 0)}),
        ("SEQ(A, B?) AND SEQ(A, C?)", {(0, 0)}),
        ("SEQ(A, B+) AND SEQ(A+, B)", {(0, 0), (1, 1)}),
    ],
)
def test_shared_places(pattern, expected):
    one, other = sides_of(pattern)
    assert shared_places(one.pattern.automaton, other.pattern.automaton) == expected


def test_a_negated_part_of_each_side_blocks_a_common_trend():
    one, other = sides_of("SEQ(A, !C, B+) AND SEQ(A, !D, B)")
    common = find_common_trends((one, other))
    assert common is not None
    assert common.positions == ((0, 0), (1, 1))
    automaton = common.query.pattern.automaton
    assert [part.text for part in automaton.negated_parts] == ["C", "D"]
    assert [part.index for part in automaton.negated_parts] == [0, 1]
    (edge,) = automaton.edges
    assert edge.blocked_by == frozenset([frozenset([0, 1])])
    assert [border.blocked_by for border in (*automaton.first, *automaton.last)] == [FREE] * 2


def test_too_many_positions():
    one, other = sides_of("(SEQ(A?, B?, C?)){9} AND (SEQ(A?, B?, C?)){9}")
    assert find_common_trends((one, other)) is None
