"""Aggregates with WITHIN alone: the queue of steps gives what the definitions say."""

import logging

import pyarrow as pa
import pytest
from hypothesis import given, settings

from cepheid.engine.trends.folds import fold_moving_window as recent
from cepheid.plan.physical import AggregateMethod
from cepheid.plan.planner import make_plan
from tests.engine.few_events import few_are
from tests.engine.recent_cases import RecentCase, long_stream, recent_cases, rows_of
from tests.oracle import bind, schema_of
from tests.properties.aggregate_comparison import assert_same_rows

AGGREGATES = "RETURN COUNT(*), SUM(a.x), MIN(a.x), MAX(b.x), AVG(b.x)"
NEXT = "SEMANTICS skip-till-next-match"


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Streams have events without partition on purpose."""
    caplog.set_level(logging.ERROR, logger="cepheid")


def check(case: RecentCase) -> None:
    """Few events, and short queues, are folded anew; so try it once without that."""
    expected = case.expected()
    assert_same_rows(case.query, case.found(), expected)
    with pytest.MonkeyPatch.context() as patch, few_are(-1):
        assert_same_rows(case.query, case.found(), expected)
        patch.setattr(recent, "few_steps", lambda _: 0)
        assert_same_rows(case.query, case.found(), expected)


@settings(max_examples=300)
@given(recent_cases(is_negated=False))
def test_plain(case: RecentCase) -> None:
    check(case)


@settings(max_examples=400)
@given(recent_cases(is_negated=True))
def test_negation(case: RecentCase) -> None:
    check(case)


@pytest.mark.parametrize("on_expiry", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        f"PATTERN SEQ(A a, B b) WITHIN 40 {AGGREGATES}",
        f"PATTERN SEQ(A a, C, B b) WHERE [k] WITHIN 90 {AGGREGATES}",
        f"PATTERN SEQ(A a, B+ b) {NEXT} WHERE [k] WITHIN 60 {AGGREGATES} GROUP BY g",
        f"PATTERN SEQ(A+ a, B b) WHERE [k] AND skip_till_next_match WITHIN 50 {AGGREGATES}",
        f"PATTERN SEQ(A+ a, B+ b) SEMANTICS contiguous WHERE [k] WITHIN 60 {AGGREGATES}",
        f"PATTERN SEQ(A+ a, B b) WHERE strict_contiguity WITHIN 60 {AGGREGATES}",
        f"PATTERN SEQ(!D, A a, B b) WITHIN 25 {AGGREGATES}",
        f"PATTERN SEQ(!D, A a, !C, B b, !D) WHERE [k] WITHIN 60 {AGGREGATES}",
        f"PATTERN SEQ(A a, !(C, D), B b) WHERE [k] WITHIN 60 {AGGREGATES} GROUP BY g",
        f"PATTERN SEQ(A a, B b, !(C, D)) WITHIN 30 {AGGREGATES}",
        f"PATTERN SEQ(A a OR SEQ(!D, C), B b) WHERE [k] WITHIN 60 {AGGREGATES} GROUP BY g",
        "PATTERN SEQ(!D, A, B) WHERE [k] WITHIN 60 RETURN COUNT(*)",
        "PATTERN A WHERE [k] WITHIN 30 RETURN COUNT(*)",
        "PATTERN SEQ(!D, A) WITHIN 30 RETURN COUNT(*)",
        f"PATTERN SEQ(A, C, B) {NEXT} WITHIN 60 RETURN COUNT(*)",
    ],
)
def test_equals_enumeration(text: str, on_expiry: bool) -> None:
    compare(text, on_expiry=on_expiry)


@pytest.mark.parametrize(
    "text",
    [
        f"PATTERN SEQ(A a, C, B b) WITHIN 30 EVENTS {AGGREGATES}",
        f"PATTERN SEQ(!D, A a, B b) WHERE [k] WITHIN 9 EVENTS {AGGREGATES}",
        f"PATTERN SEQ(A+ a, B b) {NEXT} WHERE [k] WITHIN 20 EVENTS {AGGREGATES} GROUP BY g",
    ],
)
def test_count_windows_equal_enumeration(text: str) -> None:
    compare(text)


def compare(text: str, *, on_expiry: bool = False) -> None:
    table = long_stream(seed=len(text), size=500, names="ABCD")
    query = bind(text, schema_of(table.slice(0, 1).to_pylist()))
    assert make_plan(query).method.value is AggregateMethod.POSITIONS
    found = rows_of(query, table, on_expiry=on_expiry)
    expected = rows_of(query, table, on_expiry=on_expiry, is_enumerated=True)
    assert len(expected) > 20
    assert_same_rows(query, found, expected)


def test_large_counts_come_and_go() -> None:
    """Nothing is subtracted: what has left the window leaves no trace."""
    types = "A" * 3000 + "B" + "C" * 3000 + "AB"
    events = [{"type": kind, "time": time} for time, kind in enumerate(types)]
    query = bind("PATTERN SEQ(A+, B) WITHIN 3000 RETURN COUNT(*) AS n", schema_of(events))
    found = rows_of(query, pa.Table.from_pylist(events))
    assert [row["n"] for row in found] == [float("inf"), 1.0]
