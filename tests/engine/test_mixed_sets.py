"""Queries that ask for different numbers are one set, and give what each gives by itself."""

import random

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import DataError
from cepheid.explain.explain_sharing import explain_sharing
from cepheid.program.sharing.pack_numbers import MOST_MEASURES
from cepheid.program.sharing.share_work import COUNTS_APART, NOBODY, OTHER_PARTITIONS, TOO_MANY

ROLES = {"time": "time", "type": "type"}
RETURNED = (
    "COUNT(*) AS n",
    "SUM(b.x) AS total",
    "AVG(b.x) AS mean",
    "MIN(b.x) AS least",
    "MAX(b.y) AS most",
    "COUNT(b) AS events",
    "SUM(b.y) AS total, COUNT(*) AS n",
)


def sharing_of(texts):
    together = cepheid.workload(texts)
    return explain_sharing(together.plans(), together.dependencies)


def random_events(count, types, seed):
    chosen = random.Random(seed)
    return pa.Table.from_pylist(
        [
            {
                "time": tick,
                "type": chosen.choice(types),
                "x": chosen.choice([None, -3, 0, 2, 5, 7]),
                "y": chosen.choice([0.5, 1.25, -2.0, 1e6]),
                "k": chosen.randrange(2),
            }
            for tick in range(count)
        ]
    )


def assert_as_alone(texts, table, **options):
    together = cepheid.workload(texts).run(table, **ROLES, **options)
    for text, found in zip(texts, together.values(), strict=True):
        assert found.equals(cepheid.query(text).run(table, **ROLES)), text


@pytest.mark.parametrize("policy", ["always", "never", "dynamic"])
@pytest.mark.parametrize("window", ["", "WITHIN 12 SLIDE 6"])
def test_all_functions_are_one_set(policy, window):
    texts = [
        f"PATTERN SEQ({first}, B b+) WHERE [k] {window} RETURN {each}"
        for first in "AC"
        for each in RETURNED
    ]
    (found,) = sharing_of(texts).sets
    assert len(found.queries) == len(texts)
    assert_as_alone(texts, random_events(60, "AABBBC", 1), sharing=policy)


@pytest.mark.parametrize("policy", ["always", "dynamic"])
def test_one_number_serves_sums_over_different_types(policy):
    types = [f"T{number}" for number in range(20)]
    texts = [
        f"PATTERN SEQ({first}, {each} b+, {last}) WITHIN 40 SLIDE 20 RETURN {returned}"
        for first, last in ("AC", "CA")
        for number, each in enumerate(types)
        for returned in (RETURNED[number % 4], RETURNED[2])
    ]
    (found,) = sharing_of(texts).sets
    assert len(found.queries) == 80
    assert_as_alone(texts, random_events(300, ["A", "C", *types[:5] * 4], 2), sharing=policy)


def test_sums_over_types_that_meet_have_numbers_of_their_own():
    texts = [
        "PATTERN SEQ(A a+, B b+) RETURN SUM(a.x) AS total",
        "PATTERN SEQ(A a+, B b+) RETURN SUM(b.x) AS total",
        "PATTERN SEQ(A a+, B b+) RETURN SUM(a.x) AS one, SUM(b.x) AS other",
        "PATTERN SEQ(A a+, C b+) RETURN SUM(b.x) AS total",
        "PATTERN SEQ(A a, A b+) RETURN SUM(a.x) AS one, SUM(b.x) AS other",
    ]
    (found,) = sharing_of(texts).sets
    assert [each.text for each in found.prefixes] == ["SEQ(A+, B+)", "A+"]
    assert_as_alone(texts, random_events(40, "AABBC", 3))


def test_only_who_asks_for_a_sum_hears_of_its_overflow():
    rows = [("A", 0), ("B", 2**62), ("B", 2**62), ("B", 2**62), ("C", 0), ("B", 7)]
    table = pa.Table.from_pylist(
        [{"time": tick, "type": each, "x": x} for tick, (each, x) in enumerate(rows)]
    )
    count = "PATTERN SEQ(A, B b) RETURN COUNT(*) AS n"  # where its sum would be too large
    few = "PATTERN SEQ(C, B b) RETURN SUM(b.x) AS total"
    many = "PATTERN SEQ(A, B b) RETURN SUM(b.x) AS total"
    assert len(sharing_of([count, few, many]).sets[0].queries) == 3
    assert_as_alone([count, few], table)
    for texts in ([many], [count, few, many]):
        with pytest.raises(DataError, match="'total' exceeds BIGINT"):
            cepheid.workload(texts).run(table, **ROLES)[f"q{len(texts)}"]


def sums(count, names="x"):
    return ", ".join(f"SUM(b.{names}{number}) AS s{number}" for number in range(count))


def test_why_sets_are_apart():
    wide = MOST_MEASURES // 2  # a sum is a number, and so is how many values it has
    found = sharing_of(
        [
            *(f"PATTERN SEQ({each}, B b+) RETURN {sums(wide)}" for each in "AC"),
            *(f"PATTERN SEQ({each}, B b+) RETURN {sums(wide, 'y')}" for each in "AC"),
            *(f"PATTERN SEQ({each}, B b+) WHERE [k] RETURN COUNT(*) AS n" for each in "ACD"),
            *(f"PATTERN SEQ({each}, B b+) WHERE [k] RETURN SUM(b.x) AS s" for each in "AC"),
        ]
    )
    assert [each.queries for each in found.sets] == [
        ("q1", "q2"),
        ("q3", "q4"),
        ("q5", "q6", "q7"),
        ("q8", "q9"),
    ]
    assert [[(e.sets, e.reason) for e in each.apart] for each in found.sets] == [
        [],
        [((1,), TOO_MANY)],
        [((1, 2), OTHER_PARTITIONS)],
        [((1, 2), OTHER_PARTITIONS), ((3,), COUNTS_APART)],
    ]


def test_why_a_query_is_in_no_set():
    wide = MOST_MEASURES // 2
    found = sharing_of(
        [
            *(f"PATTERN SEQ({each}, B b+) RETURN COUNT(*) AS n" for each in "ACD"),
            "PATTERN SEQ(A, B b+) RETURN SUM(b.x) AS s",
            f"PATTERN SEQ(A, B b+) WHERE [k] RETURN {sums(wide)}",
            f"PATTERN SEQ(A, B b+) WHERE [k] RETURN {sums(wide, 'y')}",
            "PATTERN SEQ(A, B b+) WHERE [l] RETURN SUM(b.x) AS s",
        ]
    )
    assert {each.query: each.reason for each in found.alone} == {
        "q4": COUNTS_APART,
        "q5": TOO_MANY,
        "q6": TOO_MANY,
        "q7": NOBODY,
    }


def test_a_query_with_very_many_numbers_takes_in_those_who_ask_for_some_of_them():
    texts = [
        f"PATTERN SEQ(A, B b+) RETURN {sums(MOST_MEASURES)}",
        f"PATTERN SEQ(C, B b+) RETURN {sums(MOST_MEASURES - 1)}",
        "PATTERN SEQ(C, B b+) RETURN SUM(b.x1) AS s",
        "PATTERN SEQ(C, B b+) RETURN COUNT(*) AS n",
    ]
    (found,) = sharing_of(texts).sets
    assert found.queries == ("q1", "q2", "q3", "q4")
