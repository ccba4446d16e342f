"""Expressions over every type on Spark: the values, and the types, that they have in process."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import cepheid
from tests.engine.test_typed_expressions import (
    CASTS,
    EITHER,
    EVENTS,
    FAR,
    OF_COLUMNS,
    OF_MATCHES,
    OF_PAIR,
    OF_UNBOUND,
)

pytestmark = pytest.mark.spark

OF_ONE = (
    "coalesce(x.d, 0)", "greatest(x.d, 1)", "CASE WHEN x.n = 1 THEN x.d ELSE 0 END",
    "coalesce(x.d, x.n)", "coalesce(x.d, x.c)", "least(x.d, x.c, 5)", "ceil(x.c)", "floor(x.d)",
    "round(x.c)", "round(x.c, 1)", "round(x.d, 1)", "round(x.d, 7)", "floor(x.d * 10)", "abs(x.c)",
    "CAST(x.n AS DECIMAL(5, 1))", "x.d + x.c", "x.d * 2", "CAST(NULL AS DATE)", "size(NULL)",
    "CASE WHEN x.n = 1 THEN 3 minutes ELSE 5 minutes END", r"x.s RLIKE '\Qx\E'",
    *FAR, *(each for each, _ in [*CASTS, *OF_COLUMNS]),
    "regexp_extract(regexp_extract(x.s, '(.*)', 1), 'x')",
)  # fmt: skip
OF_TWO = (
    "max(a[].d) - min(a[].d) = 0.10", "b.d - a[2].d = 8.80", "a[2].d * 2 = 0.4",
    "count(a[].d) = 2", "count(DISTINCT a[].d) = 2", "a[2].t - a[1].t > 1 minute",
    "(a[1].n = b.n) IS NULL", "sum(a[].n) IS DISTINCT FROM 3", "TRUE IN (a[1].n < b.n, b.b)",
    "CASE WHEN a[1].n = 1 THEN 3 minutes ELSE 5 minutes END > b.t - a[1].t",
)  # fmt: skip


@pytest.fixture
def stored(spark: SparkSession, tmp_path: Path) -> DataFrame:
    pq.write_table(EVENTS, tmp_path / "events.parquet")
    return spark.read.parquet(str(tmp_path))


@pytest.mark.parametrize(
    ("pattern", "expressions"),
    [
        ("ANY(A, B) x", OF_ONE),
        ("SEQ(A+ a, B b)", OF_TWO),
        (EITHER, tuple(expression for expression, _ in OF_UNBOUND)),
    ],
)
def test_as_in_process(stored: DataFrame, pattern: str, expressions: tuple[str, ...]) -> None:
    listed = ", ".join(f"{each} AS c{number}" for number, each in enumerate(expressions))
    ids = {EITHER: "a.id, b.id AS either, c.id AS other", "ANY(A, B) x": "x.id"}.get(
        pattern, "a[1].id AS first, a.LEN AS length, b.id AS last"
    )
    query = cepheid.query(f"PATTERN {pattern} RETURN {ids}, {listed}")
    wanted = query.run(EVENTS, time="id", type="kind")
    found = query.run(stored, time="id", type="kind").toArrow()
    keys = [(each, "ascending") for each in wanted.column_names if not each.startswith("c")]
    assert found.sort_by(keys).to_pylist() == wanted.sort_by(keys).to_pylist()
    kinds = zip(
        expressions,
        found.schema.types[len(keys) :],
        wanted.schema.types[len(keys) :],
        strict=True,
    )
    assert [each for each in kinds if each[1] != each[2]] == []


OF_RESULTS = (
    "COUNT(*) + 1", "MAX(b.t) + 1 hour", "CAST(SUM(a.n) AS STRING)", "MAX(a.n) = 1", "-MIN(a.d)",
    "SUM(b.d - a.d)", "AVG(b.t - a.t) + 1 minute", "greatest(MAX(a.d), COUNT(*))", "SUM(a.d) * 3",
    "SUM(a.d * 2)",
)  # fmt: skip


def test_of_one_match_and_of_all(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(OF_PAIR, tmp_path / "pair.parquet")
    frame = spark.read.parquet(str(tmp_path))
    both = "PATTERN SEQ(A a, B b) WHERE a.d < b.d AND a.t < b.t"
    every = tuple(each for each, _ in OF_MATCHES)
    for pattern, columns in (("PATTERN SEQ(A a, B b, C? c)", every), (both, OF_RESULTS)):
        listed = ", ".join(f"{each} AS c{number}" for number, each in enumerate(columns))
        query = cepheid.query(f"{pattern} RETURN {listed}")
        wanted = query.run(OF_PAIR, time="id", type="kind")
        found = query.run(frame, time="id", type="kind").toArrow()
        assert found.to_pylist() == wanted.to_pylist()
        assert found.schema.types == wanted.schema.types
