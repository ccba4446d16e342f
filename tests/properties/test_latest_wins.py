"""A newer run replaces the one that waits, as the definitions say, in process and on streams."""

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
from tests.properties.stream_steps import (
    Batch,
    closed,
    drive,
    ordered_splits,
    program_of,
    rows_of,
    splits,
)
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401
from tests.properties.test_non_overlapping import kleene_cases
from tests.properties.test_output_forms import with_output
from tests.properties.test_taken_matches import taken

STRATEGY = re.compile(r"\nSEMANTICS \S+|( AND )?(strict_contiguity|skip_till_next_match)")
FORMS = ("OUTPUT ALL", "OUTPUT ALL", "OUTPUT NON OVERLAPPING", "OUTPUT PARTIAL")


def with_strategy(case: Case) -> Case:
    """The same under this strategy."""
    text = re.sub(r"WHERE (?=\n|$)", "", STRATEGY.sub("", case.text))
    text = text.replace("WHERE  AND ", "WHERE ")
    return replace(case, text=f"{text}\nSEMANTICS latest-wins")


match_cases = st.one_of(
    cases(is_aggregate=False), predicate_cases(), negation_cases(), kleene_cases(longest=9)
).map(with_strategy)


def runnable(case: Case) -> cepheid.Query:
    try:
        query = cepheid.query(case.text)
    except cepheid.QuerySyntaxError:
        assume(False)
    assume_binds(case)
    assume(not query.plan().unsupported)
    return query


@settings(max_examples=400)
@given(match_cases, st.sampled_from(FORMS))
def test_matches(case: Case, form: str) -> None:
    case = with_output(case, form)
    query = runnable(case)
    result = query.run(table_of(case), time="time", type="type", order=case.order)
    assert as_multiset(result.to_pylist()) == expected(case)


@settings(max_examples=100)
@given(taken(match_cases))
def test_some_of_the_matches(case: Case) -> None:
    query = runnable(case)
    result = query.run(table_of(case), time="time", type="type", order=case.order)
    assert as_multiset(result.to_pylist()) == expected(case)


@settings(max_examples=100)
@given(st.one_of(METHODS["plain"], METHODS["enumerated"], METHODS["negated"]).map(with_strategy))
def test_aggregates(case: Case) -> None:
    query = runnable(case)
    table: pa.Table = aggregate_table_of(case)
    result = query.run(table, time="time", type="type", order=case.order)
    assert_same_rows(bound(case), result.to_pylist(), expected_rows(case))


@settings(max_examples=300)
@given(data=st.data())
def test_streams(data: st.DataObject) -> None:
    case = with_output(data.draw(match_cases), data.draw(st.sampled_from(FORMS)))
    runnable(case)
    program = program_of(case)
    case, ordered = closed(case, program), data.draw(st.booleans())
    if ordered:
        batches = data.draw(ordered_splits(case.events, case.order))
    else:
        batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    steps = drive(program, batches, ordered=ordered)
    assert as_multiset(rows_of(program, steps)) == expected(case)


def test_a_stream_keeps_a_run_for_every_place() -> None:
    """However long it goes on, and without WITHIN, too."""
    case = Case("PATTERN SEQ(A a, B b, C c) WHERE [k] SEMANTICS latest-wins", [], ())
    program, sizes = program_of(case), list[int]()
    for many in (50, 500):
        rows = [
            {"type": "AB"[at % 2], "time": at, "seq": 0, "k": at // 2 % 2, "x": at}
            for at in range(many)
        ]
        last = {"type": "C", "time": many, "seq": 0, "k": 0, "x": 0}
        batches = [Batch(rows[at : at + 25], at) for at in range(0, many, 25)]
        steps = drive(program, [*batches, Batch([last], many), Batch([], many + 1)])
        assert rows_of(program, steps)
        sizes.append(steps[-1].state.size)
    assert sizes[0] == sizes[1]
