"""Results of streams into files, tables, Kafka or a function, each with its checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from cepheid.connectors.claim_folders import claim, require_own, table_folder
from cepheid.connectors.collect_spark import essence, spark_errors
from cepheid.errors import DataError

NO_WORKER = "Python worker failed to connect back"
TOO_BUSY = (
    "the machine is too busy: a Python worker has ten seconds to start; give it more cores or run "
    "fewer queries at a time, and start again: it goes on where it was"
)

WriteBatch = Callable[[DataFrame, int], None]


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """The name of a stream, its checkpoint, and when micro-batches start (Spark's options)."""

    name: str
    checkpoint: str
    trigger: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A folder, the format of its files, and options of Spark's for it."""

    path: str
    format: str
    options: Mapping[str, Any] = field(default_factory=dict)


def write_file_stream(results: DataFrame, plan: StreamPlan, target: FileTarget) -> Stream:
    """Start a stream that adds files; a micro-batch is there as a whole or not at all.

    Raises:
        ConfigError: a stream with another checkpoint has written there.
    """
    writer = _writer(results, plan).format(target.format).options(**target.options)
    path = target.path
    return _start(results.sparkSession, plan, lambda: writer.start(path), lambda: [path])


def write_table_stream(results: DataFrame, plan: StreamPlan, table: str) -> Stream:
    """Start a stream that adds to a table.

    Raises:
        ConfigError: the table is files, and a stream with another checkpoint has written them.
    """
    session, writer = results.sparkSession, _writer(results, plan)

    def folders() -> list[str]:
        folder = table_folder(session, table)
        return [] if folder is None else [folder]

    return _start(session, plan, lambda: writer.toTable(table), folders)


def write_kafka_stream(records: DataFrame, plan: StreamPlan, options: Mapping[str, Any]) -> Stream:
    """Start a stream that sends records with key and value."""
    with spark_errors():
        writer = _writer(records, plan).format("kafka").options(**options)
        return Stream(plan.name, writer.start())


def write_each_batch(
    results: DataFrame, plan: StreamPlan, write: WriteBatch, folders: Sequence[str] = ()
) -> Stream:
    """Start a stream that hands each micro-batch to a function, with its number.

    `folders` are those in which the function makes a folder per micro-batch.

    Raises:
        ConfigError: a stream with another checkpoint has written there.
    """
    writer = _writer(results, plan).foreachBatch(write)
    return _start(results.sparkSession, plan, writer.start, lambda: folders)


def write_file_batch(batch: DataFrame, batch_id: int, target: FileTarget) -> None:
    """Write a micro-batch into a folder of its own; if it is repeated, the folder is replaced."""
    writer = batch.write.format(target.format).options(**target.options)
    writer.mode("overwrite").save(f"{target.path}/batch={batch_id}")


def write_kafka_batch(records: DataFrame, options: Mapping[str, Any]) -> None:
    """Send records with key and value."""
    records.write.format("kafka").options(**options).save()


def stream_identity(batch: DataFrame, otherwise: str) -> str:
    """Return Spark's number of the stream whose micro-batch this is: one for each checkpoint."""
    context = batch.sparkSession.sparkContext
    return context.getLocalProperty("sql.streaming.queryId") or otherwise


def as_json_column(events: DataFrame, query: str) -> DataFrame:
    """Return events as texts of JSON next to the name of the query that they were for."""
    columns = ["`" + name.replace("`", "``") + "`" for name in events.columns]
    text = F.to_json(F.struct(*columns), {"ignoreNullFields": "false"})
    return events.select(F.lit(query).alias("query"), text.alias("event"))


def _start(
    session: SparkSession,
    plan: StreamPlan,
    start: Callable[[], StreamingQuery],
    folders: Callable[[], Sequence[str]],
) -> Stream:
    """Start a stream unless its folders are another one's; those of a new table come later."""
    with spark_errors():
        for folder in folders():
            require_own(session, folder, plan.checkpoint)
        query = start()
        try:
            claim(session, folders(), str(query.id))
        except BaseException:
            query.stop()
            raise
    return Stream(plan.name, query)


def _writer(results: DataFrame, plan: StreamPlan) -> DataStreamWriter:
    writer = results.writeStream.queryName(plan.name).outputMode("append")
    writer = writer.option("checkpointLocation", plan.checkpoint)
    return writer.trigger(**plan.trigger) if plan.trigger else writer


@dataclass(frozen=True, slots=True)
class Stream:
    """A running stream."""

    name: str
    query: StreamingQuery

    @property
    def is_active(self) -> bool:
        """Whether it still runs."""
        return self.query.isActive

    @property
    def error(self) -> DataError | None:
        """Why it has failed, None if it has not."""
        failure = self.query.exception()
        if failure is None:
            return None
        said = essence(str(failure))
        said = said.removeprefix(f"query '{self.name}': ")
        return DataError(f"'{self.name}': {said}", hint=TOO_BUSY if NO_WORKER in said else None)

    def stop(self) -> None:
        """Stop; the micro-batch under way is given up and repeated at the next start."""
        self.query.stop()
