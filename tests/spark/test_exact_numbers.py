"""Decimals, integers next to fractions and NaN on Spark: what the local engine says."""

import math
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from tests.spark.stream.streams import few_partitions, read_stream, run_to_end, united, write_files

pytestmark = pytest.mark.spark

ROLES = {"time": "time", "type": "type"}
SCHEMA = pa.schema(
    [
        ("type", pa.string()),
        ("time", pa.int64()),
        ("x", pa.int64()),
        ("d", pa.decimal128(38, 2)),
        ("y", pa.float64()),
    ]
)
PRICES = [Decimal(f"12345678901234567890.{each}") for each in (10, 11, 12)]
ROWS = [
    {"type": "A", "time": 1, "x": 2**53 + 1, "d": PRICES[0], "y": math.nan},
    {"type": "A", "time": 2, "x": 2**53, "d": PRICES[2], "y": 0.5},
    {"type": "B", "time": 3, "x": 2**53 + 1, "d": PRICES[1], "y": math.nan},
    {"type": "B", "time": 4, "x": 3, "d": PRICES[2], "y": 0.5},
]
CONDITIONS = {
    "decimals": ("a.d < b.d", [(1, 3), (1, 4)]),
    "arithmetic": ("a.d * 1.05 >= b.d * 1.05", [(2, 3), (2, 4)]),
    "literal": ("a.d > 12345678901234567890.105", [(2, 3), (2, 4)]),
    "fraction": ("a.x > 9007199254740992.5 AND b.x > 2.5", [(1, 3), (1, 4)]),
    "mixed": ("a.x < b.d", [(1, 3), (1, 4), (2, 3), (2, 4)]),
    "nan": ("a.y = b.y", [(2, 4)]),
    "key": ("[y]", [(1, 3), (2, 4)]),
}
QUERIES = {
    name: cepheid.query(
        f"PATTERN SEQ(A a, B b) WHERE {condition} WITHIN 10 RETURN a.time, b.time", name=name
    )
    for name, (condition, _) in CONDITIONS.items()
}
WANTED = {name: pairs for name, (_, pairs) in CONDITIONS.items()}


def test_in_process() -> None:
    table = pa.Table.from_pylist(ROWS, SCHEMA)
    found = {name: each.run(table, **ROLES).to_pylist() for name, each in QUERIES.items()}
    assert {
        name: sorted(tuple(row.values()) for row in each) for name, each in found.items()
    } == WANTED


def test_batch_and_stream(spark: SparkSession, tmp_path: Path) -> None:
    end = {**ROWS[0], "type": "Z", "time": 50}
    write_files(tmp_path / "in", [ROWS[:1], ROWS[1:3], ROWS[3:], [end]], SCHEMA)
    stored = spark.read.parquet(str(tmp_path / "in"))
    batch = united({name: each.run(stored, **ROLES) for name, each in QUERIES.items()}).collect()
    assert sorted((row["name"], row["text"]) for row in batch) == sorted(
        (name, f'{{"a_time":{one},"b_time":{two}}}')
        for name, pairs in WANTED.items()
        for one, two in pairs
    )
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        names = ("arithmetic", "mixed", "nan")
        results = {name: QUERIES[name].run(stream, **ROLES, ordered=True) for name in names}
        found = run_to_end(united(results), tmp_path)
    for name in names:
        assert sorted(tuple(row.values()) for row in found.of(name)) == WANTED[name], name


def test_sums_of_decimals(spark: SparkSession, tmp_path: Path) -> None:
    """Decimals of few digits are added up with all of them, in tasks, and on a stream."""
    schema = pa.schema([("type", pa.string()), ("time", pa.int64()), ("p", pa.decimal128(10, 2))])
    rows = [
        {"type": "A", "time": 1, "p": Decimal("0.10")},
        {"type": "A", "time": 2, "p": Decimal("0.20")},
        {"type": "A", "time": 12, "p": None},
        {"type": "Z", "time": 50, "p": None},
    ]
    write_files(tmp_path / "in", [rows[:1], rows[1:2], rows[2:3], rows[3:]], schema)
    match = cepheid.query("PATTERN A{2} a WHERE sum(a[].p) = 0.3 WITHIN 5 RETURN sum(a[].p) AS s")
    trends = cepheid.query("PATTERN A a WITHIN 10 SLIDE 10 RETURN SUM(a.p) AS s, AVG(a.p) AS m")
    moving = cepheid.query("PATTERN A a WITHIN 5 RETURN SUM(a.p) AS s HAVING SUM(a.p) >= 0.3")
    stored = spark.read.parquet(str(tmp_path / "in"))
    assert [row.s for row in match.run(stored, **ROLES).collect()] == [Decimal("0.30")]
    found = sorted(map(tuple, trends.run(stored, **ROLES).collect()))
    assert found == [(0, 10, Decimal("0.30"), 0.15), (10, 20, None, None)]
    assert [tuple(row) for row in moving.run(stored, **ROLES).collect()] == [(2, Decimal("0.30"))]
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        queries = {"match": match, "trends": trends, "moving": moving}
        results = {name: each.run(stream, **ROLES, ordered=True) for name, each in queries.items()}
        done = run_to_end(united(results), tmp_path)
    assert [row["s"] for row in done.of("match")] == [0.3]
    assert sorted(row["window_start"] for row in done.of("trends")) == [0, 10]
    assert [(row["time"], row["s"]) for row in done.of("moving")] == [(2, 0.3)]
