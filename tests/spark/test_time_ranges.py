"""Aggregates parallel in time: one stream, several tasks, the same answer."""

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid

pytestmark = pytest.mark.spark
SIZE = 600
STREAM = pa.table(
    {
        "time": [each // 2 for each in range(SIZE)],
        "type": ["ABCB"[each * each % 11 % 4] for each in range(SIZE)],
        "k": [1] * SIZE,
        "x": [each * 7 % 13 - 6 for each in range(SIZE)],
    }
)
QUERIES = {
    "no partition": "PATTERN SEQ(A a, B+ b) RETURN LOG2(COUNT(*)) AS n, AVG(b.x) AS x",
    "windows": (
        "PATTERN (SEQ(A a, !C, B b))+ WITHIN 20 SLIDE 5 "
        "RETURN COUNT(*) AS n, SUM(a.x) AS total, MIN(b.x) AS least, MAX(b.x) AS most"
    ),
    "contiguous": "PATTERN SEQ(A, B) SEMANTICS contiguous RETURN COUNT(*) AS n HAVING n > 1",
    "one hot key": "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 50 SLIDE 50 RETURN COUNT(*) AS n",
}


@pytest.mark.parametrize("name", QUERIES)
def test_several_tasks_give_what_one_gives(spark: SparkSession, name: str) -> None:
    query = cepheid.query(QUERIES[name])
    expected = query.run(STREAM, time="time", type="type").to_pylist()
    frame = spark.createDataFrame(STREAM.to_pandas()).repartition(3)
    result = query.run(frame, time="time", type="type", parallel_in_time=True)
    found = [row.asDict() for row in result.collect()]
    keys = [each for each in result.columns if each.startswith("window")]
    assert sorted(found, key=lambda row: [row[each] for each in keys]) == [
        {key: pytest.approx(value) for key, value in row.items()} for row in expected
    ]
    assert expected


def test_values_at_the_limits(spark: SparkSession) -> None:
    values = [2**63 - 1, 5, -(2**63), 2**62, -(2**62)]
    table = pa.table({"time": range(5), "type": ["A"] * 5, "x": values})
    query = cepheid.query(
        "PATTERN A+ RETURN MIN(A.x) AS least, MAX(A.x) AS most, SUM(A.x) AS total, AVG(A.x) AS mean"
    )
    expected = query.run(table, time="time", type="type").to_pylist()
    frame = spark.createDataFrame(table.to_pandas())
    result = query.run(frame, time="time", type="type")
    assert [row.asDict() for row in result.collect()] == expected
    assert (expected[0]["least"], expected[0]["most"]) == (-(2**63), 2**63 - 1)
    assert expected[0]["total"] == 16 * 4


def test_ranges_of_time_are_different_tasks(spark: SparkSession) -> None:
    frame = spark.createDataFrame(STREAM.to_pandas())
    query = cepheid.query(QUERIES["one hot key"])
    plan = query.run(frame, time="time", type="type", parallel_in_time=True)
    text = plan._jdf.queryExecution().toString() if hasattr(plan, "_jdf") else ""
    assert "rangepartitioning(time" in text
