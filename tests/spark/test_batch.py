"""Queries on Spark DataFrames: DataFrame in, DataFrame out, nothing read before an action."""

import json
from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid.testing import events

pytestmark = pytest.mark.spark

ROLES = {"time": "time", "type": "type"}
SCHEMA = "type string, time bigint, k bigint, x bigint"


def frame_of(spark: SparkSession, stream: str) -> DataFrame:
    listed = [{"k": None, "x": None} | event for event in events(stream)]
    return spark.createDataFrame(listed, SCHEMA)


def run(pattern: str, frame: Any, **options: Any) -> DataFrame:
    result = cepheid.query(f"PATTERN {pattern}").run(frame, **(ROLES | options))
    assert isinstance(result, DataFrame)
    return result


def quoted(name: str) -> str:
    return f"`{name}`"


def rows_of_all(results: Mapping[str, DataFrame]) -> dict[str, list[dict[str, Any]]]:
    """Collect several results in one job."""
    texts = [
        result.select(
            F.lit(name).alias("name"),
            F.to_json(F.struct(*map(quoted, result.columns)), {"ignoreNullFields": "false"}).alias(
                "text"
            ),
        )
        for name, result in results.items()
    ]
    found: dict[str, list[str]] = {name: [] for name in results}
    for row in reduce(DataFrame.unionAll, texts).collect():
        found[row["name"]].append(row["text"])
    return {name: [json.loads(text) for text in sorted(rows)] for name, rows in found.items()}


@pytest.fixture
def new_york(spark: SparkSession) -> Iterator[SparkSession]:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", "UTC")


class TestLaziness:
    def test_nothing_runs_before_an_action(self, spark):
        read = F.raise_error(F.lit("the events were read")).cast("bigint")
        frame = spark.range(1).select(F.lit("A").alias("type"), read.alias("time"))
        results = [
            run("A", frame),
            run("A RETURN COUNT(*)", frame),
            run("A WITHIN 9 SLIDE 3 RETURN COUNT(*)", frame),
        ]
        with pytest.raises(PySparkException, match="the events were read"):
            results[0].collect()

    def test_a_query_that_cannot_run_is_refused_at_once(self, spark):
        frame = frame_of(spark, "a1")
        with pytest.raises(cepheid.BindingError, match="no attribute 'zzz'"):
            run("A WHERE A.zzz = 1", frame)
        with pytest.raises(cepheid.DataError, match=r"no column 'tine'.*\n.*did you mean 'time'"):
            run("A", frame, time="tine")
        with pytest.raises(cepheid.DataError, match="'x' holds int64, but event types are names"):
            run("A", frame, type="x")

    def test_a_stream_needs_a_watermark(self, spark):
        stream = spark.readStream.format("rate").load().withColumn("type", F.lit("A"))
        with pytest.raises(cepheid.DataError, match="no watermark on column 'timestamp'"):
            run("A", stream, time="timestamp")


class TestSchema:
    @pytest.mark.parametrize(
        ("query", "schema"),
        [
            (
                "SEQ(A+ a, B b)",
                "a_type array<string>, a_time array<bigint>, a_k array<bigint>, a_x array<bigint>, "
                "b_type string, b_time bigint, b_k bigint, b_x bigint, "
                "first_time bigint, last_time bigint",
            ),
            ("SEQ(A+ a, B b) RETURN b.x AS last, a.x", "last bigint, a_x array<bigint>"),
            ("SEQ(A, B) RETURN COUNT(*) AS n GROUP BY k", "k bigint, n bigint"),
            ("A+ RETURN COUNT(*) AS n, LOG2(COUNT(*)) AS bits", "n double, bits double"),
            ("A WITHIN 9 RETURN COUNT(*) AS n", "time bigint, n bigint"),
            (
                "A WHERE [x] WITHIN 9 SLIDE 3 RETURN COUNT(*) AS n GROUP BY k",
                "window_start bigint, window_end bigint, k bigint, n bigint",
            ),
        ],
    )
    def test_of_results(self, spark, query, schema):
        from pyspark.sql.types import _parse_datatype_string

        expected = _parse_datatype_string(schema)
        found = run(query, frame_of(spark, "a1 b2")).schema
        assert found.simpleString() == expected.simpleString()

    def test_names_with_dots(self, spark):
        frame = spark.createDataFrame(
            [(1, "A", 1, 7), (2, "B", 1, 8)], "`t.s` int, `ki.nd` string, `k.k` int, `x``.y` int"
        )
        options = {"time": "t.s", "type": "ki.nd"}
        found = rows_of_all(
            {
                "match": run("SEQ(A a, B b) WHERE [`k.k`] RETURN a.`k.k`", frame, **options),
                "count": run(
                    "SEQ(A, B) WHERE [`k.k`] WITHIN 9 SLIDE 9 RETURN COUNT(*) AS n",
                    frame,
                    **options,
                ),
            }
        )
        assert found == {
            "match": [{"a_k.k": 1}],
            "count": [{"window_start": 0, "window_end": 9, "n": 1}],
        }


