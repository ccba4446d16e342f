"""Every query of SASE and SASE+ on a stream of its own events: engine = oracle.

`streams.py` has the streams and says which query runs on which. A stream is good only if the query
matches there and every part of it matters: without one condition, negation or the window, the
result is another.
"""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tests.papers.match_cases import PRINTED, VARIED, MatchCase, expected, relaxations
from tests.papers.paper_queries import QUERIES
from tests.papers.streams import STREAMS, TABLE
from tests.properties.comparison import as_multiset

each_printed = pytest.mark.parametrize("case", PRINTED, ids=[each.name for each in PRINTED])
each_varied = pytest.mark.parametrize(
    "variants", VARIED, ids=[next(iter(each.values())).entry.id for each in VARIED]
)


def found(case: MatchCase) -> Counter[tuple[Any, ...]]:
    return as_multiset(case.run(case.table).to_pylist())


def test_the_table_has_every_query_and_no_other():
    entries = {(each.paper, each.id) for each in QUERIES if each.paper in TABLE}
    assert entries == {(paper, each) for paper, rows in TABLE.items() for each in rows}
    assert {stream for rows in TABLE.values() for stream, _ in rows.values()} == set(STREAMS)


@each_printed
def test_equals_the_oracle(case):
    assert found(case) == expected(case)


@each_printed
def test_the_stream_has_matches(case):
    assert expected(case)


@each_printed
def test_the_stream_has_near_misses(case):
    assert [what for what, relaxed in relaxations(case) if found(relaxed) == expected(case)] == []


@each_varied
def test_every_strategy_equals_the_oracle(variants):
    for strategy, case in variants.items():
        assert case.bind().strategy is strategy
        assert found(case) == expected(case), strategy


@each_varied
def test_the_strategy_changes_the_answer(variants):
    """Unless the pattern is a single event."""
    results = {frozenset(expected(case).items()) for case in variants.values()}
    (size,) = {len(case.bind().pattern.automaton.positions) for case in variants.values()}
    assert (len(results) > 1) is (size > 1)


@each_varied
def test_non_overlapping_equals_the_oracle(variants):
    """SASE+ 6.2: an output format that any query may have."""
    for strategy, case in variants.items():
        apart = replace(case, text=f"{case.text}\nOUTPUT NON OVERLAPPING")
        assert found(apart) == expected(apart), strategy
        assert expected(apart) <= expected(case)


def test_predicates_of_table_1_differ():
    """But for p2 and p3 with max(), which say the same: a price above the last is above all."""
    by_id = {each.entry.id: each for each in PRINTED}
    p1, p2, largest, smallest, average = (
        expected(by_id[f"6 {each} s2"]) for each in ("p1", "p2", "p3 max", "p3 min", "p3 avg")
    )
    assert p2 == largest
    results = [frozenset(each.items()) for each in (p1, p2, smallest, average)]
    assert len(set(results)) == len(results)
