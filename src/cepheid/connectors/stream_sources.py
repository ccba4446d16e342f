"""Events as streams of Spark: files, tables and JSON in Kafka; and their types by condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cepheid.connectors.collect_spark import SPARK_MODULES, essence, spark_errors
from cepheid.errors import ConfigError

BROKEN = "_cepheid_broken"


def read_file_stream(
    session: SparkSession, format: str, path: str, columns: str, options: Mapping[str, Any]
) -> DataFrame:
    """Return new files of a folder as a stream; the options are Spark's.

    Raises:
        DataError: Spark cannot read them.
    """
    with spark_errors():
        reader = session.readStream.format(format).schema(columns).options(**options)
        return reader.load(path)


def read_table_stream(session: SparkSession, name: str) -> DataFrame:
    """Return a table as a stream.

    Raises:
        DataError: there is no such table, or it cannot be read as a stream.
    """
    with spark_errors():
        return session.readStream.table(name)


def parse_json_values(records: DataFrame, columns: str, *, drops_malformed: bool) -> DataFrame:
    """Return the JSON objects in the values of Kafka's records as columns.

    Raises:
        DataError: Spark does not know a type of the columns.
    """
    text = F.col("value").cast("string")
    with spark_errors():
        if not drops_malformed:
            parsed = F.from_json(text, columns, {"mode": "FAILFAST"})
            return records.select(parsed.alias("event")).select("event.*")
        declared = records.sparkSession.createDataFrame([], columns).schema
        with_mark = T.StructType([*declared.fields, T.StructField(BROKEN, T.StringType())])
        options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BROKEN}
        events = records.where(text.isNotNull()).select(
            F.from_json(text, with_mark, options).alias("event")
        )
        return events.select("event.*").where(F.col(BROKEN).isNull()).drop(BROKEN)


def name_types(events: DataFrame, conditions: Mapping[str, str], column: str) -> DataFrame:
    """Add a column with the type whose condition is the first to be true; drop other events.

    Raises:
        ConfigError: a condition is not Spark SQL over the columns.
    """
    chosen: Column | None = None
    for name, condition in conditions.items():
        try:
            test = F.expr(condition)
            events.select(test.cast("boolean"))
        except Exception as error:
            if type(error).__module__.split(".")[0] not in SPARK_MODULES:
                raise
            raise ConfigError(
                f"the condition of type '{name}' is wrong: {essence(str(error))}",
                hint="write a condition of Spark SQL over the columns of the source",
            ) from None
        chosen = F.when(test, name) if chosen is None else chosen.when(test, name)
    assert chosen is not None
    return events.withColumn(column, chosen).where(F.col(column).isNotNull())
