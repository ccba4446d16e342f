"""The end of a stream: a file in a folder says that no event comes any more.

The folder is a source of the stream like any other, so that the checkpoint knows whether the end
has come, and a micro-batch that is repeated sees it again. All buckets are told in the same
micro-batch, and so what they have in common is put together as always.
"""

from __future__ import annotations

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cepheid.errors import ConfigError, StateError
from cepheid.spark.shuffle.packed_events import BUCKET, EVENTS


def with_end(packets: DataFrame, folder: str | None, buckets: int) -> DataFrame:
    """Return packets of events, and one of nothing for every bucket when the input has ended."""
    if folder is None:
        return packets
    told = _lines(packets.sparkSession, folder).select(
        F.explode(F.sequence(F.lit(0), F.lit(buckets - 1))).alias(BUCKET),
        F.lit(None).cast("binary").alias(EVENTS),
    )
    return packets.unionAll(told)


def _lines(session: SparkSession, folder: str) -> DataFrame:
    try:
        return session.readStream.text(folder)
    except AnalysisException as error:
        raise ConfigError(
            f"the folder '{folder}', in which a file says that the stream has ended, cannot be "
            "read",
            hint="make the folder, and leave it empty, before the stream is started",
        ) from error


def came_after_the_end(query: str, count: int) -> StateError:
    """Return what is wrong if events come after the end."""
    events = "1 event has" if count == 1 else f"{count:,} events have"
    return StateError(
        f"the stream of '{query}' is finished: its input was declared complete, and {events} come "
        "since",
        hint="start with a new checkpoint and a new output folder; nothing in this checkpoint has "
        "changed, and its results are complete",
    )
