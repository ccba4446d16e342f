"""A source that has fallen silent does not hold results for ever."""

import datetime
import json
import time
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.metrics.stream_metrics import StreamMetrics, advance
from tests.spark.stream.streams import few_partitions, read_stream, write_files

pytestmark = pytest.mark.spark

SCHEMA = pa.schema([("type", pa.string()), ("time", pa.timestamp("us", "UTC"))])
LONGEST_WAIT = 240.0  # seconds; a few are enough unless the machine is busy


def test_the_clock_goes_on_without_the_source(spark: SparkSession, tmp_path: Path) -> None:
    now = datetime.datetime.now(datetime.UTC)
    second = datetime.timedelta(seconds=1)
    rows = [{"type": "A", "time": now}, {"type": "B", "time": now + second}]
    write_files(tmp_path / "in", [rows], SCHEMA)
    query = cepheid.query("PATTERN SEQ(A a, B b, !C) WITHIN 3 seconds RETURN a.type AS first")
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        result = query.run(stream, time="time", type="type", watermark="1 second", idle="1 second")
        writer = result.writeStream.format("memory").queryName("after_silence")
        running = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
        try:
            begun = time.monotonic()
            while not spark.table("after_silence").count():
                assert running.isActive, running.exception()
                assert time.monotonic() - begun < LONGEST_WAIT
                time.sleep(1)
            assert [row["first"] for row in spark.table("after_silence").collect()] == ["A"]
        finally:
            running.stop()
            spark.catalog.dropTempView("after_silence")
    metrics = StreamMetrics("after_silence")
    for each in running.recentProgress:
        metrics = advance(metrics, json.loads(each.json))
    assert metrics.rows_total == len(rows), "the rows that let time go on are no events"
