"""Packets of the queries of a stream to results: rows of a group that lies in several buckets.

All buckets close a window in the same micro-batch. The partial rows of a query by itself are
brought together by their groups. The packets of several queries are brought to one task per query,
whose other queries are finished there, too: however many there are, that is one shuffle.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cepheid.engine.results import result_schema, rows_schema
from cepheid.errors import DataError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput, Program
from cepheid.spark.frames.compressed_frame import SparkCompressedMatches
from cepheid.spark.frames.query_functions import known
from cepheid.spark.frames.spark_schema import spark_schema
from cepheid.spark.shuffle.packed_events import from_packets, key_column, to_packets, unpacked
from cepheid.spark.shuffle.whole_task import MapBatches, on_whole_task
from cepheid.spark.stream.step_reports import in_lots
from cepheid.stream.add_partial_rows import add_partial_rows, group_keys
from cepheid.tables.json_rows import json_rows

PACKETS = pa.schema([("query", pa.string()), ("result", pa.binary())])
ROWS = pa.schema([("query", pa.string()), ("change", pa.string()), ("result", pa.string())])


@dataclass(frozen=True, slots=True)
class QueryForm:
    """What the packets of a query are; `columns` are those that its results have."""

    program: Program
    events: pa.Schema
    partially: bool
    columns: tuple[str, ...]

    def finished(self, packets: list[bytes]) -> pa.Table:
        """Return the result that packets of all buckets give."""
        table, output = from_packets(packets), self.program.output
        if self.partially and isinstance(output, AggregateOutput):
            table = add_partial_rows(self.program, output, self.events, table)
        return table.select(self.columns)


def finished_frame(
    program: Program, events: pa.Schema, packets: DataFrame, *, partially: bool
) -> DataFrame | SparkCompressedMatches:
    """Return the result of a query by itself, from packets of all buckets."""
    output = program.output
    found = unpacked_frame(packets, rows_schema(program, events, partially=partially))
    if isinstance(output, MatchOutput) and output.is_compressed:
        return SparkCompressedMatches(found, program, output, events)
    if not partially:
        return found
    assert isinstance(output, AggregateOutput)
    keys = [key_column(found, each) for each in group_keys(program, output, events)]
    add = partial(add_partial_rows, program, output, events)
    work = on_whole_task(found.columns, add, "add up groups", program.name)
    result = spark_schema(result_schema(program, events))
    return known(found.repartition(*keys), found.schema).mapInArrow(work, result)


def unpacked_frame(packets: DataFrame, schema: pa.Schema) -> DataFrame:
    """Return the rows of packets, which are the only column; some may be missing."""
    (column,) = packets.columns
    full = known(packets.filter(F.col(column).isNotNull()), packets.schema)
    return full.mapInArrow(unpacked, spark_schema(schema))


FAILED = "failed"  # the change of a query that has no results in a micro-batch
FormOf = Callable[[str, str | None], QueryForm]


def to_result_packets(form_of: FormOf) -> MapBatches:
    """Return what finishes the packets of a task: a query and a packet of its result per row."""

    def finish(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (
            {"query": name, "result": packet}
            for name, _, table in _results(form_of, batches)
            for packet in to_packets(table)
        )
        for lot in in_lots(rows):
            yield pa.RecordBatch.from_pylist(lot, PACKETS)

    return finish


def to_json_rows(form_of: FormOf, *, isolates: bool = False) -> MapBatches:
    """Return what finishes the packets of a task: a query and a row of its result as JSON.

    Changes of the set of queries come as they are. With `isolates`, a query whose data is at fault
    has such a row instead of results.
    """

    def finish(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (
            {"query": name, "change": change, "result": text}
            for name, change, table in _results(form_of, batches, isolates=isolates)
            for text in (json_rows(table) if change is None else table["why"].to_pylist())
        )
        for lot in in_lots(rows):
            yield pa.RecordBatch.from_pylist(lot, ROWS)

    return finish


def _results(
    form_of: FormOf, batches: Iterator[pa.RecordBatch], *, isolates: bool = False
) -> Iterator[tuple[str, str | None, pa.Table]]:
    """Yield name, change, and result or reason.

    Of a query that failed in some bucket, results of others are left out: groups would be in part.
    """
    packets: dict[tuple[str, str | None], list[bytes]] = {}
    failed: dict[str, pa.Table] = {}
    for batch in batches:
        columns = [each.to_pylist() for each in batch.columns]
        for name, text, change, packet in zip(*columns, strict=True):
            if change == FAILED:
                failed.setdefault(name, from_packets([packet]))
            elif change is not None:
                yield name, change, from_packets([packet])
            else:
                packets.setdefault((name, text), []).append(packet)
    for (name, text), listed in sorted(packets.items(), key=lambda each: each[0][0]):
        if name in failed:
            continue
        try:
            result = form_of(name, text).finished(listed)
        except DataError as error:
            if not isolates:
                raise
            why = json.dumps({"message": str(error)}, ensure_ascii=False)
            failed[name] = pa.table({"why": [why]})
        else:
            yield name, None, result
    for name, why_not in failed.items():
        yield name, FAILED, why_not
