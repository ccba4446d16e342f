"""Several queries on one DataFrame; those that read the results of others read a union of both."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from cepheid.engine.bundle import make_bundles
from cepheid.engine.derived_events import (
    DerivedStream,
    derived_schema,
    key_sources,
    own_columns,
    ticks_before_end,
    united_schema,
)
from cepheid.engine.events.event_schema import ColumnRoles
from cepheid.engine.members import Member, tell_warnings
from cepheid.engine.shared.policy import Sharing
from cepheid.program.lower import lower
from cepheid.program.program import Program
from cepheid.spark.batch.run_batch import arrow_schema_of, run_program, shuffle_keys
from cepheid.spark.batch.run_bundle import run_bundle
from cepheid.spark.frames.cached_frames import release_unused
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.compressed_frame import SparkCompressedMatches


class SparkMembers:
    """DataFrames, lazily: a query runs when its own result, or that of a reader, is asked for."""

    def __init__(self, frame: DataFrame, roles: ColumnRoles) -> None:
        self.frame = frame
        self.schema = arrow_schema_of(frame)
        self.roles = roles

    def run_together(
        self, members: Sequence[Member], sharing: Sharing
    ) -> dict[str, DataFrame | SparkCompressedMatches]:
        """Return the results of queries that are folded together: one scan and shuffle for all."""
        release_unused()
        apart = [each for each in members if not each.givers and each.stream_type is None]
        known = derived_schema(self.schema, self.schema.names, (), self.roles)
        programs = [each.make_program(known) for each in apart]
        for each in programs:
            tell_warnings(each)

        def key_of(program: Program, is_in_set: bool) -> tuple[str, ...] | None:
            if program.cuts_time and (sharing.in_ranges or not is_in_set):
                return None
            return shuffle_keys(program)

        results: dict[str, DataFrame | SparkCompressedMatches] = {}
        for bundle in make_bundles(programs, key_of, sharing):
            found = run_bundle(bundle, self.frame, self.schema)
            results |= zip((apart[place].name for place in bundle.places), found, strict=True)
        return results

    def run(
        self, member: Member, streams: Sequence[DerivedStream]
    ) -> tuple[DataFrame | SparkCompressedMatches, DerivedStream | None]:
        """Return the result, and the same as events if another query reads them."""
        schema = united_schema(self.schema, streams, self.roles.time)
        known = derived_schema(schema, self.schema.names, streams, self.roles)
        is_read = member.stream_type is not None
        program = lower(member.make_plan(known), as_stream=is_read)
        tell_warnings(program)
        result = run_program(program, self.united(schema, streams), schema)
        if member.stream_type is None:
            return result, None
        return self.as_events(member, program, result, schema)

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
        return result.select(*map(column_named, own)), DerivedStream(
            member.name, member.stream_type, tuple(own), arrow_schema_of(stream), stream
        )

    def united(self, schema: pa.Schema, streams: Sequence[DerivedStream]) -> DataFrame:
        """Return the events of the input and those of other queries, with all columns."""
        united = _fitted(self.frame, self.schema, schema)
        for stream in streams:
            events = _fitted(stream.events, stream.schema, schema)
            united = united.unionByName(events, allowMissingColumns=True)
        return united

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
        for name, source in key_sources(program, own).items():
            kind = from_arrow_schema(pa.schema([events.field(name)]))[0].dataType
            columns[name] = F.lit(None).cast(kind) if source is None else column_named(source)
        time = events.field(program.time).type
        early = ticks_before_end(program, time)
        if early:
            step = F.lit(early) if pa.types.is_integer(time) else _microseconds(early)
            columns[program.time] = columns[program.time] - step
        columns[self.roles.type] = F.lit(stream_type)
        return result.select(*(column.alias(name) for name, column in columns.items()))


def _microseconds(count: int) -> Column:
    return F.expr(f"INTERVAL '{count}' MICROSECOND")


def _fitted(frame: DataFrame, given: pa.Schema, wanted: pa.Schema) -> DataFrame:
    """Return the frame with its columns cast to the types of a schema."""
    columns = []
    for field in given:
        column = column_named(field.name)
        if wanted.field(field.name).type != field.type:
            kind = from_arrow_schema(pa.schema([wanted.field(field.name)]))[0].dataType
            column = column.cast(kind).alias(field.name)
        columns.append(column)
    return frame.select(*columns)
