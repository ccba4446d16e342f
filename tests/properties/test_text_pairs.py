"""Tests of texts of two events mean what the oracle says, on tables and on streams."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cepheid
from tests.oracle import evaluate
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import SCHEMA, bound, table_of
from tests.properties.comparison import as_multiset
from tests.properties.queries import Case
from tests.properties.stream_steps import drive, ended, program_of, rows_of, splits
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401

SLOW = settings.get_profile("quick").suppress_health_check
TEXTS = st.sampled_from(("a", "b", "ab", "ba", "", "Ab", "aab", None))
TESTS = (
    "contains({1}.s, {0}.s)", "starts_with({1}.s, {0}.s)", "ends_with({0}.s, {1}.s)",
    "{0}.s || {1}.s = 'ab'", "coalesce({1}.s, {0}.s) LIKE 'a%'", "length({0}.s || {1}.s) > 2",
    "upper({1}.s) || {0}.s IN ('AB', 'Aa', 'ABb')", "({0}.s || {1}.s) IS NULL",
    "CASE WHEN contains({1}.s, {0}.s) THEN {1}.x ELSE 0 END >= 1",
    "contains(lower({1}.s), lower({0}.s)) = ({0}.x < {1}.x)",
)  # fmt: skip
PATTERNS = (
    ("SEQ(A a, B b)", "a", "b"), ("SEQ(A a, C+ c, B b)", "a", "b"), ("SEQ(A+ a, B b)", "a", "b"),
    ("SEQ(A a, B+ b)", "a", "b[b.LEN]"), ("SEQ(A a, !C c, B b)", "a", "c"),
    ("A{2,} a", "a[i]", "a[i-1]"), ("SEQ(A a, C? c, B b)", "c", "b"),
)  # fmt: skip


@st.composite
def text_cases(draw: st.DrawFn) -> Case:
    """A query with one such test or two, that returns matches or counts them."""
    pattern, *names = draw(st.sampled_from(PATTERNS))
    tests = [
        draw(st.sampled_from(("", "", "NOT "))) + f"({draw(st.sampled_from(TESTS)).format(*names)})"
        for _ in range(draw(st.integers(1, 2)))
    ]
    where = draw(st.sampled_from((" AND ", " OR "))).join(tests)
    text = f"PATTERN {pattern} WHERE ({where}) WITHIN {draw(st.integers(3, 9))}"
    counted = " SLIDE 3 RETURN COUNT(*) AS n, MAX(A.x) AS most"
    text += draw(st.sampled_from((" RETURN A.x, A.s", counted)))
    event = st.fixed_dictionaries(
        {
            "type": st.sampled_from("AABBC"),
            "time": st.integers(0, 6),
            "seq": st.integers(0, 2),
            "k": st.just(1),
            "x": st.sampled_from((0, 1, 2, None)),
            "s": TEXTS,
        }
    )
    return Case(text, draw(st.lists(event, min_size=2, max_size=7)), ())


def assert_same(case: Case, found: list[dict[str, Any]]) -> None:
    query = bound(case)
    expected = evaluate(query, case.events)
    if query.is_aggregate:
        assert_same_rows(query, found, expected)
    else:
        assert as_multiset(found) == as_multiset(expected)


@settings(max_examples=80)
@given(text_cases())
def test_on_a_table(case: Case) -> None:
    assert_same(
        case, cepheid.query(case.text).run(table_of(case), time="time", type="type").to_pylist()
    )


@settings(max_examples=30, suppress_health_check=[*SLOW, HealthCheck.large_base_example])
@given(st.data())
def test_on_a_stream(data: st.DataObject) -> None:
    case = data.draw(text_cases())
    program = program_of(case, SCHEMA)
    batches = data.draw(splits(case.events, delay=2))
    steps = drive(program, data.draw(ended(batches)), schema=SCHEMA)
    assert_same(case, rows_of(program, steps, SCHEMA))


def test_too_many_pairs() -> None:
    names = {"type": ["A", "B"] * 3000, "s": [str(each) for each in range(6000)]}
    events = pa.table({"time": range(6000)} | names)
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE contains(b.s, a.s) WITHIN 2")
    with pytest.raises(cepheid.DataError, match="6,000 texts of 's' and 6,000 of 's'"):
        query.run(events, time="time", type="type")
