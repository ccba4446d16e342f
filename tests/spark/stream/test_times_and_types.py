"""Times without a zone where clocks go forward, and a stream per event type."""

import datetime as dt
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

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

PAIRS = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 1 hour RETURN a.time, b.time", name="pairs")
ROLES = {"time": "time", "type": "type"}


@pytest.fixture
def new_york(spark: SparkSession) -> Iterator[SparkSession]:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_a_time_that_no_clock_shows(new_york: SparkSession, tmp_path: Path) -> None:
    """Between 2 and 3 there is no time in New York; taken for one, it would be after 3:05."""
    schema = pa.schema([("type", pa.string()), ("time", pa.timestamp("us"))])
    gap, after = dt.datetime(2024, 3, 10, 2, 30), dt.datetime(2024, 3, 10, 3, 5)
    rows = [{"type": "A", "time": gap}, {"type": "B", "time": after}]
    end = {"type": "Z", "time": dt.datetime(2024, 3, 11)}
    write_files(tmp_path / "in", [[rows[0]], [rows[1]], [end]], schema)
    wanted = PAIRS.run(pa.Table.from_pylist(rows, schema), **ROLES).to_pylist()
    assert wanted == [{"a_time": gap, "b_time": after}]
    stored = new_york.read.parquet(str(tmp_path / "in"))
    assert dict(stored.dtypes)["time"] == "timestamp_ntz"
    assert [row.asDict() for row in PAIRS.run(stored, **ROLES).collect()] == wanted
    with few_partitions(new_york):
        stream = read_stream(new_york, tmp_path / "in")
        result = PAIRS.run(stream, **ROLES, watermark="10 minutes")
        found = run_to_end(united({"pairs": result}), tmp_path)
    assert found.of("pairs") == [
        {"a_time": "2024-03-10T02:30:00.000", "b_time": "2024-03-10T03:05:00.000"}
    ]
    assert sum(found.observed("pairs", "late")) == 0


NUMBERS = pa.schema([("time", pa.int64()), ("k", pa.int64())])
WITH_X = NUMBERS.append(pa.field("x", pa.float64()))
TIMES = {"A": [[100], [104], [800]], "B": [[101], [102, 103], [106], [900]]}


def streams(spark: SparkSession, folder: Path) -> dict[str, DataFrame]:
    return {name: read_stream(spark, folder / name) for name in TIMES}


def test_a_stream_per_type(spark: SparkSession, tmp_path: Path) -> None:
    """With one watermark for all, and with one for each, of which the slowest counts."""
    tables: dict[str, pa.Table] = {}
    for name, schema in (("A", NUMBERS), ("B", WITH_X)):
        batches: list[list[Row]] = [
            [{"time": time, "k": 1, "x": time / 2} for time in batch] for batch in TIMES[name]
        ]
        write_files(tmp_path / name, batches, schema)
        tables[name] = pa.Table.from_pylist([row for each in batches for row in each], schema)
    text = "PATTERN SEQ(A a, B b) WHERE [k] AND b.x > 50.5 WITHIN 5 seconds RETURN a.time, b.x"
    batch = cepheid.query(text).run(tables, time="time").to_pylist()
    wanted = sorted(tuple(row.values()) for row in batch)
    assert wanted == [(100, 51.0), (100, 51.5), (104, 53.0)]
    with few_partitions(spark):
        given = streams(spark, tmp_path)
        timed = {name: with_own_watermark(each) for name, each in given.items()}
        results = {
            "together": cepheid.query(text, name="one").run(given, time="time", watermark=3),
            "apart": cepheid.query(text, name="two").run(timed, time="time"),
        }
        results["apart"] = results["apart"].withColumn("a_time", F.unix_seconds("a_time"))
        found = run_to_end(united(results), tmp_path)
    for name in results:
        assert sorted(tuple(row.values()) for row in found.of(name)) == wanted, name


def with_own_watermark(stream: DataFrame) -> DataFrame:
    return stream.withColumn("time", F.timestamp_seconds("time")).withWatermark("time", "3 seconds")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("table", "type 'A' come as a stream, those of type 'B' do not"),
        ("watermark", "type 'A' have a watermark, those of type 'B' do not"),
    ],
)
def test_types_of_different_kinds(
    spark: SparkSession, tmp_path: Path, kind: str, message: str
) -> None:
    for name in TIMES:
        write_files(tmp_path / name, [[]], NUMBERS)
    given = streams(spark, tmp_path)
    mixed: Mapping[str, DataFrame]
    if kind == "table":
        mixed = given | {"B": spark.read.parquet(str(tmp_path / "B"))}
    else:
        timed = given["B"].withColumn("time", F.timestamp_seconds("time"))
        mixed = {"A": with_own_watermark(given["A"]), "B": timed}
    with pytest.raises(cepheid.DataError, match=message):
        PAIRS.run(mixed, time="time", ordered=True)
