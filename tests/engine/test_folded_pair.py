"""`P1 AND P2` from what each side adds up to: large counts, trends of both sides, limits."""

import math
from dataclasses import replace
from math import comb

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.program.lower import lower
from tests.engine.run_one import run_one
from tests.properties.aggregate_comparison import alike

WINDOWS = ("", "WITHIN 9", "WITHIN 9 SLIDE 2", "WITHIN 5 EVENTS", "WITHIN 5 EVENTS SLIDE 3 EVENTS")
PATTERNS = (
    "A+ AND SEQ(B, C) WHERE [k]",
    "(A OR B)+ AND A b+ WHERE [k] AND b.x > 0",
    "A+ a AND SEQ(B, C) WHERE [k] AND a[i].x > a[i-1].x",
    "A+ a AND SEQ(B b, C c) WHERE [k] AND a[i].x > a[1].x AND b.x < c.x",
    "SEQ(A, !C, B+) AND (A OR B)+ WHERE [k]",
)
COMMON = (
    "ANY(A, B)+ AND A a+",
    "SEQ(A, B?) AND A a+",
    "(SEQ(A, B?))+ AND (A OR B)+",
    "SEQ(A*, B) AND SEQ((A c OR B d), (A a OR B b)*)",
    "SEQ(A, !C, B) AND (A OR B)+",
    "A{1,3} AND A a+",
)
COMPARED = (
    ("A a+ AND A b+", "a[i].x > a[i-1].x AND b[i].x >= b[i-1].x"),
    ("A a+ AND A b+", "a[i].x > a[i-1].x AND b[i].x < b[i-1].x AND b.x < 3"),
    ("ANY(A, B)+ s AND A a+", "s[i].x != s[i-1].x"),
    ("A a+ AND SEQ(A c, A d)", "a[i].x > a[i-1].x AND c.x + 1 < 2 * d.x"),
    ("(SEQ(A a, B? b))+ AND (A s OR B u)+", "a.x < NEXT(b).x AND s.x >= NEXT(u).x"),
    ("SEQ(A a, B b) AND (A s OR B u)+", "a.x < b.x AND NEXT(u).x - s.x > 1"),
)
STRATEGIES = (
    "skip-till-any-match",
    "skip-till-next-match",
    "skip_till_next_match",
    "contiguous",
)
SUMS = (
    "RETURN g, COUNT(*) AS n, EXACT COUNT(*) AS exact, COUNT(A) AS a, SUM(A.x) AS s, "
    "MIN(B.x) AS least, MAX(A.x) AS most"
)
NUMBERS = (
    "RETURN COUNT(*) AS n, EXACT COUNT(*) AS exact, LOG2(COUNT(*)) AS bits, COUNT(A) AS events, "
    "AVG(A.x) AS mean, MIN(A.x) AS least, MAX(B.x) AS most"
)


def run(text, events, **options):
    query = cepheid.query(f"PATTERN {text}")
    assert query.plan().method.value == "the values of each side of AND"
    return query.run(pa.table(events), time="t", type="type", **options).to_pylist()


def both_ways(text, events):
    """Return the rows, and those that enumeration gives."""
    query = cepheid.query(f"PATTERN {text}")
    roles = ColumnRoles("t", "type", (), None, "s")
    program = lower(query.plan(event_schema(events.schema, roles)))
    assert program.pair is not None
    assert program.pair.folds is not None
    enumerated = replace(program, pair=replace(program.pair, folds=None))
    found, expected = (run_one(each, events) for each in (program, enumerated))
    return found.to_pylist(), expected.to_pylist()


def compare_on_streams(text):
    generator = np.random.default_rng(7)
    for _ in range(4):
        events = pa.table(
            {
                "t": generator.integers(0, 16, 10),
                "type": generator.choice(["A", "B", "C"], 10, p=[0.45, 0.45, 0.1]),
                "x": generator.integers(-5, 5, 10),
            }
        )
        aggregates = "RETURN COUNT(*) AS n, SUM(A.x) AS s, MAX(A.x) AS most"
        rows, expected = both_ways(f"{text} {aggregates}", events)
        assert rows == expected


def alternating(size, **columns):
    """As many events of each of two types."""
    return {"t": range(2 * size), "type": ["A", "B"] * size, **columns}


class TestLargeCounts:
    def test_disjoint_sides(self):
        size = 2000
        (row,) = run(f"A+ AND B+ {NUMBERS}", alternating(size, x=[3, 5] * size))
        count = (2**size - 1) ** 2
        assert row == {
            "n": math.inf,
            "exact": str(count),
            "bits": pytest.approx(2 * size, rel=1e-15),
            "events": math.inf,
            "mean": pytest.approx(3.0, rel=1e-12),
            "least": 3,
            "most": 5,
        }

    def test_only_a_result_is_infinite(self):
        """2^700 trends a side have 2^1400 pairs."""
        (row,) = run(
            "A+ AND B+ RETURN COUNT(*) AS n, SUM(A.x) AS s", alternating(700, x=[0] * 1400)
        )
        assert row == {"n": math.inf, "s": 0.0}
        (row,) = run("A+ AND B+ RETURN COUNT(*) AS n", alternating(500))
        assert row["n"] == pytest.approx(2.0**1000, rel=1e-12)

    @pytest.mark.parametrize("size", [1, 2, 30, 2000])
    def test_equal_sides(self, size):
        """Of n trends that both sides have there are n (n - 1) / 2 pairs, each trend in n - 1."""
        events = {"t": range(size), "type": ["A"] * size, "x": [2] * size}
        rows = run("A a+ AND A b+ RETURN EXACT COUNT(*) AS n, COUNT(A) AS k, AVG(A.x) AS m", events)
        trends = 2**size - 1
        if size == 1:
            assert rows == []
            return
        places = size * 2 ** (size - 1) * (trends - 1)
        expected = float(places) if places < 2**1000 else math.inf
        assert rows == [
            {"n": str(comb(trends, 2)), "k": pytest.approx(expected, rel=1e-12), "m": 2.0}
        ]

    def test_one_side_in_the_other(self):
        size = 300
        events = alternating(size, x=[1] * (2 * size))
        (row,) = run(f"(A OR B)+ AND A+ {NUMBERS}", events)
        count, common = 4**size - 1, 2**size - 1
        pairs = count * common - common * (common + 1) // 2
        assert int(row["exact"]) == pairs
        assert row["bits"] == pytest.approx(math.log2(pairs), rel=1e-15)