class TestTimes:
    """Two events one hour apart, the second after midnight in UTC but not in New York."""

    def frame(self, spark: SparkSession, kind: str) -> DataFrame:
        rows = [("A", "2024-01-01 23:30:00"), ("B", "2024-01-02 00:30:00")]
        text = spark.createDataFrame(rows, "type string, text string")
        return text.select("type", F.col("text").cast(kind).alias("time"))

    @pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz"])
    def test_kinds_and_zones(self, new_york, kind):
        """Windows are aligned to the epoch; times without a zone stand for themselves."""
        frame = self.frame(new_york, kind)
        results = {
            "match": run("SEQ(A, B) WITHIN 61 minutes", frame),
            "too short": run("SEQ(A, B) WITHIN 1 hour", frame),
            "windows": run("SEQ(A, B) WITHIN 12 hours SLIDE 12 hours RETURN COUNT(*) AS n", frame),
            "text": run("A WHERE A.time > '2024-01-02' RETURN A.type", frame),
        }
        for name in ("first_time", "last_time"):
            assert dict(results["match"].dtypes)[name] == kind
        assert dict(results["windows"].dtypes)["window_start"] == kind
        shown = {
            name: result.select(
                *(F.col(each).cast("string").alias(each) for each in result.columns)
            )
            for name, result in results.items()
        }
        found = rows_of_all(shown)
        assert found["match"][0]["first_time"] == "2024-01-01 23:30:00"
        assert found["match"][0]["last_time"] == "2024-01-02 00:30:00"
        assert found["too short"] == []
        assert found["text"] == []  # midnight is that of New York, or stands for itself
        if kind == "timestamp":  # 23:30 in New York is 04:30 in UTC: one window
            assert found["windows"] == [
                {
                    "window_start": "2024-01-01 19:00:00",
                    "window_end": "2024-01-02 07:00:00",
                    "n": "1",
                }
            ]
        else:
            assert found["windows"] == []

    def test_dates(self, spark):
        frame = self.frame(spark, "date")
        windows = run("SEQ(A, B) WITHIN 2 days SLIDE 1 day RETURN COUNT(*) AS n", frame)
        assert windows.schema.simpleString() == (
            "struct<window_start:timestamp_ntz,window_end:timestamp_ntz,n:bigint>"
        )
        assert [str(row["window_start"]) for row in windows.collect()] == ["2024-01-01 00:00:00"]


class TestInputs:
    def test_no_events(self, spark):
        frame = frame_of(spark, "a1").limit(0)
        found = rows_of_all(
            {
                "match": run("SEQ(A, B)", frame),
                "count": run("A RETURN COUNT(*) AS n", frame),
                "group": run("A WHERE [x] WITHIN 9 SLIDE 3 RETURN COUNT(*) GROUP BY k", frame),
            }
        )
        assert found == {"match": [], "count": [], "group": []}

    def test_a_frame_per_type(self, spark):
        frames = {
            "A": spark.createDataFrame([(1, 5), (2, 6)], "time bigint, x bigint"),
            "B": spark.createDataFrame([(3, "late")], "time bigint, y string"),
        }
        result = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.x > 5 RETURN a.x, b.y").run(
            frames, time="time"
        )
        assert [tuple(row) for row in result.collect()] == [(6, "late")]

    def test_frames_that_do_not_fit(self, spark):
        one = spark.createDataFrame([(1, 5)], "time bigint, x bigint")
        other = spark.createDataFrame([(3, "late")], "time bigint, x string")
        with pytest.raises(cepheid.DataError, match="'x' of type 'B' is string, but bigint"):
            cepheid.query("PATTERN SEQ(A, B)").run({"A": one, "B": other}, time="time")
        with pytest.raises(cepheid.DataError, match="type 'B' have no column 'time'"):
            cepheid.query("PATTERN SEQ(A, B)").run({"A": one, "B": other.drop("time")}, time="time")


