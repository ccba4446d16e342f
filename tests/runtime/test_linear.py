"""Aggregates by vectors of slots are those over the enumerated matches."""

import logging
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

from cepheid.runtime.aggregate import linear
from cepheid.runtime.aggregate.linear import linear_rows
from cepheid.runtime.aggregate.panes import fold_to_panes, pane_length, rows_of_panes
from cepheid.runtime.aggregate.slot_machine import negative_codes, slot_machine
from tests.runtime.linear_cases import (
    LinearCase,
    as_values,
    expected_values,
    linear_cases,
    prepare,
)


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Streams have events without partition on purpose."""
    caplog.set_level(logging.ERROR, logger="cepheid")


def check(case: LinearCase) -> None:
    prepared = prepare(case)
    assume(prepared is not None)
    rows = linear_rows(prepared.program, prepared.slots, prepared.ordered, prepared.measures)
    assert as_values(rows, case, prepared) == expected_values(case)


@settings(max_examples=200)
@given(linear_cases(has_negation=False, has_window=False))
def test_without_window(case: LinearCase) -> None:
    check(case)


@settings(max_examples=200)
@given(linear_cases(has_negation=False, has_window=True))
def test_windows(case: LinearCase) -> None:
    check(case)


@settings(max_examples=200)
@given(linear_cases(has_negation=True, has_window=False))
def test_negation(case: LinearCase) -> None:
    check(case)


@settings(max_examples=400)
@given(linear_cases(has_negation=True, has_window=True))
def test_negation_in_windows(case: LinearCase) -> None:
    check(case)


@settings(max_examples=30)
@given(linear_cases(has_negation=False, has_window=True))
def test_rows_come_in_parts(case: LinearCase) -> None:
    prepared = prepare(replace(case, slide=1))
    assume(prepared is not None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "ROWS_AT_ONCE", 1)
        rows = linear_rows(prepared.program, prepared.slots, prepared.ordered, prepared.measures)
    assert as_values(rows, replace(case, slide=1), prepared) == expected_values(
        replace(case, slide=1)
    )


def check_panes(case: LinearCase) -> None:
    prepared = prepare(case)
    assume(prepared is not None)
    program, ordered, measures = prepared.program, prepared.ordered, prepared.measures
    machine = slot_machine(prepared.slots, program.automaton, program.strategy)
    codes = negative_codes(prepared.slots, ordered)
    window = program.window_length, program.slide
    panes = fold_to_panes(machine, measures, ordered.arrays, codes, pane_length(*window))
    rows = rows_of_panes(machine, measures, panes, *window)
    assert as_values(rows, case, prepared) == expected_values(case)


@settings(max_examples=200)
@given(linear_cases(has_negation=False, has_window=True))
def test_panes(case: LinearCase) -> None:
    check_panes(case)


@settings(max_examples=300)
@given(linear_cases(has_negation=True, has_window=True))
def test_panes_with_negation(case: LinearCase) -> None:
    check_panes(case)


@settings(max_examples=100)
@given(linear_cases(has_negation=True, has_window=False))
def test_one_pane_without_window(case: LinearCase) -> None:
    check_panes(case)
