"""EXPLAIN names the fold that runs, and every fold that takes a query gives what the others do."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.catalogue import FOLDS, RankedFolds, measured_facts
from cepheid.engine.events.event_schema import event_schema
from cepheid.engine.fold import FoldGroup, Task
from cepheid.engine.plan_folds import own_groups, plan_bundles, rank_folds, shared_groups
from cepheid.engine.shared.policy import Policy
from cepheid.language.parser import parse
from tests.properties import comparison
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import bound, expected_rows, table_of
from tests.properties.aggregates import METHODS
from tests.properties.compositions import compositions
from tests.properties.drawn_patterns import positive_types
from tests.properties.queries import (
    Case,
    cases,
    negation_cases,
    pair_cases,
    predicate_cases,
)
from tests.properties.run_by_folds import run_by_folds
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401
from tests.properties.test_non_overlapping import kleene_cases
from tests.properties.test_output_forms import with_output
from tests.properties.workloads import (
    WorkloadCase,
    adjacent_workloads,
    beginning_workloads,
    chain_workloads,
    mixed_workloads,
    recent_workloads,
    workloads,
)

AGGREGATED = st.one_of(*METHODS.values())
LISTED = st.one_of(cases(is_aggregate=False), predicate_cases(), negation_cases(), pair_cases())
APART = st.one_of(LISTED, kleene_cases(longest=7)).map(
    lambda case: with_output(case, "OUTPUT NON OVERLAPPING")
)
TOGETHER = st.one_of(
    workloads(), adjacent_workloads(), recent_workloads(), beginning_workloads(), chain_workloads()
)
ALL_KINDS = st.one_of(TOGETHER, mixed_workloads(), compositions())
SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def events_of(case: Any) -> cepheid.Events:
    is_plain = any("f" not in each for each in case.events)
    table = comparison.table_of(case) if is_plain else table_of(case)
    return cepheid.events(table, time="time", type="type", order=case.order)


def workload_of(case: Any) -> cepheid.Workload:
    return cepheid.workload([cepheid.query(text, name=n) for n, text in case.texts.items()])


def groups_of_workload(
    queries: cepheid.Workload, events: cepheid.Events, policy: str
) -> dict[tuple[tuple[str, ...], str], FoldGroup]:
    """Return all that EXPLAIN can name a fold of, by queries and the part of them."""
    plans = queries.plans(event_schema(events.table.schema, events.roles))
    found: dict[tuple[tuple[str, ...], str], FoldGroup] = {}
    for bundle in plan_bundles(plans, queries.dependencies, Policy(policy)):
        groups = [*shared_groups(bundle), *(g for p in bundle.programs for g in own_groups(p))]
        found |= {(each.queries, each.what): each for each in with_parts(groups)}
    return found


def with_parts(groups: Iterable[FoldGroup]) -> Iterator[FoldGroup]:
    """Yield groups, and what any fold leaves of them to others: a number may become too large."""
    for group in groups:
        yield group
        for fold in FOLDS:
            if isinstance(group, fold.takes):
                yield from with_parts(fold.parts(group))


def check_explained(queries: cepheid.Workload, case: Any, policy: str) -> None:
    """Run, and rank by the facts that were written down: both begin with the same fold."""
    folds, events = RankedFolds(), events_of(case)
    run_by_folds(queries, events, folds, policy)
    planned = groups_of_workload(queries, events, policy)
    assert {name for each in folds.record.groups for name in each.queries} == set(queries.queries)
    for group in folds.record.groups:
        explained = rank_folds(planned[group.queries, group.what], group.facts)
        assert explained.first == group.first, group


@settings(SLOW, max_examples=170)
@given(st.one_of(AGGREGATED, LISTED, APART))
def test_explain_names_the_fold_that_runs(case: Case) -> None:
    """The ranking for the facts of a run begins with what the run began with."""
    assume_binds(case)
    query = cepheid.query(case.text, name="q")
    assume(not query.plan().unsupported)
    check_explained(cepheid.workload([query]), case, "dynamic")


@settings(SLOW, max_examples=130)
@given(ALL_KINDS, st.sampled_from(tuple(Policy)))
def test_explain_names_the_folds_of_workloads(case: Any, policy: Policy) -> None:
    """The same of sets, lanes, chains, of queries by themselves, and of results that are read."""
    queries, events = workload_of(case), events_of(case)
    try:
        queries.plans(event_schema(events.table.schema, events.roles))
    except cepheid.BindingError:  # readers ask for attributes that results do not have
        reject()
    check_explained(queries, case, policy.value)


class Asking(RankedFolds):
    """Folds as ever, and asks all folds whether they could, whatever they cost."""

    def fold(self, task: Task) -> Any:
        facts = measured_facts(task)
        for fold in FOLDS:
            if isinstance(task.group, fold.takes) and fold.refusal(task.group, facts) is None:
                taking = self.__dict__.setdefault("taking", {})
                taking[fold.name] = None
        return super().fold(task)


def by_every_fold(queries: Any, case: Any, policy: str = "dynamic") -> Iterator[dict[str, Any]]:
    """Yield the results by the best folds, then by each one that can fold a part of the queries."""
    asking = Asking()
    yield run_by_folds(queries, events_of(case), asking, policy)
    ran = {each.ran for each in asking.record.groups}
    for name in asking.__dict__.get("taking", {}):
        if name not in ran:
            folds = RankedFolds([name])
            yield run_by_folds(queries, events_of(case), folds, policy)
            assert name in {each.name for group in folds.record.groups for each in group.folds}


# What is added up, which decides the type of values: doubles, numbers with tiers, sums, minima.
VALUES = {
    "counts": "COUNT(*) AS n",
    "sums": "COUNT(*) AS n, SUM({0}.x) AS total, AVG({0}.f) AS mean",
    "minima": "MIN({0}.x) AS least, MAX({0}.s) AS most",
    "digits": "EXACT COUNT(*) AS n, SUM({0}.x) AS total",
}


def adding_up(case: Case, values: str) -> Case:
    """Return a case that adds up values of some type."""
    types = positive_types(parse(case.text).pattern)
    lines = [line for line in case.text.split("\n") if not line.startswith("HAVING")]
    result = f"RETURN {VALUES[values].format(types[0])}"
    text = "\n".join(re.sub("^RETURN .*", result, each) for each in lines)
    return replace(case, text=text)


@pytest.mark.parametrize("values", VALUES)
@settings(SLOW, max_examples=45)
@given(AGGREGATED)
def test_every_fold_of_trends_equals_oracle(values: str, case: Case) -> None:
    """Where a fold takes a query, whatever it costs, its result is that of the definitions."""
    case = adding_up(case, values)
    assume_binds(case)
    query, wanted = cepheid.query(case.text, name="q"), expected_rows(case)
    for found in by_every_fold(query, case):
        assert_same_rows(bound(case), found["q"].to_pylist(), wanted)


@settings(SLOW, max_examples=60)
@given(st.one_of(LISTED, APART))
def test_every_fold_of_matches_equals_oracle(case: Case) -> None:
    assume_binds(case)
    query = cepheid.query(case.text, name="q")
    assume(not query.plan().unsupported)
    wanted = comparison.expected(case)
    for found in by_every_fold(query, case):
        assert comparison.as_multiset(found["q"].to_pylist()) == wanted


@settings(SLOW, max_examples=40)
@given(TOGETHER, st.sampled_from(tuple(Policy)))
def test_every_fold_of_several_queries_equals_oracle(case: WorkloadCase, policy: Policy) -> None:
    wanted = {name: expected_rows(case.case(name)) for name in case.texts}
    for found in by_every_fold(workload_of(case), case, policy.value):
        for name, table in found.items():
            assert_same_rows(bound(case.case(name)), table.to_pylist(), wanted[name])
