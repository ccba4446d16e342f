"""One type with two keys on a stream: an event goes to the bucket of each, and is told of once."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.errors import ConfigError
from cepheid.program.lower import lower
from cepheid.program.program import Program
from cepheid.spark.stream.changing_processor import QueryCompiler
from tests.spark.stream.streams import few_partitions, read_stream, run_to_end, united, write_files

pytestmark = pytest.mark.spark

ROLES = {"time": "time", "type": "type"}
SCHEMA = pa.schema(
    [("type", pa.string()), ("time", pa.int64()), ("id", pa.int64()), ("parent", pa.int32())]
)
CHILDREN = "PATTERN SEQ(P a, P b) WHERE a.id = b.parent WITHIN 20"
QUERIES = {
    "pairs": f"{CHILDREN} RETURN a.id, a.time, b.time",
    "next": f"{CHILDREN.replace('WHERE', 'WHERE contiguous(a, b) AND')} RETURN a.time, b.time",
    "no second": "PATTERN SEQ(P a, !(P n), P b) WHERE a.id = b.parent AND n.parent = a.id "
    "WITHIN 20 RETURN a.time, b.time",
    "counts": f"{CHILDREN} SLIDE 10 RETURN COUNT(*) AS n, SUM(b.id) AS total",
}


def process(time: int, id: int, parent: int | None) -> dict[str, Any]:
    return {"type": "P", "time": time, "id": id, "parent": parent}


ROWS = [
    process(1, 1, None),
    process(2, 2, 1),
    process(3, 3, 1),
    {"type": "Q", "time": 4, "id": 1, "parent": 1},
    process(5, 4, 2),
    process(6, 5, 5),
    process(7, 6, 5),
    process(9, 2, 3),
    process(30, 7, 6),
]


def test_on_a_stream_as_on_a_table(spark: SparkSession, tmp_path: Path) -> None:
    last = {"type": "Q", "time": 100, "id": 0, "parent": 0}
    write_files(tmp_path / "in", [ROWS[:3], ROWS[3:6], ROWS[6:], [last]], SCHEMA)
    table = pa.Table.from_pylist(ROWS, SCHEMA)
    queries = {name: cepheid.query(text, name=name) for name, text in QUERIES.items()}
    with few_partitions(spark, 2):
        stream = read_stream(spark, tmp_path / "in")
        results = {n: q.run(stream, **ROLES, watermark=0) for n, q in queries.items()}
        found = run_to_end(united(results), tmp_path)
        workload = cepheid.workload(queries)
        batch = workload.run(spark.read.parquet(str(tmp_path / "in")), **ROLES)
        on_spark = {name: each.toArrow().to_pylist() for name, each in batch.items()}
    together = workload.run(table, **ROLES)
    for name, query in queries.items():
        expected = sorted(map(repr, query.run(table, **ROLES).to_pylist()))
        assert expected
        assert sorted(map(repr, found.of(name))) == expected, name
        assert sorted(map(repr, on_spark[name])) == expected, name
        assert sorted(map(repr, together[name].to_pylist())) == expected, name


def test_a_late_event_is_delivered_once(spark: SparkSession, tmp_path: Path) -> None:
    late = [process(10, 1, 2), process(11, 3, None), process(12, 4, 4)]
    write_files(tmp_path / "in", [[process(100, 1, 2)], late], SCHEMA)
    text = f"{CHILDREN} AND abs(b.id) < 9".replace("WITHIN 20 AND", "AND") + " WITHIN 20"
    with few_partitions(spark, 2):
        stream = read_stream(spark, tmp_path / "in")
        found = cepheid.query(text).run(stream, **ROLES, watermark=5, late="deliver")
        assert found.late.columns == SCHEMA.names
        collected = run_to_end(united({"late": found.late}), tmp_path)
    assert sorted(collected.of("late"), key=lambda row: row["time"]) == late


def test_queries_that_come_and_go_have_buckets_by_columns() -> None:
    def compiled(name: str, text: str) -> Program:
        schema = event_schema(SCHEMA, ColumnRoles(**ROLES))
        return lower(cepheid.query(text, name=name).plan(schema))

    compiler = QueryCompiler(compiled, SCHEMA, ())
    with pytest.raises(ConfigError, match=r"P\.id = P\.parent.*several partitions"):
        compiler.query("pairs", QUERIES["pairs"], None)
