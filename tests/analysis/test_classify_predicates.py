"""Which class a clause of WHERE gets (semantics, section 4)."""

import pytest

from cepheid.analysis.bound import PredicateClass
from cepheid.analysis.schema import OPEN_SCHEMA
from tests.analysis.schemas import bind

LOCAL = PredicateClass.LOCAL
EQUIVALENCE = PredicateClass.EQUIVALENCE
ADJACENT = PredicateClass.ADJACENT
FIRST_BOUND = PredicateClass.FIRST_BOUND
RUNNING = PredicateClass.RUNNING
LAST_BOUND = PredicateClass.LAST_BOUND
GENERAL = PredicateClass.GENERAL


def classes_of(pattern, where):
    query = bind(f"PATTERN {pattern} WHERE {where}", schema=OPEN_SCHEMA)
    return [each.predicate_class for each in query.pattern.clauses]


@pytest.mark.parametrize(
    ("pattern", "where", "expected"),
    [
        ("SEQ(A a, B b)", "a.x > 3", LOCAL),
        ("SEQ(A+ a, B b)", "a.x > a.y", LOCAL),
        ("SEQ(A a, B b)", "a.x > 1 OR a.y < 2", LOCAL),
        ("SEQ(A a, B b, A c)", "A.x > 3", LOCAL),
        ("A", "x > 3", LOCAL),
        ("SEQ(A a, B b, C c)", "a.id = b.id", EQUIVALENCE),
        ("SEQ(A+ a, B b, C c)", "a.id = b.id", EQUIVALENCE),
        ("SEQ(A a, B b)", "a.x < b.x", ADJACENT),
        ("SEQ(A a, B b)", "b.x > a.x + 1", ADJACENT),
        ("SEQ(A a, B b, C c)", "b.x = c.y", ADJACENT),
        ("SEQ(A a, B b, C c)", "a.x = 1 OR b.x = 2", ADJACENT),
        ("S+", "S.x > NEXT(S).x", ADJACENT),
        ("SEQ(A+ a, B+ b)", "a.x > NEXT(b).x", ADJACENT),
        ("SEQ(A+ a, B b)", "a[i].x > a[i-1].x", ADJACENT),
        ("SEQ(A+ a, B b)", "a[1].x > 3", FIRST_BOUND),
        ("SEQ(A+ a, B b)", "a[i].x > a[1].x", FIRST_BOUND),
        ("SEQ(A+ a, B b)", "b.x = a[1].x", FIRST_BOUND),
        ("SEQ(A+ a, B b)", "a[i].x > avg(a[..i-1].x)", RUNNING),
        ("SEQ(A+ a, B b)", "a[i].x > max(a[i-1].x)", RUNNING),
        ("SEQ(A+ a, B b)", "count(a[..i-1]) < 5", RUNNING),
        ("SEQ(A+ a, B b)", "a[i].x > a[1].x + sum(a[..i-1].y)", RUNNING),
        ("SEQ(A+ a, B b)", "b.x < 80%*a[a.LEN].x", LAST_BOUND),
        ("SEQ(A+ a, B b)", "sum(a[].x) > 100", LAST_BOUND),
        ("SEQ(A+ a, B b)", "a.LEN > 3", LAST_BOUND),
        ("SEQ(A+ a, B b)", "a[a.LEN].x > a[1].x", LAST_BOUND),
        ("SEQ(A a, B b, C c)", "a.x < c.x", GENERAL),
        ("SEQ(A+ a, B b)", "a.x < b.x", GENERAL),
        ("SEQ(A a, B b?, C c)", "a.x < c.x", GENERAL),
        ("SEQ(A a, B b OR C c)", "b.x < c.x", GENERAL),
        ("SEQ(A a, B b, C c)", "a.x + b.x < c.x", GENERAL),
        ("SEQ(A+ a, B b)", "a[i].x > b.x", GENERAL),
    ],
)
def test_one_clause(pattern, where, expected):
    assert classes_of(pattern, where) == [expected]


def test_a_class_for_every_conjunct():
    where = "a.x > 1 AND (a.x < b.x AND NOT (a.y > 2 OR c.y < a.z)) AND TRUE"
    assert classes_of("SEQ(A a, B b, C c)", where) == [LOCAL, ADJACENT, LOCAL, GENERAL]


def test_not_is_pushed_down_to_the_comparisons():
    query = bind(
        "PATTERN SEQ(A a, B b) WHERE NOT (a.x < 1 AND (b.x = 2 OR NOT a.y >= 3))",
        schema=OPEN_SCHEMA,
    )
    assert [each.text for each in query.pattern.clauses] == [
        "a.x >= 1 OR b.x != 2",
        "a.x >= 1 OR a.y >= 3",
    ]


def test_a_chain_of_comparisons_is_several_clauses():
    query = bind("PATTERN SEQ(A a, B b, C c) WHERE 0 < a.x <= b.x", schema=OPEN_SCHEMA)
    clauses = [(each.text, each.predicate_class) for each in query.pattern.clauses]
    assert clauses == [("0 < a.x", LOCAL), ("a.x <= b.x", ADJACENT)]


def test_a_negated_chain_is_one_clause():
    query = bind("PATTERN SEQ(A a, B b) WHERE NOT 0 < a.x <= b.x", schema=OPEN_SCHEMA)
    assert [each.text for each in query.pattern.clauses] == ["0 >= a.x OR a.x > b.x"]


def test_next_makes_the_other_references_the_left_event():
    query = bind("PATTERN S+ WHERE S.x > 2 * NEXT(S).x", schema=OPEN_SCHEMA)
    assert query.pattern.clauses[0].text == "S.x > 2 * NEXT(S).x"


def test_predicates_over_negated_parts_are_set_apart():
    query = bind(
        "PATTERN SEQ(A a, !(C c), B b) WHERE c.x = a.x AND a.y > 1 AND c.z > 2",
        schema=OPEN_SCHEMA,
    )
    assert [each.text for each in query.pattern.clauses] == ["a.y > 1"]
    (branch,) = query.pattern.branches
    assert branch.positive == ()
    assert len(branch.negative[0]) == 2


def test_or_over_a_negated_part_makes_branches():
    query = bind(
        "PATTERN SEQ(A a, !(C c), B b) WHERE (a.x > 1 AND c.x > 2) OR b.x > 3",
        schema=OPEN_SCHEMA,
    )
    first, second = query.pattern.branches
    assert (len(first.positive), len(first.negative[0])) == (1, 1)
    assert (len(second.positive), second.negative) == (1, {})
    assert [each.text for each in query.pattern.clauses] == ["a.x > 1 OR b.x > 3"]


def test_a_query_without_negation_has_one_empty_branch():
    (branch,) = bind("PATTERN A WHERE x > 1", schema=OPEN_SCHEMA).pattern.branches
    assert (branch.positive, branch.negative) == ((), {})


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("TRUE", []),
        ("a.x > 1 OR TRUE", []),
        ("FALSE OR a.x > 1", ["a.x > 1"]),
        ("a.x > 1 AND a.x > 1", ["a.x > 1", "a.x > 1"]),
        ("a.x > 1 OR a.x > 1", ["a.x > 1"]),
    ],
)
def test_constants_vanish(where, kept):
    query = bind(f"PATTERN SEQ(A a, B b) WHERE {where}", schema=OPEN_SCHEMA)
    assert [each.text for each in query.pattern.clauses] == kept


def test_false_stays_as_a_clause_that_never_holds():
    query = bind("PATTERN SEQ(A a, B b) WHERE FALSE", schema=OPEN_SCHEMA)
    assert [each.text for each in query.pattern.clauses] == ["FALSE"]
