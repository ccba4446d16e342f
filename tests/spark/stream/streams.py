"""Streams from files that are written in advance, and what comes out of them."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cepheid.metrics.stream_metrics import observed_counts
from cepheid.spark.stream.stream_input import PROVIDER

Row = dict[str, Any]
# Spark gives a Python worker ten seconds to start, which on a busy machine may be too few. The
# checkpoint is there, so the stream just goes on.
ATTEMPTS = 6


def write_files(folder: Path, batches: Sequence[Sequence[Row]], schema: pa.Schema) -> None:
    """Write a file per micro-batch; Spark reads them by their time."""
    folder.mkdir(parents=True, exist_ok=True)
    there = len(list(folder.glob("*.parquet")))
    for number, rows in enumerate(batches, start=there):
        path = folder / f"{number:04}.parquet"
        pq.write_table(pa.Table.from_pylist(list(rows), schema), path)
        os.utime(path, (1_000_000 + number, 1_000_000 + number))


def read_stream(spark: SparkSession, folder: Path, *, files: int = 1) -> DataFrame:
    """Return a stream of so many files per micro-batch."""
    schema = spark.read.parquet(str(folder)).schema
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", files)
    return reader.parquet(str(folder))


def as_text(name: str, result: DataFrame) -> DataFrame:
    """Return rows of any schema as JSON, so that results of several queries fit together."""
    columns = F.struct(*(f"`{each}`" for each in result.columns))
    whole = F.to_json(columns, {"ignoreNullFields": "false"})
    return result.select(F.lit(name).alias("name"), whole.alias("text"))


def united(results: Mapping[str, DataFrame]) -> DataFrame:
    """Return several results as one: a micro-batch costs much the same for all of them."""
    return reduce(DataFrame.unionAll, [as_text(name, each) for name, each in results.items()])


@contextmanager
def few_partitions(spark: SparkSession, count: int = 1) -> Iterator[None]:
    """Set how many tasks a stream has: every one opens its state in every micro-batch."""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", str(count))
    try:
        yield
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
        spark.conf.unset(PROVIDER)


class Collected:
    """What a streaming query gave: rows by name, and the progress of its micro-batches."""

    def __init__(self, rows: Sequence[Any], progress: Sequence[Mapping[str, Any]]) -> None:
        self.progress = progress
        self.rows: dict[str, list[Row]] = {}
        for row in rows:
            self.rows.setdefault(row["name"], []).append(json.loads(row["text"]))

    def of(self, name: str) -> list[Row]:
        return self.rows.get(name, [])

    def observed(self, query: str, metric: str) -> list[int]:
        counts = [observed_counts(each["observedMetrics"]) for each in self.progress]
        return [each[query][metric] for each in counts]


def run_to_end(frame: DataFrame, folder: Path) -> Collected:
    """Run all that is there in micro-batches, and then stop; a second call goes on.

    Returns what all calls for the folder have written, and the progress of this one.
    """
    progress: list[Mapping[str, Any]] = []
    for attempt in range(ATTEMPTS):
        writer = frame.writeStream.format("parquet").outputMode("append")
        writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
        query = writer.trigger(availableNow=True).start(str(folder / "out"))
        try:
            query.awaitTermination()
            break
        except StreamingQueryException as error:
            if "failed to connect back" not in str(error) or attempt == ATTEMPTS - 1:
                raise
        finally:
            progress += [json.loads(each.json) for each in query.recentProgress]
            query.stop()
    rows = frame.sparkSession.read.schema(frame.schema).parquet(str(folder / "out")).collect()
    return Collected(rows, progress)


def run_until_idle(frame: DataFrame, folder: Path) -> Collected:
    """Run all that is there; `availableNow` would stop before the last windows are closed."""
    writer = frame.writeStream.format("parquet").outputMode("append")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    for attempt in range(ATTEMPTS):
        query = writer.start(str(folder / "out"))
        try:
            query.processAllAvailable()
            break
        except StreamingQueryException as error:
            if "failed to connect back" not in str(error) or attempt == ATTEMPTS - 1:
                raise
        finally:
            query.stop()
    return Collected(frame.sparkSession.read.parquet(str(folder / "out")).collect(), [])
