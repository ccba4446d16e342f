"""OUTPUT COMPRESSED and PARTIAL, and graphs that are compacted on the way."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.matches.forms.compressed import CompressedMatches
from cepheid.engine.matches.forms.compressed_bytes import from_bytes
from tests.properties.comparison import as_multiset, expected, table_of
from tests.properties.queries import Case, cases, negation_cases, predicate_cases
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401

match_cases = st.one_of(cases(is_aggregate=False), predicate_cases(), negation_cases())


def with_output(case: Case, form: str) -> Case:
    text = case.text.replace("\nOUTPUT NON OVERLAPPING", "")
    return replace(case, text=f"{text}\n{form}")


def runnable(case: Case) -> cepheid.Query:
    assume_binds(case)
    query = cepheid.query(case.text)
    assume(not query.plan().unsupported)
    return query


@settings(max_examples=300)
@given(match_cases)
def test_partial(case: Case) -> None:
    case = with_output(case, "OUTPUT PARTIAL")
    query = runnable(case)
    result = query.run(table_of(case), time="time", type="type", order=case.order)
    assert as_multiset(result.to_pylist()) == expected(case)


@settings(max_examples=300)
@given(match_cases, st.integers(0, 4))
def test_compressed(case: Case, few: int) -> None:
    case = with_output(case, "OUTPUT COMPRESSED")
    result = runnable(case).run(table_of(case), time="time", type="type", order=case.order)
    matches = expected(case)
    assert as_multiset(result.expand().to_pylist()) == matches
    assert as_multiset(result) == matches
    assert result.count() == matches.total()
    events, ordered, graph = from_bytes(result.to_bytes())
    program = result._program
    again = CompressedMatches(program, program.output, events, events.schema, ordered, graph)
    assert as_multiset(again) == matches
    assert again.count() == matches.total()
    some = as_multiset(result.first(few).to_pylist())
    assert some.total() == min(few, matches.total())
    assert not some - matches


@settings(max_examples=300)
@given(match_cases, st.integers(1, 6))
def test_compacting_the_graph_changes_nothing(case: Case, live_limit: int) -> None:
    """A small limit makes the graph compact often; it may also be too small."""
    case = with_output(case, "OUTPUT ALL")
    query = runnable(case)
    try:
        result = query.run(
            table_of(case), time="time", type="type", order=case.order, live_limit=live_limit
        )
    except cepheid.LiveStateError:
        return
    assert as_multiset(result.to_pylist()) == expected(case)


def test_the_error_of_the_limit_names_query_and_partition() -> None:
    events = [{"type": "A", "time": time, "k": 7, "x": 0} for time in range(20)]
    query = cepheid.query("PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 10", name="rising")
    table = table_of(Case("", events, ()))
    with pytest.raises(cepheid.LiveStateError) as raised:
        query.run(table, time="time", type="type", live_limit=4)
    message = str(raised.value)
    assert "'rising' keeps" in message
    assert "in the partition k = 7; the limit is 4" in message
    assert "shorten WITHIN" in message
    assert query.run(table, time="time", type="type", live_limit=10).num_rows == 0


def test_events_that_nothing_follows_are_not_alive() -> None:
    events = [{"type": "A", "time": 0}, *({"type": "B", "time": time} for time in range(1, 400))]
    query = cepheid.query("PATTERN SEQ(A a, B b) RETURN b.time")
    table = table_of(Case("", events, ()))
    assert query.run(table, time="time", type="type", live_limit=10).num_rows == 399


def test_counting_in_several_threads() -> None:
    events = [{"type": "ABC"[place % 3], "time": place, "x": place * 7 % 5} for place in range(120)]
    query = cepheid.query("PATTERN SEQ(A a, !C c, B b) WHERE c.x = a.x WITHIN 60 OUTPUT COMPRESSED")
    result = query.run(table_of(Case("", events, ())), time="time", type="type")
    with ThreadPoolExecutor(4) as pool:
        counts = set(pool.map(lambda _: result.count(), range(20)))
    assert counts == {result.expand().num_rows}


def test_counts_beyond_64_bits() -> None:
    events = [{"type": "A", "time": time, "x": 0} for time in range(70)]
    query = cepheid.query("PATTERN A+ OUTPUT COMPRESSED")
    table = table_of(Case("", events, ()))
    assert query.run(table, time="time", type="type").count() == 2**70 - 1
    within = cepheid.query("PATTERN A+ WITHIN 66 OUTPUT COMPRESSED")
    result = within.run(table, time="time", type="type")
    expected_count = sum(2 ** min(last, 65) for last in range(70))
    assert result.count() == expected_count
    assert Counter(map(tuple, (row["A_time"] for row in result.first(3).to_pylist()))).total() == 3


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit: int) -> None:
    query = cepheid.query("PATTERN A")
    with pytest.raises(cepheid.ConfigError, match="must be at least 1"):
        query.run(table_of(Case("", [], ())), time="time", type="type", live_limit=limit)
