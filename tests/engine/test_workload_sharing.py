"""Queries that are folded together give what each gives by itself: cases that are easy to miss."""

import pyarrow as pa
import pytest

import cepheid
from cepheid.testing import events

ROLES = {"time": "time", "type": "type"}
POLICIES = ("always", "never", "dynamic")
ONE_WINDOW = "WITHIN 100 SLIDE 100"


def counts(texts: list[str], stream: str, **options: str) -> list[float]:
    table = pa.Table.from_pylist(events(stream))
    found = cepheid.workload(texts).run(table, time="time", type="type", **options)
    return [sum(each.column("n").to_pylist()) for each in found.values()]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("patterns", "stream", "expected"),
    [
        (["A OR A", "A OR A"], "a1 a2 b3", [4, 4]),
        (["SEQ(A, B) OR SEQ(A, B)", "SEQ(A, B)"], "a1 a2 b3 b4", [8, 4]),
        (["SEQ(A, B) OR SEQ(A, C)"] * 2, "a1 a2 b3 b4 c5 c6", [8, 8]),
        (["SEQ((A OR A), B)"] * 2, "a1 a2 b3 b4", [8, 8]),
        (["SEQ(A, B)", "SEQ(A, B, C)"], "a1 b2 c3 b4 c5", [2, 3]),
    ],
)
def test_branches_and_prefixes(policy, patterns, stream, expected):
    """Trends of one query are counted apart, whichever positions they have in common."""
    plain = [f"PATTERN {each} RETURN COUNT(*) AS n" for each in patterns]
    assert counts(plain, stream, sharing=policy) == expected
    windowed = [f"PATTERN {patterns[0]} {ONE_WINDOW} RETURN COUNT(*) AS n", plain[0]]
    assert counts(windowed, stream, sharing=policy) == [expected[0], expected[0]]


@pytest.mark.parametrize("policy", ["dynamic", "always", "never"])
@pytest.mark.parametrize("function", ["COUNT(*)", "SUM(b.time)", "MAX(b.time)"])
def test_many_open_windows_are_no_reason_to_be_alone(policy, function):
    texts = [
        f"PATTERN SEQ({first}, B+ b) WITHIN {length} SLIDE 1 RETURN {function} AS n"
        for first, length in (("A", 70), ("C", 70), ("A", 50))
    ]
    workload = cepheid.workload(texts)
    assert "windows are open at once" not in workload.explain()
    stream = pa.Table.from_pylist(events("a1 b2 c40 b41 b55 a60 b90 b300"))
    found = workload.run(stream, **ROLES, sharing=policy).values()
    assert [each.to_pylist() for each in found] == [
        cepheid.query(each).run(stream, **ROLES).to_pylist() for each in texts
    ]


def test_unknown_way_of_sharing():
    with pytest.raises(cepheid.errors.ConfigError, match="no way of sharing called 'sometimes'"):
        counts(["PATTERN A RETURN COUNT(*) AS n"], "a1", sharing="sometimes")


@pytest.mark.parametrize(
    "text",
    [
        "T t+ RETURN SUM(t.x) AS total, AVG(t.x) AS mean",
        "T t+ WITHIN 9 SLIDE 3 RETURN SUM(t.x) AS total",
        "T t+ WITHIN 9 RETURN SUM(t.x) AS total",
        "T t+ WHERE t.time < NEXT(t).time RETURN SUM(t.x) AS total",
    ],
)
def test_sums_that_cancel_are_exact_together_too(text):
    values = [2**62 + 1, -(2**62), 3]
    events = pa.table({"time": [1, 2, 3], "type": ["T"] * 3, "x": values})
    texts = [f"PATTERN {text}", f"PATTERN {text}, COUNT(*) AS n"]
    for one, found in zip(
        texts, cepheid.workload(texts).run(events, **ROLES).values(), strict=True
    ):
        assert found.to_pylist() == cepheid.query(one).run(events, **ROLES).to_pylist()
