"""Queries with WITHIN alone that begin alike, on one stream: one queue, results of each alone."""

from collections.abc import Sequence
from dataclasses import replace
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cepheid.runtime.sharing.policy import Sharing
from cepheid.runtime.stream import replay_together
from cepheid.runtime.stream.bundle_step import (
    BundleStep,
    StreamBundle,
    StreamedQuery,
    bundle_step,
    stream_bundle,
)
from cepheid.runtime.stream.carried import Carried
from tests.properties.stream_steps import (
    Batch,
    drive,
    ordered_splits,
    program_of,
    splits,
    with_late_events,
)
from tests.properties.workload_comparison import assert_as_expected, oracle_rows
from tests.properties.workloads import WorkloadCase, recent_workloads

SLOW = [HealthCheck.too_slow, HealthCheck.large_base_example, HealthCheck.filter_too_much]


def bundle_of(case: WorkloadCase) -> StreamBundle:
    queries = [StreamedQuery(name, program_of(case.case(name), case.schema)) for name in case.texts]
    return stream_bundle(queries, Sharing())


def steps_of(
    bundle: StreamBundle, batches: Sequence[Batch], schema: pa.Schema, *, ordered: bool
) -> list[BundleStep]:
    """Make one step per batch, with a restart after each."""
    carried, steps = Carried(), []
    for batch in batches:
        arrived = pa.Table.from_pylist(list(batch.events), schema) if batch.events else None
        done = bundle_step(
            bundle, carried, arrived, batch.until, ordered=ordered, late_before=batch.until
        )
        carried = Carried.from_bytes(done.carried.to_bytes())
        steps.append(done)
    return steps


@pytest.mark.parametrize("ordered", [False, True])
@settings(max_examples=60, suppress_health_check=SLOW)
@given(case=recent_workloads(), data=st.data())
def test_shared_equals_alone_and_oracle(
    case: WorkloadCase, data: st.DataObject, ordered: bool
) -> None:
    if ordered:
        batches = data.draw(ordered_splits(case.events, case.order))
    else:
        on_time = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
        batches, _ = data.draw(with_late_events(on_time))
    bundle = bundle_of(case)
    assert {0, 1} <= set(bundle.recent[0][0])
    unshared = replace(bundle, recent=())
    assert len(unshared.alone) > len(bundle.alone)
    run = replay_together.run_recent
    with patch.object(replay_together, "run_recent", wraps=run) as spy:
        apart = steps_of(unshared, batches, case.schema, ordered=ordered)
        assert not spy.called
        shared = steps_of(bundle, batches, case.schema, ordered=ordered)
        assert spy.called or not any(each.results for each in shared)
    assert [each.late for each in shared] == [each.late for each in apart]
    assert [each.wake for each in shared] == [each.wake for each in apart]
    for query in bundle.queries:
        by_step = [each.results.get(query.name) for each in shared]
        assert by_step == [each.results.get(query.name) for each in apart]
        alone = drive(query.program, batches, ordered=ordered, schema=case.schema)
        rows = [[] if each is None else each.to_pylist() for each in by_step]
        assert rows == [each.result.to_pylist() for each in alone]
        found = [row for each in rows for row in each]
        assert_as_expected(case, query.name, found, oracle_rows(case, query.name))
