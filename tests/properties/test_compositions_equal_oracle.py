"""For random sets of queries that read each other, the engine gives what the definitions say."""

import logging

import pytest
from hypothesis import HealthCheck, given, settings

import cepheid
from tests.properties.comparison import as_multiset, expected_of_all, table_of
from tests.properties.compositions import Composition, compositions


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Streams have events without partition on purpose."""
    caplog.set_level(logging.ERROR, logger="cepheid")


# Random readers often ask for an attribute that the results do not have: those are dropped.
@settings(max_examples=200, suppress_health_check=[HealthCheck.filter_too_much])
@given(compositions())
def test_local_equals_oracle(case: Composition) -> None:
    expected = expected_of_all(case)
    queries = [cepheid.query(text, name=name) for name, text in case.texts.items()]
    found = cepheid.workload(queries).run(
        table_of(case), time="time", type="type", order=case.order
    )
    assert list(found) == list(case.texts)
    for name, table in found.items():
        assert as_multiset(table.to_pylist()) == expected[name], name
