"""Columns by their whole name."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def column_named(name: str) -> Column:
    """Return the column called so; unquoted, Spark would read `a.b` as field b of column a."""
    quoted = name.replace("`", "``")
    return F.col(f"`{quoted}`")
