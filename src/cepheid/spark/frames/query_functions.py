"""Query functions of Spark Declarative Pipelines: plans are made, and Spark must not be asked.

In such a function Spark refuses whatever analyses a DataFrame, its columns included, and whatever
sets something. So the user declares the columns, and from there every step says which ones it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType

from cepheid.errors import ConfigError

CONTEXT = "spark.connect.PipelineAnalysisContext"
CACHED = "_cached_schema"  # where a DataFrame of Connect keeps its schema once it has asked for it


def is_in_query_function(session: SparkSession) -> bool:
    """Whether this thread is in a query function of a pipeline."""
    if not type(session).__module__.startswith("pyspark.sql.connect"):
        return False
    context = getattr(session.client, "thread_local", None)
    for _, extension in getattr(context, "user_context_extensions", ()):
        if extension.type_url.endswith(f"/{CONTEXT}"):
            from pyspark.sql.connect.proto import PipelineAnalysisContext

            found = PipelineAnalysisContext()
            extension.Unpack(found)
            if found.flow_name:
                return True
    return False


def declare(frame: DataFrame, schema: StructType) -> DataFrame:
    """Return a DataFrame with these columns; see `cepheid.declared`."""
    if not isinstance(schema, StructType):
        raise ConfigError(
            f"the columns of a DataFrame are {schema!r}, of type {type(schema).__name__}",
            hint="give a StructType, made outside of the query function: StructType.fromDDL('…')",
        )
    if is_in_query_function(frame.sparkSession):
        return known(frame, schema)
    return frame.to(schema)


def require_declared(frame: DataFrame) -> None:
    """Raise a ConfigError if Spark must be asked for the columns, and must not be asked."""
    if is_in_query_function(frame.sparkSession) and getattr(frame, CACHED, None) is None:
        raise ConfigError(
            "Spark does not tell in a query function of a pipeline which columns a table has",
            hint="say it: cepheid.declared(table, schema), as the last step before the query, with "
            "a StructType that is made outside of the function",
        )


def known(frame: DataFrame, schema: StructType) -> DataFrame:
    """Return a DataFrame that has a schema as one that need not ask Spark for it.

    `frame.to(schema)` would do on the client, but Spark's server analyses it at once, and tables of
    the same pipeline are not there yet.
    """
    if is_in_query_function(frame.sparkSession):
        setattr(frame, CACHED, schema)
    return frame


def some_columns(frame: DataFrame, names: Sequence[str]) -> StructType:
    """Return the schema of some columns of a DataFrame."""
    schema = frame.schema
    return StructType([schema[name] for name in names])


def renamed(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """Return a DataFrame with other names of its columns."""
    fields = [
        StructField(name, field.dataType, field.nullable)
        for name, field in zip(names, frame.schema.fields, strict=True)
    ]
    return known(frame.toDF(*names), StructType(fields))


def is_streaming(frame: DataFrame) -> bool:
    """Whether a DataFrame is a stream; in a query function, whether it reads one."""
    if not is_in_query_function(frame.sparkSession):
        return bool(frame.isStreaming)
    return any(
        getattr(relation, "is_streaming", False) for _, relation in _relations(_relation(frame))
    )


def plan_has_watermark(frame: DataFrame, column: str) -> bool:
    """Whether the plan of a query function says withWatermark for the column."""
    return any(
        kind == "with_watermark" and relation.event_time.strip("`") == column
        for kind, relation in _relations(_relation(frame))
    )


def require_setting(session: SparkSession, name: str, value: str) -> None:
    """Set what a stream needs; in a query function, say where to set it."""
    if not is_in_query_function(session):
        session.conf.set(name, value)
    elif session.conf.get(name, None) != value:
        raise ConfigError(
            f"the stream needs the setting {name}, which a query function cannot make",
            hint=f'write into the pipeline\'s spec file, under configuration:  {name}: "{value}"',
        )


def _relation(frame: Any) -> Any:
    return frame._plan.plan(frame.sparkSession.client)


def _relations(message: Any) -> Iterator[tuple[str, Any]]:
    """Yield all relations below one, each with the name of its kind."""
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for each in value if field.is_repeated else (value,):
            if field.containing_oneof is not None and field.containing_oneof.name == "rel_type":
                yield field.name, each
            if hasattr(each, "ListFields"):
                yield from _relations(each)
