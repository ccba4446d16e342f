"""Columns that a query adds to the events of a DataFrame, computed by Spark as far as it can."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.types import BooleanType, StringType, StructType

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.expressions import (
    AllOf,
    AnyOf,
    Apply,
    AttributeReference,
    Compare,
    ComputedColumn,
    Constant,
    Role,
    Truth,
)
from cepheid.program.compute_columns import ARROW_TYPES, compute_column, computed_schema
from cepheid.program.program import Program
from cepheid.program.spark_sql import SparkWriter, quoted
from cepheid.spark.frames.query_functions import known
from cepheid.spark.frames.spark_schema import spark_schema


def with_computed_columns(
    frame: DataFrame, programs: Sequence[Program], events: pa.Schema
) -> DataFrame:
    """Return the events with what programs compute of each of them; `events` is their schema."""
    computed = dict.fromkeys(column for each in programs for column in each.computed)
    if not computed:
        return frame
    added = computed_schema(events, computed)
    fields = spark_schema(pa.schema([added.field(each.name) for each in computed])).fields
    schema = StructType([*frame.schema.fields, *fields])
    return known(_with_columns(frame, computed, added), schema)


def _with_columns(
    frame: DataFrame, computed: Iterable[ComputedColumn], added: pa.Schema
) -> DataFrame:
    """Add columns; `added` has their types, of which those of decimals follow from the events."""
    writer = SparkWriter()
    texts = {}
    for each in computed:
        text, kind = writer.column(each.value), added.field(each.name).type
        is_decimal = pa.types.is_decimal(kind)
        decimal = f"decimal({kind.precision}, {kind.scale})" if is_decimal else ""
        texts[each.name] = f"try_cast({text} AS {decimal})" if is_decimal else text
    names = list(map(quoted, frame.columns))
    for name, call in list(writer.in_python.items()):
        frame = frame.withColumn(name, _in_python(call, writer))
    added = [F.expr(text).alias(name) for name, text in texts.items()]
    return frame.select(*map(F.expr, names), *added)


def _in_python(call: Apply, writer: SparkWriter) -> Column:
    """Return a column of a function that Spark has not, or has with another meaning."""
    values = [each for each in call.arguments
              if not isinstance(each, AllOf | AnyOf | Compare | Truth)]  # fmt: skip
    places = [each for each, value in enumerate(values)
              if each == 0 or not isinstance(value, Constant)]  # fmt: skip
    names = [f"argument{each}" for each in places]
    kinds = [ARROW_TYPES.get(values[each].type, pa.string()) for each in places]
    arguments = list(values)
    for each, name in zip(places, names, strict=True):
        arguments[each] = AttributeReference("", Role.EACH, name, values[each].type)
    column = ComputedColumn("", Apply(call.function, tuple(arguments), call.type, call.option))

    def compute(*given: pd.Series) -> pd.Series:
        columns = [pa.array(each, kind, from_pandas=True)
                   for each, kind in zip(given, kinds, strict=True)]  # fmt: skip
        stored = dict(zip(names, columns, strict=True))
        found = compute_column(column, stored, len(columns[0]))
        return pd.Series(found.to_pylist(), dtype=object)

    make: Any = pandas_udf  # typed by what it makes of each kind of function
    function = make(compute, BooleanType() if call.type is AttributeType.BOOLEAN else StringType())
    found: Column = function(*(F.expr(writer.column(values[each])) for each in places))
    return found
