"""Events that belong to several partitions, once for each, before they are shuffled."""

from __future__ import annotations

from functools import reduce
from operator import and_

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType, FloatType, StructField, StructType

from cepheid.analysis.key_copies import KeyCopies, KeySlot
from cepheid.program.copy_events import copies_schema
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.query_functions import known
from cepheid.spark.frames.spark_schema import spark_schema

KEYS = "__cepheid_keys"


def with_copied_events(
    frame: DataFrame, copies: KeyCopies | None, events: pa.Schema, *, keeps_all: bool
) -> DataFrame:
    """Return the copies of events, as `program/copy_events.py` does; `events` is their schema."""
    if copies is None:
        return frame
    added = copies_schema(events, copies)
    fields = spark_schema(pa.schema([added.field(each) for each in copies.names])).fields
    keys = F.array_distinct(
        F.array_compact(F.array(*(_keys(each, copies, fields) for each in copies.slots)))
    )
    spread = F.explode_outer(keys) if keeps_all else F.explode(keys)
    names = [column_named(each) for each in frame.columns]
    copied = frame.select(*names, spread.alias(KEYS))
    own = [F.col(KEYS).getField(_field(number)).alias(name)
           for number, name in enumerate(copies.names)]  # fmt: skip
    return known(copied.select(*names, *own), StructType([*frame.schema.fields, *fields]))


def _keys(slot: KeySlot, copies: KeyCopies, fields: list[StructField]) -> Column:
    """Return the keys of a slot in one struct; NULL if an event has not all of them."""
    values = [_key(name, field) for name, field in zip(slot.attributes, fields, strict=True)]
    conditions = [column_named(each).isNotNull() for each in slot.attributes]
    if copies.type_column is not None and slot.types is not None:
        conditions.append(column_named(copies.type_column).isin(*slot.types))
    struct = F.struct(*(value.alias(_field(number)) for number, value in enumerate(values)))
    return F.when(reduce(and_, conditions), struct)


def _key(attribute: str, field: StructField) -> Column:
    key = column_named(attribute).cast(field.dataType)
    is_float = isinstance(field.dataType, FloatType | DoubleType)
    return key + F.lit(0.0).cast(field.dataType) if is_float else key  # -0.0 equals 0.0


def _field(number: int) -> str:
    return f"key{number}"
