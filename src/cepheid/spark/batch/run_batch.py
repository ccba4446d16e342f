"""Spark batch: shuffle by partition attributes, fold every task's events, combine groups.

Only the DataFrame API is used, so that it runs on Spark Connect too.
"""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from cepheid.engine.bundle import Bundle
from cepheid.engine.results import rows_schema
from cepheid.engine.trends.min_max_keys import has_own_keys
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput, Program
from cepheid.program.shuffle_keys import shuffle_keys
from cepheid.program.slot_program import SlotProgram
from cepheid.spark.batch.combine_groups import combine_groups
from cepheid.spark.batch.task_folds import PACKED, QUERY, TaskFolds, results_or_error
from cepheid.spark.batch.time_ranges import cut_time, fold_ranges
from cepheid.spark.frames.cached_frames import KeptFrame
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.compressed_frame import SparkCompressedMatches
from cepheid.spark.frames.query_functions import known, some_columns
from cepheid.spark.frames.spark_schema import spark_schema
from cepheid.spark.push_down.computed_columns import with_computed_columns
from cepheid.spark.push_down.copied_events import with_copied_events
from cepheid.spark.push_down.filter_events import drop_or_bare_for_all
from cepheid.spark.shuffle.coded_types import coded_types
from cepheid.spark.shuffle.fold_task import task_memory
from cepheid.spark.shuffle.task_events import TaskEvents, as_grouped, in_packets, in_rows


def arrow_schema_of(frame: DataFrame) -> pa.Schema:
    """Return the schema as the workers will see it."""
    zone = frame.sparkSession.conf.get("spark.sql.session.timeZone")
    if "timezone" in inspect.signature(to_arrow_schema).parameters:
        return to_arrow_schema(frame.schema, timezone=zone)
    in_utc = to_arrow_schema(frame.schema)  # Spark 4.1
    return pa.schema([each.with_type(_in_zone(each.type, zone)) for each in in_utc])


def _in_zone(kind: pa.DataType, zone: str | None) -> pa.DataType:
    """Return a type with the zone of the session in the place of UTC.

    >>> _in_zone(pa.list_(pa.struct([("at", pa.timestamp("us", "UTC"))])), "Europe/Paris")
    ListType(list<item: struct<at: timestamp[us, tz=Europe/Paris]>>)
    >>> _in_zone(pa.timestamp("us"), "Europe/Paris")
    TimestampType(timestamp[us])
    """
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return pa.timestamp(kind.unit, zone)
    if pa.types.is_list(kind):
        element = kind.value_field
        return pa.list_(element.with_type(_in_zone(element.type, zone)))
    if pa.types.is_map(kind):
        return pa.map_(
            kind.key_field.with_type(_in_zone(kind.key_type, zone)),
            kind.item_field.with_type(_in_zone(kind.item_type, zone)),
        )
    if pa.types.is_struct(kind):
        return pa.struct([each.with_type(_in_zone(each.type, zone)) for each in kind])
    return kind


def run_bundle(
    bundle: Bundle, frame: DataFrame, arrow_schema: pa.Schema
) -> list[DataFrame | SparkCompressedMatches]:
    """Return the result of every query; the first one that is asked for computes all of them."""
    if bundle.computed or bundle.copies is not None:
        frame = with_computed_columns(frame, bundle.programs, arrow_schema)
        every = bundle.keeps_all_types
        frame = with_copied_events(frame, bundle.copies, arrow_schema, keeps_all=every)
        arrow_schema = arrow_schema_of(frame)
    needed = [name for name in arrow_schema.names if name in bundle.columns]
    selected = known(frame.select(*map(column_named, needed)), some_columns(frame, needed))
    events = pa.schema([arrow_schema.field(name) for name in needed])
    programs = bundle.programs
    ranges = _ranges(programs[0], events) if len(programs) == 1 else None
    if ranges is not None:
        folds = TaskFolds(bundle, frozenset(), events, task_memory(frame))
        pieces = fold_ranges(cut_time(programs[0], selected), folds, *ranges)
        return [combine_groups(pieces, programs[0], ranges[1], events)]
    programs = tuple(replace(each, cuts_time=False) for each in programs)
    added_up = frozenset(number for number, each in enumerate(programs) if is_added_up(each))
    run = b"" if len(programs) == 1 else uuid.uuid4().bytes
    folds = TaskFolds(replace(bundle, programs=programs), added_up, events, task_memory(frame), run)
    tasks = distribute(programs, selected)
    if len(programs) == 1:
        schema = rows_schema(programs[0], events, partially=0 in added_up)
        rows = tasks.fold(folds.results(), schema)
        return [_result(programs[0], rows, events, partially=0 in added_up)]
    kept = KeptFrame(tasks.fold(folds.results(), PACKED))
    results = []
    for number, program in enumerate(programs):
        partially = number in added_up
        schema = spark_schema(rows_schema(program, events, partially=partially))
        packets = kept.frame.filter(F.col(QUERY).isin(number, -1 - number))
        rows = packets.mapInArrow(results_or_error, schema)
        result = _result(program, rows, events, partially=partially)
        kept.held_by(result)
        results.append(result)
    return results


def _ranges(program: Program, events: pa.Schema) -> tuple[SlotProgram, AggregateOutput] | None:
    """Return what ranges of time are folded with; None if they are not folded apart.

    Ranges of time cannot rank values of types such as decimals, each on its own.
    """
    output = program.output
    if not program.cuts_time or program.slots is None or not isinstance(output, AggregateOutput):
        return None
    types = [events.field(each.attribute).type for each in output.minima]
    return (program.slots, output) if all(map(has_own_keys, types)) else None


def _result(
    program: Program, rows: DataFrame, events: pa.Schema, *, partially: bool
) -> DataFrame | SparkCompressedMatches:
    """Return the result of a query from what tasks give of it."""
    output = program.output
    if isinstance(output, MatchOutput) and output.is_compressed:
        return SparkCompressedMatches(rows, program, output, events)
    if partially:
        assert isinstance(output, AggregateOutput)
        return combine_groups(rows, program, output, events)
    return rows if program.limit is None else rows.limit(program.limit)


def distribute(programs: Sequence[Program], frame: DataFrame) -> TaskEvents:
    """Bring every partition's events to one task, for programs with the same keys and options.

    Events that change nothing are left out.
    """
    types = coded_types(programs, frame)
    frame = drop_or_bare_for_all(programs, frame, keeps_types=types is not None)
    tasks = _moved(programs[0], frame if types is None else types.encode(frame))
    return replace(tasks, types=types)


def _moved(program: Program, frame: DataFrame) -> TaskEvents:
    keys = shuffle_keys(program)
    if program.is_grouped and program.copies is None:  # copies belong to other tasks
        return as_grouped(frame, keys)
    if program.packs_events and keys:
        return in_packets(frame, keys)
    moved = frame.repartition(*map(column_named, keys)) if keys else frame.repartition(1)
    return in_rows(known(moved, frame.schema))


def is_whole_group(program: Program, output: AggregateOutput) -> bool:
    """Whether one task sees all partitions of a group, so that its counts are final."""
    return set(shuffle_keys(program)) <= {column for column, _ in output.groups}


def is_added_up(program: Program) -> bool:
    """Whether rows of several tasks are added up."""
    output = program.output
    return isinstance(output, AggregateOutput) and not is_whole_group(program, output)
