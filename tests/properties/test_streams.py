"""However a stream is cut into steps, all results together are those of the whole."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.analysis.bound import WindowUnit
from cepheid.plan.planner import make_plan
from cepheid.program.lower import lower
from cepheid.program.program import Program
from cepheid.program.when_final import shares_windows_of_events
from cepheid.stream import retention
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import SCHEMA, bound, expected_rows
from tests.properties.aggregates import METHODS
from tests.properties.comparison import as_multiset, expected
from tests.properties.queries import (
    Case,
    cases,
    negation_cases,
    pair_cases,
    predicate_cases,
)
from tests.properties.stream_steps import (
    Row,
    closed,
    drive,
    ended,
    ordered_splits,
    program_of,
    rows_of,
    splits,
    with_late_events,
)
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401
from tests.properties.test_output_forms import with_output

match_cases = st.one_of(
    cases(is_aggregate=False), predicate_cases(), negation_cases(), pair_cases()
)
SLOW = settings.get_profile("quick").suppress_health_check
FORMS = ("OUTPUT ALL", "OUTPUT NON OVERLAPPING", "OUTPUT COMPRESSED", "OUTPUT PARTIAL")


def runnable(case: Case) -> Program:
    assume_binds(case)
    assume(not cepheid.query(case.text).plan().unsupported)
    return program_of(case)


def check(case: Case, data: st.DataObject, *, ordered: bool) -> None:
    program = runnable(case)
    case = closed(case, program)
    if ordered:
        batches = data.draw(ordered_splits(case.events, case.order))
    else:
        batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    steps = drive(program, batches, ordered=ordered)
    assert all(each.late.num_rows == 0 for each in steps)
    assert as_multiset(rows_of(program, steps)) == expected(case)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=150)
@given(data=st.data())
def test_matches(data: st.DataObject, form: str, ordered: bool) -> None:
    case = with_output(data.draw(match_cases), form)
    check(case, data, ordered=ordered)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60)
@given(data=st.data())
def test_matches_of_a_stream_that_ends(data: st.DataObject, form: str, ordered: bool) -> None:
    """Windows of events are over then, too, without an event that closes them."""
    case = with_output(data.draw(match_cases), form)
    program = runnable(case)
    if ordered:
        batches = data.draw(ordered_splits(case.events, case.order))
    else:
        batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    steps = drive(program, data.draw(ended(batches)), ordered=ordered)
    assert as_multiset(rows_of(program, steps)) == expected(case)


@settings(max_examples=80)
@given(data=st.data())
def test_late_events_change_nothing(data: st.DataObject) -> None:
    """They are told from all others, and the result is that of the others."""
    form = data.draw(st.sampled_from(FORMS))
    case = with_output(data.draw(match_cases), form)
    program = runnable(case)
    case = closed(case, program)
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 3))))
    batches, late = data.draw(with_late_events(batches))
    steps = drive(program, batches)
    told = [row for each in steps if each.late.num_columns for row in each.late.to_pylist()]
    assert as_multiset(told) == as_multiset(late)
    assert as_multiset(rows_of(program, steps)) == expected(case)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40, suppress_health_check=[*SLOW, HealthCheck.large_base_example])
@given(data=st.data())
def test_aggregates(data: st.DataObject, method: str, ordered: bool) -> None:
    case = data.draw(METHODS[method])
    plan = make_plan(bound(case))
    assume(plan.query.window is not None)
    on_expiry = plan.query.window.slide is None and data.draw(st.booleans())
    on_expiry = on_expiry and plan.query.window.unit is WindowUnit.TIME
    program = lower(replace(plan, shows_expiry=on_expiry))
    assume(not shares_windows_of_events(program))
    if ordered:
        batches = data.draw(ordered_splits(case.events, case.order))
    else:
        batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    ends = data.draw(st.booleans())
    if ends:
        batches = data.draw(ended(batches))
    with pytest.MonkeyPatch.context() as patch:
        if data.draw(st.booleans()):  # few events are kept as they are
            patch.setattr(retention, "panes_pay", lambda *_: True)
        steps = drive(program, batches, ordered=ordered, schema=SCHEMA)
    rows = expected_rows(case, on_expiry=on_expiry)
    if not ends:
        rows = [each for each in rows if is_closed(each, case)]
    assert_same_rows(bound(case), rows_of(program, steps, SCHEMA), rows)


def is_closed(row: Row, case: Case) -> bool:
    """Whether a window of events is closed by an event: time that goes on closes none."""
    window = bound(case).window
    assert window is not None
    if window.unit is WindowUnit.TIME or window.slide is None:
        return True
    groups = bound(case).group_by
    own = [
        event
        for event in case.events
        if all(event[each.attribute] == row[each.output] for each in groups)
    ]
    return row["window_end"] <= max(index_of(each, own, case.order) for each in own)


def index_of(event: Row, own: Sequence[Row], order: tuple[str, ...]) -> int:
    names = ("time", *order)
    key = tuple(event[name] for name in names)
    return sum(tuple(each[name] for name in names) < key for each in own)
