"""Sequences of several queries that are counted with plain numbers, in one pass."""

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.fold import Facts
from cepheid.engine.shared import count_set
from cepheid.engine.shared.policy import Policy
from cepheid.engine.shared.shared_folds import COUNTED_TOGETHER, SharedSet
from cepheid.plan.run_options import RunOptions
from cepheid.program.sharing.merged_sets import MergedSets

WINDOWS = ("", "WITHIN 20 SLIDE 20", "WITHIN 20 SLIDE 5", "WITHIN 15 SLIDE 6", "WITHIN 7 SLIDE 3")
PATTERNS = (
    "SEQ(A, B, C)", "SEQ(A, B, D)", "SEQ(D, B, C)", "SEQ(A, A)", "SEQ(A, B, A, B)", "A",
    "SEQ(A, (B OR C), D)", "SEQ(A, B?, C)", "SEQ(A, B+, C)", "SEQ(D, B+, A+)", "B+",
)  # fmt: skip


def stream(seed: int, events: int = 150) -> pa.Table:
    """Some events have the same time."""
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "ts": np.sort(random.integers(0, 100, events)),
            "kind": random.choice(list("ABCDE"), events),
            "key": random.integers(0, 3, events),
        }
    )


def texts(windows: tuple[str, ...]) -> list[str]:
    return [
        f"PATTERN {pattern} WHERE [key] {windows[place % len(windows)]} "
        "RETURN key, COUNT(*) AS n GROUP BY key"
        for place, pattern in enumerate(PATTERNS)
    ]


def rows_of(table: pa.Table) -> list[tuple[object, ...]]:
    return sorted(tuple(each.values()) for each in table.to_pylist())


def agree(queries: list[str], events: pa.Table) -> None:
    found = cepheid.workload(queries).run(events, time="ts", type="kind")
    for text, table in zip(queries, found.values(), strict=True):
        assert rows_of(table) == rows_of(cepheid.query(text).run(events, time="ts", type="kind"))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("windows", [*((each,) for each in WINDOWS), WINDOWS])
def test_same_as_each_by_itself(windows, seed):
    agree(texts(windows), stream(seed))


def test_rows_in_several_parts(monkeypatch):
    monkeypatch.setattr(count_set, "ROWS_AT_ONCE", 1)
    agree(texts(WINDOWS[1:3]), stream(4, 400))


def test_large_counts_are_left_to_others():
    events = pa.table({"ts": np.arange(10_000), "kind": np.repeat(list("ABCDE"), 2000)})
    queries = [f"PATTERN SEQ(A, B, C, D, E{each}) RETURN COUNT(*) AS n" for each in ("", ", A?")]
    found = cepheid.workload(queries).run(events, time="ts", type="kind")
    assert [each["n"].to_pylist() for each in found.values()] == [[2000.0**5]] * 2


def test_nothing_to_count():
    agree(texts(WINDOWS[1:2]), stream(0).slice(0, 0))


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (("SEQ(A, B)", "SEQ(A, C)"), True),
        (("SEQ(A, B+)", "SEQ(C, B+)"), True),
        (("SEQ(A, B+, C)", "SEQ(C, B+, D)"), True),
        (("SEQ(A, (SEQ(B, C))+)", "SEQ(D, (SEQ(B, C))+)"), False),
        (("SEQ(A, !B, C)", "SEQ(A, C)"), False),
        (("SEQ(A a, B)", "SEQ(A a, C)"), True),
    ],
)
def test_what_is_plain(patterns, expected):
    schema = event_schema(stream(0).schema, ColumnRoles("ts", "kind"))
    programs = [
        cepheid.query(f"PATTERN {each} WITHIN 9 SLIDE 9 RETURN COUNT(*)").program(
            RunOptions(), schema
        )
        for each in patterns
    ]
    ((_, merged),) = MergedSets().of(programs)
    group = SharedSet(merged, Policy.DYNAMIC)
    assert (COUNTED_TOGETHER.refusal(group, Facts()) is None) is expected
