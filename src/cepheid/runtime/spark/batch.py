"""Spark batch: shuffle by partition attributes, fold every task's events, combine groups.

Only the DataFrame API is used, so that it runs on Spark Connect too.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput, Program, Ranking
from cepheid.runtime.aggregate.partial_table import partial_schema
from cepheid.runtime.aggregate.sortable import has_own_keys
from cepheid.runtime.compressed import GRAPHS
from cepheid.runtime.dispatch import MakeProgram, tell_warnings
from cepheid.runtime.event_schema import ColumnRoles, event_schema
from cepheid.runtime.local import result_schema
from cepheid.runtime.spark.coded_types import coded_types
from cepheid.runtime.spark.column_named import column_named
from cepheid.runtime.spark.combine_groups import combine_groups
from cepheid.runtime.spark.compressed import SparkCompressedMatches
from cepheid.runtime.spark.computed_columns import with_computed_columns
from cepheid.runtime.spark.fold_task import task_memory
from cepheid.runtime.spark.push_down import drop_or_bare_for_all
from cepheid.runtime.spark.task_events import TaskEvents, as_grouped, in_packets, in_rows
from cepheid.runtime.spark.task_folds import TaskFolds
from cepheid.runtime.spark.time_ranges import cut_time, fold_ranges


def run_spark(
    make_program: MakeProgram, frame: DataFrame, roles: ColumnRoles
) -> DataFrame | SparkCompressedMatches:
    """Return the result of a query on a batch DataFrame."""
    arrow_schema = arrow_schema_of(frame)
    program = make_program(event_schema(arrow_schema, roles))
    tell_warnings(program)
    return run_program(program, frame, arrow_schema)


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


def run_program(
    program: Program, frame: DataFrame, arrow_schema: pa.Schema
) -> DataFrame | SparkCompressedMatches:
    """Return the result of a program on the events of a DataFrame."""
    if program.computed:
        frame = with_computed_columns(frame, [program])
        arrow_schema = arrow_schema_of(frame)
    needed = [name for name in arrow_schema.names if name in program.columns]
    program = _with_ranges_if_possible(program, arrow_schema)
    selected = frame.select(*map(column_named, needed))
    events = pa.schema([arrow_schema.field(name) for name in needed])
    folds = TaskFolds(program, events, task_memory(frame))
    output = program.output
    if isinstance(output, AggregateOutput) and program.cuts_time and program.slots is not None:
        pieces = fold_ranges(cut_time(program, selected), folds, program.slots, output)
        return combine_groups(pieces, program, output, events)
    tasks = distribute(program, selected)
    if isinstance(output, MatchOutput) and output.is_compressed:
        graphs = tasks.fold(folds.graphs(output), GRAPHS)
        return SparkCompressedMatches(graphs, program, output, events)
    if isinstance(output, AggregateOutput) and not is_whole_group(program, output):
        schema = partial_schema(program, output, events)
        found = tasks.fold(folds.partial_groups(output), schema)
        return combine_groups(found, program, output, events)
    result = tasks.fold(folds.results(), result_schema(program, events))
    return result if program.limit is None else result.limit(program.limit)


def _with_ranges_if_possible(program: Program, events: pa.Schema) -> Program:
    """Ranges of time cannot rank values of types such as decimals, each on its own."""
    output = program.output
    if not program.cuts_time or not isinstance(output, AggregateOutput):
        return program
    types = [events.field(each.attribute).type for each in output.minima]
    return replace(program, cuts_time=all(map(has_own_keys, types)))


def distribute(program: Program, frame: DataFrame) -> TaskEvents:
    """Bring every partition's events to one task, without those that change nothing."""
    return distribute_all((program,), frame)


def distribute_all(programs: Sequence[Program], frame: DataFrame) -> TaskEvents:
    """Bring every partition's events to one task, for programs with the same keys and options."""
    types = coded_types(programs, frame)
    frame = drop_or_bare_for_all(programs, frame, keeps_types=types is not None)
    tasks = _moved(programs[0], frame if types is None else types.encode(frame))
    return replace(tasks, types=types)


def _moved(program: Program, frame: DataFrame) -> TaskEvents:
    keys = shuffle_keys(program)
    if program.is_grouped:
        return as_grouped(frame, keys)
    if program.packs_events and keys:
        return in_packets(frame, keys)
    return in_rows(frame.repartition(*map(column_named, keys)) if keys else frame.repartition(1))


def shuffle_keys(program: Program) -> tuple[str, ...]:
    """Return the attributes to shuffle by; none means that one task must see all events."""
    if program.ranking is Ranking.STREAM:
        return ()
    output = program.output
    if isinstance(output, AggregateOutput) and program.window_length and program.slide is None:
        return tuple(column for column, _ in output.groups)
    return program.partition_by


def is_whole_group(program: Program, output: AggregateOutput) -> bool:
    """Whether one task sees all partitions of a group, so that its counts are final."""
    return set(shuffle_keys(program)) <= {column for column, _ in output.groups}
