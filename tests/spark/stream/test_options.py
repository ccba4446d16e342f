"""What a stream needs, and what a table cannot have; nothing of this runs."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from tests.spark.stream.streams import read_stream, write_files

pytestmark = pytest.mark.spark

QUERY = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 5 seconds RETURN a.time")
ROLES = {"time": "time", "type": "type"}


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path) -> DataFrame:
    schema = pa.schema([("type", pa.string()), ("time", pa.int64()), ("k", pa.int64())])
    write_files(tmp_path / "in", [[]], schema)
    return read_stream(spark, tmp_path / "in")


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("timestamp", r'stream.withWatermark\("time", "10 minutes"\)'),
        ("date", "watermark='10 minutes'"),
        ("timestamp_ntz", "watermark='10 minutes'"),
        ("bigint", "watermark=600"),
    ],
)
def test_a_missing_watermark_says_what_to_write(stream: DataFrame, kind: str, hint: str) -> None:
    time = F.timestamp_seconds("time").cast(kind) if kind != "bigint" else F.col("time")
    with pytest.raises(cepheid.DataError, match=f"no watermark on column 'time'(.|\n)*{hint}"):
        QUERY.run(stream.withColumn("time", time), **ROLES)


@pytest.mark.parametrize("kind", ["timestamp", "date", "timestamp_ntz", "bigint", "int"])
def test_watermarks_for_all_kinds_of_time(stream: DataFrame, kind: str) -> None:
    time = F.col("time").cast(kind) if "int" in kind else F.timestamp_seconds("time").cast(kind)
    result = QUERY.run(stream.withColumn("time", time), **ROLES, watermark="10 minutes")
    assert result.isStreaming
    assert result.columns == ["a_time"]


def test_a_watermark_of_the_stream_itself(stream: DataFrame) -> None:
    timed = stream.withColumn("time", F.timestamp_seconds("time"))
    timed = timed.withWatermark("time", "1 minute")
    assert QUERY.run(timed, **ROLES).isStreaming
    with pytest.raises(cepheid.ConfigError, match="has a watermark already"):
        QUERY.run(timed, **ROLES, watermark="1 minute")


def test_options_that_have_no_such_value(stream: DataFrame) -> None:
    with pytest.raises(cepheid.ConfigError, match="late='keep' is unknown"):
        QUERY.run(stream, **ROLES, ordered=True, late="keep")
    with pytest.raises(cepheid.ConfigError, match="buckets is 0"):
        QUERY.run(stream, **ROLES, ordered=True, buckets=0)
    with pytest.raises(cepheid.ConfigError, match="idle needs watermark="):
        QUERY.run(stream, **ROLES, ordered=True, idle="1 minute")
    timed = stream.withColumn("time", F.timestamp_seconds("time"))
    with pytest.raises(cepheid.ConfigError, match="watermark=5 has no unit"):
        QUERY.run(timed, **ROLES, watermark=5)


def test_results_that_are_never_final(stream: DataFrame) -> None:
    whole = cepheid.query("PATTERN SEQ(A a, B b) RETURN COUNT(*) AS n")
    with pytest.raises(cepheid.UnsupportedQueryError, match="a stream has no end"):
        whole.run(stream, **ROLES, watermark=5)
    counted = cepheid.query(
        "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 4 EVENTS SLIDE 2 EVENTS RETURN COUNT(*) AS n"
    )
    with pytest.raises(cepheid.UnsupportedQueryError, match="a new partition can always come"):
        counted.run(stream, **ROLES, watermark=5)


@pytest.mark.parametrize(
    "option", [{"ordered": True}, {"watermark": 5}, {"late": "deliver"}, {"buckets": 2}]
)
def test_tables_have_no_such_options(spark: SparkSession, option: dict[str, object]) -> None:
    table = pa.table({"type": ["A"], "time": [1]})
    frame = spark.createDataFrame([("A", 1)], "type string, time bigint")
    (name,) = option
    with pytest.raises(cepheid.ConfigError, match=f"{name} is for streams.*pyarrow table"):
        QUERY.run(table, **ROLES, **option)
    with pytest.raises(cepheid.ConfigError, match=f"{name} is for streams.*batch DataFrame"):
        QUERY.run(frame, **ROLES, **option)
    with pytest.raises(cepheid.ConfigError, match=f"{name} is for streams"):
        cepheid.workload([QUERY]).run(frame, **ROLES, **option)


@pytest.mark.parametrize("name", ["grouped", "packed", "parallel_in_time"])
def test_options_of_batches_are_refused(stream: DataFrame, name: str) -> None:
    query = cepheid.query(
        "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 5 seconds SLIDE 5 seconds RETURN COUNT(*)"
    )
    options: dict[str, bool] = {name: True}
    with pytest.raises(cepheid.ConfigError, match=f"{name} is for batch DataFrames.*a stream"):
        query.run(stream, **ROLES, ordered=True, **options)


def test_a_workload_on_a_stream_is_not_packed(stream: DataFrame) -> None:
    with pytest.raises(cepheid.ConfigError, match="packed is for batch DataFrames"):
        cepheid.workload([QUERY]).run(stream, **ROLES, ordered=True, packed=True)


def test_a_limit_is_for_events_that_have_an_end(stream: DataFrame) -> None:
    with pytest.raises(cepheid.ConfigError, match="limit is for events that have an end"):
        QUERY.run(stream, **ROLES, ordered=True, limit=3)
