"""Runs that were over before are not run again: what is left gives what the oracle says."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cepheid.stream.step_rules import has_marks
from tests.properties.cached_steps import drive_with_cache, small_chunks
from tests.properties.comparison import SCHEMA, as_multiset, expected
from tests.properties.queries import cases, negation_cases, predicate_cases
from tests.properties.stream_steps import ordered_splits, rows_of, splits
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401
from tests.properties.test_streams import SLOW, runnable

any_cases = st.one_of(cases(is_aggregate=False), predicate_cases(), negation_cases())


@pytest.mark.parametrize("ordered", [False, True])
@settings(max_examples=120, suppress_health_check=[*SLOW, HealthCheck.filter_too_much])
@given(data=st.data())
def test_matches(data: st.DataObject, ordered: bool) -> None:
    case = data.draw(any_cases)
    program = runnable(case)
    assume(has_marks(program))
    if ordered:
        batches = data.draw(ordered_splits(case.events, case.order))
    else:
        batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    with tempfile.TemporaryDirectory() as folder, small_chunks(most=True):
        steps = drive_with_cache(
            program, batches, Path(folder), data, ordered=ordered, schema=SCHEMA
        )
    assert as_multiset(rows_of(program, steps)) == expected(case)
