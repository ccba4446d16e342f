"""Events with roles and options as objects, on DataFrames that have an end and on streams."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import cepheid
from tests.spark.stream.streams import (
    as_text,
    few_partitions,
    read_stream,
    run_until_idle,
    write_files,
)

pytestmark = pytest.mark.spark

SCHEMA = pa.schema([("type", pa.string()), ("time", pa.int64()), ("x", pa.int64())])
ROWS: list[dict[str, Any]] = [
    {"type": "A", "time": 1, "x": 1},
    {"type": "B", "time": 2, "x": 2},
    {"type": "A", "time": 8, "x": 3},
    {"type": "B", "time": 9, "x": 4},
    {"type": "C", "time": 90, "x": 5},
]
ROLES = {"time": "time", "type": "type"}
QUERY = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 5 RETURN a.x AS a, b.x AS b", name="pairs")
TOGETHER = cepheid.workload([QUERY, "PATTERN A a WITHIN 5 SLIDE 5 RETURN COUNT(*) AS n"])
EXPECTED = [(1, 2), (3, 4)]
WATERMARK = cepheid.Streaming(watermark=1, buckets=2)


@pytest.fixture
def frame(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(pa.Table.from_pylist(ROWS, SCHEMA))


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path) -> DataFrame:
    write_files(tmp_path / "in", [ROWS], SCHEMA)
    return read_stream(spark, tmp_path / "in")


def pairs(found: DataFrame) -> list[tuple[int, int]]:
    return sorted((row["a"], row["b"]) for row in found.collect())


class TestOnABatch:
    def test_of_a_query_and_a_workload(self, frame: DataFrame) -> None:
        events = cepheid.events(frame, **ROLES)
        assert repr(events) == "Events(batch DataFrame of type, time, x; time='time', type='type')"
        assert pairs(QUERY.run(events, cepheid.Batch(packed=True))) == EXPECTED
        assert pairs(TOGETHER.run(events)["pairs"]) == EXPECTED

    def test_by_type(self, frame: DataFrame) -> None:
        by_type = {each: frame.where(f"type = '{each}'").drop("type") for each in "AB"}
        assert pairs(QUERY.run(cepheid.events(by_type, time="time"))) == EXPECTED

    def test_explained(self, frame: DataFrame) -> None:
        events = cepheid.events(frame, **ROLES)
        assert "SEQ(A a, B b)" in QUERY.explain(events)
        assert "pairs" in TOGETHER.explain(events)
        with pytest.raises(cepheid.BindingError, match="has no attribute 'y'"):
            cepheid.query("PATTERN A a WHERE a.y > 1").explain(events)

    def test_mistakes(self, frame: DataFrame) -> None:
        with pytest.raises(cepheid.DataError, match=r"(?s)no column 'tim'.*did you mean 'time'"):
            cepheid.events(frame, time="tim")
        with pytest.raises(cepheid.DataError, match="type column 'x' holds int64"):
            cepheid.events(frame, time="time", type="x")
        with pytest.raises(cepheid.ConfigError, match=r"Streaming options.*a batch DataFrame"):
            QUERY.run(cepheid.events(frame, **ROLES), WATERMARK)

    def test_a_compressed_result_is_one(self, frame: DataFrame) -> None:
        query = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 5 OUTPUT COMPRESSED")
        events = cepheid.events(frame, **ROLES)
        assert isinstance(query.run(events), cepheid.Compressed)
        assert isinstance(query.run(pa.Table.from_pylist(ROWS), **ROLES), cepheid.Compressed)
        assert not isinstance(QUERY.run(events), cepheid.Compressed)


class TestOnAStream:
    def test_of_a_query(self, spark: SparkSession, stream: DataFrame, tmp_path: Path) -> None:
        events = cepheid.events(stream, **ROLES)
        assert repr(events).startswith("Events(streaming DataFrame of type, time, x; time='time'")
        with few_partitions(spark):
            found = run_until_idle(as_text("q", QUERY.run(events, WATERMARK)), tmp_path)
        assert sorted((row["a"], row["b"]) for row in found.of("q")) == EXPECTED

    def test_of_a_workload(self, stream: DataFrame, tmp_path: Path) -> None:
        events = cepheid.events(stream, **ROLES)
        assert TOGETHER.run(events, WATERMARK)["pairs"].isStreaming
        assert TOGETHER.stream(events, WATERMARK).rows.isStreaming
        (tmp_path / "queries").mkdir()
        folder = cepheid.query_folder(tmp_path / "queries")
        assert folder.stream(events, WATERMARK).isStreaming

    def test_explained(self, stream: DataFrame) -> None:
        assert "SEQ(A a, B b)" in QUERY.explain(cepheid.events(stream, **ROLES))

    def test_late_events_beside_the_results(self, stream: DataFrame) -> None:
        late = cepheid.Streaming(watermark=1, late="deliver")
        events = cepheid.events(stream, **ROLES)
        assert isinstance(QUERY.run(events, late), cepheid.ResultsWithLate)
        with pytest.raises(cepheid.ConfigError, match="stream has no option 'late'"):
            TOGETHER.stream(events, late)

    def test_mistakes(self, stream: DataFrame, tmp_path: Path) -> None:
        events = cepheid.events(stream, **ROLES)
        with pytest.raises(cepheid.ConfigError, match=r"Batch options.*the events are a stream"):
            QUERY.run(events, cepheid.Batch())
        with pytest.raises(cepheid.ConfigError, match=r"options are given twice.*buckets="):
            QUERY.run(events, WATERMARK, buckets=3)
        with pytest.raises(cepheid.ConfigError, match="stream has no option 'limit'"):
            TOGETHER.stream(events, limit=3)  # type: ignore[call-arg]
        with pytest.raises(cepheid.ConfigError, match="stream has no option 'max_matches'"):
            cepheid.query_folder(tmp_path).stream(events, max_matches=3)
