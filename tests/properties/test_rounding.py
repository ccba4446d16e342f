"""Sums of any floats: the error is small beside the sum of the magnitudes."""

import math
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import cepheid
from tests.oracle import bind, evaluate, schema_of
from tests.properties.queries import Case

PATTERNS = (
    "A+",
    "SEQ(A a, B? b, A+ c)",
    "(SEQ(A+, B))+",
    "A+ SEMANTICS skip-till-next-match",
    "A{1,3} SEMANTICS contiguous",
    "A+ WHERE A.time < NEXT(A).time",
    "SEQ(A a+, B b) WHERE a[1].time < b.time",
)
WINDOWS = ("", "WITHIN 5 SLIDE 2", "WITHIN 5")
COLUMNS = (
    "SUM(A.x) AS total, AVG(A.x) AS mean, SUM(A.size) AS sizes, COUNT(A.x) AS n, MIN(A.x) AS least"
)
ERROR = 1e-12

numbers = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Events with floats of any size, and their absolute values."""
    values = draw(st.lists(numbers | st.sampled_from((0.1, -0.1, 1e16, -1e16)), max_size=8))
    events = [
        {"type": draw(st.sampled_from("AAB")), "time": time, "x": x, "size": abs(x)}
        for time, x in enumerate(values)
    ]
    pattern, window = draw(st.sampled_from(PATTERNS)), draw(st.sampled_from(WINDOWS))
    return Case(f"PATTERN {pattern} {window} RETURN {COLUMNS}", events, ())


@settings(max_examples=150)
@given(cases())
def test_rounding(case: Case) -> None:
    columns = [("type", pa.string()), ("time", pa.int64()), ("x", pa.float64())]
    schema = pa.schema([*columns, ("size", pa.float64())])
    table = pa.Table.from_pylist(list(case.events), schema=schema)
    found = cepheid.query(case.text).run(table, time="time", type="type").to_pylist()
    blank = {"type": "A", "time": 0, "x": 0.5, "size": 0.5}
    expected = evaluate(bind(case.text, schema_of([blank])), case.events)
    assert len(found) == len(expected)
    for row, right in zip(_sorted(found), _sorted(expected), strict=True):
        _check(row, right)


def _sorted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row.get("window_start", row.get("time", 0)))


def _check(row: dict[str, Any], right: dict[str, Any]) -> None:
    assert row["n"] == right["n"]
    assert row["least"] == right["least"]
    if right["total"] is None:
        assert row["total"] is None
        assert row["mean"] is None
        return
    assert math.isclose(row["sizes"], right["sizes"], rel_tol=ERROR)
    assert abs(row["total"] - right["total"]) <= ERROR * right["sizes"]
    assert abs(row["mean"] - right["mean"]) <= ERROR * right["sizes"] / right["n"]
