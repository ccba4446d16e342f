"""Keys with different names: the engine finds what the oracle finds, in batches and on streams."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from tests.properties.comparison import as_multiset, expected
from tests.properties.join_queries import join_cases
from tests.properties.queries import Case
from tests.properties.stream_steps import drive, ended, program_of, rows_of, splits
from tests.properties.test_engine_equals_oracle import (
    assume_binds,
    quiet,  # noqa: F401
    run_local,
)


@settings(max_examples=200)
@given(join_cases())
def test_on_a_table(case: Case) -> None:
    assume_binds(case)
    assert as_multiset(run_local(case)) == expected(case)


@settings(max_examples=60)
@given(st.data())
def test_on_a_stream(data: st.DataObject) -> None:
    case = data.draw(join_cases().filter(lambda each: "COUNT" not in each.text))
    assume_binds(case)
    assume(not cepheid.query(case.text).plan().unsupported)
    program = program_of(case)
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    steps = drive(program, data.draw(ended(batches)))
    assert as_multiset(rows_of(program, steps)) == expected(case)
