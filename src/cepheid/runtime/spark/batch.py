"""Spark batch: shuffle by partition attributes, fold every task's events, combine groups.

Only the DataFrame API is used, so that it runs on Spark Connect too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from cepheid.errors import DataError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.lower import lower
from cepheid.program.program import MatchOutput, Program, Ranking
from cepheid.runtime.aggregate.aggregate import Aggregation
from cepheid.runtime.aggregate.partial_table import partial_schema, to_partial
from cepheid.runtime.aggregate.sortable import has_own_keys
from cepheid.runtime.compressed import GRAPHS
from cepheid.runtime.dispatch import MakePlan
from cepheid.runtime.event_schema import ColumnRoles, check_columns, event_schema
from cepheid.runtime.event_tables import free_type_column
from cepheid.runtime.local import result_schema, run_local
from cepheid.runtime.spark.column_named import column_named
from cepheid.runtime.spark.combine_groups import combine_groups
from cepheid.runtime.spark.compressed import (
    SparkCompressedMatches,
    fold_to_graphs,
)
from cepheid.runtime.spark.push_down import drop_or_bare
from cepheid.runtime.spark.time_ranges import cut_time, fold_ranges
from cepheid.runtime.spark.whole_task import on_whole_task


def run_spark(
    make_plan: MakePlan, frame: DataFrame, roles: ColumnRoles
) -> DataFrame | SparkCompressedMatches:
    """Return the result of a query on a batch DataFrame."""
    arrow_schema = arrow_schema_of(frame)
    program = lower(make_plan(event_schema(arrow_schema, roles)))
    return run_program(program, frame, arrow_schema)


def arrow_schema_of(frame: DataFrame) -> pa.Schema:
    """Return the schema as the workers will see it."""
    zone = frame.sparkSession.conf.get("spark.sql.session.timeZone")
    return to_arrow_schema(frame.schema, timezone=zone)


def run_program(
    program: Program, frame: DataFrame, arrow_schema: pa.Schema
) -> DataFrame | SparkCompressedMatches:
    """Return the result of a program on the events of a DataFrame."""
    needed = [name for name in arrow_schema.names if name in program.columns]
    program = _with_ranges_if_possible(program, arrow_schema)
    selected = frame.select(*map(column_named, needed))
    events = cut_time(program, selected) if program.cuts_time else distribute(program, selected)
    arrow_events = pa.schema([arrow_schema.field(name) for name in needed])
    # Spark reads the dots of a name as fields when it hands columns to Python: numbers go instead.
    numbered = events.toDF(*(str(index) for index in range(len(needed))))
    output = program.output
    if isinstance(output, MatchOutput) and output.is_compressed:
        fold_to_graph = on_whole_task(needed, partial(fold_to_graphs, program, output))
        graphs = numbered.mapInArrow(fold_to_graph, from_arrow_schema(GRAPHS))
        return SparkCompressedMatches(graphs, program, output, arrow_events)
    if isinstance(output, AggregateOutput) and program.cuts_time and program.slots is not None:
        ranges = fold_ranges(numbered, program, program.slots, output, arrow_events)
        return combine_groups(ranges, program, output, arrow_events)
    if isinstance(output, AggregateOutput) and not is_whole_group(program, output):
        schema = partial_schema(program, output, arrow_events)
        fold = on_whole_task(needed, partial(_run_partially, program, output, schema))
        found = numbered.mapInArrow(fold, from_arrow_schema(schema))
        return combine_groups(found, program, output, arrow_events)
    result = from_arrow_schema(result_schema(program, arrow_events))
    return numbered.mapInArrow(on_whole_task(needed, partial(_run, program)), result)


def _with_ranges_if_possible(program: Program, events: pa.Schema) -> Program:
    """Ranges of time cannot rank values of types such as decimals, each on its own."""
    output = program.output
    if not program.cuts_time or not isinstance(output, AggregateOutput):
        return program
    types = [events.field(each.attribute).type for each in output.minima]
    return replace(program, cuts_time=all(map(has_own_keys, types)))


def unite_frames(
    frames: Mapping[str, DataFrame], roles: ColumnRoles
) -> tuple[DataFrame, ColumnRoles]:
    """Stack one DataFrame per event type; their columns are the declared schemas."""
    schemas = {name: list(frame.columns) for name, frame in frames.items()}
    types: dict[str, str] = {}
    for name, frame in frames.items():
        check_columns(frame.columns, replace(roles, type=None), f"the events of type '{name}'")
        for field in frame.schema.fields:
            kind = field.dataType.simpleString()
            if types.setdefault(field.name, kind) != kind:
                raise DataError(
                    f"column '{field.name}' of type '{name}' is {kind}, "
                    f"but {types[field.name]} for another type",
                    hint="give a column of the same name the same type in all tables",
                )
    column = free_type_column(set(types))
    united: DataFrame | None = None
    for name, frame in frames.items():
        typed = frame.withColumn(column, F.lit(name))
        united = typed if united is None else united.unionByName(typed, allowMissingColumns=True)
    assert united is not None
    return united, replace(roles, type=column, schemas=roles.schemas or schemas)


def distribute(program: Program, frame: DataFrame) -> DataFrame:
    """Bring every partition's events to one task, without those that change nothing."""
    frame = drop_or_bare(program, frame)
    keys = shuffle_keys(program)
    return frame.repartition(*map(column_named, keys)) if keys else frame.repartition(1)


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


def _run(program: Program, events: pa.Table) -> pa.Table:
    result = run_local(program, events)
    assert isinstance(result, pa.Table)
    return result


def _run_partially(
    program: Program, output: AggregateOutput, schema: pa.Schema, events: pa.Table
) -> pa.Table:
    columns = dict(zip(events.column_names, events.columns, strict=True))
    rows = Aggregation(program, output, columns, events.num_rows).finished(events.schema)
    return to_partial(schema, rows)
