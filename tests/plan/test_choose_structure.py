"""What is kept for the edges of an adjacent query, and why."""

import pytest

from cepheid.plan.adjacent_tests import AdjacentTests, NotAdjacent, find_adjacent_tests
from cepheid.plan.physical import Structure
from cepheid.plan.rules.choose_structure import choose_structures
from tests.explain.plans import plan_of

NEXT = "SEMANTICS skip-till-next-match"


@pytest.mark.parametrize(
    ("query", "structures", "reason"),
    [
        ("A+ WHERE A.x > NEXT(A).x", [Structure.PREFIX_SUMS], "on one side of a value"),
        ("A+ WHERE A.x != NEXT(A).x", [Structure.PREFIX_SUMS], "below and above one value"),
        ("A+ WHERE A.x = NEXT(A).y", [Structure.EQUAL_SUMS], "the runs of one value"),
        ("SEQ(A a, A b) WHERE a.x = b.y", [Structure.TOTAL], "no predicate compares"),  # a key
        (
            "SEQ(A+, B) WHERE A.x > NEXT(A).x",
            [Structure.PREFIX_SUMS, Structure.TOTAL],
            "no predicate compares the two events",
        ),
        ("A+ WHERE A.x + NEXT(A).x > 3", [Structure.SCAN], "not a comparison of one value"),
        (
            "A+ WHERE A.x > NEXT(A).x AND A.y > NEXT(A).y",
            [Structure.SCAN],
            "compare two values",
        ),
        (f"A+ {NEXT} WHERE A.x > NEXT(A).x", [Structure.STACK], "what waits is sorted"),
        (f"A+ {NEXT} WHERE A.x > NEXT(A).y", [Structure.TREE], "does not wait in order"),
        (f"A+ {NEXT}", [Structure.TOTAL], "no predicate tells waiting events apart"),
        (
            f"SEQ(A+, !C, B) {NEXT} WHERE A.x > NEXT(A).x",
            [Structure.SCAN, Structure.SCAN],
            "a negated part between the two events",
        ),
        (
            f"SEQ(A+, B) {NEXT} WHERE A.x > NEXT(A).x AND A.y > NEXT(B).y",
            [Structure.SCAN, Structure.SCAN],
            "compare different values of the waiting event",
        ),
        (
            f"A a+ {NEXT} WHERE a[i-1].x > 3 AND a[i-1].x > a[i].x",
            [Structure.SCAN],
            "tells waiting events apart",
        ),
        (
            "A+ SEMANTICS contiguous WHERE A.x > NEXT(A).x",
            [Structure.LAST_STEP],
            "under contiguous no other runs wait",
        ),
    ],
)
def test_choose_structures(query: str, structures: list[Structure], reason: str) -> None:
    bound = plan_of(f"PATTERN {query} RETURN COUNT(*)").query
    tests = find_adjacent_tests(bound)
    assert isinstance(tests, AdjacentTests)
    choices = choose_structures(bound, tests)
    assert [each.value for each in choices] == structures
    assert reason in choices[-1].reason


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SEQ(A a, B b, C c) WHERE a.x < c.x", "'a.x < c.x' reads more of a run than its last"),
        ("SEQ(A a+, B b) WHERE a.x < b.x", "reads more of a run than its last event"),
        ("A a+ WHERE a[i].x > avg(a[..i-1].x)", "the running predicate"),
        ("A a+ WHERE a[i].x > a[1].x", "the first-bound predicate"),
        ("SEQ(A a, C c, B b) WITHIN 3 BETWEEN a, b", "reads the latest a of a run"),
        ("SEQ(A a, !C c, B b) WHERE c.x = b.x", "a condition on !C c reads several events"),
        ("A AND B", "AND pairs whole trends"),
    ],
)
def test_not_adjacent(query: str, reason: str) -> None:
    found = find_adjacent_tests(plan_of(f"PATTERN {query} RETURN COUNT(*)").query)
    assert isinstance(found, NotAdjacent)
    assert reason in found.reason


@pytest.mark.parametrize(
    "query",
    [
        "SEQ(A a, B b) WITHIN 3 BETWEEN a, b",
        "SEQ(A a, B b+) WHERE a.x < b[1].x",
        "SEQ(A a, B b, C c) WHERE b.x < c.x AND a.x < b.x",
        "SEQ((A a OR C c), B b) WHERE a.x < b.x",
        "SEQ(A a, B{2} b) WHERE b[1].x < b[i].x",
    ],
)
def test_adjacent_in_disguise(query: str) -> None:
    found = find_adjacent_tests(plan_of(f"PATTERN {query} RETURN COUNT(*)").query)
    assert isinstance(found, AdjacentTests)
