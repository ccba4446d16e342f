"""Workloads that are drawn once, in advance: for tests in which every example is expensive."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.properties.aggregate_comparison import without_zone
from tests.properties.aggregate_streams import bound
from tests.properties.workload_comparison import Row, binds, oracle_rows
from tests.properties.workloads import WorkloadCase


def drawn_workloads(
    strategy: st.SearchStrategy[WorkloadCase],
    count: int,
    *,
    least: int = 2,
    prepare: Callable[[WorkloadCase], WorkloadCase] = lambda case: case,
) -> list[WorkloadCase]:
    """Return some in which at least so many queries have results; always the same."""
    drawn: list[WorkloadCase] = []

    @settings(
        max_examples=40 * count,
        database=None,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(strategy)
    def draw(case: WorkloadCase) -> None:
        if len(drawn) == count or not all(binds(case.case(name)) for name in case.texts):
            return
        prepared = prepare(case)
        has_results = [bool(oracle_rows(prepared, name)) for name in prepared.texts]
        if sum(has_results) >= least and prepared not in drawn:
            drawn.append(prepared)

    draw()
    assert len(drawn) == count
    return drawn


def from_json(case: WorkloadCase, name: str, text: str) -> Row:
    """Return a row that went through JSON, which has no timestamps, as it was before."""
    row: dict[str, Any] = json.loads(text)
    if "at" not in case.schema.names:
        return row
    moments = [
        each.output
        for each in bound(case.case(name)).aggregates or ()
        if each.aggregate.attribute == "at"
        and each.aggregate.function != "COUNT"
        and each.output in row  # and not only in HAVING
    ]
    moments += [each for each in row if each.endswith("_at")]
    return row | {each: _as_moment(row[each]) for each in moments}


def _as_moment(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_moment(each) for each in value]
    return None if value is None else without_zone(value)
