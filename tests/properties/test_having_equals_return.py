"""A column of RETURN, the same text in HAVING, and the oracle agree."""

import datetime as dt
from collections import Counter
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.errors import BindingError
from tests.oracle import bind, evaluate
from tests.properties.comparison import as_multiset

START = dt.datetime(2024, 1, 1)
QUERY = "PATTERN SEQ(A a, B b) WHERE [k] AND a.d IS NOT NULL AND b.d IS NOT NULL GROUP BY k "
LENGTHS = (
    "(MAX(b.t) - MIN(a.t))", "AVG(b.t - a.t)", "SUM(b.t - a.t)", "(MIN(b.t) - MAX(a.t))",
    "(COUNT(*) * 1 minute)", "(1.5 * 2 minutes)",
)  # fmt: skip
LARGE = 2**53
INTEGERS = (LARGE - 1, LARGE, LARGE + 1, LARGE + 2, -LARGE - 1)
UNSIGNED = (3, LARGE + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1)
DECIMALS = ("0.10", "0.20", "0.30", "-0.10", "90071992.54", "90071992.55")
NUMBERS = (
    "COUNT(*)", "SUM(a.n)", "AVG(b.n)", "MIN(a.n)", "MAX(b.n)", "MAX(b.d)", "SUM(a.d)", "MIN(a.u)",
    "MAX(b.u)", "MAX(a.f)",
)  # fmt: skip
LITERALS = ("3", "0.3", str(LARGE + 1), f"{LARGE}.5", str(2**63), str(2**63 + 1))
TEXTS = ("MAX(a.s)", "MIN(b.s)")
lengths = st.recursive(
    st.sampled_from(LENGTHS),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from("+-"), inner)
        | inner.map("(-({}))".format)
        | inner.map("abs({})".format)
        | inner.map("(({}) / 2)".format)
        | st.builds("greatest({}, {})".format, inner, inner)
    ),
    max_leaves=3,
)
times = st.sampled_from(("MIN(a.t)", "MAX(b.t)", "MAX(b.t) - 5 minutes", "MIN(a.t) + 5 minutes"))
texts = st.sampled_from(
    (*TEXTS, "'x2'", "upper(MAX(a.s))", "MAX(a.s) || MIN(b.s)", "CAST(COUNT(*) AS STRING)",
     "CAST(SUM(a.n) AS STRING)", "CAST(MAX(b.u) AS STRING) || MAX(a.s)")
)  # fmt: skip
COMPUTED = (
    "round(AVG(b.n), 1)", "coalesce(MIN(a.n), 0)", "length(MAX(a.s))", "MAX(b.n) - MIN(a.n)",
    "MAX(b.n) % 2", "-MIN(a.n)", "abs(MIN(a.n))", "SUM(a.d) + 0.2", "MAX(b.d) - MIN(a.d)",
    "MAX(b.d) * 3", "greatest(MAX(a.n), COUNT(*))", "nullif(MAX(b.n), 9007199254740993)",
    "CASE WHEN COUNT(*) > 1 THEN MIN(a.n) ELSE MAX(b.d) END", "coalesce(MAX(a.u), 1)",
    "COUNT(*) / 2", "SUM(a.n) + COUNT(*) * 2", "CAST(SUM(a.d) AS INT)", "round(SUM(a.d), 1)",
    "SUM(a.d * 2)", "SUM(a.d + b.d) + 0.1", "AVG(-a.d)", "SUM(a.d * 3 - 0.05)", "SUM(b.d - a.d)",
)  # fmt: skip
values = st.sampled_from((*NUMBERS, *COMPUTED))
numbers = st.sampled_from((*NUMBERS, *COMPUTED, *LITERALS))
comparisons = st.sampled_from(("<", "<=", "=", "!=", ">", ">="))
atoms = st.one_of(
    *(
        st.builds("{} {} {}".format, each, comparisons, each)
        for each in (lengths, times, numbers, texts)
    ),
    lengths.map("{} BETWEEN 1 minute AND 6 minutes".format),
    lengths.map("{} IN (100 seconds, 5 minutes)".format),
    numbers.map("{} IN (1, 3, 7, 9007199254740993, 9223372036854775809)".format),
    numbers.map("{} BETWEEN 0.1 AND 9007199254740992".format),
    st.builds("{} IS DISTINCT FROM {}".format, numbers, numbers),
    numbers.map("{} IS NULL".format),
    texts.map("{} LIKE 'x%'".format),
    times.map("hour({}) = 0".format),
    st.builds("coalesce({}, 1 minute) > 3 minutes".format, lengths),
)
conditions = st.recursive(
    atoms,
    lambda inner: (
        inner.map("NOT ({})".format)
        | st.builds("({} {} {})".format, inner, st.sampled_from(("AND", "OR")), inner)
    ),
    max_leaves=3,
)
Row = tuple[str, int, int | None, str | None, int, str]
rows = st.lists(
    st.tuples(
        st.sampled_from("AB"),
        st.integers(0, 2),
        st.none() | st.integers(-3, 7) | st.sampled_from(INTEGERS),
        st.none() | st.sampled_from(("x1", "x2", "y")),
        st.sampled_from(UNSIGNED),
        st.sampled_from(DECIMALS),
    ),
    max_size=9,
)


