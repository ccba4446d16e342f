"""`ANY x` fits events of every type, in process and on streams."""

import re
from dataclasses import replace

import pyarrow as pa
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import bound, expected_rows
from tests.properties.aggregate_streams import table_of as aggregate_table_of
from tests.properties.aggregates import METHODS
from tests.properties.comparison import as_multiset, expected, table_of
from tests.properties.queries import Case, cases, negation_cases, predicate_cases
from tests.properties.stream_steps import drive, ended, program_of, rows_of, splits
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401
from tests.properties.test_output_forms import with_output

FORMS = ("OUTPUT ALL", "OUTPUT NON OVERLAPPING", "OUTPUT LONGEST")


@st.composite
def wild(draw: st.DrawFn, drawn: st.SearchStrategy[Case]) -> Case:
    """A query in which an event may have every type."""
    case = draw(drawn)
    pattern, line, rest = case.text.partition("\n")
    written = list(re.finditer(r"\b[ABC]\b(?= \w)(?![^(]*ANY)", pattern))
    assume(written and "ANY" not in pattern)
    chosen = draw(st.sampled_from(written))
    pattern = f"{pattern[: chosen.start()]}ANY{pattern[chosen.end() :]}"
    return replace(case, text=f"{pattern}{line}{rest}")


match_cases = wild(st.one_of(cases(is_aggregate=False), predicate_cases(), negation_cases()))


def runnable(case: Case) -> cepheid.Query:
    assume_binds(case)
    query = cepheid.query(case.text)
    assume(not query.plan().unsupported)
    return query


@settings(max_examples=150)
@given(match_cases, st.sampled_from(FORMS))
def test_matches(case: Case, form: str) -> None:
    case = with_output(case, form)
    result = runnable(case).run(table_of(case), time="time", type="type", order=case.order)
    assert as_multiset(result.to_pylist()) == expected(case)


@settings(max_examples=150)
@given(wild(st.one_of(METHODS["plain"], METHODS["adjacent"], METHODS["negated"])))
def test_aggregates(case: Case) -> None:
    query, table = runnable(case), aggregate_table_of(case)
    assert isinstance(table, pa.Table)
    result = query.run(table, time="time", type="type", order=case.order)
    assert_same_rows(bound(case), result.to_pylist(), expected_rows(case))


@settings(max_examples=100)
@given(data=st.data())
def test_streams(data: st.DataObject) -> None:
    case = with_output(data.draw(match_cases), "OUTPUT ALL")
    runnable(case)
    program = program_of(case)
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    batches = data.draw(ended(batches))  # no event fits nothing, so none can only close windows
    assert as_multiset(rows_of(program, drive(program, batches))) == expected(case)
