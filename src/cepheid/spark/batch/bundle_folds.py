"""What a task makes of its events for a bundle of queries: packets, each with its query's number.

Workers import this file: what runs each kind of query is imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from cepheid.engine.bundle import Bundle
from cepheid.engine.process.name_errors import errors_of_one
from cepheid.engine.run import run_partially
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput
from cepheid.spark.batch.task_folds import run_to_graphs, run_to_rows
from cepheid.spark.shuffle.fold_task import TaskFold
from cepheid.spark.shuffle.packed_events import to_packets
from cepheid.stream.sorted_runs import Chunk

QUERY, RESULT = "query", "result"
PACKED = pa.schema([(QUERY, pa.int32()), (RESULT, pa.binary())])


@dataclass(frozen=True, slots=True)
class BundleFolds:
    """The fold of a bundle; queries whose groups lie in several tasks give `partial` rows.

    `run` tells runs apart: Spark takes functions with the same content for the same, and would give
    what it has kept of an earlier run, although files may have changed since.
    """

    bundle: Bundle
    partial: frozenset[int]
    events: pa.Schema
    memory: int
    run: bytes

    def packets(self) -> TaskFold:
        """Rows of a query's number and a packet of its result."""
        from cepheid.stream.fold_in_chunks import folds_in_chunks

        programs = self.bundle.programs
        in_chunks = None
        if any(folds_in_chunks(each, self.events) for each in programs):
            in_chunks = partial(_in_chunks, self)
        return TaskFold(programs[0].time, partial(_whole, self), in_chunks, self.memory)

    def run_alone(
        self, number: int, events: pa.Table, columns: Mapping[str, Any] | None = None
    ) -> pa.Table:
        """Return what a query makes of events by itself; `columns` are those of `run_local`."""
        program = replace(self.bundle.programs[number], cuts_time=False)
        output = program.output
        if isinstance(output, AggregateOutput) and number in self.partial:
            return run_partially(program, output, events, columns)
        if isinstance(output, MatchOutput) and output.is_compressed:
            return run_to_graphs(program, output, events, columns)
        return run_to_rows(program, events, columns)


def _whole(folds: BundleFolds, events: pa.Table) -> Iterator[pa.Table]:
    """Do what the queries of a workload do in process; a task has one core."""
    from cepheid.engine.run_together import run_together

    def run_alone(number: int, columns: Mapping[str, Any]) -> pa.Table:
        return folds.run_alone(number, events, columns)

    numbers = range(len(folds.bundle.programs))
    with errors_of_one(partial(folds.run_alone, number, events) for number in numbers):
        for number, table in run_together(folds.bundle, events, run_alone, partially=folds.partial):
            assert isinstance(table, pa.Table)
            yield _packed(number, table)


def _in_chunks(folds: BundleFolds, chunks: Iterable[Chunk]) -> Iterator[pa.Table]:
    """Go through the chunks once for every query: what is kept is bounded by its window.

    The fold of a set keeps all of its events, so its queries are folded by themselves here.
    """
    from cepheid.stream.fold_in_chunks import fold_in_chunks, folds_in_chunks

    for number, program in enumerate(folds.bundle.programs):
        if folds_in_chunks(program, folds.events):
            whole = replace(program, cuts_time=False)
            for table in fold_in_chunks(whole, chunks, partially=number in folds.partial):
                yield _packed(number, table)
        else:
            events = pa.concat_tables([each.events for each in chunks])
            yield _packed(number, folds.run_alone(number, events))


def _packed(number: int, table: pa.Table) -> pa.Table:
    packets = to_packets(table)
    columns = [pa.chunked_array([[number]] * len(packets), pa.int32()),
               pa.chunked_array([[each] for each in packets], pa.binary())]  # fmt: skip
    return pa.Table.from_arrays(columns, schema=PACKED)
