"""A task with more events than its memory: the same results, in bounded memory, no files left."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.bundle import bundle_of_one
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.trends.partial_table import partial_schema
from cepheid.errors import DataError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower
from cepheid.spark.batch.task_folds import TaskFolds
from tests.engine.run_one import run_one

pytestmark = pytest.mark.spark
EVENTS, BATCH = 3000, 100
SCHEMA = pa.schema(
    [("time", pa.int64()), ("type", pa.string()), ("k", pa.int64()), ("x", pa.int64())]
)
QUERIES = {
    "matches": "SEQ(A a, B b) WHERE [k] AND a.x < b.x WITHIN 40 RETURN a.time, b.time",
    "ties in one run": "SEQ(A+ a, B b) WHERE [k] WITHIN 12 RETURN a.x, b.time",
    "negation at the end": "SEQ(A a, B b, !C) WHERE [k] WITHIN 30 RETURN a.time, b.time",
    "partial": "SEQ(A a, B b) WHERE [k] WITHIN 9 RETURN a.time OUTPUT PARTIAL",
    "apart": "SEQ(A a, B b) WHERE [k] WITHIN 30 RETURN a.time, b.time OUTPUT NON OVERLAPPING",
    "contiguous": "SEQ(A a, B b) SEMANTICS contiguous WHERE [k] WITHIN 30 RETURN a.time",
    "windows of events": "SEQ(A a, B b) WHERE [k] WITHIN 5 EVENTS RETURN a.time, b.time",
    "windows of counts": "SEQ(A a, B b) WHERE [k] WITHIN 6 EVENTS SLIDE 2 EVENTS RETURN COUNT(*)",
    "windows": "SEQ(A a, B+ b) WHERE [k] WITHIN 40 SLIDE 10 RETURN COUNT(*) AS n, MAX(b.x)",
    "moments": "SEQ(A a, B+ b) WHERE [k] WITHIN 20 RETURN COUNT(*) AS n GROUP BY k",
    "no window": "SEQ(A a, B+ b) WHERE [k] RETURN k, LOG2(COUNT(*)) AS n, SUM(b.x) GROUP BY k",
    "contiguous, no window": "SEQ(A, B) SEMANTICS contiguous WHERE [k] RETURN COUNT(*) AS n",
    "exact": "SEQ(A, B+) WHERE [k] RETURN EXACT COUNT(*) AS n GROUP BY k",
    "all matches": "SEQ(A a, B b) WHERE [k] AND a.x = 1 AND b.x = 2 RETURN a.time, b.time",
}  # fmt: skip


def batches(count: int = EVENTS) -> Iterator[pa.RecordBatch]:
    """Yield events in no order, each made when it is asked for."""
    for begin in range(0, count, BATCH):
        place = (np.arange(begin, begin + BATCH) * 7919) % count
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(place // 2),
                pa.array(np.array(list("AABCB"))[place * place % 11 % 5]),
                pa.array(place % 3),
                pa.array(place * 31 % 17),
            ],
            names=["0", "1", "2", "3"],
        )


def folds_of(query: str, memory: int, *, partially: bool = False) -> TaskFolds:
    roles = ColumnRoles("time", "type", (), None, "s")
    program = lower(cepheid.query(f"PATTERN {query}").plan(event_schema(SCHEMA, roles)))
    numbers = frozenset({0}) if partially else frozenset[int]()
    return TaskFolds(bundle_of_one(program), numbers, SCHEMA, memory)


def rows_of(results: Iterator[pa.RecordBatch]) -> list[tuple[object, ...]]:
    """Return rows in some order; products of matrices round otherwise than sums."""
    rows = [tuple(row.values()) for batch in results for row in batch.to_pylist()]
    rounded = [tuple(f"{e:.11g}" if isinstance(e, float) else e for e in row) for row in rows]
    return sorted(rounded, key=repr)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", QUERIES)
def test_results_are_the_same(folder: Path, name: str) -> None:
    folds = folds_of(QUERIES[name], memory=20_000)
    table = pa.Table.from_batches(batches()).rename_columns(SCHEMA.names)
    expected = run_one(folds.bundle.programs[0], table)
    assert isinstance(expected, pa.Table)
    assert expected.num_rows
    found = rows_of(folds.results().of_batches(SCHEMA.names)(batches()))
    assert found == rows_of(iter(expected.to_batches()))
    assert not list(folder.iterdir())


def test_partial_rows_add_up_to_the_same(folder: Path) -> None:
    totals = []
    for memory in (20_000, 10**9):
        folds = folds_of(QUERIES["windows"], memory, partially=True)
        (program,) = folds.bundle.programs
        assert isinstance(program.output, AggregateOutput)
        found = list(folds.results().of_batches(SCHEMA.names)(batches()))
        table = pa.Table.from_batches(found, partial_schema(program, program.output, SCHEMA))
        totals.append(rows_of(iter(table.to_batches())))
    assert totals[0] == totals[1]


@pytest.mark.parametrize("name", ["matches", "windows", "no window"])
def test_memory_does_not_grow_with_the_events(folder: Path, name: str) -> None:
    """Ten times the events take ten times the file, and the same memory."""
    peaks = []
    for count in (30_000, 300_000):
        gc.collect()  # what earlier tests left would be freed on the way
        start = pa.total_allocated_bytes()
        peak = 0

        def watched(count: int = count, start: int = start) -> Iterator[pa.RecordBatch]:
            nonlocal peak
            for batch in batches(count):
                peak = max(peak, pa.total_allocated_bytes() - start)
                yield batch

        fold = folds_of(QUERIES[name], memory=200_000).results().of_batches(SCHEMA.names)
        for _ in fold(watched()):
            peak = max(peak, pa.total_allocated_bytes() - start)
        peaks.append(peak)
    assert peaks[1] < 2 * peaks[0]
    assert peaks[1] < 300_000 * 29 / 4


def test_files_are_removed_after_an_error(folder: Path) -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        yield from batches()
        assert os.listdir(folder), "something is in files by now"
        yield pa.record_batch(
            [pa.array([None], pa.int64()), pa.array(["A"]), pa.array([1]), pa.array([1])],
            names=["0", "1", "2", "3"],
        )

    fold = folds_of(QUERIES["matches"], memory=20_000).results().of_batches(SCHEMA.names)
    with pytest.raises(DataError, match="time"):
        list(fold(broken()))
    assert not os.listdir(folder)


def test_files_are_removed_if_nobody_asks_for_more(folder: Path) -> None:
    fold = folds_of(QUERIES["matches"], memory=20_000).results().of_batches(SCHEMA.names)
    results = fold(batches())
    next(results)
    assert os.listdir(folder)
    results.close()
    assert not os.listdir(folder)
