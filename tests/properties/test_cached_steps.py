"""Steps that look at few partitions, with a cache or without, give what the oracle says."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.analysis.bound import WindowUnit
from cepheid.engine.shared.policy import Sharing
from cepheid.plan.planner import make_plan
from cepheid.program.lower import lower
from cepheid.program.when_final import shares_windows_of_events
from cepheid.stream.local_cache import LocalCache
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import SCHEMA, bound, expected_rows
from tests.properties.aggregates import METHODS
from tests.properties.cached_steps import Store, drive_with_cache, lose, small_chunks
from tests.properties.comparison import SCHEMA as MATCH_SCHEMA
from tests.properties.comparison import as_multiset, expected
from tests.properties.stream_steps import Row, closed, ended, ordered_splits, rows_of, splits
from tests.properties.test_bundle_streams import KINDS, queries_of, stepped
from tests.properties.test_bundle_streams import SLOW as BUNDLES
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401
from tests.properties.test_output_forms import with_output
from tests.properties.test_streams import FORMS, SLOW, is_closed, match_cases, runnable
from tests.properties.test_taken_matches import taken
from tests.properties.workload_comparison import assert_as_expected, oracle_rows

MOST = st.sampled_from((False, True, None))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40)
@given(data=st.data())
def test_matches(data: st.DataObject, form: str, ordered: bool) -> None:
    case = with_output(data.draw(match_cases), form)
    program = runnable(case)
    case = closed(case, program)
    if ordered:
        batches = data.draw(ordered_splits(case.events, case.order))
    else:
        batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    with tempfile.TemporaryDirectory() as folder, small_chunks(data.draw(MOST)):
        steps = drive_with_cache(
            program, batches, Path(folder), data, ordered=ordered, schema=MATCH_SCHEMA
        )
    assert as_multiset(rows_of(program, steps)) == expected(case)


@settings(max_examples=80)
@given(data=st.data())
def test_taken_matches(data: st.DataObject) -> None:
    """The first, the last, the shortest, the longest."""
    case = data.draw(taken(match_cases))
    program = runnable(case)
    assume(program.window_length is not None)
    case = closed(case, program)
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    with tempfile.TemporaryDirectory() as folder, small_chunks(data.draw(MOST)):
        try:
            steps = drive_with_cache(
                program, batches, Path(folder), data, ordered=False, schema=MATCH_SCHEMA
            )
        except cepheid.UnsupportedQueryError:
            assume(False)
    assert as_multiset(rows_of(program, steps)) == expected(case)


@pytest.mark.parametrize("kind", ["matches", "mixed", "chains", "recent"])
@settings(max_examples=15, suppress_health_check=BUNDLES)
@given(data=st.data())
def test_bundles(data: st.DataObject, kind: str) -> None:
    case = data.draw(KINDS[kind])
    queries, sharing, store = queries_of(case), Sharing(), Store()
    assume(len(queries) > 1)
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    found: dict[str, list[Row]] = {each.name: [] for each in queries}
    with tempfile.TemporaryDirectory() as folder, small_chunks(data.draw(MOST)):
        caches = [LocalCache(Path(folder)), LocalCache(Path(folder)), LocalCache(None), None]
        for batch in batches:
            cache = data.draw(st.sampled_from(caches))
            if data.draw(st.integers(0, 7)) == 0:
                lose(Path(folder), data)
            state = store.load(cache)
            done = stepped(queries, batch, state, sharing, case.schema, ordered=False)
            store.save(state, done.state, cache)
            for name, table in done.results.items():
                found[name] += table.to_pylist()
    for name, rows in found.items():
        assert_as_expected(case, name, rows, oracle_rows(case, name))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=15, suppress_health_check=[*SLOW, HealthCheck.large_base_example])
@given(data=st.data())
def test_aggregates(data: st.DataObject, method: str, ordered: bool) -> None:
    case = data.draw(METHODS[method])
    plan = make_plan(bound(case))
    window = plan.query.window
    assume(window is not None)
    assert window is not None
    on_expiry = window.slide is None and window.unit is WindowUnit.TIME and data.draw(st.booleans())
    program = lower(replace(plan, shows_expiry=on_expiry))
    assume(not shares_windows_of_events(program))
    if ordered:
        batches = data.draw(ordered_splits(case.events, case.order))
    else:
        batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    ends = data.draw(st.booleans())
    if ends:
        batches = data.draw(ended(batches))
    with tempfile.TemporaryDirectory() as folder, small_chunks(data.draw(MOST)):
        steps = drive_with_cache(
            program, batches, Path(folder), data, ordered=ordered, schema=SCHEMA
        )
    rows = expected_rows(case, on_expiry=on_expiry)
    if not ends:
        rows = [each for each in rows if is_closed(each, case)]
    assert_same_rows(bound(case), rows_of(program, steps, SCHEMA), rows)
