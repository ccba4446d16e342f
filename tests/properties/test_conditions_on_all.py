"""Conditions on every event of a repetition: right, and cheap unless EXPLAIN says otherwise.

`a.x < b.x` with `A+ a` is asked of all events of a. A run needs the largest value for it, and not
its events; NULL and NaN, repetitions that come back and variables without events are exceptions.
"""

import datetime
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.language import ast
from cepheid.language.printer import print_pattern
from cepheid.plan.physical import Overlaps
from tests.oracle import ask
from tests.properties.comparison import as_multiset, expected, table_of
from tests.properties.drawn_patterns import count_positions, name_events
from tests.properties.queries import ATTRIBUTES_OF_TYPES, Case
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401
from tests.properties.test_non_overlapping import block_bounds, crowds, kleene_patterns

OUTPUTS = ("ALL", "NON OVERLAPPING", "NON OVERLAPPING", "LONGEST", "SHORTEST", "FIRST", "LAST")
LIVE_LIMIT = 4000
MAY_GROW = "until live_limit stops the query"


@st.composite
def conditions(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """A comparison of two variables, of which often all events of one are compared."""
    arrays = [name for name, repeats in names.items() if repeats]
    name = draw(st.sampled_from(arrays))
    other = draw(st.sampled_from(list(names)))
    operator = draw(st.sampled_from(("<", "<", "<=", ">", ">=", "=", "!=")))
    forms = (
        f"{name}.x {operator} {other}.x",
        f"{name}.x {operator} {other}.x",
        f"{other}.x {operator} {name}.x",
        f"NOT {name}.x {operator} {other}.x",
        f"{name}.x + 1 {operator} {other}.x * 2",
        f"1 - {name}.x {operator} {other}.x - 1",
        f"{name}.type {operator} {other}.type",
        f"({name}.x {operator} {other}.x OR {other}.k = 1)",
        f"{name}.x {operator} {other}.x + {draw(st.sampled_from(list(names)))}.k",
    )
    return draw(st.sampled_from(forms))


@st.composite
def cases_of_all(draw: st.DrawFn, *, longest: int) -> Case:
    """Repetitions, perhaps optional parts and OR, with conditions on all of their events."""
    names: dict[str, bool] = {}
    pattern = draw(kleene_patterns(negates=False))
    if draw(st.integers(0, 3)) == 0:
        event: ast.Pattern = ast.EventPattern((draw(st.sampled_from("ABC")),))
        part = ast.Repeat(event, 0, 1) if draw(st.booleans()) else event
        kind = ast.Sequence if draw(st.integers(0, 2)) else ast.Alternation
        pattern = kind((pattern, part)) if draw(st.booleans()) else kind((part, pattern))
    pattern = name_events(pattern, names)
    assume(any(names.values()) and len(names) > 1 and count_positions(pattern) <= 6)
    where = [draw(conditions(names)) for _ in range(draw(st.integers(1, 2)))]
    if draw(st.integers(0, 3)) == 0:
        where.append("[k]")
    clauses = [f"PATTERN {print_pattern(pattern)}", f"WHERE {' AND '.join(where)}"]
    output = draw(st.sampled_from(OUTPUTS))
    if output in ("FIRST", "LAST") or draw(st.booleans()):
        clauses.append(f"WITHIN {draw(st.sampled_from((3, 6, 40)))}")
    columns = ", ".join(f"{name}.time, {name}.x, {name}.seq" for name in names)
    clauses += [f"RETURN {columns}", f"OUTPUT {output}"]
    order = draw(st.sampled_from(((), ("seq",))))
    values = draw(st.sampled_from(((0, 1, 2, 3, None), (0, 1, 2, 3))))
    events = draw(crowds(longest=longest, values=values))
    schemas = draw(st.none() | st.none() | ATTRIBUTES_OF_TYPES)
    if schemas is not None:
        events = [
            {name: each[name] if name in ("type", "time", *schemas[each["type"]]) else None
             for name in each}
            for each in events
        ]  # fmt: skip
    return Case("\n".join(clauses), events, order, schemas)


@settings(max_examples=400)
@given(cases_of_all(longest=8))
def test_any_query(case: Case) -> None:
    assume_binds(case)
    found = cepheid.query(case.text).run(
        table_of(case), time="time", type="type", order=case.order, schemas=case.schemas
    )
    assert as_multiset(found.to_pylist()) == expected(case)


DAY = datetime.date(2024, 1, 1)
COLUMNS = {
    "integers": [3, 1, 2, 2, 4, 3],
    "large integers": [2**62 + 1, 2**62, 2**62 - 1, 3, 2**62 + 2, 2**62 + 1],
    "floats": [0.0, -0.0, math.nan, 1.5, math.inf, 1.5],
    "texts": ["b", "a", "", "ab", "c", "b"],
    "times": [datetime.datetime(2024, 1, each) for each in (3, 1, 2, 2, 4, 3)],
    "dates": [DAY + datetime.timedelta(each) for each in (3, 1, 2, 2, 4, 3)],
    "decimals": [Decimal(f"90.{each}") for each in (10, 11, 12, 10, 13, 11)],
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "="])
@pytest.mark.parametrize("nothing", [None, 1, 4])
def test_types(column: str, operator: str, nothing: int | None) -> None:
    """Of every type that has an order, with NULL in an event of the repetition or beside it."""
    values = list(COLUMNS[column])
    if nothing is not None:
        values[nothing] = None
    events = [
        {"type": kind, "time": time, "x": value}
        for time, (kind, value) in enumerate(zip("AAAABB", values, strict=True))
    ]
    for output in ("ALL", "NON OVERLAPPING", "LONGEST"):
        text = f"PATTERN SEQ(A+ a, B b) WHERE a.x {operator} b.x RETURN a.time OUTPUT {output}"
        found = cepheid.query(text).run(pa.Table.from_pylist(events), time="time", type="type")
        assert as_multiset(found.to_pylist()) == as_multiset(ask(text, events))


