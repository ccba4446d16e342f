"""Decimals, integers beyond 2^53, NaN and times with a zone mean what the definitions say."""

import logging
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.runtime.event_schema import ColumnRoles, event_schema
from tests.oracle import bind, evaluate
from tests.properties.comparison import as_multiset
from tests.properties.queries import Case
from tests.properties.typed_events import ZONES, schema_in, typed_cases

zoned_cases = st.sampled_from(ZONES).flatmap(
    lambda zone: st.tuples(st.just(zone), typed_cases(zone))
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


@settings(max_examples=400)
@given(zoned_cases)
def test_matches(drawn: tuple[str, Case]) -> None:
    zone, case = drawn
    schema = schema_in(zone)
    try:
        bound = bind(case.text, event_schema(schema, ColumnRoles("time", "type")))
    except cepheid.BindingError:
        assume(False)
    assert as_multiset(run_local(case, schema)) == as_multiset(evaluate(bound, case.events))
