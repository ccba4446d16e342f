"""Negated repetitions: to block it takes one match, of however many there are."""

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.matches import blocked_matches as negation
from cepheid.engine.matches import fold_graph

B = 400


def found(pattern, condition, values, first=5):
    """Run on an A with `first`, B's with `values` and a C."""
    x = [first, *values, 0]
    types = ["A", *["B"] * len(values), "C"]
    events = pa.table({"time": list(range(len(x))), "type": types, "x": x})
    query = cepheid.query(f"PATTERN SEQ(A a, !({pattern}), C c) WHERE {condition} RETURN c.x")
    return query.run(events, time="time", type="type").num_rows


@pytest.mark.parametrize(
    ("pattern", "condition", "blocks"),
    [
        ("B+ n", "n.x > a.x", True),
        ("B+ n", "n.x > a.x + 5", False),
        ("B+ n", "n[1].x > a.x", True),
        ("B+ n", "n[n.LEN].x > a.x", True),
        ("B+ n", "n[i].x > n[i-1].x AND n.x > a.x + 5", False),
        ("B+ n", "count(n[]) > 3", True),
        ("B+ n", f"count(n[]) > {B}", False),
        ("B{3,} n", "n[i].x < n[i-1].x", True),
        ("B{12,} n", "n[i].x < n[i-1].x", False),
        ("(SEQ(B n, B m))+", "n.x > a.x AND m.x > a.x", True),
        ("(SEQ(B n, B m))+", "n.x > a.x AND m.x > a.x + 5", False),
    ],
)
def test_one_match_is_enough(pattern, condition, blocks):
    values = [n * 7 % 11 for n in range(B)]
    assert found(pattern, condition, values) == (0 if blocks else 1)


def test_a_sum_of_the_whole_repetition():
    values = [n * 7 % 11 for n in range(60)]
    total = sum(values)
    assert found("B+ n", f"sum(n[].x) = {total}", values) == 0
    assert found("B+ n", f"sum(n[].x) > {total}", values) == 1


def test_runs_of_a_negated_part_are_bounded(monkeypatch):
    """Every subset of these has a sum of its own, and no rule keeps one of them only."""
    monkeypatch.setattr(fold_graph, "MOST_RUNS", 2**10)
    with pytest.raises(cepheid.LiveStateError, match="partial matches alive of a negated part"):
        found("B+ n", "sum(n[].x) = -1", [2**n for n in range(60)])


@pytest.mark.parametrize("values", [[1] * 300, [n % 7 for n in range(300)]])
@pytest.mark.parametrize(
    ("condition", "blocks"),
    [
        ("count(n[]) > 5", True),
        ("5 < count(n[])", True),
        ("count(n[]) > 5.5 AND count(n[]) <= 6", True),
        ("count(n[]) = 2 AND n[1].x = 9", False),
        ("count(n[]) < 1", False),
    ],
)
def test_a_count_is_kept_as_far_as_it_is_compared(condition, blocks, values):
    assert found("B+ n", condition, values) == (0 if blocks else 1)


def test_a_whole_repetition_that_is_tied_to_the_match_is_listed_only_if_it_is_short():
    assert found("B+ n", "sum(n[].x) > a.x", [1] * 10) == 0
    with pytest.raises(cepheid.DataError) as raised:
        found("B+ n", "sum(n[].x) > a.x", [1] * 40)
    assert "a negated part has 1,099,511,627,775 matches" in str(raised.value)
    with pytest.raises(cepheid.DataError, match="more than 2\\^63 matches"):
        found("B+ n", "sum(n[].x) > a.x", [1] * 70)


def test_the_limit_is_that_of_the_matches(monkeypatch):
    monkeypatch.setattr(negation, "MOST_NEGATIVE", 2**10 - 1)
    assert found("B+ n", "sum(n[].x) > a.x", [1] * 10) == 0
    with pytest.raises(cepheid.DataError):
        found("B+ n", "sum(n[].x) > a.x", [1] * 11)
