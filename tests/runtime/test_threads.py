"""Several threads give what one gives, in the same order."""

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.runtime import dispatch, find_matches, match_chunks

QUERIES = (
    "PATTERN SEQ(A a, B+ b, C c) WHERE [k] WITHIN 12",
    "PATTERN SEQ(A a, B+ b) WHERE [k] AND b.x > NEXT(b).x WITHIN 9 RETURN a.x, SUM(b[].x) AS s",
    "PATTERN SEQ(A a, !C c, B b) WHERE [k] AND c.x = a.x WITHIN 9",
    "PATTERN SEQ(A a, B+ b) WITHIN 9",
    "PATTERN SEQ(A a, B b, C c) WITHIN 6 OUTPUT PARTIAL",
    "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 8 OUTPUT NON OVERLAPPING",
)


@pytest.fixture
def table() -> pa.Table:
    random = np.random.default_rng(7)
    count = 400
    return pa.table(
        {
            "time": np.sort(random.integers(0, 300, count)),
            "type": np.array(["A", "B", "C"])[random.integers(0, 3, count)],
            "k": random.integers(0, 7, count),
            "x": random.integers(0, 9, count),
        }
    )


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("threads", [2, 5])
def test_as_with_one(
    text: str, threads: int, table: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = cepheid.query(text)
    alone = query.run(table, time="time", type="type")
    monkeypatch.setattr(match_chunks, "LEAST_EVENTS", 10)
    monkeypatch.setattr(find_matches, "LEAST_ENDS", 3)
    monkeypatch.setattr(find_matches, "LEAST_REPEATED_ENDS", 3)
    monkeypatch.setattr(dispatch, "available_cores", lambda: threads)
    together = query.run(table, time="time", type="type")
    assert alone.num_rows > 3
    assert together.to_pylist() == alone.to_pylist()
