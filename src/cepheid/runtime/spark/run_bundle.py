"""A bundle of queries on a batch DataFrame: one scan, one shuffle, one fold for all of them."""

from __future__ import annotations

import uuid

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput, Program
from cepheid.runtime.aggregate.partial_table import partial_schema
from cepheid.runtime.bundle import Bundle
from cepheid.runtime.compressed import GRAPHS
from cepheid.runtime.local import result_schema
from cepheid.runtime.spark.batch import arrow_schema_of, distribute_all, is_whole_group
from cepheid.runtime.spark.bundle_folds import PACKED, QUERY, RESULT, BundleFolds
from cepheid.runtime.spark.column_named import column_named
from cepheid.runtime.spark.combine_groups import combine_groups
from cepheid.runtime.spark.compressed import SparkCompressedMatches
from cepheid.runtime.spark.computed_columns import with_computed_columns
from cepheid.runtime.spark.fold_task import task_memory
from cepheid.runtime.spark.kept_frames import KeptFrame
from cepheid.runtime.spark.packed_events import unpacked


def run_bundle(
    bundle: Bundle, frame: DataFrame, arrow_schema: pa.Schema
) -> list[DataFrame | SparkCompressedMatches]:
    """Return the result of every query; the first one that is asked for computes all of them."""
    if any(each.computed for each in bundle.programs):
        frame = with_computed_columns(frame, bundle.programs)
        arrow_schema = arrow_schema_of(frame)
    needed = [name for name in arrow_schema.names if name in bundle.columns]
    events = pa.schema([arrow_schema.field(name) for name in needed])
    partial = frozenset(number for number, each in enumerate(bundle.programs) if is_added_up(each))
    folds = BundleFolds(bundle, partial, events, task_memory(frame), uuid.uuid4().bytes)
    tasks = distribute_all(bundle.programs, frame.select(*map(column_named, needed)))
    kept = KeptFrame(tasks.fold(folds.packets(), PACKED))
    results = []
    for number, program in enumerate(bundle.programs):
        packets = kept.frame.filter(F.col(QUERY) == number).select(RESULT)
        result = unpacked_result(program, packets, events, partially=number in partial)
        kept.held_by(result)
        results.append(result)
    return results


def is_added_up(program: Program) -> bool:
    """Whether rows of several tasks are added up."""
    output = program.output
    return isinstance(output, AggregateOutput) and not is_whole_group(program, output)


def unpacked_result(
    program: Program, packets: DataFrame, events: pa.Schema, *, partially: bool
) -> DataFrame | SparkCompressedMatches:
    """Return the result of a query from its packets."""
    output = program.output
    if isinstance(output, MatchOutput) and output.is_compressed:
        return SparkCompressedMatches(_rows(packets, GRAPHS), program, output, events)
    if partially:
        assert isinstance(output, AggregateOutput)
        found = _rows(packets, partial_schema(program, output, events))
        return combine_groups(found, program, output, events)
    result = _rows(packets, result_schema(program, events))
    return result if program.limit is None else result.limit(program.limit)


def _rows(packets: DataFrame, schema: pa.Schema) -> DataFrame:
    return packets.mapInArrow(unpacked, from_arrow_schema(schema))
