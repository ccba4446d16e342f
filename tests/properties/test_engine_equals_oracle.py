"""For random queries and streams, the engine gives what the definitions say."""

import logging

import pytest
from hypothesis import assume, given, settings

import cepheid
from tests.properties.comparison import as_multiset, binds, expected, table_of
from tests.properties.queries import (
    Case,
    cases,
    negation_cases,
    pair_cases,
    predicate_cases,
    schema_cases,
)


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Streams have events without partition on purpose."""
    caplog.set_level(logging.ERROR, logger="cepheid")


def run_local(case: Case) -> list[dict[str, object]]:
    query = cepheid.query(case.text)
    roles = {"time": "time", "type": "type"}
    result = query.run(table_of(case), **roles, order=case.order, schemas=case.schemas)
    rows: list[dict[str, object]] = result.to_pylist()
    return rows


@settings(max_examples=400)
@given(cases())
def test_without_predicates_across_events(case: Case) -> None:
    assert as_multiset(run_local(case)) == expected(case)


def assume_binds(case: Case) -> None:
    """Reject the few random queries that the language refuses, such as NEXT of a negated event."""
    assume(binds(case))


@settings(max_examples=400)
@given(predicate_cases())
def test_with_predicates_across_events(case: Case) -> None:
    assume_binds(case)
    assert as_multiset(run_local(case)) == expected(case)


@settings(max_examples=400)
@given(negation_cases())
def test_with_negation(case: Case) -> None:
    assume_binds(case)
    assert as_multiset(run_local(case)) == expected(case)


@settings(max_examples=400)
@given(pair_cases())
def test_with_pairs_of_trends(case: Case) -> None:
    assume_binds(case)
    assert as_multiset(run_local(case)) == expected(case)


@settings(max_examples=400)
@given(schema_cases().filter(binds))
def test_with_types_that_lack_attributes(case: Case) -> None:
    assert as_multiset(run_local(case)) == expected(case)
