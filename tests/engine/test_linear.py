"""Aggregates by vectors of slots are those over the enumerated matches."""

import logging
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cepheid.engine.trends.folds import fold_positions as linear
from cepheid.engine.trends.folds.fold_positions import rows_of_partitions
from cepheid.engine.trends.folds.slot_task import slot_task
from cepheid.language import ast
from tests.engine.fold_trends import fold_trends
from tests.engine.linear_cases import (
    MODULUS,
    LinearCase,
    as_values,
    expected_values,
    linear_cases,
    prepare,
)
from tests.engine.linear_ranges import compose_ranges, cut_in_ranges, fold_range


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Streams have events without partition on purpose."""
    caplog.set_level(logging.ERROR, logger="cepheid")


WINDOWS = pytest.mark.parametrize("fold", ["values in vectors", "values in panes"])


def check(case: LinearCase, *folds: str) -> None:
    prepared = prepare(case)
    assume(prepared is not None)
    rows = fold_trends(prepared.program, prepared.ordered, prepared.measures, folds=folds)
    assert as_values(rows, case, prepared) == expected_values(case)


@settings(max_examples=100)
@given(linear_cases(has_negation=False, has_window=False))
def test_without_window(case: LinearCase) -> None:
    check(case)


@WINDOWS
@settings(max_examples=100)
@given(case=linear_cases(has_negation=False, has_window=True))
def test_windows(fold: str, case: LinearCase) -> None:
    check(case, fold)


@settings(max_examples=100)
@given(linear_cases(has_negation=True, has_window=False))
def test_negation(case: LinearCase) -> None:
    check(case)


@WINDOWS
@settings(max_examples=100)
@given(case=linear_cases(has_negation=True, has_window=True))
def test_negation_in_windows(fold: str, case: LinearCase) -> None:
    check(case, fold)


@settings(max_examples=30)
@given(linear_cases(has_negation=False, has_window=True))
def test_rows_come_in_parts(case: LinearCase) -> None:
    prepared = prepare(replace(case, slide=1))
    assume(prepared is not None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "ROWS_AT_ONCE", 1)
        rows = fold_trends(
            prepared.program, prepared.ordered, prepared.measures, folds=["values in vectors"]
        )
    assert as_values(rows, replace(case, slide=1), prepared) == expected_values(
        replace(case, slide=1)
    )


def check_ranges(case: LinearCase, count: int) -> None:
    """The same from ranges that are folded apart, in reverse."""
    prepared = prepare(case)
    assume(prepared is not None)
    program, ordered, measures = prepared.program, prepared.ordered, prepared.measures
    task = slot_task(program, prepared.slots, ordered, measures)
    window = program.window_length, program.slide
    ranges = cut_in_ranges(task.events, count)
    folded = [fold_range(task, steps, *window) for steps in reversed(ranges)]
    rows = compose_ranges(task.machine, measures, folded[::-1], *window)
    assert as_values(rows, case, prepared) == expected_values(case)


@settings(max_examples=100)
@given(linear_cases(has_negation=False, has_window=True), st.integers(1, 4))
def test_ranges_in_windows(case: LinearCase, count: int) -> None:
    check_ranges(case, count)


@settings(max_examples=100)
@given(linear_cases(has_negation=True, has_window=True), st.integers(1, 4))
def test_ranges_with_negation_in_windows(case: LinearCase, count: int) -> None:
    check_ranges(case, count)


@settings(max_examples=100)
@given(linear_cases(has_negation=True, has_window=False), st.integers(1, 4))
def test_ranges_without_window(case: LinearCase, count: int) -> None:
    check_ranges(case, count)


@pytest.mark.parametrize("ranges", [None, 1, 3])
def test_large_numbers(ranges: int | None) -> None:
    """Counts and signed sums of many tiers, and residues, against whole numbers."""
    x = [(7 * at) % 6 - 3 for at in range(2500)]
    events = [{"type": "A", "time": at, "seq": 0, "k": 1, "x": each} for at, each in enumerate(x)]
    pattern = ast.Repeat(ast.EventPattern(("A",), "v0"), 1, None)
    case = LinearCase(pattern, ("v0",), "", (), None, 1, "", events, ())
    prepared = prepare(case)
    assert prepared is not None
    task = slot_task(prepared.program, prepared.slots, prepared.ordered, prepared.measures)
    if ranges is None:
        rows = rows_of_partitions(task)
    else:
        cuts = cut_in_ranges(task.events, ranges)
        folded = [fold_range(task, steps, None, None) for steps in cuts]
        rows = compose_ranges(task.machine, task.measures, folded, None, None)
    count = total = bound = 0
    for each in x:
        bound, total = 2 * bound + 1 + count, 2 * total + each * (1 + count)
        count = 2 * count + 1
    assert rows.low[0, 1] == count % MODULUS
    assert rows.least[0].tolist() == [min(x), -max(x)]
    for number, wanted in ((0, count), (2, bound), (3, total)):
        mantissa, tier = float(rows.mantissa[0, number]), int(rows.tier[0, number])
        assert abs(Fraction(mantissa) * 2 ** (512 * tier) - wanted) <= Fraction(abs(wanted), 2**35)
        assert (int(rows.low[0, number]) - wanted) % 2**64 == 0
