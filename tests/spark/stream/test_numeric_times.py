"""Times that are decimals or floats on Spark: a batch, ranges of time, and a stream."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from tests.spark.stream.streams import (
    Row,
    few_partitions,
    read_stream,
    run_to_end,
    united,
    write_files,
)

pytestmark = pytest.mark.spark

ROLES = {"time": "time", "type": "type"}
KINDS: dict[str, tuple[pa.DataType, Callable[[int], Any]]] = {
    "decimal": (pa.decimal128(12, 3), lambda tenths: Decimal(tenths) / 10),
    "double": (pa.float64(), lambda tenths: tenths / 10),
}
QUERIES = {
    "matches": "PATTERN SEQ(A a, B b) WITHIN 0.3 RETURN a.n AS an, b.n AS bn, b.time AS at",
    "windows": "PATTERN SEQ(A a, B+ b) WITHIN 1 second SLIDE 0.5 RETURN COUNT(*) AS n",
    "negation": "PATTERN SEQ(A a, B b, !(C c)) WITHIN 0.4 RETURN a.n AS an, b.n AS bn",
    "last": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 0.4 RETURN k, COUNT(*) AS n GROUP BY k",
}
SIZE, LATEST = 60, 10


def rows_of(make: Callable[[int], Any]) -> list[Row]:
    """Return events of tenths of a second, some at the same time, after the first watermark."""
    return [
        {"time": make(100 + each * 7 // 5), "type": "ABBC"[each * each % 11 % 4], "k": each % 2,
         "n": each}
        for each in range(SIZE)
    ]  # fmt: skip


def schema_of(kind: pa.DataType) -> pa.Schema:
    return pa.schema([("time", kind), ("type", pa.string()), ("k", pa.int64()), ("n", pa.int64())])


def shown(rows: list[Row]) -> list[list[str]]:
    """Return rows to compare: what a stream has written as JSON has no types."""
    return sorted([str(float(value)) for value in row.values()] for row in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    column, make = KINDS[kind]
    table = pa.Table.from_pylist(rows_of(make), schema_of(column))
    write_files(tmp_path / "in", [table.to_pylist()], table.schema)
    frame = spark.read.parquet(str(tmp_path / "in"))
    for text in QUERIES.values():
        query = cepheid.query(text)
        wanted = query.run(table, **ROLES)
        assert wanted.num_rows
        found = query.run(frame, **ROLES)
        assert shown([row.asDict() for row in found.collect()]) == shown(wanted.to_pylist())
    query = cepheid.query(QUERIES["windows"])
    ranges = query.run(frame, **ROLES, parallel_in_time=True).collect()
    wanted = query.run(table, **ROLES).to_pylist()
    assert shown([row.asDict() for row in ranges]) == shown(wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_events_of_other_queries(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    column, make = KINDS[kind]
    table = pa.Table.from_pylist(rows_of(make), schema_of(column))
    write_files(tmp_path / "in", [table.to_pylist()], table.schema)
    frame = spark.read.parquet(str(tmp_path / "in"))
    work = cepheid.workload(
        {
            "inner": "PATTERN SEQ(A a, B b) WITHIN 1 SLIDE 0.5 RETURN COUNT(*) AS n INTO Pair",
            "outer": "PATTERN SEQ(Pair p, C c) WITHIN 0.5 RETURN p.time AS p, c.time AS c",
        }
    )
    wanted = work.run(table, **ROLES)["outer"]
    assert wanted.num_rows
    found = [row.asDict() for row in work.run(frame, **ROLES)["outer"].collect()]
    assert shown(found) == shown(wanted.to_pylist())


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    """The watermark is made of the column, as one is for whole numbers."""
    column, make = KINDS[kind]
    rows = rows_of(make)
    end = {"time": make(100_000), "type": "Z", "k": 0, "n": 0}
    batches = [rows[:20], rows[20:25], rows[25:], [end]]
    write_files(tmp_path / "in", batches, schema_of(column))
    table = pa.Table.from_pylist(rows, schema_of(column))
    queries = {name: cepheid.query(text, name=name) for name, text in QUERIES.items()}
    with few_partitions(spark):
        results = {
            name: query.run(read_stream(spark, tmp_path / "in"), **ROLES, watermark=1)
            for name, query in queries.items()
        }
        found = run_to_end(united(results), tmp_path)
    for name, query in queries.items():
        wanted = query.run(table, **ROLES).to_pylist()
        assert shown(found.of(name)) == shown(wanted), name
        assert sum(found.observed(name, "late")) == 0
