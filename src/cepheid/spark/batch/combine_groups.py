"""Add the partial values of a group with Spark's own aggregation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cepheid.engine.trends.partial_table import (
    NUMBERS,
    extreme_name,
    from_collected,
    partial_schema,
)
from cepheid.engine.trends.result_table import aggregate_schema, place_fields
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.spark.frames.query_functions import known
from cepheid.spark.frames.spark_schema import spark_schema
from cepheid.spark.shuffle.whole_task import named


def combine_groups(
    partial: DataFrame, program: Program, output: AggregateOutput, events: pa.Schema
) -> DataFrame:
    """Return one row per window and group; every task has added up what it has of them."""
    keys = [str(number) for number in range(len(place_fields(program, output, events)))]
    extremes = []
    for number, measure in enumerate(output.minima):
        name = extreme_name(number)
        extremes.append((F.max if measure.is_maximum else F.min)(name).alias(name))
    collected = partial.groupBy(*keys).agg(F.collect_list(NUMBERS).alias(NUMBERS), *extremes)
    if not keys:  # Spark gives one row for no rows
        collected = collected.filter(F.size(NUMBERS) > 0)
    given = partial_schema(program, output, events)
    numbers = pa.field(NUMBERS, pa.list_(given.field(NUMBERS).type))
    collected = known(
        collected,
        spark_schema(
            pa.schema([numbers if name == NUMBERS else given.field(name) for name in given.names])
        ),
    )
    schema = spark_schema(aggregate_schema(program, output, events))
    return collected.mapInArrow(_finish(program, output, events), schema)


def _finish(
    program: Program, output: AggregateOutput, events: pa.Schema
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    names = partial_schema(program, output, events).names

    def finish(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            table = pa.Table.from_batches([batch]).select(names)
            yield from from_collected(program, output, events, table).to_batches()

    return named(finish, "add up groups", [program.name])
