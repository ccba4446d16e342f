"""A column of RETURN and the same text in HAVING agree: times, lengths of time, functions."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.errors import BindingError

START = dt.datetime(2024, 1, 1)
QUERY = "PATTERN SEQ(A a, B b) WHERE [k] GROUP BY k "
LENGTHS = (
    "(MAX(b.t) - MIN(a.t))", "AVG(b.t - a.t)", "SUM(b.t - a.t)", "(MIN(b.t) - MAX(a.t))",
    "(COUNT(*) * 1 minute)", "(1.5 * 2 minutes)",
)  # fmt: skip
NUMBERS = ("COUNT(*)", "SUM(a.n)", "AVG(b.n)", "MIN(a.n)", "MAX(b.d)", "SUM(a.d)", "3")
TEXTS = ("MAX(a.s)", "MIN(b.s)", "k", "'x2'")
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
texts = st.sampled_from((*TEXTS[:2], "upper(MAX(a.s))", "MAX(a.s) || MIN(b.s)"))
numbers = st.sampled_from(
    (*NUMBERS, "round(AVG(b.n), 1)", "coalesce(MIN(a.n), 0)", "length(MAX(a.s))")
)
comparisons = st.sampled_from(("<", "<=", "=", "!=", ">", ">="))
atoms = st.one_of(
    *(
        st.builds("{} {} {}".format, each, comparisons, each)
        for each in (lengths, times, numbers, texts)
    ),
    lengths.map("{} BETWEEN 1 minute AND 6 minutes".format),
    lengths.map("{} IN (100 seconds, 5 minutes)".format),
    numbers.map("{} IN (1, 3, 7)".format),
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
rows = st.lists(
    st.tuples(
        st.sampled_from("AB"),
        st.integers(0, 2),
        st.none() | st.integers(-3, 7),
        st.none() | st.sampled_from(("x1", "x2", "y")),
    ),
    max_size=9,
)


def table(found: list[tuple[str, int, int | None, str | None]]) -> pa.Table:
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
            "d": pa.array(
                [None if each[2] is None else Decimal(each[2]) for each in found],
                pa.decimal128(10, 2),
            ),
            "s": pa.array([each[3] for each in found], pa.string()),
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
def test_a_condition_is_the_same(
    condition: str, found: list[tuple[str, int, int | None, str | None]]
) -> None:
    events = table(found)
    shown = run(f"RETURN COUNT(*), {condition} AS holds", events)
    kept = run(f"RETURN COUNT(*) HAVING {condition}", events)
    assert [each["k"] for each in kept] == [each["k"] for each in shown if each["holds"]]


@settings(max_examples=30, deadline=None)
@given(lengths, rows)
def test_an_alias_is_what_it_stands_for(
    length: str, found: list[tuple[str, int, int | None, str | None]]
) -> None:
    events = table(found)
    by_name = run(f"RETURN COUNT(*), {length} AS r HAVING r > 200 seconds", events)
    spelled = run(f"RETURN COUNT(*), {length} AS r HAVING {length} > 200 seconds", events)
    assert by_name == spelled


EVENTS: list[tuple[str, int, int | None, str | None]] = [
    ("A", 1, 1, "x1"),
    ("B", 1, 2, "y"),
    ("A", 1, 3, None),
    ("B", 1, 4, "x2"),
]


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
