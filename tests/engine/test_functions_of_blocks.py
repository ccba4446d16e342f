"""Tests and functions of what a match has of a repeated variable: each against plain Python."""

import datetime as dt
import statistics
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import cepheid

Row = dict[str, Any]
START = dt.datetime(2024, 1, 1, 22, 30)
EVENTS = pa.table(
    {
        "t": [START + dt.timedelta(minutes=40 * each) for each in range(7)],
        "kind": list("AAABAAB"),
        "n": [1, None, 3, 4, 5, 2, 9],
        "s": ["x1", "y", None, "z", "x2", "x3", "w"],
    }
)
BLOCK = "array(a[].n) AS n, array(a[].s) AS s, array(a[].t) AS t"


def known(values: list[Any]) -> list[Any]:
    """Return values that are not NULL."""
    return [each for each in values if each is not None]


def total(row: Row) -> int | None:
    """Return the sum of n."""
    return sum(known(row["n"])) if known(row["n"]) else None


def second(values: list[Any]) -> Any:
    """Return what the second event has."""
    return values[1] if len(values) > 1 else None


def is_in(value: Any, *members: Any) -> bool | None:
    """IN as in SQL."""
    if value is None:
        return None
    return True if value in known(list(members)) else None if None in members else False


def apply(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function of which NULL is NULL."""
    return None if value is None else function(value)


CASES: dict[str, Callable[[Row], Any]] = {
    "sum(a[].n) IN (3, 4, 6)": lambda row: is_in(total(row), 3, 4, 6),
    "sum(a[].n) NOT IN (3, 4)": lambda row: apply(lambda x: not x, is_in(total(row), 3, 4)),
    "a.LEN IN (1, 3)": lambda row: len(row["n"]) in (1, 3),
    "a[2].n IN (2, 3, NULL)": lambda row: is_in(second(row["n"]), 2, 3, None),
    "upper(a[2].s) = 'X2'": lambda row: apply(lambda x: x.upper() == "X2", second(row["s"])),
    "a[2].s LIKE 'x%'": lambda row: apply(lambda x: x[0] == "x", second(row["s"])),
    "hour(a[2].t) = 23": lambda row: apply(lambda x: x.hour == 23, second(row["t"])),
    "length(a[2].s || '!') + 1 = 4": lambda row: apply(lambda x: len(x) == 2, second(row["s"])),
    "median(a[].n * 2) > 4": lambda row: apply(
        lambda x: x > 4, statistics.median([2 * x for x in known(row["n"])]) if total(row) else None
    ),
    "count(DISTINCT a[].n % 2) = 1": lambda row: len({x % 2 for x in known(row["n"])}) == 1,
    "nth(a[].n * 2, 2) > 4": lambda row: apply(lambda x: 2 * x > 4, second(row["n"])),
    "max(length(a[].s)) = 2": lambda row: apply(
        lambda x: x == 2, max(map(len, known(row["s"])), default=None)
    ),
}


def run(text: str) -> list[Row]:
    """Return the rows of a query."""
    found: list[Row] = cepheid.query(text).run(EVENTS, time="t", type="kind").to_pylist()
    return found


@pytest.mark.parametrize("condition", CASES)
def test_where_and_return_agree_with_python(condition: str) -> None:
    rows = run(f"PATTERN SEQ(A+ a, B b) RETURN {BLOCK}, {condition} AS holds")
    expected = [CASES[condition](row) for row in rows]
    assert [row["holds"] for row in rows] == expected
    assert True in expected
    kept = run(f"PATTERN SEQ(A+ a, B b) WHERE {condition} RETURN {BLOCK}")
    wanted = [{k: v for k, v in row.items() if k != "holds"} for row in rows if row["holds"]]
    assert sorted(kept, key=repr) == sorted(wanted, key=repr)


def test_columns_of_expressions() -> None:
    text = (
        f"PATTERN SEQ(A+ a, B b) RETURN {BLOCK}, median(a[].n * 2) AS m, stddev(a[].n + 1) AS d, "
        "array(a[].n * 2) AS l, string_agg(upper(a[].s), '-') AS u, nth(a[].n + 1, 2) AS p, "
        "upper(a[2].s) AS f"
    )
    rows = run(text)
    assert len(rows) > 10
    for row in rows:
        n, s = known(row["n"]), known(row["s"])
        assert row["m"] == (statistics.median([2 * x for x in n]) if n else None)
        assert row["d"] == (pytest.approx(statistics.stdev(n)) if len(n) > 1 else None)
        assert row["l"] == [apply(lambda x: 2 * x, x) for x in row["n"]]
        assert row["u"] == ("-".join(s).upper() if s else None)
        assert row["p"] == apply(lambda x: x + 1, second(row["n"]))
        assert row["f"] == apply(str.upper, second(row["s"]))


def test_what_is_said_of_no_event_is_not_moved_into_one() -> None:
    rows = run("PATTERN SEQ(A+ a, B b) RETURN array(a[].s) AS s, coalesce(a[2].s, '-') AS c")
    assert [row["c"] for row in rows] == [second(row["s"]) or "-" for row in rows]


@pytest.mark.parametrize("scale", [1.6e308, 1e200, 1.0, 1e-200, 1e-300])
def test_deviations_far_from_one(scale: float) -> None:
    values = [each * scale for each in (1.0, 0.5, 1.0)]
    events = pa.table({"t": range(4), "kind": list("AAAB"), "x": [*values, 0.0]})
    expected = statistics.stdev([1.0, 0.5, 1.0]) * scale
    query = cepheid.query(
        "PATTERN SEQ(A{3} a, B b) "
        f"WHERE stddev(a[].x) > {expected * 0.999!r} AND stddev(a[].x) < {expected * 1.001!r} "
        "RETURN stddev(a[].x) AS s"
    )
    (row,) = query.run(events, time="t", type="kind").to_pylist()
    assert row["s"] == pytest.approx(expected, rel=1e-12, abs=0)
