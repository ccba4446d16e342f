"""The schema of an Arrow table as one of Spark."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType


def spark_schema(schema: pa.Schema) -> StructType:
    """Return the columns in Spark's types; times without a zone have none in any version of it.

    >>> spark_schema(pa.schema([("at", pa.timestamp("us"))])).simpleString()
    'struct<at:timestamp_ntz>'
    """
    return from_arrow_schema(schema, prefer_timestamp_ntz=True)
