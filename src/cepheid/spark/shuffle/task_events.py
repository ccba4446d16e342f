"""The events of every task of a DataFrame: as rows, or in packets."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import IntegerType, StructField, StructType

from cepheid.errors import ConfigError
from cepheid.spark.frames.column_named import column_named
from cepheid.spark.frames.query_functions import is_in_query_function, known, renamed, some_columns
from cepheid.spark.frames.spark_schema import spark_schema
from cepheid.spark.shuffle.coded_types import CodedTypes
from cepheid.spark.shuffle.fold_task import TaskFold
from cepheid.spark.shuffle.packed_events import (
    BUCKET,
    EVENTS,
    PACKETS,
    bucket_of,
    pack_batches,
    unpacked,
)
from cepheid.spark.shuffle.whole_task import named

AUTOMATIC = "spark.sql.sources.bucketing.autoBucketedScan.enabled"
NO_LONGER_BUCKETED = "Bucketed: false (disabled by query planner)"


@dataclass(frozen=True, slots=True)
class TaskEvents:
    """A DataFrame whose tasks can be folded one by one; `names` are those of the events' columns.

    `keys` is set if the user says that tasks have whole partitions by these columns, `types` if the
    column of event types has codes.
    """

    frame: DataFrame
    names: tuple[str, ...]
    is_packed: bool = False
    keys: tuple[str, ...] = ()
    types: CodedTypes | None = None

    def fold(self, fold: TaskFold, schema: pa.Schema) -> DataFrame:
        """Return what every task gives."""
        fold_batches, names = fold.of_batches(self.names), self.names
        is_packed, types = self.is_packed, self.types

        def map_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            rows = unpacked(batches) if is_packed else batches
            return fold_batches(rows if types is None else types.decoded(rows, names))

        function = named(map_batches, "fold", fold.queries)
        result = self.frame.mapInArrow(function, spark_schema(schema))
        if self.keys:
            _refuse_split_buckets(result, self.keys)
        return result


def in_rows(frame: DataFrame) -> TaskEvents:
    """Return events that are handed over row by row.

    Spark reads the dots of a name as fields when it hands columns to Python: numbers go instead.
    """
    names = tuple(frame.columns)
    return TaskEvents(renamed(frame, [str(index) for index in range(len(names))]), names)


def in_packets(frame: DataFrame, keys: Sequence[str]) -> TaskEvents:
    """Bring events with the same keys to one task, in packets.

    The number of tasks is fixed: Spark counts a packet as one row and knows nothing of its weight.
    """
    tasks = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    name = _free_name(frame)
    schema = StructType([*frame.schema.fields, StructField(name, IntegerType())])
    numbered = in_rows(known(frame.withColumn(name, bucket_of(frame, keys, tasks)), schema))
    packets = numbered.frame.mapInArrow(pack_batches(frame.columns), PACKETS)
    if hasattr(packets, "repartitionById"):  # Spark 4.1 and later
        moved = packets.repartitionById(tasks, column_named(BUCKET))
    else:
        moved = packets.repartition(tasks, column_named(BUCKET))
    packed = known(moved.select(EVENTS), some_columns(packets, [EVENTS]))
    return TaskEvents(packed, tuple(frame.columns), is_packed=True)


def as_grouped(frame: DataFrame, keys: Sequence[str]) -> TaskEvents:
    """Return events whose tasks have whole partitions already."""
    if not keys:
        raise ConfigError(
            "grouped is for queries with partitions: this one needs all events in one task",
            hint="leave grouped out",
        )
    if is_in_query_function(frame.sparkSession):
        raise ConfigError(
            "grouped cannot be checked in a query function of a pipeline",
            hint="leave grouped out",
        )
    rows = in_rows(frame)
    return TaskEvents(rows.frame, rows.names, keys=tuple(keys))


def _free_name(frame: DataFrame) -> str:
    name = BUCKET
    while name in frame.columns:
        name += "_"
    return name


def _refuse_split_buckets(result: DataFrame, keys: Sequence[str]) -> None:
    """Raise a ConfigError if Spark would read a bucketed table as if it were not.

    It does so where no operator asks for the buckets, and mapInArrow does not. Only the plan tells.
    """
    plan = io.StringIO()
    with contextlib.redirect_stdout(plan):
        result.explain("formatted")
    if NO_LONGER_BUCKETED in plan.getvalue():
        raise ConfigError(
            f"Spark would split the buckets of the table, so that tasks would not have all events "
            f"of one {', '.join(keys)}",
            hint=f"spark.conf.set('{AUTOMATIC}', 'false'), or leave grouped out",
        )
