"""How events get to the tasks: in packets, not at all, or through files; and extreme shapes."""

import contextlib
import io
import math
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid.spark.shuffle.fold_task import TASK_MEMORY

pytestmark = pytest.mark.spark

ROLES = {"time": "time", "type": "type"}
AUTOMATIC = "spark.sql.sources.bucketing.autoBucketedScan.enabled"
STREAM = pa.table(
    {
        "time": list(range(400)),
        "type": ["AABC"[each * each % 13 % 4] for each in range(400)],
        "k": [None if each % 50 == 0 else each % 7 for each in range(400)],
        "f": [(0.0, -0.0, 1.5, math.nan, None)[each % 5] for each in range(400)],
        "s": [f"text {each % 3}" for each in range(400)],
    }
)
MATCHES = "SEQ(A a, B b) WHERE [k] WITHIN 50 RETURN a.time, b.time, a.s"
QUERIES = {
    "matches": MATCHES,
    "keys that are floats and texts": "SEQ(A a, B b) WHERE [f, s] WITHIN 50 RETURN a.time, b.time",
    "groups of several tasks": "SEQ(A, B+) WHERE [k] WITHIN 20 SLIDE 10 RETURN COUNT(*) AS n",
    "no keys": "SEQ(A a, B b) WHERE a.time + 1 = b.time RETURN a.time, b.time",
}


def frame_of(spark: SparkSession, table: pa.Table = STREAM) -> DataFrame:
    return spark.createDataFrame(table).repartition(2)


def rows_of(result: Any) -> list[tuple[Any, ...]]:
    """Return the rows of any table in some order."""
    if isinstance(result, DataFrame):
        return sorted(map(tuple, result.collect()))
    return sorted(tuple(row.values()) for row in result.to_pylist())


def plan_of(result: DataFrame) -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        result.explain("formatted")
    return text.getvalue()


def run(query: str, events: Any, **options: Any) -> Any:
    return cepheid.query(f"PATTERN {query}").run(events, **ROLES, **options)


class TestPackets:
    @pytest.mark.parametrize("name", QUERIES)
    def test_give_the_same(self, spark: SparkSession, name: str) -> None:
        expected = rows_of(run(QUERIES[name], STREAM))
        assert expected
        assert rows_of(run(QUERIES[name], frame_of(spark), packed=True)) == expected

    def test_compressed_matches_and_no_events(self, spark: SparkSession) -> None:
        graphs = run(f"{MATCHES} OUTPUT COMPRESSED", frame_of(spark), packed=True)
        assert graphs.count() == run(MATCHES, STREAM).num_rows
        assert rows_of(run(MATCHES, frame_of(spark).limit(0), packed=True)) == []


def test_groups_and_extremes_of_nan(spark: SparkSession) -> None:
    """NaN is a group like others, and larger than all numbers, in whatever task it is."""
    text = (
        "SEQ(A a, B b) WHERE [f, s] GROUP BY f WITHIN 40 SLIDE 40 "
        "RETURN f, COUNT(*) AS n, MAX(b.g) AS most, MIN(b.g) AS least"
    )
    values = pa.array([(1.5, math.nan, -2.0, math.nan)[each % 4] for each in range(400)])
    table = STREAM.append_column("g", values)
    expected = [tuple(row.values()) for row in run(text, table).to_pylist()]
    assert any(math.isnan(row[2]) and math.isnan(row[4]) for row in expected)
    found = [tuple(row) for row in run(text, frame_of(spark, table)).collect()]
    assert as_text(found) == as_text(expected)


def as_text(rows: list[tuple[Any, ...]]) -> list[str]:
    """Return rows such that NaN equals NaN, and 0.0 still equals -0.0."""
    return sorted(repr([value + 0 for value in row]) for row in rows)


class TestGrouped:
    def test_no_shuffle(self, spark: SparkSession) -> None:
        events = frame_of(spark).repartition(3, "k")
        result = run(MATCHES, events, grouped=True)
        assert plan_of(result).count("Arguments: hashpartitioning") == 1, "the user's own"
        assert rows_of(result) == rows_of(run(MATCHES, STREAM))

    def test_bucketed_tables(self, spark: SparkSession) -> None:
        """Spark reads buckets as if they were none unless it is told not to."""
        spark.sql("DROP TABLE IF EXISTS bucketed_events")
        frame_of(spark).write.bucketBy(3, "k").saveAsTable("bucketed_events")
        events = spark.table("bucketed_events")
        try:
            with pytest.raises(cepheid.ConfigError, match=rf"one k(?s:.)*{AUTOMATIC}', 'false'"):
                run(MATCHES, events, grouped=True)
            spark.conf.set(AUTOMATIC, "false")
            result = run(MATCHES, events, grouped=True)
            plan = plan_of(result)
            assert "Exchange" not in plan
            assert "Bucketed: true" in plan
            assert rows_of(result) == rows_of(run(MATCHES, STREAM))
        finally:
            spark.conf.unset(AUTOMATIC)
            spark.sql("DROP TABLE bucketed_events")

    def test_is_refused_where_it_cannot_be(self, spark: SparkSession) -> None:
        with pytest.raises(cepheid.ConfigError, match="needs all events in one task"):
            run("SEQ(A a, B b)", frame_of(spark), grouped=True)
        with pytest.raises(cepheid.ConfigError, match="exclude each other"):
            run(
                "SEQ(A, B) WHERE [k] RETURN COUNT(*)",
                frame_of(spark),
                grouped=True,
                parallel_in_time=True,
            )


@pytest.fixture
def little_memory(spark: SparkSession) -> Iterator[SparkSession]:
    spark.conf.set(TASK_MEMORY, "4k")
    yield spark
    spark.conf.unset(TASK_MEMORY)


