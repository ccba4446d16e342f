"""Aggregates by the last event of a run are those over the enumerated matches."""

import logging

import pytest
from hypothesis import assume, given, settings

import cepheid
from tests.properties.adjacent_queries import AdjacentCase, adjacent_cases
from tests.runtime.adjacent_cases import ASKED, bound_of, expected, summed, value_rows


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Streams have events without partition on purpose."""
    caplog.set_level(logging.ERROR, logger="cepheid")


@settings(max_examples=500)
@given(adjacent_cases())
def test_any_query(case: AdjacentCase) -> None:
    text = f"{case.text} RETURN {ASKED.format(v=case.variable)}"
    try:
        query = bound_of(text, case.events, case.order)
    except cepheid.BindingError:
        assume(False)
    rows = value_rows(query, case.variable, case.events)
    assume(rows is not None)
    assert rows is not None
    assert summed(rows) == expected(query, case.events)