def table(found: list[Row]) -> pa.Table:
    """Return events, 100 seconds apart."""
    return pa.table(
        {
            "t": pa.array(
                [START + dt.timedelta(seconds=100 * each) for each in range(len(found))],
                pa.timestamp("us"),
            ),
            "ts": pa.array([100 * each for each in range(len(found))], pa.int64()),
            "kind": pa.array([each[0] for each in found], pa.string()),
            "k": pa.array([each[1] for each in found], pa.int64()),
            "n": pa.array([each[2] for each in found], pa.int64()),
            "s": pa.array([each[3] for each in found], pa.string()),
            "u": pa.array([each[4] for each in found], pa.uint64()),
            "d": pa.array([Decimal(each[5]) for each in found], pa.decimal128(10, 2)),
            "f": pa.array([float(each[5]) for each in found], pa.float64()),
        }
    )


def run(text: str, events: pa.Table, time: str = "t") -> list[dict[str, object]]:
    """Return the rows of a query."""
    result: list[dict[str, object]] = (
        cepheid.query(QUERY + text).run(events, time=time, type="kind").to_pylist()
    )
    return result


@settings(max_examples=60, deadline=None)
@given(conditions, rows)
def test_a_condition_is_the_same(condition: str, found: list[Row]) -> None:
    events = table(found)
    shown = run(f"RETURN COUNT(*), {condition} AS holds", events)
    kept = run(f"RETURN COUNT(*) HAVING {condition}", events)
    assert [each["k"] for each in kept] == [each["k"] for each in shown if each["holds"]]
    assert as_multiset(shown) == judged(f"RETURN COUNT(*), {condition} AS holds", events)


@settings(max_examples=60, deadline=None)
@given(values | times | texts.filter(lambda each: each != "'x2'"), rows)
def test_a_value_is_what_the_oracle_says(value: str, found: list[Row]) -> None:
    events = table(found)
    text = f"RETURN COUNT(*), {value} AS found"
    assert as_multiset(run(text, events)) == judged(text, events)


def judged(text: str, events: pa.Table) -> Counter[tuple[Any, ...]]:
    """Return what the oracle says."""
    query = bind(QUERY + text, event_schema(events.schema, ColumnRoles("t", "kind")))
    return as_multiset(evaluate(query, events.to_pylist()))


@settings(max_examples=30, deadline=None)
@given(lengths, rows)
def test_an_alias_is_what_it_stands_for(length: str, found: list[Row]) -> None:
    events = table(found)
    by_name = run(f"RETURN COUNT(*), {length} AS r HAVING r > 200 seconds", events)
    spelled = run(f"RETURN COUNT(*), {length} AS r HAVING {length} > 200 seconds", events)
    assert by_name == spelled


EVENTS: list[Row] = [
    ("A", 1, 1, "x1", 3, "0.10"),
    ("B", 1, 2, "y", 3, "0.20"),
    ("A", 1, 3, None, 3, "0.30"),
    ("B", 1, 4, "x2", 3, "0.10"),
]


def test_the_length_of_a_match_of_one_event() -> None:
    text = (
        "PATTERN A a GROUP BY k RETURN AVG(duration(match)) AS v HAVING AVG(duration(match)) >= 0s"
    )
    found = cepheid.query(text).run(table(EVENTS), time="t", type="kind").to_pylist()
    assert found == [{"k": 1, "v": 0.0}]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("MAX(b.ts) - MIN(a.ts) > 4 minutes", True),
        ("MAX(b.ts) - MIN(a.ts) > 6 minutes", False),
        ("AVG(b.ts - a.ts) > 2 minutes", True),
        ("AVG(b.ts - a.ts) + 1 minute > 4 minutes", False),
        ("AVG(b.ts - a.ts) BETWEEN 160 seconds AND 170 seconds", True),
    ],
)
def test_times_that_are_integers(condition: str, holds: bool) -> None:
    events = table(EVENTS)
    shown = run(f"RETURN {condition} AS holds", events, "ts")
    assert [each["holds"] for each in shown] == [holds]
    assert bool(run(f"RETURN COUNT(*) HAVING {condition}", events, "ts")) is holds


def test_literals_are_columns_of_every_group() -> None:
    (row,) = run(
        "RETURN COUNT(*), 1 + 1 AS two, upper('x') AS text, 1.5 * 2 minutes AS long", table(EVENTS)
    )
    assert row == {"k": 1, "count": 3, "two": 2, "text": "X", "long": 180_000_000}


def test_lengths_have_values() -> None:
    text = (
        "RETURN MAX(b.t) - MIN(a.t) AS whole, AVG(b.t - a.t) + 1 minute AS later, "
        "(MAX(b.t) - MIN(a.t)) / 8 AS part, COUNT(*) * 1 minute AS many, abs(MIN(a.t) - MAX(b.t)) "
        "AS size HAVING whole > 250 seconds AND later < 4 minutes"
    )
    (row,) = run(text, table(EVENTS))
    assert row == {
        "k": 1, "whole": 300_000_000, "later": pytest.approx(226_666_666.67), "part": 37_500_000,
        "many": 180_000_000, "size": 300_000_000,
    }  # fmt: skip


@pytest.mark.parametrize("where", ["AS dur HAVING dur > 300", "> 300 AS x", "AS x HAVING -x < 3"])
def test_a_length_needs_a_unit(where: str) -> None:
    with pytest.raises(BindingError, match="has a unit"):
        run(f"RETURN MAX(b.t) - MIN(a.t) {where}", table(EVENTS))
