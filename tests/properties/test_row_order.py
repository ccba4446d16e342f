"""The rows of a result have one order, in whichever order the events are stored."""

from dataclasses import replace
from typing import Any

import pyarrow as pa
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from tests.properties import aggregate_streams, aggregates, comparison
from tests.properties.queries import Case, cases, negation_cases, pair_cases, predicate_cases
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401

match_cases = st.one_of(
    cases(is_aggregate=False), predicate_cases(), negation_cases(), pair_cases()
)
trend_cases = st.one_of(
    aggregates.plain_cases(),
    aggregates.adjacent_cases(),
    aggregates.recent_cases(),
    aggregates.enumerated_cases(),
)


@st.composite
def runs(draw: st.DrawFn) -> tuple[Case, pa.Table]:
    """A query, and its events as a table in which no two are concurrent."""
    is_aggregate = draw(st.booleans())
    case = draw(trend_cases if is_aggregate else match_cases)
    assume_binds(case)
    events = [event | {"seq": place} for place, event in enumerate(case.events)]
    case = replace(case, events=events, order=("seq",))
    return case, (aggregate_streams if is_aggregate else comparison).table_of(case)


def run(case: Case, events: pa.Table) -> pa.Table:
    try:
        result = cepheid.query(case.text).run(events, time="time", type="type", order=case.order)
    except cepheid.UnsupportedQueryError:
        assume(False)
    return result


@settings(max_examples=500)
@given(runs(), st.randoms(use_true_random=False))
def test_rows_do_not_depend_on_the_order_of_events(
    given_run: tuple[Case, pa.Table], random: Any
) -> None:
    case, events = given_run
    places = list(range(events.num_rows))
    random.shuffle(places)
    assert run(case, events.take(pa.array(places, pa.int64()))).equals(run(case, events))


@settings(max_examples=200)
@given(runs(), st.permutations([1, 2]))
def test_partitions_do_not_depend_on_the_encoding(
    given_run: tuple[Case, pa.Table], dictionary: list[int]
) -> None:
    case, events = given_run
    codes = [None if each is None else dictionary.index(each) for each in events["k"].to_pylist()]
    encoded = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(dictionary))
    place = events.column_names.index("k")
    found = run(case, events.set_column(place, "k", encoded))
    assert found.to_pylist() == run(case, events).to_pylist()
