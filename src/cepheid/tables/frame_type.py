"""Spark's type of tables, for annotations elsewhere; a run on other tables needs no Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as SparkFrame

    __all__ = ["SparkFrame"]
