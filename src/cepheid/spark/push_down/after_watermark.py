"""Conditions that Spark tests after it has seen the times of all events."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def after_watermark(condition: Column) -> Column:
    """Return a condition that holds if the given one does, and that the optimizer leaves in place.

    Spark moves filters before a watermark, and drops the whole stream, times and all, if it finds
    that nothing passes. It leaves alone what depends on the Spark partition.
    """
    number = F.spark_partition_id()
    return number + F.when(condition, F.lit(0)).otherwise(F.lit(-1)) >= number
