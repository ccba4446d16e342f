"""Spark's types, for annotations elsewhere; a run on other tables needs no Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as SparkFrame
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType as SparkSchema

    __all__ = ["SparkFrame", "SparkSchema", "SparkSession"]