class TestPlaces:
    def test_windows(self):
        size = 5000
        rows = run("A+ AND B+ WITHIN 2000 SLIDE 1000 RETURN LOG2(COUNT(*)) AS n", alternating(size))
        assert [row["n"] for row in rows[1:-1]] == [pytest.approx(2000)] * (len(rows) - 2)

    def test_moments(self):
        rows = run("A+ AND B+ WITHIN 2000 RETURN LOG2(COUNT(*)) AS n", alternating(3000))
        assert len(rows) == 6000
        assert [row["n"] for row in rows[2000:]] == [pytest.approx(2000)] * 4000

    @pytest.mark.parametrize("window", WINDOWS)
    @pytest.mark.parametrize("pattern", PATTERNS)
    def test_it_is_what_pairs_add_up_to(self, pattern, window):
        """Groups of several partitions add up the pairs that each of those has."""
        generator = np.random.default_rng(5)
        events = pa.table(
            {
                "t": generator.integers(0, 30, 160),
                "type": generator.choice(["A", "B", "C"], 160),
                "g": generator.integers(0, 2, 160),
                "k": generator.integers(0, 4, 160),
                "x": generator.integers(-5, 5, 160),
            }
        )
        rows, expected = both_ways(f"{pattern} {window} GROUP BY g {SUMS}", events)
        assert rows == expected
        assert any(row["n"] for row in rows)

    @pytest.mark.parametrize("window", WINDOWS[:3])
    @pytest.mark.parametrize("strategy", STRATEGIES)
    @pytest.mark.parametrize("pattern", COMMON)
    def test_trends_of_both_sides(self, pattern, strategy, window):
        text = f"{pattern} SEMANTICS {strategy}"
        if "_" in strategy:
            text = f"{pattern} WHERE {strategy}"
        compare_on_streams(f"{text} {window}")

    @pytest.mark.parametrize("window", WINDOWS)
    @pytest.mark.parametrize("strategy", ["skip-till-any-match", "contiguous"])
    @pytest.mark.parametrize(("pattern", "where"), COMPARED)
    def test_trends_of_both_sides_with_predicates(self, pattern, where, strategy, window):
        compare_on_streams(f"{pattern} SEMANTICS {strategy} WHERE {where} {window}")


class TestNumbers:
    def test_an_overflow_is_found(self):
        text = "SEQ(A a, A b, A c, A d) AND SEQ(B e, B f, B g, B h) RETURN COUNT(*) AS n"
        (row,) = run(text, alternating(500))
        assert row["n"] == comb(500, 4) ** 2
        with pytest.raises(cepheid.DataError, match="exceeds BIGINT"):
            run(text, alternating(600))

    def test_an_overflow_of_trends_of_both_sides_is_found(self):
        events = {"t": range(3), "type": ["A"] * 3, "x": [2**61, 1, 1]}
        (row,) = run("A a AND A b RETURN SUM(A.x) AS s", events)
        assert row == {"s": 2 * (2**61 + 2)}
        with pytest.raises(cepheid.DataError, match="exceeds BIGINT"):
            run("A a AND A b RETURN SUM(A.x) AS s", events | {"x": [2**62, 1, 1]})

    @pytest.mark.parametrize("x", [math.inf, -math.inf, 1e308])
    def test_infinite_values_of_common_trends(self, x):
        events = {"t": range(3), "type": ["A"] * 3, "x": [x, 1.0, 1.0]}
        (row,) = run("A a+ AND A b+ RETURN SUM(A.x) AS s, AVG(A.x) AS m", events)
        assert row["s"] == math.copysign(math.inf, x)
        assert alike(row["m"], x if math.isinf(x) else x / 3)

    def test_values_may_cancel(self):
        events = alternating(4, x=[0.1, -0.1, 0.2, 0.3, -0.3, 1e-300, 1e300, -1e300])
        (row,) = run("A+ AND B+ RETURN SUM(A.x) AS s, MIN(A.x) AS least, COUNT(B.x) AS n", events)
        assert row["least"] == -0.3
        assert row["n"] == 15 * 32
        assert row["s"] == pytest.approx(120 * 1e300)


class TestPlans:
    def test_ranges_of_time_are_not_folded_apart(self):
        query = cepheid.query("PATTERN A+ AND B+ RETURN COUNT(*)")
        assert query.plan().parallelism.value == "nothing: one task sees all events"


@pytest.mark.parametrize(
    ("values", "expected"),
    [((math.inf, 1.0), math.inf), ((-math.inf, 1.0), -math.inf), ((math.inf, -math.inf), math.nan)],
)
def test_infinite_sums(values: tuple[float, float], expected: float) -> None:
    events = pa.table({"time": [1, 2, 3], "type": ["A", "A", "B"], "f": [*values, 2.0]})
    text = "PATTERN A AND SEQ(A, B) RETURN SUM(A.f) AS total, COUNT(*) AS n"
    [row] = cepheid.query(text).run(events, time="time", type="type").to_pylist()
    assert row == {"total": pytest.approx(expected, nan_ok=True), "n": 4}
