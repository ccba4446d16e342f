"""A time without a zone means the same in every zone, in process, on Spark and on its streams."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from tests.spark.stream.streams import few_partitions, read_stream, run_to_end, united, write_files

pytestmark = pytest.mark.spark

# A text without a zone and what it is in UTC. In the first two zones the first text is one that
# clocks skip, the second one that they show twice.
TEXTS = {
    "America/New_York": [
        ("2024-03-10 02:30:00", "2024-03-10T07:30:00"),
        ("2024-11-03T01:30", "2024-11-03T05:30:00"),
    ],
    "Europe/Berlin": [
        ("2024-03-31T02:30:00", "2024-03-31T01:30:00"),
        ("2024-10-27 02:30:00", "2024-10-27T00:30:00"),
    ],
    "Asia/Kolkata": [
        ("2024-06-01 06:59:00", "2024-06-01T01:29:00"),
        ("2024-12-01", "2024-11-30T18:30:00"),
    ],
}
ROLES = {"time": "time", "type": "type"}
BETWEEN = "a.{column} >= '{first}' AND a.{column} < '{second}'"
QUERIES = {
    "local": f"PATTERN A a WHERE {BETWEEN} RETURN a.n",
    "across": (
        "PATTERN SEQ(A a, B b) WHERE (a.{column} >= '{first}' OR b.n < a.n) "
        "AND (a.{column} < '{second}' OR b.n < a.n) RETURN a.n"
    ),
}


@pytest.fixture(params=TEXTS)
def zone(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[str]:
    spark.conf.set("spark.sql.session.timeZone", request.param)
    yield request.param
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def schema_in(zone: str) -> pa.Schema:
    moment = pa.timestamp("us", zone)
    fields = [("type", pa.string()), ("time", moment), ("at", moment), ("wall", pa.timestamp("us"))]
    return pa.schema([*fields, ("n", pa.int64())])


def events_around(zone: str) -> list[dict[str, Any]]:
    """A minute before, at and a minute after each of the two times; then an event that ends."""
    rows: list[dict[str, Any]] = []
    for text, in_utc in TEXTS[zone]:
        instant, wall = (
            dt.datetime.fromisoformat(f"{in_utc}+00:00"),
            dt.datetime.fromisoformat(text),
        )
        for minutes in (-1, 0, 1):
            later = dt.timedelta(minutes=minutes)
            times = {"time": instant + later, "at": instant + later, "wall": wall + later}
            rows.append({"type": "A", **times, "n": len(rows)})
    end = rows[-1]["time"] + dt.timedelta(days=1)
    return [*rows, {"type": "B", "time": end, "at": end, "wall": end.replace(tzinfo=None), "n": 99}]


def queries_in(zone: str) -> dict[str, cepheid.Query]:
    (first, _), (second, _) = TEXTS[zone]
    return {
        f"{name}_{column}": cepheid.query(
            text.format(column=column, first=first, second=second), name=f"{name}_{column}"
        )
        for name, text in QUERIES.items()
        for column in ("at", "time", "wall")
    }


def numbers(rows: list[Any]) -> list[int]:
    return sorted(row["a_n"] for row in rows)


def test_batch_and_stream(zone: str, spark: SparkSession, tmp_path: Path) -> None:
    """From the first time on, and before the second one."""
    rows, schema, queries = events_around(zone), schema_in(zone), queries_in(zone)
    write_files(tmp_path / "in", [rows[:2], rows[2:5], rows[5:]], schema)
    table = pa.Table.from_pylist(rows, schema)
    local = {name: each.run(table, **ROLES).to_pylist() for name, each in queries.items()}
    assert all(numbers(each) == [1, 2, 3] for each in local.values()), local
    stored = spark.read.parquet(str(tmp_path / "in"))
    batch = united({name: each.run(stored, **ROLES) for name, each in queries.items()}).collect()
    assert sorted((row["name"], row["text"]) for row in batch) == [
        (name, f'{{"a_n":{number}}}') for name in sorted(queries) for number in (1, 2, 3)
    ]
    with few_partitions(spark):
        stream = read_stream(spark, tmp_path / "in")
        results = {
            name: each.run(stream, **ROLES, ordered=True)
            for name, each in queries.items()
            if name in ("local_at", "across_time")
        }
        found = run_to_end(united(results), tmp_path)
    assert all(numbers(found.of(name)) == [1, 2, 3] for name in results), found.rows


def test_a_parameter_is_read_like_a_literal(zone: str, spark: SparkSession) -> None:
    rows, schema = events_around(zone), schema_in(zone)
    text = "PATTERN A a WHERE a.at >= :since RETURN a.n"
    query = cepheid.query(text, parameters={"since": TEXTS[zone][1][0]})
    table = pa.Table.from_pylist(rows, schema).drop("wall")
    assert numbers(query.run(table, **ROLES).to_pylist()) == [4, 5]
    assert numbers(query.run(spark.createDataFrame(table), **ROLES).collect()) == [4, 5]


def test_with_and_without_a_zone(spark: SparkSession) -> None:
    table = pa.Table.from_pylist(events_around("Asia/Kolkata"), schema_in("Asia/Kolkata"))
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.at < b.wall")
    frame = spark.createDataFrame(table.drop("wall"))
    for events in (table, frame.selectExpr("*", "cast(at AS timestamp_ntz) AS wall")):
        with pytest.raises(cepheid.BindingError, match=r"a timestamp with zone with a timestamp\b"):
            query.run(events, **ROLES)