def test_what_is_replaced() -> None:
    """Only where one value of a repetition decides."""

    def overlaps(query: str) -> Overlaps:
        choice = cepheid.query(f"PATTERN {query} OUTPUT NON OVERLAPPING").plan().overlaps
        assert choice is not None
        return choice.value

    for condition in ("a.x < b.x", "b.x >= a.x", "NOT a.x <= b.x", "a.x = b.x", "a.x < 2 - b.x"):
        assert overlaps(f"SEQ(A+ a, B b) WHERE {condition}") is Overlaps.START_ANEW
    for query in (
        "SEQ(A+ a, B? b) WHERE a.x < b.x",  # without b it holds
        "SEQ(A+ a, B b) WHERE a.x != b.x",
        "SEQ((SEQ(A a, C c))+, B b) WHERE a.x < b.x",  # a[] is the last A only
        "SEQ(A+ a, B b) WHERE a.x < b.x OR b.x = 1",
        "SEQ(A+ a, B b) WHERE a.x + a.y < b.x",
    ):
        assert overlaps(query) is Overlaps.WHOLE_RUNS


@st.composite
def long_cases(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]]]:
    """Sixty events at different times, and up to two conditions of any kind."""
    names: dict[str, bool] = {}
    pattern = name_events(draw(kleene_patterns(negates=False)), names)
    assume(any(names.values()) and count_positions(pattern) <= 6)
    kinds = block_bounds(names) | (conditions(names) if len(names) > 1 else block_bounds(names))
    where = [draw(kinds) for _ in range(draw(st.integers(1, 2)))]
    text = f"PATTERN {print_pattern(pattern)} WHERE {' AND '.join(where)} OUTPUT NON OVERLAPPING"
    random = draw(st.randoms(use_true_random=False))
    events = [
        {"type": random.choice("AAABC"), "time": time, "seq": 0, "k": random.randint(1, 2),
         "x": random.randint(0, 30)}
        for time in range(60)
    ]  # fmt: skip
    return text, events


@settings(max_examples=150)
@given(long_cases())
def test_what_grows_is_said_to_grow(drawn: tuple[str, list[dict[str, Any]]]) -> None:
    """EXPLAIN names every query of which sixty events keep thousands of runs."""
    case = Case(*drawn, ())
    assume_binds(case)
    query = cepheid.query(case.text)
    overlaps = query.plan().overlaps
    assert overlaps is not None
    try:
        query.run(table_of(case), time="time", type="type", live_limit=LIVE_LIMIT)
    except cepheid.LiveStateError:
        assert overlaps.value is Overlaps.WHOLE_RUNS or MAY_GROW in overlaps.reason
