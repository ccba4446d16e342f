"""Add the counts of a group's partitions with Spark's own aggregation."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cepheid.program.program import CountKind, CountOutput, Program
from cepheid.runtime.count_rows import WINDOW_END, WINDOW_START
from cepheid.runtime.spark.column_named import column_named

LARGEST_BIGINT = 2**63 - 1


def combine_groups(result: DataFrame, program: Program, output: CountOutput) -> DataFrame:
    """Return one row per window and group; groups without a trend have none."""
    windows = [WINDOW_START, WINDOW_END] if program.slide is not None else []
    keys = windows + [name for _, name in output.groups]
    sums = [_sum(column_named(name), kind).alias(name) for name, kind in output.counts]
    combined = result.groupBy(*map(column_named, keys)).agg(
        F.count(F.lit(1)).alias("__partitions"), *sums
    )
    final = combined.filter(F.col("__partitions") > 0).drop("__partitions")
    for name, kind in output.counts:
        if kind is CountKind.BIGINT:
            final = final.withColumn(name, _checked(column_named(name), keys))
        elif kind is CountKind.LOG2:
            final = final.withColumn(name, _logarithm_of_sum(column_named(name)))
    return final


def _sum(column: Column, kind: CountKind) -> Column:
    if kind is CountKind.BIGINT:
        return F.sum(column.cast("decimal(38,0)"))
    return F.collect_list(column) if kind is CountKind.LOG2 else F.sum(column)


def _checked(total: Column, keys: list[str]) -> Column:
    """Fail with the window and group instead of wrapping."""
    place = F.concat_ws(
        ", ", *(F.concat(F.lit(f"{key} = "), column_named(key).cast("string")) for key in keys)
    )
    message = F.concat(
        F.lit("a count exceeds BIGINT ("),
        place if keys else F.lit("the whole input"),
        F.lit("); use LOG2(COUNT(*)) or EXACT COUNT(*), or a shorter window"),
    )
    return F.when(total > F.lit(LARGEST_BIGINT), F.raise_error(message)).otherwise(
        total.cast("bigint")
    )


def _logarithm_of_sum(logarithms: Column) -> Column:
    largest = F.array_max(logarithms)
    total = F.aggregate(
        logarithms, F.lit(0.0), lambda acc, each: acc + F.pow(F.lit(2.0), each - largest)
    )
    return largest + F.log2(total)
