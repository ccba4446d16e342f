"""A query under a name of Spark SQL: a view of its results, and a function of any such table."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.members import Member
from cepheid.engine.results import result_schema
from cepheid.program.compute_columns import computed_schema
from cepheid.spark.batch.run_batch import arrow_schema_of
from cepheid.spark.frames.spark_schema import spark_schema
from cepheid.spark.sql.table_function import make_function


def register_function(
    session: SparkSession, name: str, member: Member, frame: DataFrame, roles: ColumnRoles
) -> bool:
    """Register a function for tables with the columns of a DataFrame; False before Spark 4.1."""
    make: Any = getattr(F, "arrow_udtf", None)
    if make is None:
        return False
    schema = arrow_schema_of(frame)
    program = member.make_program(event_schema(schema, roles))
    read = program.stored_columns
    needed = [each for each in schema if each.name in read]
    events = pa.schema(needed)
    result = result_schema(program, computed_schema(events, program.computed))
    handler = make_function(program, events, name)
    found = make(handler, returnType=spark_schema(result))
    session.udtf.register(name, found)
    return True
