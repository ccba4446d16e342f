"""An aggregate is the aggregate over the matches of the same query, on longer streams too."""

from dataclasses import replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_of_matches import (
    as_match_query,
    is_comparable,
    rows_over,
    trends_of,
)
from tests.properties.aggregate_streams import aggregate_streams, bound
from tests.properties.aggregates import METHODS
from tests.properties.queries import Case
from tests.properties.test_aggregates_equal_oracle import run_local
from tests.properties.test_engine_equals_oracle import quiet  # noqa: F401

MOST_MATCHES = 5000
comparable = st.one_of(
    METHODS["plain"],
    METHODS["adjacent"],
    METHODS["negated"],
    METHODS["recent"],
    METHODS["enumerated"],
).filter(is_comparable)
longer_streams = aggregate_streams(shortest=6, longest=10, latest=9)


pairs = st.one_of(METHODS["pairs"], METHODS["combined"]).filter(is_comparable)


@settings(max_examples=150)
@given(comparable, longer_streams)
def test_aggregates_equal_those_of_the_matches(case: Case, events: list[dict[str, Any]]) -> None:
    check(replace(case, events=events))


@settings(max_examples=150)
@given(pairs)
def test_aggregates_equal_those_of_the_pairs(case: Case) -> None:
    """A name means the events that it has in the rows of pairs."""
    check(case)


def check(case: Case) -> None:
    matches = run_local(as_match_query(case))
    assume(matches.num_rows <= MOST_MATCHES)
    found = run_local(case).to_pylist()
    trends = trends_of(case, matches.to_pylist())
    assert_same_rows(bound(case), found, rows_over(case, trends, found))
