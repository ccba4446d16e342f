"""Results that are reported step by step, each when it is final, are those of the whole."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cepheid.analysis.bound import WindowUnit
from cepheid.engine.events.hidden_columns import INDEX
from cepheid.engine.events.report_range import ReportRange
from cepheid.plan.planner import make_plan
from cepheid.program.lower import lower
from cepheid.program.program import Clock, Program
from cepheid.program.when_final import shares_windows_of_events
from tests.engine.oldest_needed import oldest_needed
from tests.engine.run_one import run_one
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import bound, expected_rows, table_of
from tests.properties.aggregates import METHODS, combined_cases
from tests.properties.queries import Case
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401

horizons = st.lists(st.integers(-3, 16), min_size=1, max_size=5, unique=True).map(sorted)
END = 40  # after every window of these streams


def program_of(case: Case, *, on_expiry: bool = False) -> Program:
    plan = make_plan(bound(case))
    assume(plan.query.window is not None)
    return lower(replace(plan, shows_expiry=on_expiry))


def steps(cuts: list[int]) -> Iterator[ReportRange]:
    """The steps of a stream that ends."""
    bounds = [None, *cuts, END]
    for before, until in pairwise(bounds):
        assert until is not None
        yield ReportRange(before, until)


def run_in_steps(program: Program, events: pa.Table, cuts: list[int]) -> list[dict[str, Any]]:
    """Every step has all settled events."""
    found: list[dict[str, Any]] = []
    for report in steps(cuts):
        prefix = events.filter(pc.field("time") < report.until)
        found += run_one(program, prefix, report_range=report).to_pylist()
    return found


def final_rows(case: Case, program: Program, *, on_expiry: bool = False) -> list[dict[str, Any]]:
    """What the oracle says, but for windows of events that wait for another event."""
    rows = expected_rows(case, on_expiry=on_expiry)
    if program.clock is Clock.TIME or program.slide is None:
        return rows
    latest = latest_indexes(case, program)
    groups = [column for column, _ in program.output.groups]
    names = dict(program.output.groups)
    return [
        row
        for row in rows
        if row["window_end"] <= latest[tuple(row[names[each]] for each in groups)]
    ]


def latest_indexes(case: Case, program: Program) -> dict[tuple[Any, ...], int]:
    """The largest index by group; groups are partitions here."""
    groups = [column for column, _ in program.output.groups]
    return {
        tuple(event[each] for each in groups): index
        for event, index in sorted(with_indexes(case, program), key=lambda pair: pair[1])
    }


def with_indexes(case: Case, program: Program) -> list[tuple[dict[str, Any], int]]:
    """Every event with the number of events of its partition that have a smaller order key."""

    def key(event: dict[str, Any]) -> tuple[Any, ...]:
        return (event["time"], *(event[each] for each in case.order))

    def partition(event: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(event[each] for each in program.partition_by)

    return [
        (
            event,
            sum(partition(e) == partition(event) and key(e) < key(event) for e in case.events),
        )
        for event in case.events
    ]


def check(case: Case, cuts: list[int], *, on_expiry: bool = False) -> None:
    program = program_of(case, on_expiry=on_expiry)
    assume(not shares_windows_of_events(program))
    found = run_in_steps(program, table_of(case), cuts)
    assert_same_rows(bound(case), found, final_rows(case, program, on_expiry=on_expiry))


@pytest.mark.parametrize("method", METHODS)
def test_every_result_is_reported_once(method: str) -> None:
    @settings(max_examples=120)
    @given(METHODS[method], horizons)
    def reported_once(case: Case, cuts: list[int]) -> None:
        check(case, cuts)

    reported_once()


@settings(max_examples=150)
@given(
    st.one_of(
        METHODS["recent"],
        METHODS["recent"],
        METHODS["adjacent"],
        METHODS["pairs"],
        combined_cases(is_recent=True),
    ),
    horizons,
)
def test_every_expiry_is_reported_once(case: Case, cuts: list[int]) -> None:
    window = bound(case).window
    assume(window is not None and window.slide is None and window.unit is WindowUnit.TIME)
    check(case, cuts, on_expiry=True)


@settings(max_examples=250)
@given(st.one_of(*METHODS.values()), horizons)
def test_older_events_are_not_needed(case: Case, cuts: list[int]) -> None:
    """A step has only the events that can still matter; those of a window of events are counted."""
    program = program_of(case)
    assume(not shares_windows_of_events(program))
    pairs = with_indexes(case, program)
    events = table_of(replace(case, events=[event for event, _ in pairs]))
    events = events.append_column(INDEX, pa.array([index for _, index in pairs], pa.int64()))
    found: list[dict[str, Any]] = []
    for report in steps(cuts):
        needed = [
            place
            for place, (event, index) in enumerate(pairs)
            if event["time"] < report.until and is_needed(program, pairs, event, index, report)
        ]
        found += run_one(
            program, events.take(pa.array(needed, pa.int64())), report_range=report
        ).to_pylist()
    assert_same_rows(bound(case), found, final_rows(case, program))


def is_needed(
    program: Program,
    pairs: list[tuple[dict[str, Any], int]],
    event: dict[str, Any],
    index: int,
    report: ReportRange,
) -> bool:
    if report.before is None:
        return True
    if program.clock is Clock.TIME:
        return bool(event["time"] >= oldest_needed(program, report.before))
    known = [
        other_index
        for other, other_index in pairs
        if other["time"] < report.before
        and all(other[each] == event[each] for each in program.partition_by)
    ]
    return not known or index >= min(max(known), oldest_needed(program, max(known)))
