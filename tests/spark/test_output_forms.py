"""The forms of OUTPUT on Spark, and the limit on live state."""

from collections import Counter
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import cepheid
from cepheid.spark.frames.compressed_frame import SparkCompressedMatches
from tests.engine.streams import rows_of
from tests.spark.test_batch import ROLES, frame_of, run

pytestmark = pytest.mark.spark

STREAM = "a1(k=1) a2(k=2) a3(k=1) b4(k=1) c5(k=2) b6(k=2) a7(k=1) b8(k=1) a9(k=2)"
PATTERN = "SEQ(A+ a, !C, B b) WHERE [k] WITHIN 6 RETURN a.time, b.time"


def as_counter(rows: Any) -> Counter[str]:
    return Counter(str(sorted(row.items())) for row in rows)


def test_compressed(spark: SparkSession) -> None:
    query = cepheid.query(f"PATTERN {PATTERN} OUTPUT COMPRESSED")
    result = query.run(frame_of(spark, STREAM), **ROLES)
    assert isinstance(result, SparkCompressedMatches)
    expected = as_counter(rows_of(PATTERN, STREAM))
    assert result.graphs.columns == ["nodes", "graph"]
    assert as_counter(row.asDict() for row in result.expand().collect()) == expected
    assert as_counter(result) == expected
    assert result.count() == expected.total() > 2
    assert result.first(2).count() == 2


def test_partial(spark: SparkSession) -> None:
    pattern = f"{PATTERN} OUTPUT PARTIAL"
    rows = [row.asDict() for row in run(pattern, frame_of(spark, STREAM)).collect()]
    assert as_counter(rows) == as_counter(rows_of(pattern, STREAM))
    assert rows


@pytest.mark.parametrize("choice", ["LONGEST SKIP TO FIRST b", "SHORTEST", "FIRST", "LAST"])
def test_some_of_the_matches(spark: SparkSession, choice: str) -> None:
    pattern = f"{PATTERN} OUTPUT {choice}"
    rows = [row.asDict() for row in run(pattern, frame_of(spark, STREAM)).collect()]
    assert as_counter(rows) == as_counter(rows_of(pattern, STREAM))
    assert rows


def test_the_limit_names_query_and_partition(spark: SparkSession) -> None:
    frame = frame_of(spark, " ".join(f"a{time}(k=3)" for time in range(1, 30)))
    query = cepheid.query("PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 20", name="rising")
    with pytest.raises(PySparkException, match=r"'rising' keeps .* k = 3; the limit is 5"):
        query.run(frame, **ROLES, live_limit=5).collect()
