"""Functions and tests of one event on Spark: as in process, and as in Spark SQL."""

from functools import reduce
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import cepheid
from tests.program.test_functions import EVENT, EXAMPLES, NESTED, asked, wrong
from tests.properties.one_event_predicates import events, predicates
from tests.properties.test_one_event_predicates import differences, having

pytestmark = pytest.mark.spark

COUNT = 500
IN_WHERE, IN_HAVING = 40, 20
AT_ONCE = 125


@pytest.fixture
def stored(spark: SparkSession, tmp_path: Path) -> DataFrame:
    pq.write_table(events(), tmp_path / "events.parquet")
    return spark.read.parquet(str(tmp_path))


def test_examples(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(EVENT, tmp_path / "event.parquet")
    frame = spark.read.parquet(str(tmp_path))
    examples = EXAMPLES + NESTED
    (row,) = cepheid.query(asked(examples)).run(frame, time="id").collect()
    assert wrong(row.asDict(), examples) == []


def test_predicates_agree_with_spark_sql(stored: DataFrame) -> None:
    found = predicates(COUNT)
    different = []
    for start in range(0, COUNT, AT_ONCE):
        some = found[start : start + AT_ONCE]
        listed = ", ".join(f"{each.ours} AS p{number}" for number, each in enumerate(some))
        ours = cepheid.query(f"PATTERN A a RETURN a.id AS id, {listed}").run(stored, time="id")
        theirs = stored.selectExpr(
            "id", *(f"{each.spark} AS p{number}" for number, each in enumerate(some))
        )
        different += differences(some, ours.toArrow().sort_by("id"), theirs.toArrow().sort_by("id"))
    assert different == []


def test_where_and_having_keep_what_spark_sql_keeps(stored: DataFrame) -> None:
    """Many queries in one job; conditions of HAVING are on aggregates of one event."""
    found = predicates(IN_WHERE + IN_HAVING, seed=11)
    texts = [
        f"PATTERN A a WHERE {each.ours} RETURN a.id AS id" if number < IN_WHERE else having(each)
        for number, each in enumerate(found)
    ]
    results = cepheid.workload(texts).run(stored, time="id")
    frames = [
        each.selectExpr(f"{number} AS query", "id") for number, each in enumerate(results.values())
    ]
    while len(frames) > 1:  # a balanced tree: Spark plans a deep chain of unions slowly
        pairs = [frames[at : at + 2] for at in range(0, len(frames), 2)]
        frames = [reduce(DataFrame.unionAll, each) for each in pairs]
    kept: dict[int, set[int]] = {}
    for row in frames[0].collect():
        kept.setdefault(row["query"], set()).add(row["id"])
    theirs = stored.selectExpr(
        "id", *(f"{each.spark} AS p{number}" for number, each in enumerate(found))
    ).collect()
    for number, text in enumerate(texts):
        wanted = {row["id"] for row in theirs if row[f"p{number}"]}
        assert kept.get(number, set()) == wanted, text


def test_a_data_source_reads_less(stored: DataFrame) -> None:
    text = "PATTERN A a WHERE a.s IN ('a', 'Abc') AND a.n IS NOT NULL AND a.t LIKE 'a%' RETURN a.id"
    result = cepheid.query(text).run(stored, time="id")
    plan = result._jdf.queryExecution().executedPlan().toString()
    pushed = plan.split("PushedFilters: [")[1].split("]\n")[0]
    assert "In(s, [Abc,a])" in pushed or "In(s, [a,Abc])" in pushed
    assert "IsNotNull(n)" in pushed
    assert "StringStartsWith(t,a)" in pushed
    kept = {row["a_id"] for row in result.collect()}
    assert kept == {row["a_id"] for row in cepheid.query(text).run(events(), time="id").to_pylist()}
