"""One DataFrame from several, one per event type; all are tables or all are streams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from cepheid.engine.events.event_schema import ColumnRoles, check_columns
from cepheid.errors import DataError
from cepheid.spark.frames.query_functions import is_streaming, known
from cepheid.spark.stream.event_time import has_watermark
from cepheid.tables.table_kinds import free_type_column


def unite_frames(
    frames: Mapping[str, DataFrame], roles: ColumnRoles
) -> tuple[DataFrame, ColumnRoles]:
    """Stack one DataFrame per event type; their columns are the declared schemas."""
    schemas = {name: list(frame.columns) for name, frame in frames.items()}
    fields: dict[str, StructField] = {}
    for name, frame in frames.items():
        check_columns(frame.columns, replace(roles, type=None), f"the events of type '{name}'")
        for field in frame.schema.fields:
            kind = field.dataType.simpleString()
            known_kind = fields.setdefault(field.name, field).dataType.simpleString()
            if known_kind != kind:
                raise DataError(
                    f"column '{field.name}' of type '{name}' is {kind}, "
                    f"but {known_kind} for another type",
                    hint="give a column of the same name the same type in all tables",
                )
    _require_all_or_none(
        {name: is_streaming(frame) for name, frame in frames.items()},
        "come as a stream",
        "read all types with spark.readStream, or all with spark.read",
    )
    _require_all_or_none(
        {name: has_watermark(frame, roles.time) for name, frame in frames.items()},
        "have a watermark",
        "call withWatermark for all types, or for none of them and give watermark=",
    )
    column = free_type_column(set(fields))
    united: DataFrame | None = None
    for name, frame in frames.items():
        typed = frame.withColumn(column, F.lit(name))
        united = typed if united is None else united.unionByName(typed, allowMissingColumns=True)
    assert united is not None
    every = [*fields.values(), StructField(column, StringType())]
    nullable = [StructField(each.name, each.dataType) for each in every]
    united = known(united, StructType(nullable))
    return united, replace(roles, type=column, schemas=roles.schemas or schemas)


def _require_all_or_none(found: Mapping[str, bool], what: str, hint: str) -> None:
    """Raise a DataError that names two types which differ."""
    having = [name for name, has in found.items() if has]
    others = [name for name, has in found.items() if not has]
    if having and others:
        raise DataError(
            f"the events of type '{having[0]}' {what}, those of type '{others[0]}' do not",
            hint=hint,
        )
