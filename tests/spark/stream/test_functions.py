"""Functions on a stream: what they compute of events is there in every micro-batch."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from tests.spark.stream.streams import few_partitions, read_stream, run_to_end, united, write_files

pytestmark = pytest.mark.spark

ROLES = {"time": "time", "type": "type"}
SCHEMA = pa.schema(
    [("type", pa.string()), ("time", pa.int64()), ("name", pa.string()), ("x", pa.int64())]
)
ROWS = [
    {"type": "A", "time": 1, "name": "Ann", "x": 1},
    {"type": "A", "time": 2, "name": None, "x": 2},
    {"type": "A", "time": 3, "name": "bob", "x": None},
    {"type": "B", "time": 4, "name": "ANN", "x": 4},
    {"type": "B", "time": 5, "name": "Bob", "x": 5},
]
QUERIES = {
    "keys": "PATTERN SEQ(A a, B b) WHERE lower(a.name) = lower(b.name) WITHIN 9 "
    "RETURN upper(a.name) AS name, b.x + coalesce(a.x, 0) AS x",
    "tests": "PATTERN SEQ(A a, B b) WHERE (a.name IS NULL OR a.name RLIKE '^b') "
    "AND b.x IN (4, 7) AND b.time - a.time < 2 seconds WITHIN 9 RETURN a.time, b.time",
    "across": "PATTERN SEQ(A a, B b) WHERE abs(b.x - a.x) < 3 "
    "AND coalesce(a.name, b.name) LIKE 'A%' WITHIN 9 RETURN a.time, b.time",
    "having": "PATTERN SEQ(A a, B b) WITHIN 9 RETURN COUNT(*) AS n, AVG(b.time - a.time) AS mean "
    "HAVING upper(MAX(a.name)) LIKE 'B%' AND mean IN (2, 2.5) AND MAX(b.time) - MIN(a.time) > 2 "
    "seconds AND coalesce(MIN(a.x), 0) = 1",
    "of matches": "PATTERN SEQ(A a, B b) WITHIN 9 RETURN MAX(b.time - a.time) AS longest, "
    "MIN(b.x - a.x) AS least, SUM(a.x * b.x) AS products HAVING longest > 1 second",
    "blocks": "PATTERN SEQ(A+ a, B b) WHERE sum(a[].x) IN (2, 3) AND upper(a[2].name) = 'BOB' "
    "WITHIN 9 RETURN a.time, b.time, median(a[].x * 2) AS m",
}


def test_functions(spark: SparkSession, tmp_path: Path) -> None:
    write_files(tmp_path / "in", [ROWS[:2], ROWS[2:4], ROWS[4:]], SCHEMA)
    table = pa.Table.from_pylist(ROWS, SCHEMA)
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        queries = {name: cepheid.query(text, name=name) for name, text in QUERIES.items()}
        results = {name: each.run(stream, **ROLES, ordered=True) for name, each in queries.items()}
        found = run_to_end(united(results), tmp_path)
    for name, query in queries.items():
        expected = query.run(table, **ROLES).to_pylist()
        assert expected
        assert sorted(map(repr, found.of(name))) == sorted(map(repr, expected)), name
