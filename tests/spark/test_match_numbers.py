"""Numbers of one match, and a column that is NULL throughout: Spark says what one process says."""

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from tests.engine.streams import in_any_order

pytestmark = pytest.mark.spark
LIMIT = 2**63
INF, NAN = float("inf"), float("nan")
TABLE = pa.table(
    {
        "time": [LIMIT - 9, LIMIT - 8, LIMIT - 7, LIMIT - 6],
        "type": [*"AAAB"],
        "x": pa.array([2**62, 2**62, -5, 7]),
        "f": pa.array([1.6e308, NAN, 1.6e308, 2.0], from_pandas=False),
        "n": pa.nulls(4),
    }
)
QUERIES = (
    """SEQ(A+ a[], B b) RETURN avg(a[].x) AS vx, avg(a[].f) AS vf, min(a[].f) AS lo,
        max(a[].f) AS hi, count(a[].n) AS c""",
    "SEQ(A+ a[], B b) RETURN sum(a[].n) AS s, avg(a[].n) AS v, a[1].n AS f, b.n, -b.n AS m",
    "SEQ(A+ a[], B b) WHERE sum(a[].n) > 3",
    "SEQ(A+ a[], B b) WHERE avg(a[..i-1].n) > 3 RETURN a.x",
    "SEQ(A+ a[], B b) WHERE avg(a[..i-1].x) > b.x RETURN a.x",
    "SEQ(A a, B b) WHERE NOT a.n = 3",
    "SEQ(A a, !B b) WITHIN 20 RETURN a.x",
    "SEQ(A a, !B b) WITHIN 3 RETURN a.x",
    "A+ RETURN SUM(A.n) AS s, AVG(A.n) AS v, MIN(A.n) AS lo, COUNT(A.n) AS c, COUNT(*) AS n",
    "SEQ(A a, B b) WHERE a.x < 9 RETURN SUM(a.x * 2) AS s, MAX(coalesce(a.x * 2, 0)) AS hi",
    "ANY(A, B) a RETURN SUM(CASE WHEN a.x < 9 THEN a.x * 2 END) AS s, SUM(coalesce(1, a.x * 2))",
    "A+ WITHIN 5 RETURN SUM(A.n) AS s, MAX(A.n) AS hi, COUNT(*) AS n",
)
BEYOND = (
    "SEQ(A+ a[], B b) RETURN sum(a[].x) AS s",
    "SEQ(A+ a[], B b) WHERE sum(a[].x) > b.x RETURN a.x",
    "SEQ(A a, B b) WHERE a.x * 2 > b.x RETURN a.x",
    "SEQ(A a, B b) RETURN -(-a.x - a.x) AS m",
    "A a RETURN SUM(a.x * 2) AS s",
    "SEQ(A+ a, B b) RETURN sum(a[].x * 2) AS s",
    "SEQ(A a, B b) WHERE coalesce(a.x * 2, 0) < 0 RETURN COUNT(*) AS n",
    "SEQ(A a, B b) WHERE a.x > 0 RETURN abs(-a.x - a.x - a.x) + CASE WHEN a.x < 9 THEN 1 END AS m",
)


def run(query: str, events: Any) -> Any:
    return cepheid.query(f"PATTERN {query}").run(events, time="time", type="type")


@pytest.mark.parametrize("query", QUERIES)
def test_the_same_rows(spark: SparkSession, query: str) -> None:
    found = [row.asDict() for row in run(query, spark.createDataFrame(TABLE)).collect()]
    assert in_any_order(found) == in_any_order(run(query, TABLE).to_pylist())


@pytest.mark.parametrize("query", BEYOND)
def test_the_same_error(spark: SparkSession, query: str) -> None:
    message = r"leaves (the range of 64-bit integers|64 bits)"
    with pytest.raises(cepheid.DataError, match=message):
        run(query, TABLE)
    with pytest.raises(Exception, match=message):
        run(query, spark.createDataFrame(TABLE)).collect()
