"""Every query of SASE and SASE+ on Spark: Spark = oracle, all in one job.

Queries that differ in their spelling only run once. Those for which SASE+ names a strategy run
under every strategy.
"""

import datetime
import json
from collections import Counter
from functools import reduce
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cepheid.language import ast
from cepheid.language.parser import parse
from tests.papers.match_cases import PRINTED, VARIED, MatchCase, expected, meaning
from tests.properties.comparison import as_multiset

TO_JSON = {"ignoreNullFields": "false", "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"}
pytestmark = pytest.mark.spark


def chosen_cases() -> list[MatchCase]:
    varied = [
        case
        for variants in VARIED
        for case in variants.values()
        if isinstance(parse(case.entry.text).where, ast.StrategyTerm)
    ]
    return list({meaning(case): case for case in (*PRINTED, *varied)}.values())


def run_together(
    spark: SparkSession, cases: list[MatchCase]
) -> dict[str, Counter[tuple[Any, ...]]]:
    """Run every case in one Spark job and return the rows of each."""
    frames = [_as_text(case, spark.createDataFrame(case.table)) for case in cases]
    rows: dict[str, list[dict[str, Any]]] = {case.name: [] for case in cases}
    for row in reduce(DataFrame.unionAll, frames).collect():
        rows[row["name"]].append(json.loads(row["text"]))
    return {name: as_multiset(each) for name, each in rows.items()}


def _as_text(case: MatchCase, events: DataFrame) -> DataFrame:
    result = case.run(events)
    text = F.to_json(F.struct(*result.columns), TO_JSON)
    return result.select(F.lit(case.name).alias("name"), text.alias("text"))


def _with_times_as_text(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_with_times_as_text(each) for each in value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="microseconds")
    return value


def test_spark_equals_oracle(spark: SparkSession) -> None:
    cases = chosen_cases()
    found = run_together(spark, cases)
    for case in cases:
        rows = {_with_times_as_text(row): count for row, count in expected(case).items()}
        assert found[case.name] == rows, case.name
