"""Every fold of the catalogue, with every type of values that it takes, on one stream.

`test_every_fold.py` compares folds on random queries; here is one query for each of them, so that
none is left out.
"""

from dataclasses import replace

import pytest

import cepheid
from cepheid.engine.catalogue import FOLDS, RankedFolds
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import bound, expected_rows, table_of
from tests.properties.comparison import as_multiset
from tests.properties.queries import Case
from tests.properties.run_by_folds import run_by_folds
from tests.properties.test_every_fold import VALUES

KINDS = "ABBCABABCDBB"
EVENTS = tuple(
    {
        "type": kind,
        "time": at // 2,
        "seq": 0,
        "k": 1,
        "x": at % 3,
        "f": at / 4,
        "s": kind,
        "at": None,
    }
    for at, kind in enumerate(KINDS)
)
APART = tuple({**each, "time": at} for at, each in enumerate(EVENTS))
ONE_AT_A_TIME = {"contiguous comparisons in a queue"}  # no concurrent events
SLIDING, MOVING = "WITHIN 4 SLIDE 2", "WITHIN 4"
RISING = "WHERE B.x <= NEXT(B).x"
EVERY = tuple(VALUES)
COUNTS, WITHOUT_DIGITS = ("counts",), ("counts", "sums", "minima")
TRENDS = {
    "grams of events in order": ("PATTERN SEQ(A, B+)", SLIDING, COUNTS),
    "counts in vectors": ("PATTERN SEQ(A, B+)", SLIDING, COUNTS),
    "counts in panes": ("PATTERN SEQ(A, B+)", SLIDING, COUNTS),
    "values in vectors": ("PATTERN SEQ(A, B+)", SLIDING, EVERY),
    "values in panes": ("PATTERN SEQ(A, B+)", SLIDING, EVERY),
    "windows counted anew": ("PATTERN SEQ(A, B+)", MOVING, COUNTS),
    "counts by first event": ("PATTERN SEQ(A, B+)", MOVING, COUNTS),
    "values in a queue": ("PATTERN SEQ(A, B+)", MOVING, EVERY),
    "contiguous comparisons": (f"PATTERN SEQ(A, B+) SEMANTICS contiguous {RISING}", "", EVERY),
    "contiguous comparisons in a queue": (
        f"PATTERN SEQ(A, B+) SEMANTICS contiguous {RISING}",
        MOVING,
        EVERY,
    ),
    "few counts looked up": (f"PATTERN SEQ(A, B+) {RISING}", "", COUNTS),
    "counts looked up": (f"PATTERN SEQ(A, B+) {RISING}", "", COUNTS),
    "values by last event": (f"PATTERN SEQ(A, B+) {RISING}", SLIDING, EVERY),
    "sides of AND apart": ("PATTERN SEQ(A, B+) AND SEQ(B, C)", SLIDING, EVERY),
    "matches added up": ("PATTERN SEQ(A, B+)", SLIDING, EVERY),
    "pairs added up": ("PATTERN SEQ(A, B+) AND SEQ(B, C)", SLIDING, EVERY),
}
MATCHES = {
    "graph of positions": "PATTERN SEQ(A a, B+ b) WITHIN 4",
    "graph of runs": "PATTERN SEQ(A a, B+ b) WITHIN 4",
    "graph of latest runs": "PATTERN SEQ(A a, B+ b) SEMANTICS latest-wins WITHIN 4",
    "graph of best runs": (
        "PATTERN SEQ(A a, B+ b) WHERE sum(b[..i-1].x) < 9 OUTPUT NON OVERLAPPING"
    ),
    "first paths of a graph": "PATTERN SEQ(A a, B+ b) WITHIN 4 OUTPUT NON OVERLAPPING",
    "matches listed": "PATTERN SEQ(A a, B+ b) WITHIN 4 OUTPUT NON OVERLAPPING",
    "ways on from starts": "PATTERN SEQ(A a, B+ b) WITHIN 4 OUTPUT LONGEST",
    "paths searched": (
        "PATTERN SEQ(A a, !C n, B+ b) WHERE n.x > a.x WITHIN 4 OUTPUT NON OVERLAPPING"
    ),
    "pairs of windows": "PATTERN A a AND SEQ(B b, C c) WITHIN 2",
}
SHARED = {
    "counts of a set": (("SEQ(A, B+)", "SEQ(C, B+)"), SLIDING, COUNTS),
    "panes of a set": (("SEQ(A, B+)", "SEQ(C, B+)"), SLIDING, WITHOUT_DIGITS),
    "bursts of a set": (("SEQ(A, B+)", "SEQ(C, B+)"), SLIDING, WITHOUT_DIGITS),
    "lanes of a set": ((f"SEQ(A, B+) {RISING}", f"B+ {RISING}"), SLIDING, WITHOUT_DIGITS),
    "segments of a set": (("SEQ(A, B, C)", "SEQ(A, B, D)"), MOVING, COUNTS),
    "each by itself": ((f"SEQ(A, B+) {RISING}", f"B+ {RISING}"), SLIDING, WITHOUT_DIGITS),
}
# In a step of a stream only; properties of streams compare them.
OF_STREAMS = {"windows one by one", "pairs with new trends", "pairs of closed windows"}


def events_of(case: Case) -> cepheid.Events:
    return cepheid.events(table_of(case), time="time", type="type")


def aggregate(pattern: str, window: str, values: str) -> Case:
    head, where, condition = pattern.partition(" WHERE ")
    returned = VALUES[values].format("B")
    return Case(f"{head}{where}{condition} {window} RETURN {returned}", EVENTS, ())


def test_every_fold_has_a_query() -> None:
    assert {*TRENDS, *MATCHES, *SHARED, *OF_STREAMS} == {each.name for each in FOLDS}


@pytest.mark.parametrize(
    ("fold", "values"), [(fold, each) for fold, case in TRENDS.items() for each in case[2]]
)
def test_trends(fold: str, values: str) -> None:
    case, folds = aggregate(*TRENDS[fold][:2], values), RankedFolds([fold])
    if fold in ONE_AT_A_TIME:
        case = replace(case, events=APART)
    found = run_by_folds(cepheid.query(case.text, name="q"), events_of(case), folds)["q"]
    assert fold in {each.ran for each in folds.record.groups}
    assert_same_rows(bound(case), found.to_pylist(), expected_rows(case))


@pytest.mark.parametrize("fold", MATCHES)
def test_matches(fold: str) -> None:
    case, folds = Case(MATCHES[fold], EVENTS, ()), RankedFolds([fold])
    found = run_by_folds(cepheid.query(case.text, name="q"), events_of(case), folds)["q"]
    assert fold in {each.ran for each in folds.record.groups}
    assert found.num_rows
    assert as_multiset(found.to_pylist()) == as_multiset(expected_rows(case))


@pytest.mark.parametrize(
    ("fold", "values"), [(fold, each) for fold, case in SHARED.items() for each in case[2]]
)
def test_several_queries(fold: str, values: str) -> None:
    patterns, window, _ = SHARED[fold]
    cases = {f"q{n}": aggregate(f"PATTERN {p}", window, values) for n, p in enumerate(patterns)}
    queries = cepheid.workload({name: case.text for name, case in cases.items()})
    folds = RankedFolds([fold])
    found = run_by_folds(queries, events_of(cases["q0"]), folds)
    assert fold in {each.ran for each in folds.record.groups}
    for name, case in cases.items():
        assert_same_rows(bound(case), found[name].to_pylist(), expected_rows(case))
