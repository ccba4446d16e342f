"""For random workloads, queries run together give what each gives by itself."""

import random

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cepheid
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import SCHEMA, bound, expected_rows, table_of
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401
from tests.properties.workloads import WorkloadCase, workloads

POLICIES = ("always", "never", "dynamic")


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(workloads())
def test_together_equals_oracle(policy: str, case: WorkloadCase) -> None:
    queries = [cepheid.query(text, name=name) for name, text in case.texts.items()]
    events = table_of(case.case("q1"))
    found = cepheid.workload(queries).run(
        events, time="time", type="type", order=case.order, sharing=policy
    )
    assert list(found) == list(case.texts)
    for name, table in found.items():
        alone = case.case(name)
        assert_same_rows(bound(alone), table.to_pylist(), expected_rows(alone))


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(workloads(longest=4, has_others=False), st.integers(0, 2**32))
def test_together_equals_alone_on_long_streams(policy: str, case: WorkloadCase, seed: int) -> None:
    """Streams that are too long for the oracle: the log has blocks of several levels."""
    events = long_stream(random.Random(seed))
    roles = {"time": "time", "type": "type", "order": case.order}
    found = cepheid.workload(
        [cepheid.query(text, name=name) for name, text in case.texts.items()]
    ).run(events, **roles, sharing=policy)
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
