"""Queries in Spark SQL: `cepheid.register` gives them a name, of a view and of a table function."""

import random
from datetime import date

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid.spark.sql.cut_partitions import cut_quickly, partition_beginnings
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


@FUNCTION
def test_partitions_that_are_not_said_are_refused(spark, events):
    cepheid.register(spark, "found", PAIRS, events, **ROLES)
    assert events.rdd.getNumPartitions() > 1
    with pytest.raises(Exception, match="which events belong together is not said"):
        spark.sql("SELECT * FROM found(TABLE(events))").collect()


@FUNCTION
def test_partitions_may_be_of_any_type(spark, events):
    query = cepheid.query(PAIRS.replace("[k] ", "[f, g] ").replace("a.k AS k", "a.f AS f"))
    table = events.selectExpr("*", "if(k % 5 = 0, null, k / 2d) AS f", "struct(k) AS s")
    cepheid.register(spark, "typed", query, table, **ROLES)
    table.createOrReplaceTempView("typed_events")
    expected = rows(query.run(table, **ROLES))
    for by in ("(f, g)", "(g, date_from_unix_date(k))", "(k = 3, string(k))", "s"):
        found = spark.sql(f"SELECT * FROM typed(TABLE(typed_events) PARTITION BY {by})")
        assert rows(found) == expected, by


@FUNCTION
def test_spark_still_has_what_cuts_partitions(spark, events):
    class Told:
        def __init__(self):
            self.is_cut = cut_quickly()

        def eval(self, batch):
            yield pa.table({"is_cut": [self.is_cut]})

    spark.udtf.register("told", F.arrow_udtf(Told, returnType="is_cut boolean"))
    for how, is_cut in {"PARTITION BY k": True, "WITH SINGLE PARTITION": False}.items():
        told = spark.sql(f"SELECT DISTINCT is_cut FROM told(TABLE(events) {how})")
        assert rows(told) == [(is_cut,)]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.int32(), [0, 1]),
        (pa.string(), ["", "x"]),
        (pa.bool_(), [False, True]),
        (pa.date32(), [date(2026, 1, 1), date(2026, 1, 2)]),
        (pa.timestamp("us", "UTC"), [0, 1]),
    ],
    ids=str,
)
def test_partitions_begin_where_values_differ(kind, values):
    numbers = random.Random(3)
    listed = [numbers.choice([None, *values]) for _ in range(500)]
    keys = [pa.array(listed, kind), pa.array([place // 40 for place in range(500)])]
    both = list(zip(*(each.to_pylist() for each in keys), strict=True))
    changes = [place for place in range(1, 500) if both[place] != both[place - 1]]
    assert partition_beginnings(keys) == [0, *changes, 500]
    assert partition_beginnings([*keys, pa.array([0.5] * 500)]) is None


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
