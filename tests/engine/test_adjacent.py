"""Every structure gives what the oracle says, and what a scan of all waiting events gives."""

import random
from typing import Any

import numpy as np
import pytest

import cepheid
from cepheid.program.adjacent_program import StructureCode
from cepheid.testing import events
from tests.engine.adjacent_cases import (
    ASKED,
    EXAMPLE,
    bound_of,
    expected,
    program_of,
    summed,
    value_rows,
)

ANY = "SEMANTICS skip-till-any-match"
NEXT = "SEMANTICS skip-till-next-match"
KLEENE = "WHERE-TERM skip_till_next_match"
CONTIGUOUS = "SEMANTICS contiguous"
SLIDE, COUNTED = "WITHIN 5 SLIDE 2", "WITHIN 4 EVENTS SLIDE 3 EVENTS"


def query_text(pattern: str, condition: str, strategy: str, window: str, variable: str) -> str:
    if strategy.startswith("WHERE-TERM"):
        condition, strategy = f"{condition} AND {strategy.split()[1]}", ""
    asked = ASKED.format(v=variable)
    return f"PATTERN {pattern} {strategy} WHERE {condition} {window} RETURN {asked}"


def random_events(seed: int, size: int, most_time: int, values: int) -> list[dict[str, Any]]:
    """Events with ties and a NULL here and there."""
    draw = random.Random(seed)

    def number(limit: int) -> int | None:
        return None if draw.random() < 0.08 else draw.randrange(limit)

    return [
        {
            "type": draw.choice("AAABBCD"),
            "time": draw.randrange(most_time),
            "seq": draw.randrange(3),
            "k": draw.choice((1, 1, 2)),
            "x": number(values),
            "y": draw.choice((0.5, 1.5, 2.5, None, float("nan"))),
            "t": draw.choice(("p", "q", "r", None)),
        }
        for _ in range(size)
    ]


CASES = [
    # pattern, condition, strategy, structure of the edges, variable that is summed
    ("A a+", "a.x > NEXT(a).x", ANY, "PREFIX_SUMS", "a"),
    ("A a+", "a.x <= NEXT(a).x", ANY, "PREFIX_SUMS", "a"),
    ("A a+", "a.x != NEXT(a).x", ANY, "PREFIX_SUMS", "a"),
    ("A a+", "a.y >= NEXT(a).y", ANY, "PREFIX_SUMS", "a"),
    ("A a+", "a.y != NEXT(a).y", ANY, "PREFIX_SUMS", "a"),
    ("A a+", "a.t < NEXT(a).t AND [k]", ANY, "PREFIX_SUMS", "a"),
    ("A a+", "a.x = NEXT(a).x", ANY, "EQUAL_SUMS", "a"),
    ("A a+", "a.t = NEXT(a).t", ANY, "EQUAL_SUMS", "a"),
    ("A a+", "a[i].x > 1", ANY, "TOTAL", "a"),
    ("A a+", "a[i-1].x > a[i].x AND a[i].seq > 0", ANY, "PREFIX_SUMS", "a"),
    ("SEQ(A a, B b)", "a.x < b.x", ANY, "PREFIX_SUMS", "b"),
    ("SEQ(A a, B b)", "a.x + 1 < b.y", ANY, "PREFIX_SUMS", "b"),
    ("SEQ(A a, B b)", "a.x + b.x > 2", ANY, "SCAN", "b"),
    ("SEQ(A a+, !C, A b)", "a.x > NEXT(a).x AND a.x < NEXT(b).x", ANY, "PREFIX_SUMS", "b"),
    ("SEQ(A a+, !SEQ(C, D), B b)", "a.x = NEXT(b).x", ANY, "TOTAL EQUAL_SUMS", "a"),
    ("SEQ(A a, !C, B b)", "b.x > 0", ANY, "TOTAL", "a"),
    ("A a+", "a.x > NEXT(a).x", NEXT, "STACK", "a"),
    ("A a+", "a.x <= NEXT(a).x", NEXT, "STACK", "a"),
    ("A a+", "a.y < NEXT(a).y AND [k]", NEXT, "STACK", "a"),
    ("A a+", "a.x >= NEXT(a).x", KLEENE, "STACK", "a"),
    ("SEQ(A a+, B b)", "a.x > NEXT(a).x", NEXT, "STACK", "a"),
    ("SEQ(A a+, B b)", "a.x > NEXT(a).x", KLEENE, "STACK", "b"),
    ("A a+", "a.x = NEXT(a).x", NEXT, "TREE", "a"),
    ("A a+", "a.x != NEXT(a).x", NEXT, "TREE", "a"),
    ("A a+", "a.x > NEXT(a).seq", NEXT, "TREE", "a"),
    ("SEQ(A a+, B b)", "a.x > NEXT(a).x AND a.x < NEXT(b).x", NEXT, "TREE", "a"),
    ("SEQ(A a+, B b)", "a.x > NEXT(a).x AND a.x < NEXT(b).x", KLEENE, "TREE", "b"),
    ("SEQ(A a+, B b)", "a.x > NEXT(a).x AND a[i].seq > 0", KLEENE, "TREE", "b"),
    ("SEQ(A a, B b)", "a.x <= b.x", NEXT, "TREE", "a"),
    ("SEQ(A a+, B b)", "b.x > 0", NEXT, "TOTAL", "a"),
    ("SEQ(A a+, B b)", "a.x > NEXT(a).x AND a.y < NEXT(b).y", NEXT, "SCAN", "a"),
    ("SEQ(A a+, !C, B b)", "a.x > NEXT(a).x", NEXT, "SCAN", "a"),
    ("(SEQ(A a+, B b))+", "a.x < NEXT(b).x", CONTIGUOUS, "SCAN", "a"),
]


