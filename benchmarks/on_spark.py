"""What benchmarks on local Spark share: the session, the events, the contenders."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.contender import Contender, NotRunnableError
from benchmarks.references import Answer, summarize

SORTED = "bare job, sorted"


@contextlib.contextmanager
def session() -> Iterator[None]:
    """Keep one session for all contenders; without Java they say so themselves."""
    try:
        require_spark()
    except NotRunnableError:
        yield
        return
    from cepheid.connectors.spark_session import spark_session

    with spark_session():
        yield


def require_spark() -> None:
    """Raise NotRunnableError if there is no Spark or no Java."""
    from benchmarks.peers.flink import find_java
    from benchmarks.peers.packages import needs

    needs("pyspark")()
    if find_java("java") is None:
        raise NotRunnableError("no Java (JAVA_HOME)")


def events_of(path: Path) -> Any:
    """Return the events as a DataFrame."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    assert active is not None
    return active.read.parquet(str(path))


def spark_contender(
    name: str,
    run: Callable[[Path], pa.Table],
    answer: Callable[[pa.Table], Answer] | None = summarize,
) -> Contender:
    """Return a contender that runs on the session; a floor has no answer."""
    return Contender(name, run, answer, require_spark, packages=("cepheid", "pyspark"))


def bare_jobs(columns: Sequence[str], types: Sequence[str], *, key: str) -> tuple[Contender, ...]:
    """Return the floors: scan, shuffle by a key and count in Python, with and without sorting."""

    def bare(path: Path, *, sorts: bool, all_types: bool = False) -> pa.Table:
        events = events_of(path).select(*columns)
        if not all_types:
            events = events.filter(events.etype.isin(*types))
        events = events.repartition(key)
        if sorts:
            events = events.sortWithinPartitions(key, "ts")
        return events.mapInArrow(_count_rows, "events bigint").toArrow()

    return (
        spark_contender(SORTED, partial(bare, sorts=True), answer=None),
        spark_contender("bare job", partial(bare, sorts=False), answer=None),
        spark_contender(
            "bare job, all types", partial(bare, sorts=False, all_types=True), answer=None
        ),
    )


def _count_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.record_batch({"events": [sum(each.num_rows for each in batches)]})
