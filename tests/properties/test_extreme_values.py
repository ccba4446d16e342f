"""Integers at the limits of 64 bits, infinities, NaN and only NULL, with timestamps as time."""

import datetime
import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.analysis.attribute_types import AttributeType
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.plan.physical import NumberType
from cepheid.plan.rules.choose_numbers import choose_numbers
from cepheid.plan.run_options import Batch
from cepheid.program.lower import lower
from tests.oracle import bind, evaluate, schema_of
from tests.properties.queries import Case
from tests.properties.test_time_ranges import run_ranges

LINEAR = (
    "A+",
    "A a",
    "SEQ(A, B)",
    "SEQ(A a, B? b, A+ c)",
    "(SEQ(A+, B))+",
    "SEQ(A+, !C, B)",
    "A+ SEMANTICS skip-till-next-match",
    "A{1,3} SEMANTICS contiguous",
)
OTHERS = (
    "A+ WHERE A.x <= NEXT(A).x",
    "SEQ(A+, B) WHERE A.f < NEXT(B).f",
    "A+ WHERE A.f != NEXT(A).f SEMANTICS contiguous",
    "SEQ(A a+, B b) WHERE a[1].x < b.x",
    "SEQ(A a, B b, A c) WHERE a.f < c.f",
    "A+ WHERE -A.x <= NEXT(A).x",
    "SEQ(A+, B) WHERE A.x + 1 > NEXT(B).x SEMANTICS contiguous",
    "A+ a WHERE sum(a[..i-1].x) > a[i].x",
    "SEQ(A+ a, B b) WHERE avg(a[].x) > avg(a[].f)",
    "SEQ(A+ a, B b) WHERE min(a[].f) < max(a[].f)",
    "A+ WHERE A.n < NEXT(A).x",
    "SEQ(A+ a, B b) WHERE NOT sum(a[].n) = b.x",
)
WINDOWS = (
    "",
    "WITHIN 5 s SLIDE 2 s",
    "WITHIN 2 minutes SLIDE 1 s",
    "WITHIN 4 EVENTS SLIDE 1 EVENTS",
)
RECENT = ("WITHIN 5 s", "WITHIN 3 EVENTS")
COLUMNS = ", ".join(
    f"{function}(A.{attribute}) AS {function.lower()}_{attribute}"
    for attribute in "xfn"
    for function in ("SUM", "AVG", "MIN", "MAX", "COUNT")
)
LIMIT = 2**63
INTEGERS = (LIMIT - 1, -LIMIT, 2**62, -(2**62), 2**53, 1, 0, -1, None)
LARGE_FLOATS = (2.0**1023, 1.5 * 2.0**1023, -(2.0**1022), math.nan, None)
FLOATS = (math.inf, -math.inf, math.nan, 1e300, -1e300, 5e-324, 1.5, -0.0, None)
START = datetime.datetime(2024, 2, 29, 23, 59, 57)
BLANK = {"type": "A", "time": START, "x": 0, "f": 0.5, "size": 0.5, "n": None}
SCHEMA = pa.schema(
    [
        ("type", pa.string()),
        ("time", pa.timestamp("us")),
        ("x", pa.int64()),
        ("f", pa.float64()),
        ("size", pa.float64()),
        ("n", pa.null()),
    ]
)
ERROR = 1e-12


@st.composite
def extreme_cases(draw: st.DrawFn, patterns: tuple[str, ...], windows: tuple[str, ...]) -> Case:
    """Events within a few seconds, some of them concurrent; `size` is that of `f`."""
    integers = draw(st.sampled_from((INTEGERS, INTEGERS[2:], (2**53, 1, -(2**53)))))
    floats = draw(st.sampled_from((FLOATS, FLOATS, FLOATS[3:], FLOATS[:2], LARGE_FLOATS)))
    events = []
    for _ in range(draw(st.integers(1, 7))):
        f = draw(st.sampled_from(floats))
        event = {
            "type": draw(st.sampled_from("AAABC")),
            "time": START + datetime.timedelta(milliseconds=500 * draw(st.integers(0, 16))),
            "x": draw(st.sampled_from(integers)),
            "f": f,
            "size": None if f is None else abs(f),
            "n": None,
        }
        events.append(event)
    pattern, window = draw(st.sampled_from(patterns)), draw(st.sampled_from(windows))
    return Case(f"PATTERN {pattern} {window} RETURN {COLUMNS}, SUM(A.size) AS sizes", events, ())


