"""The logical plan: SASE's operators in order."""

import pytest

from cepheid.plan.logical import Match, Partition, Scan, Transform, scanned_types
from tests.explain.plans import plan_of


@pytest.mark.parametrize(
    ("query", "operators"),
    [
        ("A", "Scan Match Transform"),
        ("SEQ(A a, B b) WHERE [k] AND a.x > 1 WITHIN 9",
            "Scan Filter Partition Match Window Transform"),
        ("SEQ(A a, B b) WHERE a.x < b.x", "Scan Match Select Transform"),
        ("SEQ(A, !C, B) RETURN COUNT(*) GROUP BY k",
            "Scan Partition Match Negate AggregateTrends"),
        ("A AND B", "Scan Match Pair Transform"),
        ("SEQ(A a, B b) WITHIN 3 BETWEEN a, b", "Scan Match Window Transform"),
    ],
)  # fmt: skip
def test_operators(query, operators):
    plan = plan_of(f"PATTERN {query}").logical
    assert [type(each).__name__ for each in plan.operators] == operators.split()


def test_scan_has_every_type_once_with_negated_ones():
    plan = plan_of("PATTERN SEQ(B, !SEQ(X, !Y, Z), A, B, ANY(C, A))")
    scan = plan.logical.operators[0]
    assert isinstance(scan, Scan)
    assert scan.types == scanned_types(plan.query)
    assert scan.types[:3] == ("B", "A", "C")
    assert sorted(scan.types) == ["A", "B", "C", "X", "Y", "Z"]


def test_details():
    plan = plan_of("PATTERN SEQ(A a, B) WHERE [k] RETURN a.x")
    _, partition, match, transform = plan.logical.operators
    assert partition == Partition(("k",))
    assert isinstance(match, Match)
    assert match.strategy is plan.query.strategy
    assert isinstance(transform, Transform)
    assert [each.output for each in transform.columns] == ["a_x"]
