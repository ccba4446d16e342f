"""Event types go from Spark to Python as codes, unless a query needs their texts."""

import re
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import cepheid

pytestmark = pytest.mark.spark
ROWS = [(time, "ABACBD"[time * 5 % 11 % 6] if time % 9 else None, time % 2) for time in range(60)]
MANY = ", ".join(f"T{number}" for number in range(17))


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, "time bigint, type string, k bigint")


def makes_codes(result: DataFrame, capsys: pytest.CaptureFixture[str]) -> bool:
    """Whether the plan makes codes of types."""
    result.explain("simple")
    return re.search(r"type#\d+ = A\) THEN 0", capsys.readouterr().out) is not None


def rows(result: Any) -> list[tuple[Any, ...]]:
    found = result.collect() if isinstance(result, DataFrame) else result.to_pylist()
    return sorted(tuple(each.asDict().values() if hasattr(each, "asDict") else each.values())
                  for each in found)  # fmt: skip


@pytest.mark.parametrize(
    ("query", "is_coded"),
    [
        ("SEQ(A a, B b) WHERE [k] WITHIN 9 RETURN a.time, b.time", True),
        ("SEQ(A a, B b) SEMANTICS contiguous WHERE [k] RETURN a.time, b.time", True),
        ("SEQ(A, B+) WHERE [k] WITHIN 9 EVENTS RETURN COUNT(*) AS n, COUNT(B) AS m", True),
        ("SEQ(A a, !C, B b) WHERE [k] WITHIN 9 RETURN a.time, b.time", True),
        ("SEQ(A a, B b) WHERE [k] WITHIN 9 RETURN a.time, b.type", False),
        ("SEQ(ANY(A, C) a, B b) WHERE a.type != b.type AND [k] WITHIN 9 RETURN a.time", False),
        ("SEQ(A a, A b) WHERE [type] WITHIN 9 RETURN a.time, b.time", False),
        (f"SEQ(A a, ANY({MANY}, B) b) WHERE [k] WITHIN 9 RETURN a.time, b.time", False),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_results_are_the_same(frame, capsys, query, is_coded, packed):
    ready = cepheid.query(f"PATTERN {query}")
    found = ready.run(frame, time="time", type="type", packed=packed)
    assert makes_codes(found, capsys) == is_coded
    expected = ready.run(frame.toArrow(), time="time", type="type")
    assert expected.num_rows
    assert rows(found) == rows(expected)
