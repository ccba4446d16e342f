"""However a stream is cut into steps, all results together are those of the whole."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.program.program import Program
from tests.properties.comparison import as_multiset, expected
from tests.properties.queries import (
    Case,
    cases,
    negation_cases,
    pair_cases,
    predicate_cases,
)
from tests.properties.stream_steps import closed, drive, ordered_splits, program_of, rows_of, splits
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401
from tests.properties.test_output_forms import with_output

match_cases = st.one_of(
    cases(is_aggregate=False), predicate_cases(), negation_cases(), pair_cases()
)
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
