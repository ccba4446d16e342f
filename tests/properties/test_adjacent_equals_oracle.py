"""Aggregates by the last event of a run are those over the enumerated matches."""

import logging

import pytest
from hypothesis import assume, given, settings

import cepheid
from cepheid.engine.events.is_few import FEW
from tests.engine.adjacent_cases import (
    ASKED,
    bound_of,
    counted,
    expected,
    summed,
    value_rows,
)
from tests.engine.few_events import few_are
from tests.properties.adjacent_queries import AdjacentCase, adjacent_cases


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Streams have events without partition on purpose."""
    caplog.set_level(logging.ERROR, logger="cepheid")


MANY = -1


@pytest.mark.parametrize("few", [FEW, MANY], ids=["few", "many"])
@settings(max_examples=500)
@given(case=adjacent_cases())
def test_any_query(few: int, case: AdjacentCase) -> None:
    text = f"{case.text} RETURN {ASKED.format(v=case.variable)}"
    try:
        query = bound_of(text, case.events, case.order)
    except cepheid.BindingError:
        assume(False)
    with few_are(few):
        rows = value_rows(query, case.variable, case.events)
        assume(rows is not None)
        counts = value_rows(query, case.variable, case.events, counts_only=True)
    assert rows is not None
    assert counts is not None
    found = expected(query, case.events)
    assert summed(rows) == found
    assert counted(counts) == {window: each[0] for window, each in found.items()}
