"""Random queries on Spark: local = Spark = oracle.

A Spark job costs about a second whatever its size, so many cases run as one: their results are
turned into text and united.
"""

import json
from collections import Counter
from functools import reduce
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from tests.properties.comparison import as_multiset, expected, table_of
from tests.properties.queries import (
    Case,
    cases,
    mark_cases,
    negation_cases,
    pair_cases,
    predicate_cases,
)

CASES = 120
MARK_CASES = 40
pytestmark = pytest.mark.spark


def random_cases(strategy: st.SearchStrategy[Case], count: int) -> list[Case]:
    """Draw cases that can be executed."""
    drawn: list[Case] = []

    @settings(max_examples=2 * count, database=None, derandomize=True)
    @given(strategy)
    def draw(case: Case) -> None:
        try:
            is_executable = not cepheid.query(case.text).plan().unsupported
        except cepheid.BindingError:
            return
        if is_executable:
            drawn.append(case)

    draw()
    assert len(drawn) >= count
    return drawn[:count]


def run_together(spark: SparkSession, drawn: list[Case]) -> list[Counter[tuple[Any, ...]]]:
    """Run every case in one Spark job and return the rows of each."""
    tables = [
        table_of(case).append_column("case", pa.array([number] * len(case.events), pa.int64()))
        for number, case in enumerate(drawn)
    ]
    everything = spark.createDataFrame(pa.concat_tables(tables).to_pandas(types_mapper=_nullable))
    frames = [_as_text(number, case, everything) for number, case in enumerate(drawn)]
    rows: list[list[dict[str, Any]]] = [[] for _ in drawn]
    for row in reduce(DataFrame.unionAll, frames).collect():
        rows[row["number"]].append(json.loads(row["text"]))
    return [as_multiset(each) for each in rows]


def _nullable(kind: pa.DataType) -> Any:
    import pandas as pd

    return pd.Int64Dtype() if pa.types.is_int64(kind) else None


def _as_text(number: int, case: Case, everything: DataFrame) -> DataFrame:
    events = everything.filter(F.col("case") == number).drop("case")
    result = cepheid.query(case.text).run(events, time="time", type="type", order=case.order)
    whole = F.to_json(F.struct(*result.columns), {"ignoreNullFields": "false"})
    return result.select(F.lit(number).alias("number"), whole.alias("text"))


def test_spark_equals_oracle(spark: SparkSession) -> None:
    like_local = cases() | predicate_cases() | negation_cases() | pair_cases()
    drawn = random_cases(like_local, CASES) + random_cases(mark_cases(), MARK_CASES)
    for case, found in zip(drawn, run_together(spark, drawn), strict=True):
        assert found == expected(case), case
