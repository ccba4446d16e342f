"""Queries in Spark SQL: `cepheid.register` gives them a name, of a view and of a table function."""

import random

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import cepheid
from tests.spark.test_connect import run_script

pytestmark = pytest.mark.spark

ROLES = {"time": "time", "type": "type"}
PAIRS = "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 200 RETURN a.k AS k, a.time AS a, b.time AS b"
FUNCTION = pytest.mark.skipif(not hasattr(F, "arrow_udtf"), reason="functions need Spark 4.1")


@pytest.fixture(scope="module")
def events(spark: SparkSession):
    """Events of 40 keys in many small Arrow batches; key and group are not the same."""
    numbers = random.Random(7)
    rows = [(numbers.choice("ABC"), time, numbers.randrange(40)) for time in range(2000)]
    listed = [(*each, "x" if each[2] % 3 else "y") for each in rows]
    frame = spark.createDataFrame(listed, "type string, time bigint, k int, g string")
    frame.createOrReplaceTempView("events")
    before = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "50")
    yield frame
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", before)


def rows(frame):
    return sorted(map(tuple, frame.collect()))


def test_a_view_has_the_results_of_the_query(spark, events):
    query = cepheid.query(PAIRS)
    cepheid.register(spark, "found", query, "events", **ROLES)
    assert rows(spark.sql("SELECT k, a, b FROM found")) == rows(query.run(events, **ROLES))
    assert spark.sql("SELECT count(*) FROM found WHERE k = 3").first()[0] > 0


@FUNCTION
def test_a_function_finds_in_every_partition_what_the_query_finds(spark, events):
    query = cepheid.query(PAIRS)
    cepheid.register(spark, "found", query, cepheid.events(events, **ROLES))
    expected = rows(query.run(events, **ROLES))
    by_key = "SELECT * FROM found(TABLE(events) PARTITION BY k)"
    assert rows(spark.sql(by_key)) == expected
    # Partitions that have several keys, and keys that have several partitions.
    assert rows(spark.sql("SELECT * FROM found(TABLE(events) PARTITION BY g)")) == expected
    split = "SELECT * FROM found(TABLE(events) PARTITION BY time % 2)"
    halves = [query.run(events.filter(f"time % 2 = {each}"), **ROLES) for each in (0, 1)]
    assert rows(spark.sql(split)) == sorted(rows(halves[0]) + rows(halves[1]))
    assert rows(spark.sql("SELECT * FROM found(TABLE(events) WITH SINGLE PARTITION)")) == expected


@FUNCTION
def test_an_aggregate_is_one_of_every_partition(spark, events):
    text = "PATTERN SEQ(A, B) WHERE [k] WITHIN 200 SLIDE 200 RETURN COUNT(*) AS n"
    cepheid.register(spark, "counted", text, events, **ROLES)
    found = spark.sql("SELECT * FROM counted(TABLE(events) PARTITION BY g)")
    query = cepheid.query(text)
    parts = [query.run(events.filter(F.col("g") == each), **ROLES) for each in "xy"]
    assert rows(found) == sorted(rows(parts[0]) + rows(parts[1]))
    assert rows(spark.sql("SELECT * FROM counted")) == rows(query.run(events, **ROLES))


@FUNCTION
def test_a_table_with_other_columns_is_told(spark, events):
    cepheid.register(spark, "found", PAIRS, events, **ROLES)
    other = "SELECT * FROM found(TABLE(SELECT type, time AS at, k FROM events) PARTITION BY k)"
    with pytest.raises(Exception, match="the table of found has no column 'time'"):
        spark.sql(other).collect()


def test_results_that_are_no_rows_are_refused(spark, events):
    with pytest.raises(cepheid.ConfigError, match="are no table"):
        cepheid.register(spark, "all", "PATTERN SEQ(A a, B b) OUTPUT COMPRESSED", events, **ROLES)


CONNECT = f"""
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
import cepheid

spark = (
    SparkSession.builder.remote("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
rows = [("A", 1, 1), ("A", 2, 2), ("B", 3, 1), ("B", 4, 2)]
spark.createDataFrame(rows, "type string, time bigint, k int").createOrReplaceTempView("events")
cepheid.register(spark, "found", {PAIRS!r}, "events", time="time", type="type")
print(sorted(map(tuple, spark.sql("SELECT * FROM found").collect())))
if hasattr(F, "arrow_udtf"):
    found = spark.sql("SELECT * FROM found(TABLE(events) PARTITION BY k)")
    print(sorted(map(tuple, found.collect())))
spark.stop()
"""


def test_both_on_spark_connect():
    done = run_script(CONNECT)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.strip().splitlines()
    assert lines == ["[(1, 1, 3), (2, 2, 4)]"] * (2 if hasattr(F, "arrow_udtf") else 1)
