"""Several threads give what one gives, in the same order."""

import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cepheid
from cepheid.engine.events import order_events, take_rows
from cepheid.engine.matches import find_matches, match_chunks
from cepheid.engine.process.threads import _Threads
from cepheid.engine.trends.folds import fold_contiguous as contiguous
from cepheid.runners import in_process as dispatch

QUERIES = (
    "PATTERN SEQ(A a, B+ b, C c) WHERE [k] WITHIN 12",
    "PATTERN SEQ(A a, B+ b) WHERE [k] AND b.x > NEXT(b).x WITHIN 9 RETURN a.x, SUM(b[].x) AS s",
    "PATTERN SEQ(A a, !C c, B b) WHERE [k] AND c.x = a.x WITHIN 9",
    "PATTERN SEQ(A a, B+ b) WITHIN 9",
    "PATTERN SEQ(A a, B b, C c) WITHIN 6 OUTPUT PARTIAL",
    "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 8 OUTPUT NON OVERLAPPING",
    "PATTERN SEQ(A+ a, B b) SEMANTICS contiguous WHERE [k] AND a.x < NEXT(a).x RETURN a.x, b.time",
    "PATTERN SEQ(A a, B b) SEMANTICS contiguous WHERE [k]",
    "PATTERN SEQ(A a, B b, C c) WHERE [k] WITHIN 20 EVENTS",
    "PATTERN SEQ(A a, B+ b) WHERE [k] RETURN k, COUNT(*), SUM(b.x), MIN(a.x) GROUP BY k",
    "PATTERN SEQ(A, B, C) WHERE [k] WITHIN 60 SLIDE 20 RETURN k, COUNT(*) GROUP BY k",
    "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 60 SLIDE 60 RETURN COUNT(*), AVG(b.x)",
    "PATTERN SEQ(A+ a, B b) SEMANTICS contiguous WHERE [k] AND a.x < NEXT(a).x "
    "RETURN k, COUNT(*), SUM(a.x), MAX(b.x) GROUP BY k",
)
COUNT = 400


def events(times: str) -> pa.Table:
    random = np.random.default_rng(7)
    ticks = random.integers(0, 300, COUNT)
    ids = random.integers(0, 7, COUNT)
    by_name = {"rising": np.arange(COUNT), "sorted": np.sort(ticks), "unsorted": ticks}
    return pa.table(
        {
            "time": by_name[times],
            "type": np.array(["A", "B", "C"])[random.integers(0, 3, COUNT)],
            "k": pa.array(ids, mask=random.random(COUNT) < 0.05),
            "x": random.integers(0, 9, COUNT),
        }
    )


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Few events are worth a thread."""
    monkeypatch.setattr(match_chunks, "LEAST_EVENTS", 10)
    monkeypatch.setattr(order_events, "LEAST_EVENTS", 10)
    monkeypatch.setattr(contiguous, "LEAST_EVENTS", 10)
    monkeypatch.setattr(take_rows, "LEAST_VALUES", 10)
    monkeypatch.setattr(find_matches, "LEAST_ENDS", 3)
    monkeypatch.setattr(find_matches, "LEAST_REPEATED_ENDS", 3)
    monkeypatch.setattr(dispatch, "LEAST_ROWS", 10)
    monkeypatch.setattr(dispatch, "available_cores", lambda: 1)
    return monkeypatch


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("times", ["rising", "sorted", "unsorted"])
@pytest.mark.parametrize("threads", [2, 5])
def test_as_with_one(
    text: str, times: str, threads: int, small_tasks: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    query, table = cepheid.query(text), events(times)
    alone = query.run(table, time="time", type="type")
    small_tasks.setattr(dispatch, "available_cores", lambda: threads)
    together = query.run(table, time="time", type="type")
    assert alone.num_rows > 3
    assert together.to_pylist() == alone.to_pylist()
    pq.write_table(table, tmp_path / "events.parquet", row_group_size=150)
    from_file = query.run(tmp_path / "events.parquet", time="time", type="type")
    assert from_file.equals(alone)


def test_a_file_that_cannot_be_read(small_tasks: pytest.MonkeyPatch, tmp_path: Path) -> None:
    small_tasks.setattr(dispatch, "available_cores", lambda: 2)
    path = tmp_path / "events.parquet"
    pq.write_table(events("rising"), path)
    content = path.read_bytes()
    path.write_bytes(bytes(len(content) // 2) + content[len(content) // 2 :])
    with pytest.raises(cepheid.DataError, match="cannot read"):
        cepheid.query("PATTERN SEQ(A a, B b) WHERE [k] WITHIN 9").run(
            path, time="time", type="type"
        )


def test_where_no_thread_can_be_started_the_work_is_done_here():
    usual = threading.stack_size(2**47)  # more than a process can address
    try:
        threads = _Threads()
        assert threads.submit(threading.get_ident).result() == threading.get_ident()
    finally:
        threading.stack_size(usual)
    assert threads.submit(threading.get_ident).result() != threading.get_ident()
