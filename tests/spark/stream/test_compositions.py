"""Queries on a stream that read the results of others, in one micro-batch, as in a batch."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.spark.stream.stream_members import REUSE
from tests.properties.comparison import as_multiset
from tests.spark.stream.streams import (
    few_partitions,
    read_stream,
    run_to_end,
    united,
    write_files,
)

pytestmark = pytest.mark.spark

DAY = date(2026, 1, 1)
PAIRS = "PATTERN SEQ(A a, B b) WITHIN 10 RETURN a.time AS at INTO D"
WORKLOADS = {
    # Two operators get the same packets.
    "twin": (
        PAIRS,
        "PATTERN SEQ(B a, A b) WITHIN 10 RETURN a.time AS at INTO F",
        "PATTERN SEQ(D d, F f) WITHIN 20 RETURN d.at, f.at AS fat",
    ),
    "diamond": (
        PAIRS,
        "PATTERN SEQ(D d, E e) WITHIN 20 RETURN d.at AS at, e.time AS et INTO F",
        "PATTERN SEQ(D d, F f) WITHIN 20 RETURN d.at, f.et",
    ),
    # A result is known only after events that come after its own time.
    "afterwards": (
        "PATTERN SEQ(A a, B b, !C) WITHIN 10 RETURN a.time AS at OUTPUT NON OVERLAPPING INTO D",
        "PATTERN SEQ(D d, E e) WITHIN 20 RETURN d.at, e.time",
    ),
}
ON_DAYS = (
    "PATTERN SEQ(A a, B b, !C) WITHIN 10 days RETURN a.k AS k OUTPUT NON OVERLAPPING INTO D",
    "PATTERN SEQ(D d, E e) WITHIN 20 days RETURN d.k, e.time",
)


def rows(*events: tuple[int, str]) -> list[dict[str, Any]]:
    return [{"time": time, "type": kind, "k": time} for time, kind in events]


def workload(texts: tuple[str, ...], name: str = "q") -> cepheid.Workload:
    return cepheid.workload([cepheid.query(e, name=f"{name}{n}") for n, e in enumerate(texts)])


@contextmanager
def no_reuse_left(spark: SparkSession) -> Iterator[None]:
    """Undo what running such queries sets."""
    try:
        yield
    finally:
        spark.conf.unset(REUSE)


def last(results: dict[str, Any]) -> Any:
    return list(results.values())[-1]


def test_readers_see_every_result(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("time", pa.int64()), ("type", pa.string()), ("k", pa.int64())])
    batches = [
        rows((100, "A"), (101, "A"), (102, "B"), (103, "B"), (104, "A")),
        rows((110, "E"), (111, "E")),
        rows((113, "X")),
        rows((114, "E")),
        rows((10_000, "X")),
    ]
    write_files(tmp_path / "events", batches, schema)
    events = pa.Table.from_pylist([row for batch in batches for row in batch], schema)
    roles: dict[str, str] = {"time": "time", "type": "type"}
    with few_partitions(spark), no_reuse_left(spark):
        stream = read_stream(spark, tmp_path / "events")
        found = run_to_end(
            united(
                {
                    name: last(workload(texts, name).run(stream, **roles, watermark=0, buckets=2))
                    for name, texts in WORKLOADS.items()
                }
            ),
            tmp_path,
        )
    for name, texts in WORKLOADS.items():
        expected = last(workload(texts).run(events, **roles)).to_pylist()
        assert expected, name
        assert as_multiset(found.of(name)) == as_multiset(expected), name


def test_results_of_days_wait_as_long(spark: SparkSession, tmp_path: Path) -> None:
    """A day is a tick of the column, but events that results become have a time of day."""
    schema = pa.schema([("time", pa.date32()), ("type", pa.string()), ("k", pa.int64())])
    days = [[(0, "A"), (8, "B")], [(11, "E")], [(13, "X"), (14, "E")], [(40, "X")], [(400, "X")]]
    batches = [
        [{"time": DAY + timedelta(day), "type": kind, "k": day} for day, kind in each]
        for each in days
    ]
    write_files(tmp_path / "events", batches, schema)
    events = pa.Table.from_pylist([row for batch in batches for row in batch], schema)
    with few_partitions(spark), no_reuse_left(spark):
        stream = read_stream(spark, tmp_path / "events")
        results = workload(ON_DAYS).run(stream, time="time", type="type", watermark="0 seconds")
        found = run_to_end(united({"days": last(results)}), tmp_path).of("days")
    expected = last(workload(ON_DAYS).run(events, time="time", type="type")).to_pylist()
    assert len(expected) == 2
    assert [row["d_k"] for row in found] == [row["d_k"] for row in expected]
