"""Sets of queries on Spark give what they give in process, and nothing is read before an action."""

import datetime
import json
from collections import Counter
from functools import reduce
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from tests.properties.comparison import as_multiset, expected_of_all, table_of
from tests.properties.compositions import Composition, compositions

pytestmark = pytest.mark.spark

CASES = 24
ROLES = {"time": "time", "type": "type"}
STEPS = (
    "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 4 RETURN a.k AS k, a.time AS start INTO Pair",
    "PATTERN SEQ(Pair p, !C) WHERE [k] WITHIN 3 RETURN p.start AS start, p.k AS k INTO Calm",
    "PATTERN Pair+ p WHERE [k] WITHIN 4 SLIDE 2 RETURN COUNT(*) AS n INTO Count",
    "PATTERN A a WITHIN 4 RETURN COUNT(*) AS m INTO Recent",
    "PATTERN ANY(Calm, Count, Recent)+ e SEMANTICS contiguous RETURN e.type, e.time, e.seq, e.n",
)


def random_compositions() -> list[tuple[Composition, dict[str, Counter[tuple[Any, ...]]]]]:
    """Draw from the strategy of the local property, with what the oracle says."""
    drawn = []

    @settings(
        max_examples=CASES,
        database=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.filter_too_much],
    )
    @given(compositions())
    def draw(case: Composition) -> None:
        drawn.append((case, expected_of_all(case)))

    draw()
    return drawn[:CASES]


def as_text(number: int, name: str, result: DataFrame) -> DataFrame:
    whole = F.to_json(
        F.struct(*(f"`{each}`" for each in result.columns)), {"ignoreNullFields": "false"}
    )
    return result.select(
        F.lit(number).alias("number"), F.lit(name).alias("name"), whole.alias("text")
    )


def nullable(kind: pa.DataType) -> Any:
    import pandas as pd

    return pd.Int64Dtype() if pa.types.is_int64(kind) else None


def rows_of(frames: list[DataFrame]) -> dict[tuple[int, str], list[dict[str, Any]]]:
    """Collect many results in one job."""
    while len(frames) > 1:  # a balanced tree: Spark plans a deep chain of unions slowly
        pairs = [frames[at : at + 2] for at in range(0, len(frames), 2)]
        frames = [reduce(DataFrame.unionAll, each) for each in pairs]
    found: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for row in frames[0].collect():
        found.setdefault((row["number"], row["name"]), []).append(json.loads(row["text"]))
    return found


def test_spark_equals_oracle(spark: SparkSession) -> None:
    drawn = random_compositions()
    tables = [
        table_of(case).append_column("case", pa.array([number] * len(case.events), pa.int64()))
        for number, (case, _) in enumerate(drawn)
    ]
    everything = spark.createDataFrame(pa.concat_tables(tables).to_pandas(types_mapper=nullable))
    frames = []
    for number, (case, _) in enumerate(drawn):
        events = everything.filter(F.col("case") == number).drop("case")
        queries = [cepheid.query(text, name=name) for name, text in case.texts.items()]
        results = cepheid.workload(queries).run(events, **ROLES, order=case.order)
        frames += [as_text(number, name, each) for name, each in results.items()]
    found = rows_of(frames)
    for number, (case, expected) in enumerate(drawn):
        for name in case.texts:
            rows = found.get((number, name), [])
            assert as_multiset(rows) == expected[name], (case, name)


def test_steps_give_the_same_as_in_process(spark: SparkSession) -> None:
    listed = [
        {"type": "AABC"[time % 4], "time": time, "seq": time % 3, "k": time % 2}
        for time in range(24)
    ]
    table = pa.Table.from_pylist(listed)
    local = cepheid.workload(STEPS).run(table, **ROLES, order="seq")
    frame = spark.createDataFrame(table.to_pandas())
    results = cepheid.workload(STEPS).run(frame, **ROLES, order="seq")
    found = rows_of([as_text(0, name, each) for name, each in results.items()])
    for name, each in local.items():
        assert each.num_rows > 0
        assert as_multiset(found[0, name]) == as_multiset(each.to_pylist()), name


