"""Several queries on one DataFrame; those that read the results of others read a union of both."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from cepheid.engine.bundle import bundle_of_one, make_bundles
from cepheid.engine.derived_events import (
    DerivedStream,
    key_sources,
    own_columns,
    ticks_before_end,
)
from cepheid.engine.events.event_schema import ColumnRoles
from cepheid.engine.members import Member
from cepheid.engine.shared.policy import Sharing
from cepheid.program.numeric_times import FLOAT_DIGITS, TICK_DIGITS, has_digits
from cepheid.program.program import Program
from cepheid.program.shuffle_keys import shuffle_keys
from cepheid.spark.batch.run_batch import arrow_schema_of, run_bundle
from cepheid.spark.frames.cached_frames import release_unused
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.compressed_frame import SparkCompressedMatches
from cepheid.spark.frames.query_functions import is_in_query_function, known, some_columns
from cepheid.spark.frames.spark_schema import spark_schema


class SparkMembers:
    """DataFrames, lazily: a query runs when its own result, or that of a reader, is asked for."""

    def __init__(self, frame: DataFrame, roles: ColumnRoles) -> None:
        self.frame = frame
        self.schema = arrow_schema_of(frame)
        self.roles = roles

    def run(
        self, programs: Sequence[Program], sharing: Sharing
    ) -> list[DataFrame | SparkCompressedMatches]:
        """Return the result of every program; those folded together have one scan and shuffle."""
        if is_in_query_function(self.frame.sparkSession):  # every table is computed by itself
            alone = [run_bundle(bundle_of_one(each), self.frame, self.schema) for each in programs]
            return [result for (result,) in alone]
        release_unused()

        def key_of(program: Program, is_in_set: bool) -> Hashable | None:
            if program.cuts_time and (sharing.in_ranges or not is_in_set):
                return None
            return shuffle_keys(program), program.copies

        results: dict[int, DataFrame | SparkCompressedMatches] = {}
        for bundle in make_bundles(programs, key_of, sharing):
            found = run_bundle(bundle, self.frame, self.schema)
            results |= zip(bundle.places, found, strict=True)
        return [results[place] for place in range(len(programs))]

    def run_with_results(
        self, program: Program, schema: pa.Schema, streams: Sequence[DerivedStream]
    ) -> DataFrame | SparkCompressedMatches:
        """Return the result of a program that reads those of others, or is read by others."""
        (result,) = run_bundle(bundle_of_one(program), self.united(schema, streams), schema)
        return result

    def as_events(
        self,
        member: Member,
        program: Program,
        result: DataFrame | SparkCompressedMatches,
        schema: pa.Schema,
    ) -> tuple[DataFrame, DerivedStream]:
        """Return a result without what only its events need, and its events."""
        assert member.stream_type is not None
        assert not isinstance(result, SparkCompressedMatches), "analysis refuses it with INTO"
        own = own_columns(program, result.columns)
        stream = self._stream(program, result, own, schema, member.stream_type)
        shown = known(result.select(*map(column_named, own)), some_columns(result, own))
        return shown, DerivedStream(
            member.name, member.stream_type, tuple(own), arrow_schema_of(stream), stream
        )

    def united(self, schema: pa.Schema, streams: Sequence[DerivedStream]) -> DataFrame:
        """Return the events of the input and those of other queries, with all columns."""
        if not streams:
            return self.frame
        united = _fitted(self.frame, self.schema, schema)
        fields = {each: united.schema[each] for each in self.schema.names}
        for stream in streams:
            events = _fitted(stream.events, stream.schema, schema)
            fields |= {each.name: each for each in events.schema if each.name not in fields}
            united = united.unionByName(events, allowMissingColumns=True)
        nullable = [StructField(each.name, each.dataType) for each in fields.values()]
        return known(united, StructType(nullable))

    def _stream(
        self,
        program: Program,
        result: DataFrame,
        own: Sequence[str],
        events: pa.Schema,
        stream_type: str,
    ) -> DataFrame:
        """Return the results as events: order key, type, attributes."""
        assert self.roles.type is not None
        columns: dict[str, Column] = {each: column_named(each) for each in own}
        types = {each: result.schema[each].dataType for each in own}
        for name, source in key_sources(program, own).items():
            kind = spark_schema(pa.schema([events.field(name)]))[0].dataType
            columns[name] = F.lit(None).cast(kind) if source is None else column_named(source)
            types[name] = kind if source is None else result.schema[source].dataType
        time = events.field(program.time).type
        early = ticks_before_end(program, time)
        if early:
            columns[program.time] = _earlier(columns[program.time], early, time)
        columns[self.roles.type], types[self.roles.type] = F.lit(stream_type), StringType()
        stream = result.select(*(column.alias(name) for name, column in columns.items()))
        return known(stream, StructType([StructField(*each) for each in types.items()]))


def _earlier(end: Column, ticks: int, kind: pa.DataType) -> Column:
    """Return a time so many ticks before the end of a window."""
    if pa.types.is_integer(kind):
        return end - F.lit(ticks)
    if pa.types.is_floating(kind):
        return F.round(end - F.lit(ticks / 10**FLOAT_DIGITS), FLOAT_DIGITS)
    if has_digits(kind):
        step = Decimal(ticks).scaleb(-kind.scale)
        return (end - F.lit(step)).cast(f"decimal({TICK_DIGITS}, {kind.scale})")
    return end - F.expr(f"INTERVAL '{ticks}' MICROSECOND")


def _fitted(frame: DataFrame, given: pa.Schema, wanted: pa.Schema) -> DataFrame:
    """Return the frame with its columns cast to the types of a schema."""
    columns, fields = [], []
    for field in given:
        column, kind = column_named(field.name), frame.schema[field.name].dataType
        if wanted.field(field.name).type != field.type:
            kind = spark_schema(pa.schema([wanted.field(field.name)]))[0].dataType
            column = column.cast(kind).alias(field.name)
        columns.append(column)
        fields.append(StructField(field.name, kind))
    return known(frame.select(*columns), StructType(fields))
