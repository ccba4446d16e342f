"""OUTPUT NON OVERLAPPING on streams whose matches nobody could list."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.matches.forms import search_paths
from tests.properties.run_by_folds import run_by_folds

MANY = 2000


def table(types: Sequence[str], **columns: Sequence[Any]) -> pa.Table:
    """Return events one tick apart, unless `time` says otherwise; `x` counts them."""
    count = list(range(len(types)))
    return pa.table({"time": count, "type": list(types), "x": count} | columns)


def chosen(text: str, events: pa.Table) -> list[dict[str, Any]]:
    query = cepheid.query(f"PATTERN {text} OUTPUT NON OVERLAPPING")
    rows: list[dict[str, Any]] = query.run(events, time="time", type="type").to_pylist()
    return rows


A_AND_B = ["A"] * MANY + ["B"]


@pytest.mark.parametrize(
    "text",
    [
        "SEQ(A+ a, B b) RETURN a.x, b.x",
        "SEQ(A+ a, B b) WITHIN 1 hour RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE a[i].x > a[i-1].x RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE sum(a[].x) > 1000000 RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE sum(a[].x) + 1 > b.x AND count(a[]) > 1500 RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE count(a[]) > 1500 WITHIN 1 hour RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE a[a.LEN].x > 1500 RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE a[a.LEN].x > a[1].x + 2 RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE a[a.LEN].x = a[1].x + 1999 RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE a[i].x > a[i-1].x AND a[a.LEN].x > a[1].x + 9 RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE b.x > a[a.LEN].x AND b.x > a[1].x + 1999 RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE skip_till_next_match(a[], b) RETURN a.x, b.x",
        "SEQ(A+ a, B b) WHERE strict_contiguity RETURN a.x, b.x",
        "SEQ(A+ a, !(D d), B b) RETURN a.x, b.x",
        "SEQ(!(D d), A+ a, B b, !(D e)) WITHIN 1 hour RETURN a.x, b.x",
        "SEQ(A+ a, !(D d), B b) WHERE d.x > b.x RETURN a.x, b.x",
    ],
)
def test_all_of_a_long_repetition_is_taken(text):
    """The smallest sequence from the first event on has all others in it."""
    assert chosen(text, table(A_AND_B)) == [{"a_x": list(range(MANY)), "b_x": MANY}]


@pytest.mark.parametrize(
    ("bound", "taken"),
    [
        ("count(a[]) < 4", [0, 1, 2]),
        ("count(a[]) = 3", [0, 1, 2]),
        ("sum(a[].x) < 0", None),
        ("min(a[].x) > 3", list(range(4, MANY, 5))),
        ("max(a[].x) <= 0 AND count(a[]) >= 2", list(range(0, MANY, 5))),
    ],
)
def test_bounds_that_not_every_run_can_meet(bound, taken):
    """The order asks for early events, the bound for others."""
    x = [each % 5 for each in range(MANY)]
    events = table(A_AND_B, x=[*x, 0])
    rows = chosen(f"SEQ(A+ a, B b) WHERE {bound} RETURN a.time", events)
    assert rows == ([] if taken is None else [{"a_time": taken}])


FIRST_AND_LAST = [
    "SEQ(A+ a, B b) WHERE a[a.LEN].x > a[1].x + 2000",
    "SEQ(A+ a, B b) WHERE a[i].x > a[1].x AND a[a.LEN].x > a[1].x + 2000",
    "SEQ(A+ a, B b) WHERE b.x > a[1].x + 2000",
    "SEQ(A+ a, B b) WHERE b.x > a[a.LEN].x + 2000",
    "SEQ(A a, A c, B b) WHERE b.x > a.x + c.x + 2000",
]


@pytest.mark.parametrize("text", FIRST_AND_LAST)
def test_comparisons_with_first_and_last_events_keep_few_runs(text):
    """Of runs to which the same edges are open only those with a better first event are kept."""
    count = 400
    x = [each * 7919 % 1000 for each in range(count)]
    events = table((["A"] * 4 + ["B"]) * (count // 5), x=x)
    query = cepheid.query(f"PATTERN {text} OUTPUT NON OVERLAPPING")
    assert query.run(events, time="time", type="type", live_limit=5 * count).num_rows == 0


TOLD_APART = [
    ("sum(a[].x) = -1", True),
    ("sum(a[].x) > 99999 AND sum(a[].x) < 100000", True),
    ("sum(a[].x) < 0", True),
    ("avg(a[].x) > 99999", True),
    ("sum(a[].x) > 99999", False),
    ("sum(a[].x) - 5 > b.x", False),
    ("a[a.LEN].x > a[1].x", False),
    ("a[a.LEN].x = a[1].x + 1", False),
    ("a[i].x > a[i-1].x AND b.x > 5", False),
    ("count(a[]) = 50", False),
    ("min(a[].x) > 99999", False),
]


@pytest.mark.parametrize(("bound", "is_hard"), TOLD_APART)
def test_explain_says_what_needs_a_run_for_every_subset(bound, is_hard):
    """With a power of 2 in every event, rising or falling, all subsets have their own sums."""
    query = cepheid.query(f"PATTERN SEQ(A+ a, B b) WHERE {bound} OUTPUT NON OVERLAPPING")
    overlaps = query.plan().overlaps
    assert overlaps is not None
    assert overlaps.reason in " ".join(query.explain().split())
    assert ("runs are told apart by" in overlaps.reason) == is_hard
    count, errors = 16, []
    powers = [2**each for each in range(count)]
    for x in (powers, powers[::-1]):
        try:
            events = table([*["A"] * count, "B"], x=[*x, 0])
            query.run(events, time="time", type="type", live_limit=20 * count)
        except cepheid.LiveStateError as error:
            errors.append(str(error))
    assert bool(errors) == is_hard
    assert all("the line 'overlaps' of EXPLAIN says" in each for each in errors)


def test_beside_a_negated_part_every_sum_is_told_apart():
    text = "SEQ(A+ a, !(D d), B b) WHERE sum(a[].x) > 5"
    explained = cepheid.query(f"PATTERN {text} OUTPUT NON OVERLAPPING").explain(format="json")
    assert "runs are told apart by sum(a[].x)" in explained
    next_match = f"PATTERN {text} SEMANTICS skip-till-next-match OUTPUT NON OVERLAPPING"
    assert "told apart by" not in cepheid.query(next_match).explain(format="json")


def test_a_match_begins_after_the_one_before():
    types = (["A"] * 7 + ["B"]) * 500
    rows = chosen("SEQ(A+ a, B b) RETURN a[1].x AS first, count(a[]) AS size, b.x", table(types))
    assert rows == [{"first": n, "size": 7, "b_x": n + 7} for n in range(0, 4000, 8)]


def test_a_window_moves_the_start():
    rows = chosen("SEQ(A+ a, B b) WITHIN 10 RETURN a.x", table(A_AND_B))
    assert rows == [{"a_x": list(range(MANY - 9, MANY))}]


def test_blocked_edges_are_gone_around():
    types = ["A"] * MANY + ["D", "B", "A", "B", "D", "B"]
    rows = chosen("SEQ(A+ a, !(D d), B b) RETURN count(a[]) AS size, b.x", table(types))
    # The last of the events before B comes after D, so it is not alone that the others are skipped.
    assert rows == [{"size": MANY + 1, "b_x": MANY + 3}]


def test_ends_without_an_open_start_cost_nothing_later():
    types = ["A", "D"] + ["B", "C"] * MANY
    assert chosen("SEQ(A a, !(D d), B+ b, C c) RETURN b.x", table(types)) == []


def test_a_negation_that_is_tied_to_the_match_is_searched():
    """D blocks what begins with an A below it: the first A that is not is the last one."""
    types = ["A"] + ["B"] * 60 + ["D", "C"]
    text = "SEQ(A a, B+ b, !(D d), C c) WHERE d.x > a.x RETURN a.x"
    assert chosen(text, table(types)) == []
    later = table(types, x=[99, *range(1, 63)])
    assert chosen(text, later) == [{"a_x": 99}]


def test_beginnings_that_are_followed_together_stay_apart():
    """Two concurrent A go on to the same B: the one with the smaller value is taken."""
    events = table(["A", "A", "A", "B"], time=[0, 4, 4, 5], x=[0, 0, 1, 0])
    query = cepheid.query(
        "PATTERN SEQ(!A n, A+ a, B+ b) WHERE n.x = a.x WITHIN 2 RETURN a.x OUTPUT NON OVERLAPPING"
    )
    given = cepheid.events(events, time="time", type="type")
    found = run_by_folds(query, given, RankedFolds(["paths searched"]))[query.name]
    assert found.to_pylist() == [{"a_x": [0]}]


def test_a_search_gives_up(monkeypatch):
    monkeypatch.setattr(search_paths, "MOST_TRIED", 1000)
    types = ["A"] * 40 + ["D", "C"]
    with pytest.raises(cepheid.DataError, match="has tried 1,000 beginnings"):
        chosen("SEQ(A+ a, !(D d), C c) WHERE d.x > a.x RETURN a.x", table(types))


def test_concurrent_events_are_chosen_by_values():
    """At every tick there are two events: values decide, where steps are the same."""
    types, time = ["A", "A"] * MANY + ["B"], [n // 2 for n in range(2 * MANY + 1)]
    x = [3, 1] * MANY + [0]
    rows = chosen("SEQ(A+ a, B b) RETURN a.x", table(types, time=time, x=x))
    assert rows == [{"a_x": [1] * MANY}]


def test_steps_are_compared_before_values():
    """The first A is larger, but from it more is reached."""
    events = table(["A", "A", "C", "C", "B"], time=[0, 0, 1, 2, 3], x=[1, 2, 0, 2, 0])
    text = "SEQ(A a, C c, B b) WHERE c.x != a.x - 1 OR a.x = 1 RETURN a.x, c.time"
    assert chosen(text, events) == [{"a_x": 1, "c_time": 1}]
    text = "SEQ(A a, C c, B b) WHERE a.x + c.x = 2 OR a.x + c.x = 3 RETURN a.x, c.time"
    assert chosen(text, events) == [{"a_x": 2, "c_time": 1}]


def test_under_strict_contiguity_partitions_exclude_one_another():
    types = ["A", "B"] * MANY
    keys = [n // 2 % 3 for n in range(2 * MANY)]
    text = "SEQ(A a, B b) WHERE [k] AND strict_contiguity RETURN a.x"
    rows = chosen(text, table(types, k=keys))
    assert rows == [{"a_x": n} for n in range(0, 2 * MANY, 2)]
