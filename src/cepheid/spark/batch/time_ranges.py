"""Parallel in time: ranges are folded on different tasks, windows across borders composed on one.

A partition with most of the events, or a query without partitions, would keep one task busy.
"""

from __future__ import annotations

from functools import partial

from pyspark.sql import DataFrame

from cepheid.engine.trends.partial_table import partial_schema
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram
from cepheid.spark.batch.range_windows import compose_windows, windows_schema
from cepheid.spark.batch.task_folds import TaskFolds
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.query_functions import known
from cepheid.spark.frames.spark_schema import spark_schema
from cepheid.spark.push_down.filter_events import drop_or_bare
from cepheid.spark.shuffle.task_events import TaskEvents, in_rows
from cepheid.spark.shuffle.whole_task import on_whole_task


def cut_time(program: Program, frame: DataFrame) -> TaskEvents:
    """Give every task a range of time; events of the same time stay together."""
    kept = drop_or_bare(program, frame)
    return in_rows(known(kept.repartitionByRange(column_named(program.time)), kept.schema))


def fold_ranges(
    tasks: TaskEvents,
    folds: TaskFolds,
    slots: SlotProgram,
    output: AggregateOutput,
) -> DataFrame:
    """Return partial values, see engine/trends/partial_table.py: what groups add up to."""
    (program,), events = folds.bundle.programs, folds.events
    ranges = windows_schema(program, events)
    folded = tasks.fold(folds.ranges(slots, output), ranges)
    keys = [str(number) for number in range(len(program.partition_by))]
    gathered = folded.repartition(*keys) if keys else folded.repartition(1)
    compose_all = on_whole_task(
        ranges.names,
        partial(compose_windows, program, slots, output, events),
        "compose ranges",
        program.name,
    )
    schema = partial_schema(program, output, events)
    gathered = known(gathered, spark_schema(ranges))
    return gathered.mapInArrow(compose_all, spark_schema(schema))
