"""LONGEST, SHORTEST, FIRST and LAST take what the definitions say, however they are found."""

from dataclasses import replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.catalogue import RankedFolds
from cepheid.language.parser import parse
from tests.oracle import bind, schema_of
from tests.properties.comparison import as_multiset, expected, table_of
from tests.properties.queries import Case, cases, negation_cases, predicate_cases
from tests.properties.run_by_folds import run_by_folds
from tests.properties.stream_steps import (
    closed,
    drive,
    ended,
    ordered_splits,
    program_of,
    rows_of,
    splits,
)
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401
from tests.properties.test_non_overlapping import bounded_cases, kleene_cases
from tests.properties.test_output_forms import with_output

SKIPS = ("", "", " SKIP PAST LAST EVENT", " SKIP TO NEXT EVENT", " SKIP TO FIRST {}", " SKIP TO {}")
match_cases = st.one_of(cases(is_aggregate=False), predicate_cases(), negation_cases())
WAYS = ([], ["matches listed"], ["paths searched"])


@st.composite
def taken(draw: st.DrawFn, drawn: st.SearchStrategy[Case]) -> Case:
    """A query that does not ask for all matches."""
    case = draw(drawn)
    form = draw(st.sampled_from(("LONGEST", "LONGEST", "SHORTEST", "FIRST", "LAST")))
    if form in ("LONGEST", "SHORTEST"):
        assume_binds(case)
        names = names_of(case)
        form += draw(st.sampled_from(SKIPS)).format(draw(st.sampled_from(names)))
    return with_output(case, f"OUTPUT {form}")


def names_of(case: Case) -> tuple[str, ...]:
    schema = schema_of([{"type": "D", "time": 0, "seq": 0, "k": 0, "x": 0}])
    try:
        return bind(case.text, schema).pattern.positive_variables
    except cepheid.BindingError:
        assume(False)
    return ()


def check(case: Case, ways: Any = WAYS) -> None:
    """Compare with the oracle, in every way that matches are taken."""
    assume_binds(case)
    query = cepheid.query(case.text)
    assume(not query.plan().unsupported)
    wanted = expected(case)
    events = cepheid.events(table_of(case), time="time", type="type", order=case.order)
    for folds in ways:
        found = run_by_folds(query, events, RankedFolds(folds))[query.name]
        assert as_multiset(found.to_pylist()) == wanted


@settings(max_examples=300)
@given(taken(match_cases))
def test_any_query(case: Case) -> None:
    check(case)


@settings(max_examples=300)
@given(taken(kleene_cases(longest=9)))
def test_many_events_that_repeat(case: Case) -> None:
    check(case)


@settings(max_examples=100)
@given(taken(bounded_cases(longest=7)))
def test_bounds_over_whole_blocks(case: Case) -> None:
    check(case, ([], ["graph of best runs"]))


@settings(max_examples=100)
@given(taken(kleene_cases(longest=9)), st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(case: Case, random: Any) -> None:
    assume_binds(case)
    query = cepheid.query(case.text)
    shuffled = list(case.events)
    random.shuffle(shuffled)
    results = [
        query.run(table_of(each), time="time", type="type", order=case.order).to_pylist()
        for each in (case, replace(case, events=shuffled))
    ]
    assert as_multiset(results[0]) == as_multiset(results[1])


@settings(max_examples=400)
@given(data=st.data())
def test_streams(data: st.DataObject) -> None:
    case = data.draw(taken(st.one_of(match_cases, kleene_cases(longest=7))))
    assume_binds(case)
    assume(parse(case.text).window is not None)
    assume(not cepheid.query(case.text).plan().unsupported)
    program = program_of(case)
    ordered, ends = data.draw(st.booleans()), data.draw(st.booleans())
    case = case if ends else closed(case, program)
    if ordered:
        batches = data.draw(ordered_splits(case.events, case.order))
    else:
        batches = data.draw(splits(case.events, delay=data.draw(st.integers(0, 4))))
    if ends:
        batches = data.draw(ended(batches))
    try:
        steps = drive(program, batches, ordered=ordered)
    except cepheid.UnsupportedQueryError as error:
        assert "last-with-end-negation" in str(error)  # noqa: PT017 - the only one that is refused
        return
    assert as_multiset(rows_of(program, steps)) == expected(case)
