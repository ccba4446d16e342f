"""Packets of the queries of a stream to results: rows of a group that lies in several buckets.

All buckets close a window in the same micro-batch. So the packets of a query are brought to one
task, whose other queries are finished there, too: however many there are, that is one shuffle.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from cepheid.engine.trends.result_table import place_fields
from cepheid.errors import DataError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.spark.shuffle.packed_events import from_packets, to_packets
from cepheid.spark.shuffle.whole_task import MapBatches
from cepheid.spark.stream.in_lots import in_lots
from cepheid.tables.json_rows import json_rows

TAGGED = ("query", "text", "change", "result")
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
        table = from_packets(packets)
        output = self.program.output
        if self.partially and isinstance(output, AggregateOutput):
            from cepheid.engine.trends.partial_table import from_collected
            from cepheid.spark.stream.combine_in_batch import collect

            fields = place_fields(self.program, output, self.events)
            keys = [str(number) for number in range(len(fields))]
            collected = collect(output, keys, table)
            table = from_collected(self.program, output, self.events, collected)
        return table.select(self.columns)


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