@pytest.mark.parametrize(("pattern", "condition", "strategy", "structures", "variable"), CASES)
def test_structure(
    pattern: str, condition: str, strategy: str, structures: str, variable: str
) -> None:
    for number, window in enumerate(("", "", SLIDE, COUNTED)):
        stream = random_events(number, 11, 9, 4)
        text = query_text(pattern, condition, strategy, window, variable)
        query = bound_of(text, stream)
        _, adjacent = program_of(query)
        assert adjacent is not None
        assert {each.structure.name for each in adjacent.edges} <= set(structures.split())
        rows = value_rows(query, variable, stream)
        assert rows is not None
        assert summed(rows) == expected(query, stream)


@pytest.mark.parametrize(
    ("pattern", "condition", "strategy", "structures", "variable"),
    [case for case in CASES if "SCAN" not in case[3]],
)
@pytest.mark.parametrize("window", ["", "WITHIN 60 SLIDE 15"])
def test_large_counts_as_by_a_scan(
    pattern: str, condition: str, strategy: str, structures: str, variable: str, window: str
) -> None:
    del structures
    stream = random_events(5, 300, 150, 40)
    query = bound_of(query_text(pattern, condition, strategy, window, variable), stream)
    looked_up = value_rows(query, variable, stream)
    scanned = value_rows(query, variable, stream, only=StructureCode.SCAN)
    assert looked_up is not None
    assert scanned is not None
    for one, other in (
        (looked_up.owner, scanned.owner),
        (looked_up.window, scanned.window),
        (looked_up.low, scanned.low),
        (looked_up.least, scanned.least),
    ):
        assert one.tolist() == other.tolist()
    assert looked_up.owner.size
    np.testing.assert_allclose(*(_doubles(each) for each in (looked_up, scanned)), rtol=1e-12)


def _doubles(rows: Any) -> Any:
    return rows.mantissa * 2.0 ** (512.0 * rows.tier)


def count_of(pattern: str, stream: str) -> int:
    listed = [dict(each) for each in events(stream)]
    query = bound_of(f"PATTERN {pattern} RETURN COUNT(*)", listed)
    variable = query.pattern.positive_variables[0]
    rows = value_rows(query, variable, listed)
    assert rows is not None
    return int(rows.low[0, 0])


def test_cogra_table_7() -> None:
    stream = "a1(x=0) b2(x=1) a3(x=2) a4(x=2) c5(x=0) b6(x=2) a7(x=2) b8(x=1)"
    assert count_of("(SEQ(A+, B))+ WHERE B.x < NEXT(A).x", stream) == 33


