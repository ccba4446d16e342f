"""Queries that come and go while a stream runs: the others are not disturbed."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from tests.properties.comparison import as_multiset
from tests.spark.stream.streams import (
    ATTEMPTS,
    Collected,
    few_partitions,
    read_stream,
    write_files,
)
from tests.spark.stream.test_workload_stream import DELAY, ROLES, SCHEMA, random_events

pytestmark = [pytest.mark.spark, pytest.mark.slow]

STEADY = "PATTERN SEQ(A, B+) WHERE [k] WITHIN 8 SLIDE 4 RETURN k, COUNT(*) AS n GROUP BY k"
TOTAL = "PATTERN SEQ(C, B+) WHERE [k] WITHIN 8 SLIDE 4 RETURN COUNT(*) AS n"
LONGER = "PATTERN SEQ(A, B+ b) WHERE [k] AND b.x > 1 WITHIN 12 SLIDE 4 RETURN COUNT(*) AS n"
MATCHES = "PATTERN SEQ(A a, C c) WHERE [k] WITHIN 5 RETURN a.time AS a, c.time AS c"


def named(rows: DataFrame) -> DataFrame:
    """Changes are rows of a name of their own."""
    name = F.concat_ws(":", "change", "query").alias("name")
    return rows.select(name, F.col("result").alias("text"))


def run(spark: SparkSession, folder: Path, **options: Any) -> Collected:
    stream = read_stream(spark, folder / "in", files=1)
    settings = {"watermark": DELAY, "keys": "k", "buckets": 2} | options
    rows = cepheid.query_folder(folder / "queries").stream(stream, **ROLES, **settings)
    return run_until_idle(named(rows), folder)


def run_until_idle(frame: DataFrame, folder: Path) -> Collected:
    """Run all that is there; `availableNow` would stop before the last windows are closed."""
    writer = frame.writeStream.format("parquet").outputMode("append")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    for attempt in range(ATTEMPTS):
        query = writer.start(str(folder / "out"))
        try:
            query.processAllAvailable()
            break
        except StreamingQueryException as error:
            if "failed to connect back" not in str(error) or attempt == ATTEMPTS - 1:
                raise
        finally:
            query.stop()
    return Collected(frame.sparkSession.read.parquet(str(folder / "out")).collect(), [])


def expected(text: str, events: list[dict[str, Any]], since: int = 0) -> list[dict[str, Any]]:
    """What a query gives of the stream from a tick on; windows that began before are left out."""
    later = [each for each in events if each["time"] >= since]
    rows = cepheid.query(text).run(pa.Table.from_pylist(later, SCHEMA), **ROLES).to_pylist()
    return [each for each in rows if each.get("window_start", since) >= since]


def test_queries_come_and_go(spark: SparkSession, tmp_path: Path) -> None:
    events = random_events(7, 90)
    queries = tmp_path / "queries"
    queries.mkdir()

    def put(name: str, text: str) -> None:
        (queries / f"{name}.cep").write_text(text)

    put("steady", STEADY)
    put("total", TOTAL)
    with few_partitions(spark, 2):
        write_files(tmp_path / "in", [events[:30]], SCHEMA)
        run(spark, tmp_path)
        put("longer", LONGER)
        put("matches", MATCHES)
        put("broken", "PATTERN SEQ(A, WITHIN 4")
        put("spread", "PATTERN SEQ(A, B) WITHIN 4 SLIDE 4 RETURN COUNT(*) AS n")
        (queries / "strange.cep").write_bytes(b"\xff\xfe")
        write_files(tmp_path / "in", [events[30:60]], SCHEMA)
        run(spark, tmp_path)
        (queries / "total.cep").unlink()
        put("matches", "PATTERN nonsense")
        write_files(tmp_path / "in", [events[60:], [{"type": "Z", "time": 9000, "k": 0}]], SCHEMA)
        found = run(spark, tmp_path)
    assert found.of("added:steady") == [{"watermark": None, "since": None}]
    (added,) = found.of("added:longer")
    since = 1 + max(each["time"] for each in events[:30])
    assert added == {"watermark": (since - 1 - DELAY) * 1000, "since": since}
    assert as_multiset(found.of("steady")) == as_multiset(expected(STEADY, events))
    for name, text in (("longer", LONGER), ("matches", MATCHES)):
        rows = expected(text, events, since)
        assert rows
        assert as_multiset(found.of(name)) == as_multiset(rows), name
    # It closed windows up to the watermark of its last run, and none in the micro-batch after.
    last = max(each["time"] for each in events[:60]) - DELAY
    closed = [each for each in expected(TOTAL, events) if each["window_end"] <= last]
    assert closed
    assert as_multiset(found.of("total")) == as_multiset(closed)
    assert len(found.of("removed:total")) == 1
    for name, words in (
        ("broken", "unexpected"),
        ("spread", "buckets are by k"),
        ("strange", "strange.cep cannot be read"),
        ("matches", "buckets are by k"),
    ):
        (refused,) = found.of(f"refused:{name}")
        assert words in refused["message"], refused


def test_workloads_with_and_without(tmp_path: Path) -> None:
    (tmp_path / "one.cep").write_text(STEADY)
    first = cepheid.query_folder(tmp_path).workload()
    assert list(first.queries) == ["one"]
    second = first.with_query(TOTAL).with_query(cepheid.query(LONGER), name="long")
    assert list(second.queries) == ["one", "q2", "long"]
    assert list(second.without("one").queries) == ["q2", "long"]
    table = pa.Table.from_pylist(random_events(1), SCHEMA)
    alone = first.run(table, **ROLES)["one"]
    assert second.run(table, **ROLES)["one"] == alone
    with pytest.raises(cepheid.ConfigError, match="did you mean 'long'"):
        second.without("lon")
