"""Parallel in time: ranges are folded to matrices on different tasks, and composed on one.

A partition with most of the events, or a query without partitions, would keep one task busy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram
from cepheid.runtime.aggregate.partial_table import partial_schema, to_partial
from cepheid.runtime.aggregate.range_table import compose, fold_range, range_schema
from cepheid.runtime.spark.column_named import column_named
from cepheid.runtime.spark.push_down import drop_or_bare

Fold = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def cut_time(program: Program, frame: DataFrame) -> DataFrame:
    """Give every task a range of time; events of the same time stay together."""
    return drop_or_bare(program, frame).repartitionByRange(column_named(program.time))


def fold_ranges(
    numbered: DataFrame,
    program: Program,
    slots: SlotProgram,
    output: AggregateOutput,
    events: pa.Schema,
) -> DataFrame:
    """Return partial values: what every group adds up to; see runtime/aggregate/partial_table.py.

    `numbered` has the events with numbers as column names.
    """
    ranges = range_schema(program, events)
    folded = numbered.mapInArrow(_fold(program, slots, output, events), from_arrow_schema(ranges))
    keys = [str(number) for number in range(len(program.partition_by))]
    gathered = folded.repartition(*keys) if keys else folded.repartition(1)
    partial = partial_schema(program, output, events)
    composed = _compose(program, slots, output, events)
    return gathered.mapInArrow(composed, from_arrow_schema(partial))


def _fold(program: Program, slots: SlotProgram, output: AggregateOutput, events: pa.Schema) -> Fold:
    def fold(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        received = list(batches)
        if received:
            table = pa.Table.from_batches(received).rename_columns(events.names)
            yield from fold_range(program, slots, output, table).to_batches()

    return fold


def _compose(
    program: Program, slots: SlotProgram, output: AggregateOutput, events: pa.Schema
) -> Fold:
    names = range_schema(program, events).names
    schema = partial_schema(program, output, events)

    def fold(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        received = list(batches)
        if received:
            table = pa.Table.from_batches(received).rename_columns(names)
            rows = compose(program, slots, output, events, table)
            yield from to_partial(schema, rows).to_batches()

    return fold