class TestMemory:
    def test_tasks_larger_than_it_give_the_same(self, little_memory: SparkSession) -> None:
        frame = frame_of(little_memory)
        for query in QUERIES.values():
            assert rows_of(run(query, frame)) == rows_of(run(query, STREAM))
        whole = "SEQ(A, B+) WHERE [k] RETURN LOG2(COUNT(*)) AS n"
        found = rows_of(run(whole, frame, parallel_in_time=True))
        assert found == [pytest.approx(each) for each in rows_of(run(whole, STREAM))]

    def test_must_be_a_size(self, little_memory: SparkSession) -> None:
        little_memory.conf.set(TASK_MEMORY, "much")
        with pytest.raises(cepheid.ConfigError, match="'much', which is not a size"):
            run(MATCHES, frame_of(little_memory))

    def test_one_huge_key_goes_through_files(self, little_memory: SparkSession) -> None:
        """All events are one task's, and take a hundred times its memory."""
        little_memory.conf.set(TASK_MEMORY, "64k")
        events = little_memory.range(200_000).select(
            F.lit(1).alias("k"),
            F.col("id").alias("time"),
            F.when(F.col("id") % 2 == 0, "A").otherwise("B").alias("type"),
        )
        counts = "SEQ(A, B) WHERE [k] WITHIN 100 SLIDE 100 RETURN COUNT(*) AS n"
        with spilled_folders(little_memory) as seen:
            total = run(counts, events).agg(F.count("*"), F.sum("n")).collect()[0]
        assert tuple(total) == (2000, 2000 * 50 * 51 // 2)
        assert seen
        matches = "SEQ(A a, B b) WHERE [k] WITHIN 4 RETURN a.time, b.time"
        with spilled_folders(little_memory) as seen:
            found = run(matches, events).agg(F.count("*"), F.sum("b_time")).collect()[0]
        ends = [*range(1, 200_000, 2), *range(3, 200_000, 2)]
        assert tuple(found) == (len(ends), sum(ends))
        assert seen
        assert not any(each.exists() for each in seen)


@contextlib.contextmanager
def spilled_folders(spark: SparkSession) -> Iterator[set[Path]]:
    """Give the folders of ours that are there for a while among Spark's own."""
    of_worker = F.udf(lambda: os.environ["SPARK_LOCAL_DIRS"])
    (listed,) = spark.range(1).select(of_worker()).first() or ()
    roots = [Path(each) for each in listed.split(",")]
    seen: set[Path] = set()
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            seen.update(each for root in roots for each in root.glob("cepheid-*"))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


class TestShapes:
    def test_a_million_keys_with_two_events_each(self, spark: SparkSession) -> None:
        """Half of them have A before B."""
        events = spark.range(2_000_000, numPartitions=2).select(
            (F.col("id") % 1_000_000).alias("k"),
            F.col("id").alias("time"),
            F.when((F.col("id") < 1_000_000) == (F.col("id") % 2 == 0), "A")
            .otherwise("B")
            .alias("type"),
        )
        window = "WITHIN 2000000 SLIDE 2000000"
        found = run(f"SEQ(A, B) WHERE [k] {window} RETURN COUNT(*) AS n GROUP BY k", events)
        assert found.count() == 500_000
        matches = run("SEQ(A a, B b) WHERE [k] RETURN a.k", events)
        assert matches.count() == 500_000

    def test_one_huge_key(self, spark: SparkSession) -> None:
        events = spark.range(200_000).select(
            F.lit(1).alias("k"),
            F.col("id").alias("time"),
            F.when(F.col("id") % 2 == 0, "A").otherwise("B").alias("type"),
        )
        query = "SEQ(A, B) WHERE [k] WITHIN 100 SLIDE 100 RETURN COUNT(*) AS n"
        for hot in (None, True):
            result = run(query, events, parallel_in_time=hot)
            total = result.agg(F.count("*"), F.sum("n")).collect()[0]
            assert tuple(total) == (2000, 2000 * 50 * 51 // 2)

    @pytest.mark.parametrize("packed", [False, True])
    def test_tasks_without_events(self, spark: SparkSession, packed: bool) -> None:
        lonely = STREAM.filter(pa.compute.equal(STREAM["k"], 3))
        found = rows_of(run(MATCHES, frame_of(spark, lonely).repartition(5), packed=packed))
        assert found == rows_of(run(MATCHES, lonely))

    def test_a_thousand_columns(self, spark: SparkSession) -> None:
        """Only those that the query reads are handed to Python."""
        others = [F.lit(each).alias(f"c{each}") for each in range(1000)]
        events = frame_of(spark).select("*", *others)
        for packed in (False, True):
            result = run(
                "SEQ(A a, B b) WHERE [k] AND a.c7 = 7 RETURN a.time", events, packed=packed
            )
            handed = [each for each in plan_of(result).splitlines() if each.startswith("Input")]
            assert handed
            assert max(each.count("#") for each in handed if "Input [" in each) <= 6
            assert result.count()

    @pytest.mark.parametrize("packed", [False, True])
    def test_a_thousand_columns_in_the_result(self, spark: SparkSession, packed: bool) -> None:
        """Without RETURN, a match has all columns of its events."""
        names = [f"c{each}" for each in range(1000)]
        table = STREAM.drop_columns(["f"]).slice(0, 40)  # NaN is not equal to itself
        for place, name in enumerate(names):
            values = [each * 1000 + place for each in range(table.num_rows)]
            table = table.append_column(name, pa.array(values))
        query = "SEQ(A a, B b) WHERE [k] WITHIN 50"
        result = run(query, frame_of(spark, table), packed=packed)
        assert {f"{each}_{name}" for each in "ab" for name in names} <= set(result.columns)
        found = rows_of(result)
        assert found == rows_of(run(query, table))
        assert found