def table_of(case: Case) -> pa.Table:
    return pa.Table.from_pylist(list(case.events), schema=SCHEMA)


def run_local(case: Case) -> pa.Table:
    return cepheid.query(case.text).run(table_of(case), time="time", type="type")


def run_in_ranges(case: Case, cuts: list[int]) -> pa.Table:
    """Fold ranges of time apart, or run the query as it is if that does not allow it."""
    roles = ColumnRoles("time", "type", (), None, None)
    plan = cepheid.query(case.text).plan(event_schema(SCHEMA, roles))
    program = lower(Batch(parallel_in_time=True).applied_to(plan))
    if not program.cuts_time:
        return run_local(case)
    table = table_of(case)
    borders = [START - datetime.timedelta(days=1), START + datetime.timedelta(days=1)]
    borders += [START + datetime.timedelta(seconds=each) for each in cuts]
    times = table.column("time").to_pylist()
    parts = [
        table.filter(pa.array([low <= each < high for each in times], pa.bool_()))
        for low, high in pairwise(sorted(borders))
    ]
    return run_ranges(program, table.schema, parts)


@settings(max_examples=150)
@given(extreme_cases(LINEAR, WINDOWS), st.lists(st.integers(0, 8), max_size=3))
def test_values_per_position(case: Case, cuts: list[int]) -> None:
    check(case, lambda: run_local(case))
    check(case, lambda: run_in_ranges(case, cuts))


@settings(max_examples=150)
@given(extreme_cases((*LINEAR, *OTHERS), (*WINDOWS, *RECENT, *RECENT)))
def test_every_method(case: Case) -> None:
    check(case, lambda: run_local(case))


def check(case: Case, run: Any) -> None:
    """Integers beyond 64 bits are an error, everything else is what the oracle says."""
    schema = schema_of([BLANK])
    schema = replace(schema, attributes={**schema.attributes, "n": AttributeType.NULL})
    query = bind(case.text, schema)
    expected = evaluate(query, case.events)
    sums = [row["sum_x"] for row in expected if row["sum_x"] is not None]
    is_bigint = choose_numbers(query).value is NumberType.BIGINT
    is_beyond = is_bigint and any(not -LIMIT <= each < LIMIT for each in sums)
    try:
        rows = run().to_pylist()
    except cepheid.DataError as error:
        has_extremes = any(abs(each["x"] or 0) >= LIMIT // 16 for each in case.events)
        is_right = "leaves the range of 64-bit integers" in str(error) and has_extremes
        if not is_right and not (is_beyond and "exceeds BIGINT" in str(error)):
            raise
        return
    assert not is_beyond
    assert len(rows) == len(expected)
    for row, right in zip(_sorted(rows), _sorted(expected), strict=True):
        _check_row(row, right)


def _sorted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row.get("window_start", row.get("time", 0)))


def _check_row(row: dict[str, Any], right: dict[str, Any]) -> None:
    assert row.keys() == right.keys()
    sizes = right["sizes"] if right["sizes"] is not None else 0.0
    for name, value in right.items():
        if value is None or name in ("window_start", "window_end", "time"):
            assert row[name] == value
            continue
        is_rounded = name in ("sum_f", "avg_f") and math.isfinite(sizes)
        slack = ERROR * sizes if is_rounded else 0.0
        expected = pytest.approx(value, rel=ERROR, abs=slack, nan_ok=True)
        assert row[name] == expected, (name, row[name], value)
        if isinstance(row[name], int):
            assert row[name] == value, name
