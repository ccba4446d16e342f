"""Expressions over aggregates in RETURN: engine and oracle agree, on tables and on streams."""

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
        | st.builds("round({}, 1)".format, inner)
        | st.builds("coalesce({}, {})".format, inner, inner)
        | st.builds("CASE WHEN {} > {} THEN {} END".format, inner, inner, inner)
    ),
    max_leaves=4,
)


@st.composite
def arithmetic_cases(draw: st.DrawFn, windows: tuple[str, ...]) -> Case:
    """A query with one computed column or several, alone or beside aggregates."""
    columns = [f"COUNT(*) + {draw(numbers)} AS r"]
    test = f"{draw(numbers)} <= {draw(numbers)} OR COUNT(*) IS NULL AS t"
    more = ([], ["COUNT(*) AS n"], ["SUM(a.x) AS s", "-AVG(a.x) AS m"], [test, "k + 1 AS next"])
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


LENGTHS = "COUNT(*), SUM(b.time - a.time) AS total, AVG(b.time - a.time) AS mean"
BOUND_ONCE = ("SEQ(A a, B b)", "SEQ(A a, C+ c, B b)", "SEQ(A a, C? c, B b)", "SEQ(A a, !C, B b)",
              "SEQ(A a, A+ c, A b)")  # fmt: skip
CONDITIONS = ("", "WHERE [k]", "WHERE a.x < b.x", "WHERE skip_till_next_match")
OF_VALUES = ", SUM(b.x - a.x) AS less, AVG(a.x + b.x) AS both, SUM(a.x - b.time) AS mixed"
HAVE_VALUES = ("a.x < b.x", "a.x != b.x", "a.x IS NOT NULL AND b.x >= 0", "a.x + b.x > 0",
               "skip_till_next_match AND a.x <= b.x", "a.x IN (1, 2) AND b.x BETWEEN 0 AND 2",
               "a.x IS NOT NULL AND NOT b.x IN (0)")  # fmt: skip


@st.composite
def length_cases(draw: st.DrawFn) -> Case:
    """A query that adds up what two events of every trend have together."""
    has_values = draw(st.booleans())
    where = f"WHERE {draw(st.sampled_from(HAVE_VALUES))}" if has_values else None
    where = where or draw(st.sampled_from(CONDITIONS))
    text = f"PATTERN {draw(st.sampled_from(BOUND_ONCE))} {where}"
    windows = ("WITHIN 6", "WITHIN 6 SLIDE 3", "WITHIN 9 SLIDE 1")
    text += f" {draw(st.sampled_from(windows))} RETURN {LENGTHS}{OF_VALUES * has_values}"
    text += draw(st.sampled_from(("", " HAVING mean > 1")))
    return Case(text, draw(streams()), draw(st.sampled_from(((), ("seq",)))))


@settings(max_examples=100)
@given(length_cases())
def test_lengths_of_time(case: Case) -> None:
    assert_same_rows(bound(case), run_local(case), expected_rows(case))


@settings(max_examples=30)
@given(st.data())
def test_lengths_of_time_on_a_stream(data: st.DataObject) -> None:
    case = data.draw(length_cases())
    program = program_of(case)
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    steps = drive(program, data.draw(ended(batches)))
    assert_same_rows(bound(case), rows_of(program, steps), expected_rows(case))


OF_MATCHES = (
    "MAX(b.time - a.time)", "MIN(b.x - a.x)", "MAX(duration(match))", "SUM(a.x * b.x)",
    "AVG(a.x * b.x)", "COUNT(b.x - a.x)", "MAX(coalesce(b.x, a.x))", "SUM(b.x - a.x)",
    "MIN(b.x / a.x)", "AVG(duration(match))", "MAX(b.x % 2 - a.x * 0.5)",
    "MIN(CASE WHEN a.x < b.x THEN a.x ELSE b.seq END)",
)  # fmt: skip
OF_REPEATED = (
    "MAX(b.time - a[1].time)", "MIN(b.x - a[a.LEN].x)", "MAX(duration(match))",
    "SUM(sum(a[].x) * b.x)", "AVG(b.x - max(a[].x))", "COUNT(b.x + a[1].x)",
)  # fmt: skip
MATCH_PATTERNS = (
    "SEQ(A a, B b)", "SEQ(A a, C? c, B b)", "SEQ(A? a, B b)", "SEQ(A a, !C, B b)",
    "SEQ(!C, A a, B b)", "SEQ(A a, B b, !C)",
)  # fmt: skip
MATCH_WINDOWS = ("WITHIN 6", "WITHIN 6 SLIDE 3", "WITHIN 4 SLIDE 1")


@st.composite
def match_cases(draw: st.DrawFn, windows: tuple[str, ...] = MATCH_WINDOWS) -> Case:
    """A query that aggregates what the events of every match give together."""
    repeats = draw(st.booleans())
    pattern = "SEQ(A+ a, B b)" if repeats else draw(st.sampled_from(MATCH_PATTERNS))
    some = st.sampled_from(OF_REPEATED if repeats else OF_MATCHES)
    columns = [f"{each} AS c{at}" for at, each in enumerate(draw(st.lists(some, min_size=1)))]
    columns += draw(
        st.sampled_from(([], ["COUNT(*)", "SUM(b.x) AS s"], [f"{draw(some)} + 1 AS more"]))
    )
    text = f"PATTERN {pattern} {draw(st.sampled_from(CONDITIONS))}"
    text += f" {draw(st.sampled_from(windows))} GROUP BY k RETURN {', '.join(columns)}"
    text += draw(st.sampled_from(("", f" HAVING {draw(some)} > 1")))
    return Case(text, draw(streams()), draw(st.sampled_from(((), ("seq",)))))


@settings(max_examples=120)
@given(match_cases((*MATCH_WINDOWS, "WITHIN 3 EVENTS SLIDE 2 EVENTS")))
def test_what_matches_give(case: Case) -> None:
    assert_same_rows(bound(case), run_local(case), expected_rows(case))


@settings(max_examples=40)
@given(st.data())
def test_what_matches_give_on_a_stream(data: st.DataObject) -> None:
    case = data.draw(match_cases())
    program = program_of(case)
    batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    steps = drive(program, data.draw(ended(batches)))
    assert_same_rows(bound(case), rows_of(program, steps), expected_rows(case))
