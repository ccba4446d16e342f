"""Arithmetic over aggregates in RETURN: engine and oracle agree, on tables and on streams."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.comparison import bound, expected_rows
from tests.properties.queries import Case, streams
from tests.properties.stream_steps import drive, ended, program_of, rows_of, splits
from tests.properties.test_engine_equals_oracle import (
    quiet,  # noqa: F401
    run_local,
)

PATTERNS = ("SEQ(A a, B b)", "SEQ(A+ a, B b)", "SEQ(A a, B? b, C)", "SEQ(A+ a, !C, B b)")
LEAVES = (
    "COUNT(*)", "COUNT(a)", "SUM(a.x)", "AVG(b.x)", "MIN(a.x)", "MAX(b.seq)", "2", "0.5", "k",
)  # fmt: skip
numbers = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/%"), inner)
        | inner.map("(-{})".format)
    ),
    max_leaves=4,
)


@st.composite
def arithmetic_cases(draw: st.DrawFn, windows: tuple[str, ...]) -> Case:
    """A query with one column of arithmetic or two, alone or beside aggregates."""
    columns = [f"COUNT(*) + {draw(numbers)} AS r"]
    more = ([], ["COUNT(*) AS n"], ["SUM(a.x) AS s", "-AVG(a.x) AS m"])
    columns += draw(st.sampled_from(more))
    text = f"PATTERN {draw(st.sampled_from(PATTERNS))} {draw(st.sampled_from(('', 'WHERE [k]')))}"
    text += f" {draw(st.sampled_from(windows))} GROUP BY k RETURN {', '.join(columns)}"
    text += draw(st.sampled_from(("", "", " HAVING r > 1")))
    return Case(text, draw(streams()), draw(st.sampled_from(((), ("seq",)))))


@settings(max_examples=150)
@given(arithmetic_cases(("", "WITHIN 6", "WITHIN 6 SLIDE 3", "WITHIN 3 EVENTS SLIDE 2 EVENTS")))
def test_on_a_table(case: Case) -> None:
    assert_same_rows(bound(case), run_local(case), expected_rows(case))


@settings(max_examples=40)
@given(st.data())
def test_on_a_stream(data: st.DataObject) -> None:
    case = data.draw(arithmetic_cases(("WITHIN 6", "WITHIN 6 SLIDE 3")))
    program = program_of(case)
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    steps = drive(program, data.draw(ended(batches)))
    assert_same_rows(bound(case), rows_of(program, steps), expected_rows(case))
