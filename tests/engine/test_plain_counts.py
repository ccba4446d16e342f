"""Plain counts have kernels of their own, which leave large counts to the general ones."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from cepheid.engine.fold import TooLarge
from cepheid.engine.trends.folds import fold_positions as linear
from cepheid.engine.trends.folds import panes
from cepheid.engine.trends.folds.fold_positions import rows_of_counts
from cepheid.engine.trends.folds.slot_task import slot_task
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.language import ast
from tests.engine.fold_trends import fold_trends
from tests.engine.linear_cases import LinearCase, Prepared, expected_values, linear_cases, prepare
from tests.engine.linear_ranges import compose_ranges, cut_in_ranges, fold_range

Counts = dict[tuple[int, int], int]
FOLDS = pytest.mark.parametrize("fold", ["counts in vectors", "counts in panes"])


def prepare_counts(case: LinearCase) -> Prepared:
    """Prepare a case without anything but the count."""
    prepared = prepare(case)
    if prepared is None:
        reject()
    none = np.zeros((1, 0), np.int64)
    only_counts = Measures(
        np.zeros(1, np.int64),
        np.zeros(1, np.uint64),
        none.astype(np.float64),
        none,
        none,
        np.zeros(0, np.uint64),
        np.zeros((0, prepared.ordered.row.size), np.int64),
    )
    return replace(prepared, measures=only_counts)


def counts_of(rows: ValueRows, case: LinearCase, prepared: Prepared) -> Counts:
    arrays = prepared.ordered.arrays
    first = arrays.step_offsets[arrays.partition_offsets[rows.owner]]
    keys = [case.events[row]["k"] for row in prepared.ordered.row[first]]
    windows = (rows.window * case.slide).tolist()
    found = dict(zip(zip(keys, windows, strict=True), rows.low[:, 0].tolist(), strict=True))
    assert len(found) == len(windows)
    assert (rows.mantissa[:, 0] == rows.low[:, 0]).all()
    assert (rows.tier == 0).all()
    return found


def check(case: LinearCase, fold: str) -> None:
    prepared = prepare_counts(case)
    rows = fold_trends(prepared.program, prepared.ordered, prepared.measures, folds=[fold])
    expected = {key: values[0] for key, values in expected_values(case).items()}
    assert counts_of(rows, case, prepared) == expected


@FOLDS
@settings(max_examples=100)
@given(case=linear_cases(has_negation=False, has_window=True))
def test_windows(fold: str, case: LinearCase) -> None:
    check(case, fold)


@FOLDS
@settings(max_examples=100)
@given(case=linear_cases(has_negation=True, has_window=True))
def test_negation_in_windows(fold: str, case: LinearCase) -> None:
    check(case, fold)


@FOLDS
@settings(max_examples=50)
@given(case=linear_cases(has_negation=False, has_window=True))
def test_little_room(fold: str, case: LinearCase) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "ROWS_AT_ONCE", 1)
        patch.setattr(panes, "FIRST_ROWS", 1)
        patch.setattr(panes, "MOST_ROWS", 1)
        patch.setattr(panes, "FIRST_ROOM", 1)
        check(replace(case, slide=1), fold)


@settings(max_examples=100)
@given(linear_cases(has_negation=False, has_window=True), st.integers(1, 4))
def test_ranges(case: LinearCase, count: int) -> None:
    """Panes that come in several parts."""
    prepared = prepare_counts(case)
    task = slot_task(prepared.program, prepared.slots, prepared.ordered, prepared.measures)
    window = case.length, case.slide
    folded = [fold_range(task, steps, *window) for steps in cut_in_ranges(task.events, count)]
    rows = compose_ranges(task.machine, task.measures, folded, *window)
    expected = {key: values[0] for key, values in expected_values(case).items()}
    assert counts_of(rows, case, prepared) == expected


def growing(size: int) -> LinearCase:
    """A+ in windows of 100 every 10: a stretch with an event a tick, between thin ones."""
    times = [*range(0, 200, 7), *range(200, 200 + size), *range(400, 600, 7)]
    events = [{"type": "A", "time": at, "seq": 0, "k": 1, "x": 0} for at in times]
    pattern = ast.Repeat(ast.EventPattern(("A",), "v0"), 1, None)
    return LinearCase(pattern, ("v0",), "", (), 100, 10, "", events, ())


@FOLDS
@pytest.mark.parametrize("size", [40, 53, 54, 61, 64, 100])
def test_counts_that_grow_large(fold: str, size: int) -> None:
    """Windows before, in and after the dense stretch; n events have 2^n - 1 trends."""
    case = growing(size)
    prepared = prepare_counts(case)
    rows = fold_trends(prepared.program, prepared.ordered, prepared.measures, folds=[fold])
    times = [each["time"] for each in case.events]
    expected = {}
    for start in range(-90, 600, 10):
        inside = sum(start <= each < start + 100 for each in times)
        if inside:
            expected[start] = 2**inside - 1
    assert [start // 10 for start in expected] == rows.window.tolist()
    for wanted, mantissa, low in zip(
        expected.values(), rows.mantissa[:, 0], rows.low[:, 0], strict=True
    ):
        assert mantissa == pytest.approx(float(wanted), rel=1e-12)
        assert (int(low) - wanted) % 2**64 == 0


def test_large_counts_are_left_to_the_general_fold() -> None:
    for size, is_small in ((40, True), (60, False)):
        prepared = prepare_counts(growing(size))
        task = slot_task(prepared.program, prepared.slots, prepared.ordered, prepared.measures)
        assert isinstance(rows_of_counts(task, 100, 10, 10), TooLarge) != is_small
