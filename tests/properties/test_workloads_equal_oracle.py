"""For random workloads, queries run together give what each gives by itself."""

import random

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.catalogue import RankedFolds
from tests.properties import comparison
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import SCHEMA, bound, expected_rows, table_of
from tests.properties.run_by_folds import run_by_folds
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401
from tests.properties.workloads import (
    WorkloadCase,
    adjacent_workloads,
    beginning_workloads,
    mixed_workloads,
    workloads,
)

POLICIES = ("always", "never", "dynamic")
SHARED = st.sampled_from(("counts of a set", "bursts of a set", "panes of a set", "each by itself"))


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(workloads(), SHARED)
def test_together_equals_oracle(policy: str, case: WorkloadCase, fold: str) -> None:
    queries = [cepheid.query(text, name=name) for name, text in case.texts.items()]
    events = cepheid.events(table_of(case.case("q1")), time="time", type="type", order=case.order)
    found = run_by_folds(cepheid.workload(queries), events, RankedFolds([fold]), policy)
    assert list(found) == list(case.texts)
    for name, table in found.items():
        alone = case.case(name)
        assert_same_rows(bound(alone), table.to_pylist(), expected_rows(alone))


KINDS = {
    "adjacent": adjacent_workloads(),
    "recent": beginning_workloads(),
    "matches": beginning_workloads(has_matches=True),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_lanes_and_beginnings_equal_oracle(policy: str, kind: str, data: st.DataObject) -> None:
    """The same adjacent predicates, or the same beginning, folded together where that is done."""
    case = data.draw(KINDS[kind])
    queries = [cepheid.query(text, name=name) for name, text in case.texts.items()]
    roles = {"time": "time", "type": "type", "order": case.order}
    found = cepheid.workload(queries).run(table_of(case.case("q1")), **roles, sharing=policy)
    for name, table in found.items():
        alone = case.case(name)
        if kind == "matches":
            rows = expected_rows(alone)
            assert comparison.as_multiset(table.to_pylist()) == comparison.as_multiset(rows)
        else:
            assert_same_rows(bound(alone), table.to_pylist(), expected_rows(alone))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.integers(0, 2**32))
def test_lanes_and_beginnings_equal_alone_on_long_streams(
    kind: str, data: st.DataObject, seed: int
) -> None:
    case = data.draw(KINDS[kind])
    events = long_stream(random.Random(seed)).slice(0, 150 if kind == "matches" else None)
    roles = {"time": "time", "type": "type", "order": case.order}
    texts = {
        name: text for name, text in case.texts.items() if kind != "matches" or "+" not in text
    }
    if not texts:
        return
    queries = [cepheid.query(text, name=name) for name, text in texts.items()]
    for name, table in cepheid.workload(queries).run(events, **roles).items():
        alone = cepheid.query(texts[name]).run(events, **roles)
        assert table.schema == alone.schema
        if kind == "matches":
            rows = comparison.as_multiset(alone.to_pylist())
            assert comparison.as_multiset(table.to_pylist()) == rows
        else:
            assert_same_rows(bound(case.case(name)), table.to_pylist(), alone.to_pylist())


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(mixed_workloads())
def test_one_scan_equals_oracle(policy: str, case: WorkloadCase) -> None:
    """Queries that cannot be folded together still have their events read and ordered once."""
    for name in case.texts:
        assume_binds(case.case(name))
    queries = [cepheid.query(text, name=name) for name, text in case.texts.items()]
    found = cepheid.workload(queries).run(
        comparison.table_of(case.case("q1")),
        time="time",
        type="type",
        order=case.order,
        sharing=policy,
    )
    for name, table in found.items():
        expected = comparison.expected(case.case(name))
        assert comparison.as_multiset(table.to_pylist()) == expected


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(workloads(longest=4, has_others=False), st.integers(0, 2**32), SHARED)
def test_together_equals_alone_on_long_streams(
    policy: str, case: WorkloadCase, seed: int, fold: str
) -> None:
    """Streams that are too long for the oracle: the log has blocks of several levels."""
    events = long_stream(random.Random(seed))
    roles = {"time": "time", "type": "type", "order": case.order}
    queries = [cepheid.query(text, name=name) for name, text in case.texts.items()]
    given = cepheid.events(events, **roles)
    found = run_by_folds(cepheid.workload(queries), given, RankedFolds([fold]), policy)
    for name, table in found.items():
        alone = cepheid.query(case.texts[name]).run(events, **roles)
        assert table.schema == alone.schema
        assert_same_rows(bound(case.case(name)), table.to_pylist(), alone.to_pylist())


def long_stream(chooser: random.Random) -> pa.Table:
    """Bursts of B between other events, some of them concurrent."""
    rows, now = [], 0
    for _ in range(chooser.randint(20, 120)):
        burst = chooser.choice("BBBC") * chooser.choice((1, 3, 12, 40))
        for kind in chooser.choice("ABCD") + burst:
            now += chooser.random() < 0.05
            rows.append(
                {
                    "type": kind,
                    "time": now,
                    "seq": chooser.randint(0, 30),
                    "k": chooser.choice((1, 1, 2, None)),
                    "x": chooser.choice((1, 2, 0, -1, None)),
                    "f": chooser.choice((0.5, 2.0, -1.25, None)),
                    "s": chooser.choice("abc"),
                    "at": None,
                }
            )
    return pa.Table.from_pylist(rows, schema=SCHEMA)
