"""Several queries on one stream, however it is cut: all results are those of the whole."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cepheid.engine.shared.policy import Policy, Sharing
from cepheid.program.copy_events import with_copies
from cepheid.program.program import Program
from cepheid.stream.step_rules import keeps_apart
from cepheid.stream.stream_bundle import StreamedQuery, stream_bundle
from cepheid.stream.stream_state import StreamState
from cepheid.stream.stream_step import Step, step
from tests.properties.stream_steps import Batch, Row, ordered_splits, program_of, splits
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401
from tests.properties.workload_comparison import assert_as_expected, binds, oracle_rows
from tests.properties.workloads import (
    WorkloadCase,
    adjacent_workloads,
    beginning_workloads,
    chain_workloads,
    mixed_workloads,
    recent_workloads,
    workloads,
)

SLOW = [HealthCheck.too_slow, HealthCheck.large_base_example, HealthCheck.filter_too_much]
KINDS = {
    "alike": workloads(),
    "adjacent": adjacent_workloads(),
    "beginning": beginning_workloads(),
    "chains": chain_workloads(),
    "matches": beginning_workloads(has_matches=True),
    "mixed": mixed_workloads(),
    "recent": recent_workloads(),
}
POLICIES = st.sampled_from(tuple(Policy))


def queries_of(case: WorkloadCase) -> list[StreamedQuery]:
    """The queries that can be together on a stream: all have the same copies of events, or none."""
    assume(all(binds(case.case(name)) for name in case.texts))
    programs = {name: program_of(case.case(name), case.schema) for name in case.texts}
    found = [
        StreamedQuery(name, each)
        for name, each in programs.items()
        if each.window_length is not None and not keeps_apart(each)
    ]
    return [each for each in found if each.program.copies == found[0].program.copies]


def stepped(
    queries: Sequence[StreamedQuery],
    batch: Batch,
    state: StreamState,
    sharing: Sharing,
    schema: pa.Schema,
    *,
    ordered: bool,
) -> Step:
    copies = queries[0].program.copies if queries else None
    bundle = stream_bundle(queries, sharing, schema.names if copies is None else ())
    arrived = pa.Table.from_pylist(list(batch.events), schema) if batch.events else None
    if arrived is not None and copies is not None:
        all_types = any(each.keeps_all_types for each in bundle.programs)
        arrived = with_copies(arrived, copies, keeps_all=all_types)
    return step(bundle, state, arrived, batch.until, ordered=ordered, late_before=batch.until)


def through_bytes(state: StreamState) -> StreamState:
    data = state.to_bytes()
    assert StreamState.from_bytes(data).to_bytes() == data
    return StreamState.from_bytes(data)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, suppress_health_check=SLOW)
@given(policy=POLICIES, data=st.data())
def test_steps_equal_oracle(kind: str, policy: Policy, data: st.DataObject, ordered: bool) -> None:
    case = data.draw(KINDS[kind])
    queries, sharing = queries_of(case), Sharing(policy)
    assume(len(queries) > 1)
    if ordered:
        batches = data.draw(ordered_splits(case.events, case.order))
    else:
        batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    state, next_timer = StreamState(), None
    found: dict[str, list[Row]] = {each.name: [] for each in queries}
    for batch in batches:
        done = stepped(queries, batch, state, sharing, case.schema, ordered=ordered)
        if not batch.events and (
            next_timer is None or batch.until is None or batch.until <= next_timer
        ):
            assert not done.results
        assert not done.late.num_rows
        state, next_timer = through_bytes(done.state), done.next_timer
        for name, table in done.results.items():
            found[name] += table.to_pylist()
    for name, rows in found.items():
        assert_as_expected(case, name, rows, oracle_rows(case, name))


@dataclass(frozen=True)
class Change:
    """From which batch on a query is there, until which, and the first tick that it takes."""

    begin: int
    end: int
    since: int | None


def first_tick(batches: Sequence[Batch], begin: int) -> int | None:
    """Return a tick after all events of the batches before."""
    times = [row["time"] for batch in batches[:begin] for row in batch.events]
    return max(times) + 1 if times else None


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, suppress_health_check=SLOW)
@given(policy=POLICIES, data=st.data())
def test_queries_come_and_go(kind: str, policy: Policy, data: st.DataObject) -> None:
    """The others are not disturbed; a new query gives what it gives of the stream from then on."""
    case = data.draw(KINDS[kind])
    queries, sharing = queries_of(case), Sharing(policy)
    assume(len(queries) > 1)
    assume(queries[0].program.copies is None)  # others may not come and go
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 3))))
    changes: dict[str, Change] = {}
    for each in queries:
        begin = data.draw(st.integers(0, len(batches) - 1))
        end = data.draw(st.integers(begin, len(batches)))
        changes[each.name] = Change(begin, end, first_tick(batches, begin))
    steady = queries[0].name
    changes[steady] = Change(0, len(batches), None)
    state = StreamState()
    found: dict[str, list[Row]] = {each.name: [] for each in queries}
    for number, batch in enumerate(batches):
        now = [
            replace(each, since=changes[each.name].since)
            for each in queries
            if changes[each.name].begin <= number < changes[each.name].end
        ]
        done = stepped(now, batch, state, sharing, case.schema, ordered=False)
        assert set(done.results) <= {each.name for each in now}
        state = through_bytes(done.state)
        for name, table in done.results.items():
            found[name] += table.to_pylist()
    for each in queries:
        change = changes[each.name]
        if change.end == len(batches):  # nobody removed it
            check_since(case, each.name, each.program, change.since, found[each.name])


def check_since(
    case: WorkloadCase, name: str, program: Program, since: int | None, found: list[Row]
) -> None:
    if since is None:
        assert_as_expected(case, name, found, oracle_rows(case, name))
        return
    later = [each for each in case.events if each["time"] >= since]
    expected = oracle_rows(case, name, later)
    if program.slide is not None:
        expected = [each for each in expected if each["window_start"] >= since]
    assert_as_expected(case, name, found, expected)
