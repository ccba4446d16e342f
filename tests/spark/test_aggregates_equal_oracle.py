"""Random aggregate queries on Spark: any number of partitions gives what the oracle says.

Many cases run as one job, see test_spark_equals_oracle.py.
"""

import json
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from tests.properties.aggregate_comparison import assert_same_rows, without_zone
from tests.properties.aggregate_streams import bound, expected_rows, table_of
from tests.properties.aggregates import METHODS
from tests.properties.queries import Case
from tests.properties.test_aggregates_equal_oracle import drawn
from tests.properties.test_time_ranges import ranged_program

CASES_PER_METHOD = 4
pytestmark = pytest.mark.spark


def cases_with_rows(method: str) -> list[Case]:
    """Different queries, all with something to compare."""
    distinct = {case.text: case for case in reversed(drawn(method)) if expected_rows(case)}
    assert len(distinct) >= CASES_PER_METHOD
    return list(distinct.values())[:CASES_PER_METHOD]


def cases_of_matches() -> list[Case]:
    """What matches give as a whole: in one task for a group, and added up from several."""
    columns = "MAX(b.time - a.time) AS m, MIN(b.x - a.x) AS l, SUM(a.x * b.x) AS s, AVG(b.f - a.x)"
    events = [
        {"type": kind, "time": time, "k": time % 2, "x": time % 3 or None, "f": time / 2}
        for time, kind in enumerate("AABABBAB")
    ]
    text = f"PATTERN SEQ(A a, B b) WHERE [k] WITHIN 6 SLIDE 3 {{}} RETURN {columns}, COUNT(*)"
    return [Case(text.format(each), events, ()) for each in ("", "GROUP BY k")]


class Run(NamedTuple):
    """A case, and whether ranges of time are folded apart."""

    case: Case
    in_ranges: bool


def every_run() -> list[Run]:
    """Every case as it is distributed by partitions, and in ranges of time where it can be."""
    cases = [case for method in METHODS for case in cases_with_rows(method)]
    cases += cases_of_matches()
    in_ranges = [Run(case, in_ranges=True) for case in cases if ranged_program(case).cuts_time]
    assert in_ranges
    return [*(Run(case, in_ranges=False) for case in cases), *in_ranges]


@pytest.mark.parametrize(("inputs", "shuffles"), [(1, 1), (3, 5)])
def test_spark_equals_oracle(spark: SparkSession, inputs: int, shuffles: int) -> None:
    chosen = every_run()
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", str(shuffles))
    try:
        found = run_together(spark, chosen, inputs)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(before))
    for each, rows in zip(chosen, found, strict=True):
        assert_same_rows(bound(each.case), rows, expected_rows(each.case))


def run_together(
    spark: SparkSession, chosen: Sequence[Run], inputs: int
) -> list[list[dict[str, Any]]]:
    """Run everything in one Spark job and return the rows of each."""
    tables = [
        table_of(case).append_column("case", pa.array([number] * len(case.events), pa.int64()))
        for number, (case, _) in enumerate(chosen)
    ]
    whole = pa.concat_tables(tables).to_pandas(types_mapper=_nullable)
    everything = spark.createDataFrame(whole).repartition(inputs).cache()
    frames = [_as_text(number, run, everything) for number, run in enumerate(chosen)]
    while len(frames) > 1:  # a balanced tree: Spark plans a deep chain of unions slowly
        pairs = [frames[at : at + 2] for at in range(0, len(frames), 2)]
        frames = [reduce(DataFrame.unionAll, each) for each in pairs]
    rows: list[list[dict[str, Any]]] = [[] for _ in chosen]
    for row in frames[0].collect():
        number = row["number"]
        rows[number].append(_as_before(chosen[number].case, json.loads(row["text"])))
    return rows


def _nullable(kind: pa.DataType) -> Any:
    import pandas as pd

    if pa.types.is_int64(kind):
        return pd.Int64Dtype()
    return pd.Float64Dtype() if pa.types.is_float64(kind) else None


def _as_text(number: int, run: Run, everything: DataFrame) -> DataFrame:
    case, in_ranges = run
    events = everything.filter(F.col("case") == number).drop("case")
    options = {"order": case.order, "parallel_in_time": in_ranges}
    result = cepheid.query(case.text).run(events, time="time", type="type", **options)
    whole = F.to_json(F.struct(*result.columns), {"ignoreNullFields": "false"})
    return result.select(F.lit(number).alias("number"), whole.alias("text"))


def _as_before(case: Case, row: dict[str, Any]) -> dict[str, Any]:
    """JSON has no timestamps."""
    for column in bound(case).aggregates or ():
        each = column.aggregate
        if each.attribute == "at" and each.function != "COUNT" and row[column.output] is not None:
            row[column.output] = without_zone(row[column.output])
    return row