def test_cogra_definition_2_6() -> None:
    stream = "s1(x=10) s2(x=12) s3(x=8)"
    assert count_of(f"S+ {NEXT} WHERE S.x > NEXT(S).x", stream) == 5
    assert count_of(f"SEQ(A, B) {NEXT}", "a1 a2 b3") == 2


def test_hamlet_example_3_12() -> None:
    stream = """
        a1 a2 c3 b4(x=0, seq=1) b5(x=5, seq=1) b6(x=0, seq=5) b7(x=0, seq=1)
        a8 a9 c10 c11 c12 b13(x=0, seq=1)
    """
    assert count_of("SEQ(C, B+) WHERE B.x != NEXT(B).seq", stream) == 26


def test_integers_are_compared_without_loss() -> None:
    large = 2**62
    stream = [EXAMPLE | {"type": "A", "time": at, "x": large + at % 2} for at in range(4)]
    for strategy in (ANY, NEXT):
        query = bound_of(f"PATTERN A a+ {strategy} WHERE a.x > NEXT(a).x RETURN COUNT(*)", stream)
        for only in (None, StructureCode.SCAN):
            rows = value_rows(query, "a", stream, only=only)
            assert rows is not None
            assert rows.low[0, 0] == 5


def test_a_sum_that_leaves_64_bits_is_an_error() -> None:
    stream = [EXAMPLE | {"type": "A", "time": at, "x": 2**62 + at} for at in range(3)]
    for strategy in (ANY, NEXT):
        for side in ("a.x + a.x", "a.x * 4"):
            text = f"PATTERN A a+ {strategy} WHERE {side} > NEXT(a).x RETURN COUNT(*)"
            with pytest.raises(cepheid.DataError):
                value_rows(bound_of(text, stream), "a", stream)


@pytest.mark.parametrize("strategy", [ANY, NEXT, KLEENE])
def test_an_attribute_that_a_type_lacks(strategy: str) -> None:
    shared = ("time", "seq", "k", "y", "t")
    declared = {"A": (*shared, "x"), "B": shared, "C": shared, "D": shared}
    for seed, operator in enumerate(("<", ">=", "=", "!=")):
        stream = random_events(seed, 9, 9, 3)
        condition = f"a.x {operator} NEXT(a).x"
        text = query_text("ANY(A, B) a+", condition, strategy, "", "a").replace("a.x)", "a.seq)")
        query = bound_of(text, stream, declared=declared)
        rows = value_rows(query, "a", stream)
        assert rows is not None
        asked = {window: each[:2] for window, each in summed(rows).items()}
        assert asked == {window: each[:2] for window, each in expected(query, stream).items()}


@pytest.mark.parametrize("strategy", [NEXT, KLEENE])
def test_many_concurrent_events(strategy: str) -> None:
    stream = random_events(3, 300, 3, 40)
    text = query_text("SEQ(A a+, B b)", "a.x > NEXT(a).x", strategy, "", "a")
    query = bound_of(text, stream)
    rows = [value_rows(query, "a", stream, only=only) for only in (None, StructureCode.SCAN)]
    assert rows[0] is not None
    assert rows[1] is not None
    assert rows[0].low.tolist() == rows[1].low.tolist()


def test_no_events() -> None:
    for window in ("", SLIDE):
        query = bound_of(f"PATTERN A a+ WHERE a.x > NEXT(a).x {window} RETURN COUNT(*)", [])
        rows = value_rows(query, "a", [])
        assert rows is not None
        assert rows.owner.size == 0


def test_windows_with_the_same_events_have_a_row_each() -> None:
    stream = [EXAMPLE | {"type": "A", "time": at, "x": -at} for at in (0, 1)]
    query = bound_of("PATTERN A a+ WHERE a.x > NEXT(a).x WITHIN 9 SLIDE 1 RETURN COUNT(*)", stream)
    rows = value_rows(query, "a", stream)
    assert rows is not None
    assert rows.window.tolist() == list(range(-8, 2))
    assert rows.low[:, 0].tolist() == [1, *[3] * 8, 1]