def test_nothing_runs_before_an_action(spark: SparkSession) -> None:
    read = F.raise_error(F.lit("the events were read")).cast("bigint")
    frame = spark.range(1).select(F.lit("A").alias("type"), read.alias("time"))
    results = cepheid.workload(["PATTERN A a RETURN a.time AS at INTO T", "PATTERN T t"]).run(
        frame, **ROLES
    )
    with pytest.raises(PySparkException, match="the events were read"):
        results["q2"].collect()


def test_a_data_error_of_one_query_is_its_own(spark: SparkSession) -> None:
    """Both read the same packets; the sum does not fit 64 bits, the count does."""
    table = pa.table({"time": range(6), "type": [*"AABBBB"], "k": [1] * 6, "x": [2**62] * 6})
    texts = {
        "sum": "PATTERN SEQ(A, B b) WHERE [k] RETURN SUM(b.x) AS n",
        "count": "PATTERN SEQ(A, B b) WHERE [k] RETURN COUNT(*) AS n",
        "matches": "PATTERN SEQ(A a, B b) WHERE [k] RETURN a.time AS a, b.time AS b",
    }
    queries = [cepheid.query(text, name=name) for name, text in texts.items()]
    frame = spark.createDataFrame(table.to_pandas())
    results = cepheid.workload(queries).run(frame, **ROLES)
    with pytest.raises(PySparkException, match=r"sum[^|]*BIGINT|BIGINT[^|]*sum"):
        results["sum"].collect()
    assert [row["n"] for row in results["count"].collect()] == [8]
    assert len(results["matches"].collect()) == 8
    with pytest.raises(PySparkException, match="BIGINT"):
        results["sum"].collect()


@pytest.mark.parametrize("kind", ["date", "timestamp", "timestamp_ntz"])
def test_times_of_windows(spark: SparkSession, kind: str) -> None:
    rows = [("A", "1970-01-01"), ("B", "1970-01-02"), ("B", "1970-01-03")]
    text = spark.createDataFrame(rows, "type string, text string")
    frame = text.select("type", F.col("text").cast(kind).alias("time"))
    texts = [
        "PATTERN A a WITHIN 2 d SLIDE 2 d RETURN COUNT(*) AS n INTO T",
        "PATTERN SEQ(B b, T t, B c) RETURN t.time AS at",
    ]
    result = cepheid.workload(texts).run(frame, **ROLES)["q2"]
    tick = datetime.timedelta(seconds=1) if kind == "date" else datetime.timedelta(microseconds=1)
    (row,) = result.select(F.col("at").cast("timestamp_ntz")).collect()
    assert row["at"] == datetime.datetime(1970, 1, 3) - tick


def test_a_frame_per_type_and_names_with_dots(spark: SparkSession) -> None:
    frames = {
        "A": spark.createDataFrame([(1, 5), (2, 6)], "`t.s` bigint, `x.x` bigint"),
        "B": spark.createDataFrame([(3, "late")], "`t.s` bigint, y string"),
    }
    texts = [
        "PATTERN A a WHERE a.`x.x` > 5 RETURN a.`x.x` AS `x.x` INTO High",
        "PATTERN SEQ(High h, B b) RETURN h.`x.x`, b.y",
    ]
    result = cepheid.workload(texts).run(frames, time="t.s")["q2"]
    assert [tuple(row) for row in result.collect()] == [(6, "late")]


def test_columns_that_do_not_fit(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("A", 1, 5)], "type string, time bigint, x bigint")
    with pytest.raises(cepheid.DataError, match="'x' is string in the T events of query q1"):
        cepheid.workload(["PATTERN A a RETURN a.type AS x INTO T", "PATTERN T t"]).run(
            frame, **ROLES
        )
