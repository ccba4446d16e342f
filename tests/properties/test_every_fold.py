"""EXPLAIN names the fold that runs, and every fold that takes a query gives what the others do."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.catalogue import FOLDS, RankedFolds
from cepheid.engine.events.event_schema import event_schema
from cepheid.engine.plan_folds import rank_folds
from cepheid.engine.trends.trends import Trends
from cepheid.plan.run_options import Batch
from cepheid.program.run_record import RANKED, GroupRecord
from tests.properties import comparison
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import bound, expected_rows, table_of
from tests.properties.aggregates import METHODS
from tests.properties.queries import Case, cases, predicate_cases
from tests.properties.run_by_folds import run_by_folds
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401
from tests.properties.workloads import WorkloadCase, workloads

AGGREGATED = st.one_of(*METHODS.values())
TRENDS = [each.name for each in FOLDS if each.takes is Trends]


def events_of(case: Case) -> cepheid.Events:
    return cepheid.events(table_of(case), time="time", type="type", order=case.order)


def first_tried(group: GroupRecord) -> str:
    return group.folds[0].name


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(AGGREGATED, cases(is_aggregate=False), predicate_cases()))
def test_explain_names_the_fold_that_runs(case: Case) -> None:
    """The ranking for the facts of a run begins with what the run began with."""
    query, folds = cepheid.query(case.text), RankedFolds()
    is_match = bound(case).aggregates is None
    table = comparison.table_of(case) if is_match else table_of(case)
    events = cepheid.events(table, time="time", type="type", order=case.order)
    run_by_folds(query, events, folds)
    program = query.program(Batch(), event_schema(table.schema, events.roles))
    for group in folds.record.groups:
        if program.pair is None:
            ranking = rank_folds(program, group.facts)
            names = [each.name for each in ranking.folds if each.outcome == RANKED]
            if first_tried(group) in TRENDS or is_match:
                assert names[0] == first_tried(group)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(workloads())
def test_workloads_write_down_what_ran(case: WorkloadCase) -> None:
    """Every query is in a group; of those that are folded together, the best fold ran."""
    queries = [cepheid.query(text, name=name) for name, text in case.texts.items()]
    folds = RankedFolds()
    run_by_folds(cepheid.workload(queries), events_of(case.case("q1")), folds)
    written = {name for group in folds.record.groups for name in group.queries}
    assert written >= set(case.texts)
    for group in folds.record.groups:
        assert group.ran == next(e.name for e in group.folds if e.outcome == "ran")


@pytest.mark.parametrize("fold", TRENDS)
@settings(
    max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(AGGREGATED)
def test_every_fold_equals_oracle(fold: str, case: Case) -> None:
    """Where a fold takes a query, whatever it costs, its result is that of all others."""
    query, folds = cepheid.query(case.text), RankedFolds([fold])
    found = run_by_folds(query, events_of(case), folds)[query.name]
    assert_same_rows(bound(case), found.to_pylist(), expected_rows(case))
