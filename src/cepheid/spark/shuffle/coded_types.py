"""Event types as small numbers on the way from Spark to Python: in rows, texts take time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ByteType, StructField, StructType

from cepheid.program.program import Program
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.query_functions import known
from cepheid.spark.push_down.compare_in_spark import is_plain_text

MOST_TYPES = 16  # Spark compares an event's type with one after the other


@dataclass(frozen=True, slots=True)
class CodedTypes:
    """The type column, and the types by their codes. Other types have no code, they become NULL."""

    column: str
    names: tuple[str, ...]

    def encode(self, frame: DataFrame) -> DataFrame:
        """Return the events with codes in the place of types."""
        column = column_named(self.column)
        code = F.when(column == self.names[0], F.lit(0))
        for number, name in enumerate(self.names[1:], start=1):
            code = code.when(column == name, F.lit(number))
        coded = code.cast("tinyint").alias(self.column)
        names = frame.columns
        fields = [
            StructField(each.name, ByteType()) if each.name == self.column else each
            for each in frame.schema.fields
        ]
        selected = frame.select(
            *(coded if name == self.column else column_named(name) for name in names)
        )
        return known(selected, StructType(fields))

    def decoded(
        self, batches: Iterator[pa.RecordBatch], columns: Sequence[str]
    ) -> Iterator[pa.RecordBatch]:
        """Yield batches whose columns are these, with types as a dictionary."""
        place = columns.index(self.column)
        names = pa.array(self.names)
        for batch in batches:
            arrays = list(batch.columns)
            arrays[place] = pa.DictionaryArray.from_arrays(arrays[place], names)
            yield pa.RecordBatch.from_arrays(arrays, names=list(columns))


def coded_types(programs: Sequence[Program], frame: DataFrame) -> CodedTypes | None:
    """Return the codes for programs with the same type column; None if they need the texts.

    Events that are results of other queries are told by their types, whatever these are.
    """
    column = programs[0].type_column
    names = sorted({name for each in programs for name in each.types})
    if column is None or not 0 < len(names) <= MOST_TYPES:
        return None
    if any(each.type_column != column for each in programs):
        return None
    if any(column in each.value_columns or each.derived_types for each in programs):
        return None
    return CodedTypes(column, tuple(names)) if is_plain_text(frame.schema[column]) else None
