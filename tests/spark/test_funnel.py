"""Funnels on Spark equal those in process, of every type of time; a stream has their queries."""

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.errors import ConfigError

pytestmark = pytest.mark.spark

ROLES = {"time": "ts", "type": "kind"}
STEPS = {"a": "A", "b": "B WHERE x > 0", "c": "ANY(C, D)"}
MOMENTS = {
    "integer": lambda ts: ts,
    "timestamp": lambda ts: datetime(2024, 1, 1) + timedelta(seconds=ts),
    "date": lambda ts: date(2024, 1, 1) + timedelta(days=ts),
}


def table_of(kind: str) -> pa.Table:
    random = np.random.default_rng(7)
    count = 400
    times = [MOMENTS[kind](int(each)) for each in np.sort(random.integers(0, 200, count))]
    return pa.table(
        {
            "ts": times,
            "kind": random.choice(list("ABCDX"), count),
            "user": random.integers(0, 12, count),
            "x": random.integers(0, 3, count),
        }
    )


@pytest.mark.parametrize(
    ("kind", "within", "mode"),
    [
        ("integer", 40, "ordered"),
        ("timestamp", "40 seconds", "no-repeats"),
        ("date", "40 days", "contiguous"),
    ],
)
def test_spark_equals_in_process(spark: SparkSession, kind: str, within: Any, mode: str) -> None:
    table = table_of(kind)
    asked = {"by": "user", "within": within, "mode": mode, **ROLES}
    here = cepheid.funnel(table, STEPS, **asked)
    there = cepheid.funnel(spark.createDataFrame(table.to_pandas()), STEPS, **asked)
    assert there.conversion.equals(here.conversion)
    columns = ["user", "level"]
    found = {tuple(row) for row in there.levels.select(columns).collect()}
    assert found == {tuple(row.values()) for row in here.levels.select(columns).to_pylist()}
    if kind == "integer":
        rows = sorted((row.asDict() for row in there.levels.collect()), key=lambda row: row["user"])
        assert rows == here.levels.to_pylist()


def test_a_stream_has_the_queries(spark: SparkSession, tmp_path: Path) -> None:
    table = table_of("timestamp")
    folder = str(tmp_path / "events")
    frame = spark.createDataFrame(table.to_pandas())
    frame.write.parquet(folder)
    stream = spark.readStream.schema(frame.schema).parquet(folder)
    with pytest.raises(ConfigError, match="funnel_queries"):
        cepheid.funnel(stream, STEPS, by="user", within="40 seconds", **ROLES)
    queries = cepheid.funnel_queries(STEPS, by="user", within="40 seconds", time="ts")
    rows = queries.stream(stream, watermark="0 seconds", **ROLES).rows
    writer = rows.writeStream.format("memory").queryName("funnel_rows").outputMode("append")
    writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(
        availableNow=True
    ).start().awaitTermination()
    counts = spark.sql("SELECT query, count(*) AS n FROM funnel_rows GROUP BY query").collect()
    found = {row["query"]: row["n"] for row in counts}
    final = table.filter(pc.field("ts") < pc.max(table["ts"]))  # what is not after the watermark
    here = queries.run(final, **ROLES)
    assert found == {name: each.num_rows for name, each in here.items()}