class TestReading:
    def plan(self, result: DataFrame, capsys: pytest.CaptureFixture[str]) -> str:
        result.explain("formatted")
        return capsys.readouterr().out

    @pytest.fixture
    def parquet(self, spark: SparkSession, tmp_path) -> DataFrame:
        path = str(tmp_path / "events")
        frame_of(spark, "a1(k=1) b2(k=1) c3(k=1)").write.parquet(path)
        return spark.read.parquet(path)

    def test_only_relevant_types_and_needed_columns(self, parquet, capsys):
        text = self.plan(run("SEQ(A, B) WHERE [k] RETURN A.time", parquet), capsys)
        assert "PushedFilters: [In(type, [A,B])]" in text
        assert "ReadSchema: struct<type:string,time:bigint,k:bigint>" in text

    def test_contiguity_reads_every_type(self, parquet, capsys):
        query = "SEQ(A, B) SEMANTICS contiguous RETURN A.time"
        text = self.plan(run(query, parquet), capsys)
        assert "PushedFilters: [In" not in text
        assert "ReadSchema: struct<type:string,time:bigint>" in text


class TestPartitions:
    QUERIES = {  # noqa: RUF012
        "matches": "SEQ(A+ a, B b) WHERE [k] RETURN a.time, b.time",
        "strict": "SEQ(A, B) WHERE [k] AND strict_contiguity RETURN A.time, B.time",
        "moments": "SEQ(A+, B) WHERE [k] WITHIN 9 RETURN COUNT(*) AS n GROUP BY x",
        "windows": "SEQ(A+, B) WHERE [k] WITHIN 9 SLIDE 4 RETURN COUNT(*) AS n GROUP BY x",
        "bits": "SEQ(A+, B) WHERE [k] RETURN COUNT(*) AS n, LOG2(COUNT(*)) AS bits",
    }

    def test_their_number_and_skew_change_nothing(self, spark):
        listed = [
            {"type": "AAB"[time % 3], "time": time, "k": (time * 7) % 11 % 4, "x": time % 2}
            for time in range(40)
        ]
        frame = spark.createDataFrame(listed, SCHEMA)
        layouts = {
            "one": frame.coalesce(1),
            "many": frame.orderBy(F.desc("time")).repartition(
                5, F.when(F.col("time") < 35, 0).otherwise(F.col("time"))
            ),
        }
        found = rows_of_all(
            {
                f"{query} {layout}": run(text, events_of)
                for query, text in self.QUERIES.items()
                for layout, events_of in layouts.items()
            }
        )
        for query in self.QUERIES:
            assert found[f"{query} one"]
            for layout in layouts:
                assert found[f"{query} {layout}"] == found[f"{query} one"], (query, layout)


class TestErrorsOfWorkers:
    def test_bad_data(self, spark):
        frame = frame_of(spark, "a1 b2").withColumn("time", F.nullif("time", F.lit(2)))
        with pytest.raises(PySparkException, match="the time column 'time' has a NULL in row"):
            run("SEQ(A, B)", frame).collect()

    def test_a_count_that_exceeds_bigint_in_one_task(self, spark):
        frame = spark.range(300).select(F.lit("A").alias("type"), F.col("id").alias("time"))
        query = f"SEQ({', '.join('A' * 12)}) WITHIN 500 SLIDE 500 RETURN COUNT(*)"
        with pytest.raises(PySparkException, match=r"exceeds BIGINT .window_start = 0, window_end"):
            run(query, frame).collect()

    def test_a_sum_of_partitions_that_exceeds_bigint(self, spark):
        frame = spark.range(132).select(
            F.lit("A").alias("type"), F.col("id").alias("time"), (F.col("id") % 2).alias("k")
        )
        query = f"SEQ({', '.join('A' * 33)}) WHERE [k] RETURN COUNT(*)"
        with pytest.raises(PySparkException, match=r"(?s)exceeds BIGINT .the whole input.*LOG2"):
            run(query, frame).collect()
