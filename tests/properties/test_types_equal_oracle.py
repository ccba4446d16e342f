"""Decimals, integers beyond 2^53, NaN and times with a zone mean what the definitions say."""

import logging
from collections import Counter
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from tests.oracle import bind, evaluate
from tests.oracle.arithmetic import COMPARISONS
from tests.properties.comparison import as_multiset
from tests.properties.queries import Case
from tests.properties.stream_steps import drive, program_of, rows_of, splits
from tests.properties.typed_events import ZONES, schema_in, typed_cases, typed_streams

Row = dict[str, Any]
Side = list[tuple[str, str]]
SLOW = settings.get_profile("quick").suppress_health_check


def in_some_zone(*, is_aggregate: bool) -> st.SearchStrategy[tuple[pa.Schema, Case]]:
    return st.sampled_from(ZONES).flatmap(
        lambda zone: st.tuples(
            st.just(schema_in(zone)), typed_cases(zone, is_aggregate=is_aggregate)
        )
    )


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Streams have events without partition on purpose."""
    caplog.set_level(logging.ERROR, logger="cepheid")


def run_local(case: Case, schema: pa.Schema) -> list[dict[str, Any]]:
    table = pa.Table.from_pylist(list(case.events), schema=schema)
    rows: list[dict[str, Any]] = (
        cepheid.query(case.text).run(table, time="time", type="type").to_pylist()
    )
    return rows


def expected(case: Case, schema: pa.Schema) -> Counter[tuple[Any, ...]]:
    """What the oracle says; the few queries that the language refuses are dropped."""
    try:
        bound = bind(case.text, event_schema(schema, ColumnRoles("time", "type")))
    except cepheid.BindingError:
        assume(False)
    return as_multiset(evaluate(bound, case.events))


@settings(max_examples=400)
@given(in_some_zone(is_aggregate=False))
def test_matches(drawn: tuple[pa.Schema, Case]) -> None:
    schema, case = drawn
    wanted = expected(case, schema)
    assert as_multiset(run_local(case, schema)) == wanted


@settings(max_examples=200)
@given(in_some_zone(is_aggregate=True))
def test_aggregates(drawn: tuple[pa.Schema, Case]) -> None:
    """Sums of decimals are decimals, or the floats next to them where trends can be many."""
    schema, case = drawn
    table = pa.Table.from_pylist(list(case.events), schema=schema)
    try:
        bound = bind(case.text, event_schema(schema, ColumnRoles("time", "type")))
    except cepheid.BindingError:
        assume(False)
    found = cepheid.query(case.text).run(table, time="time", type="type")
    is_double = pa.types.is_floating(found.schema.field("total").type)
    rounded = ("total", "mean") if is_double else ("mean",)

    def shown(row: Row) -> Row:
        near = {each: row[each] and f"{float(row[each]):.13g}" for each in rounded}
        return row | near

    wanted = as_multiset(map(shown, evaluate(bound, case.events)))
    assert as_multiset(map(shown, found.to_pylist())) == wanted


@settings(max_examples=100, suppress_health_check=[*SLOW, HealthCheck.large_base_example])
@given(st.data())
def test_streams(data: st.DataObject) -> None:
    schema, case = data.draw(in_some_zone(is_aggregate=False))
    wanted = expected(case, schema)
    assume(not cepheid.query(case.text).plan().unsupported)
    program = program_of(case, schema)
    batches = data.draw(splits(case.events, delay=2))
    assert as_multiset(rows_of(program, drive(program, batches, schema=schema), schema)) == wanted


PARTS = st.tuples(
    st.sampled_from("+-"), st.sampled_from(("a.p", "b.p", "a.f", "b.x", "a.u", "b.u", "0.01", "2"))
)
SIDES = st.lists(PARTS, min_size=1, max_size=3)


@settings(max_examples=200)
@given(SIDES, st.sampled_from(tuple(COMPARISONS)), SIDES, typed_streams("UTC"))
def test_sums_of_two_events(left: Side, operator: str, right: Side, events: list[Row]) -> None:
    """Judged by Python, as the text says: how events are separated is the analysis' own doing."""
    first, last = (
        {**events[place], "type": name, "time": place} for place, name in ((0, "A"), (1, "B"))
    )
    text = f"PATTERN SEQ(A a, B b) WHERE {_text(left)} {operator} {_text(right)} RETURN a.k"
    known = {
        f"{name}.{each}": row[each] for name, row in (("a", first), ("b", last)) for each in row
    }
    values = [_exactly(side, known) for side in (left, right)]
    reads_decimals = any(part[-1] in "pfu" for _, part in left + right)
    reads_both = {part[0] for _, part in left + right} >= {"a", "b"}
    assume(reads_decimals and reads_both)
    found = run_local(Case(text, [first, last], ()), schema_in("UTC"))
    assert len(found) == (None not in values and COMPARISONS[operator](*values))


def _text(side: Side) -> str:
    return " ".join(f"{sign} {part}" for sign, part in side).removeprefix("+ ")


def _exactly(side: Side, known: Row) -> Fraction | None:
    total = Fraction(0)
    for sign, part in side:
        value = known.get(part, part)
        if value is None:
            return None
        total += Fraction(value) if sign == "+" else -Fraction(value)
    return total
