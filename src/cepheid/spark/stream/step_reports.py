"""What the stateful operator reports of a step: rows with what was counted, and packets.

The operator of one query has rows of results and late events; that of several has tags: whose
result it is, what a query of a folder was, and what has changed in the folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from cepheid.metrics.stream_metrics import WORK, metric_name
from cepheid.spark.shuffle.packed_events import BUCKET
from cepheid.stream.stream_bundle import StreamBundle

QUERY, TEXT, CHANGE, RESULT, LATE = "query", "text", "change", "result", "late_events"
TAGGED = (QUERY, TEXT, CHANGE, RESULT)
COUNTS = ("events", "late", "set_aside", "results", "state_bytes", "waiting", *WORK)
TOGETHER = "workload"
MOST_OBSERVED = 32  # queries whose results are counted apart: each one is a node of Spark's plan
LOT_BYTES = 2**22


def report_columns(*, is_tagged: bool) -> StructType:
    """Return the columns of reports, as Spark wants to know them."""
    fields = [StructField(name, kind) for name, (kind, _) in _columns(is_tagged=is_tagged).items()]
    return StructType([StructField(BUCKET, IntegerType()), *fields])


def tagged_columns() -> StructType:
    """Return the columns of packets of several queries."""
    texts = [StructField(each, StringType()) for each in TAGGED if each != RESULT]
    return StructType([*texts, StructField(RESULT, BinaryType())])


def packet_column(name: str) -> StructType:
    """Return packets as the only column."""
    return StructType([StructField(name, BinaryType())])


def blank_report(*, is_tagged: bool) -> dict[str, Any]:
    """Return a row of a report that says nothing, but for the bucket."""
    return {name: nothing for name, (_, nothing) in _columns(is_tagged=is_tagged).items()}


def _columns(*, is_tagged: bool) -> dict[str, tuple[DataType, Any]]:
    """Return by column its type and what says nothing."""
    tags = dict.fromkeys((QUERY, TEXT, CHANGE) if is_tagged else (), (StringType(), None))
    packets = dict.fromkeys((RESULT,) if is_tagged else (RESULT, LATE), (BinaryType(), None))
    return {**tags, **dict.fromkeys(COUNTS, (LongType(), 0)), **packets}


def in_lots(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield lists of rows, each as long as its results are small.

    To hand over 500 rows one at a time took as long as to compute them.

    >>> [len(lot) for lot in in_lots({"result": bytes(2**21)} for _ in range(5))]
    [2, 2, 1]
    """
    lot: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        lot.append(row)
        size += len(row[RESULT] or b"")
        if size >= LOT_BYTES:
            yield lot
            lot, size = [], 0
    if lot:
        yield lot


def observed(reports: DataFrame, bundle: StreamBundle, stream: str | None) -> DataFrame:
    """Let Spark observe what was counted, for the stream and for every query.

    `stream` is the name of a stream that has other operators, too.
    """
    alone, queries = bundle.lasting, bundle.queries
    whole = {TOGETHER} if alone is None else dict.fromkeys((alone.name, stream or alone.name))
    for name in whole:
        first, *others = map(_total, COUNTS)
        reports = reports.observe(metric_name(name), first, *others)
    for each in queries if alone is None and len(queries) <= MOST_OBSERVED else ():
        # Results of a query that has the name of all of them are among theirs already.
        if each.name not in whole:
            reports = reports.observe(metric_name(each.name), _total("results", each.name))
    return reports


def _total(column: str, query: str | None = None) -> Column:
    counted = F.col(column)
    if query is not None:
        counted = F.when(F.col(QUERY) == query, counted)
    return F.coalesce(F.sum(counted), F.lit(0)).alias(column)
