"""Times that are decimals or floats mean what the definitions say: in process and as a stream."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from tests.oracle import bind, evaluate
from tests.properties.comparison import as_multiset
from tests.properties.queries import Case
from tests.properties.stream_steps import Batch, drive, program_of, rows_of

SLOW = settings.get_profile("quick").suppress_health_check
KINDS: dict[str, tuple[pa.DataType, Callable[[int], Any]]] = {
    "decimal(9, 1)": (pa.decimal128(9, 1), lambda tenths: Decimal(tenths) / 10),
    "decimal(18, 4)": (pa.decimal128(18, 4), lambda tenths: Decimal(tenths) / 10),
    "decimal256": (pa.decimal256(40, 1), lambda tenths: Decimal(tenths) / 10),
    "double": (pa.float64(), lambda tenths: tenths / 10),
    "double of today": (pa.float64(), lambda tenths: (17_000_000_000 + tenths) / 10),
}
PATTERNS = (
    "SEQ(A a, B b)",
    "SEQ(A a, B+ b)",
    "SEQ(A a, !(C c), B b)",
    "SEQ(A a, B b, !(C c))",
    "SEQ(A+ a, B b) SEMANTICS contiguous",
)
ENDS = (
    "WITHIN {w} RETURN a.n AS an, b.n AS bn",
    "WITHIN {w}",
    "WITHIN {w} SLIDE {s} RETURN COUNT(*) AS n, MAX(b.time) AS latest",
    "WITHIN {w} RETURN COUNT(*) AS n",
)
TENTHS = st.integers(0, 40)


@st.composite
def cases(draw: st.DrawFn, make: Callable[[int], Any]) -> Case:
    """Return a query whose window is a number, or a length of time, and events."""
    length = draw(st.integers(1, 25))
    slide = draw(st.integers(1, length))
    unit = draw(st.sampled_from(("", " s")))
    window, step = (f"{each // 10}.{each % 10}{unit}" for each in (length, slide))
    end = draw(st.sampled_from(ENDS)).format(w=window, s=step)
    pattern = draw(st.sampled_from(PATTERNS))
    where = ""
    if "SEMANTICS" not in pattern:
        where = draw(st.sampled_from(("", "WHERE [k] ", "WHERE a.time < b.time ")))
    drawn = st.tuples(TENTHS, st.sampled_from("ABC"), st.integers(0, 1))
    events = tuple(
        {"time": make(tenths), "type": kind, "k": key, "n": place}
        for place, (tenths, kind, key) in enumerate(draw(st.lists(drawn, max_size=8)))
    )
    return Case(f"PATTERN {pattern} {where}{end}", events, ())


def schema_of(kind: pa.DataType) -> pa.Schema:
    return pa.schema([("time", kind), ("type", pa.string()), ("k", pa.int64()), ("n", pa.int64())])


def expected(case: Case, schema: pa.Schema) -> Any:
    bound = bind(case.text, event_schema(schema, ColumnRoles("time", "type")))
    return as_multiset(evaluate(bound, case.events))


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=60, suppress_health_check=[*SLOW, HealthCheck.differing_executors])
@given(st.data())
def test_in_process(name: str, data: st.DataObject) -> None:
    kind, make = KINDS[name]
    case, schema = data.draw(cases(make)), schema_of(KINDS[name][0])
    table = pa.Table.from_pylist(list(case.events), schema=schema)
    found = cepheid.query(case.text).run(table, time="time", type="type")
    assert as_multiset(found.to_pylist()) == expected(case, schema)
    if "first_time" in found.column_names:
        assert found.schema.field("first_time").type == kind


@pytest.mark.parametrize("name", ["decimal(9, 1)", "double"])
@settings(max_examples=40, suppress_health_check=[*SLOW, HealthCheck.differing_executors])
@given(st.data())
def test_as_a_stream(name: str, data: st.DataObject) -> None:
    """Events before a watermark, and those after it; a tick is the last digit of the type."""
    kind, make = KINDS[name]
    case, schema = data.draw(cases(make)), schema_of(kind)
    program = program_of(case, schema)
    ticks = event_schema(schema, ColumnRoles("time", "type")).ticks_per_unit // 10
    events = sorted(case.events, key=lambda each: each["time"])
    cut = data.draw(st.integers(0, 40))
    parts = [
        [each for each in events if (each["time"] * 10 < cut) is early] for early in (True, False)
    ]
    batches = [Batch(parts[0], None), Batch(parts[1], cut * ticks), Batch([], 1000 * ticks)]
    found = rows_of(program, drive(program, batches, schema=schema), schema)
    assert as_multiset(found) == expected(case, schema)
