"""What a task makes of its events for a bundle of queries, for every kind of result.

Workers import this file: what runs each kind of query is imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from cepheid.engine.bundle import Bundle, bundle_of_one
from cepheid.engine.failed import Failed
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.run import EventColumns, LocalResult, RunMode, run, run_each
from cepheid.errors import DataError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.program.slot_program import SlotProgram
from cepheid.spark.shuffle.fold_task import Fold, TaskFold
from cepheid.spark.shuffle.packed_events import from_packet, to_packets
from cepheid.stream.sorted_runs import Chunk

QUERY, RESULT = "query", "result"
PACKED = pa.schema([(QUERY, pa.int32()), (RESULT, pa.binary())])


@dataclass(frozen=True, slots=True)
class TaskFolds:
    """The fold of a bundle for events of a schema; `memory` is in bytes.

    Queries whose numbers are in `partially` have groups in several tasks: they give rows that are
    added up. `run` tells runs apart: Spark takes functions with the same content for the same, and
    would give what it has kept of an earlier run, although files may have changed since.
    """

    bundle: Bundle
    partially: frozenset[int]
    events: pa.Schema
    memory: int
    run: bytes = b""

    def results(self) -> TaskFold:
        """Rows of one query, as they are found; of several, packets with the query's number.

        An error that one of several queries meets has the number -1 less that of the query.
        """
        from cepheid.stream.fold_in_chunks import folds_in_chunks

        programs, in_chunks = self.bundle.programs, None
        if any(folds_in_chunks(each, self.events) for each in programs):
            in_chunks = partial(_in_chunks, self)
        names = tuple(each.name for each in programs)
        return TaskFold(names, programs[0].time, partial(_whole, self), in_chunks, self.memory)

    def ranges(self, slots: SlotProgram, output: AggregateOutput) -> TaskFold:
        """Windows and matrices of a range of time; every chunk is a range of its own."""
        (program,) = self.bundle.programs
        fold = partial(_to_windows, program, slots, output)
        whole, chunks = partial(_one, fold), partial(_each, fold)
        return TaskFold((program.name,), program.time, whole, chunks, self.memory)

    def rows(self, number: int, result: LocalResult) -> pa.Table:
        """Return what the task gives of a result."""
        if not isinstance(result, pa.Table):
            from cepheid.engine.matches.forms.compressed import graphs_of

            result = graphs_of(result)
        return result if len(self.bundle.programs) == 1 else _packed(number, result)


def _whole(folds: TaskFolds, events: pa.Table) -> Iterator[pa.Table]:
    """Do what the queries do in process; a task has one core."""
    is_one = len(folds.bundle.programs) == 1
    mode = RunMode(partially=folds.partially, as_found=is_one)
    if is_one:
        for number, result in run(folds.bundle, EventColumns.of(events), mode):
            yield folds.rows(number, result)
        return
    for number, each in run_each(folds.bundle, EventColumns.of(events), mode):
        if isinstance(each, Failed):
            yield _failed(number, each.error)
        else:
            yield folds.rows(number, each)


def _in_chunks(folds: TaskFolds, chunks: Iterable[Chunk]) -> Iterator[pa.Table]:
    """Go through the chunks once for every query: what is kept is bounded by its window.

    The fold of a set keeps all of its events, so its queries are folded by themselves here.
    """
    from cepheid.stream.fold_in_chunks import fold_in_chunks, folds_in_chunks

    def of_query(program: Program, *, partially: bool) -> Iterator[LocalResult]:
        if folds_in_chunks(program, folds.events):
            yield from fold_in_chunks(program, chunks, partially=partially)
        else:
            events = EventColumns.of(pa.concat_tables([each.events for each in chunks]))
            mode = RunMode(partially=(0,) if partially else ())
            for _, result in run(bundle_of_one(program), events, mode):
                yield result

    programs = folds.bundle.programs
    for number, program in enumerate(programs):
        try:
            for result in of_query(program, partially=number in folds.partially):
                yield folds.rows(number, result)
        except DataError as error:
            if len(programs) == 1:
                raise
            yield _failed(number, error)


def _failed(number: int, error: DataError) -> pa.Table:
    """Return the error of a query: it is raised where its results are unpacked."""
    text = pa.array([str(error).encode()], pa.binary())
    return pa.Table.from_arrays([pa.array([-1 - number], pa.int32()), text], schema=PACKED)


def results_or_error(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of packets of one query; raise the error if one of them is that."""
    for batch in batches:
        for number, packet in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            if number < 0:
                raise DataError(packet.as_py().decode())
            yield from from_packet(packet.as_buffer()).to_batches()


def _packed(number: int, table: pa.Table) -> pa.Table:
    packets = to_packets(table)
    columns = [pa.chunked_array([[number]] * len(packets), pa.int32()),
               pa.chunked_array([[each] for each in packets], pa.binary())]  # fmt: skip
    return pa.Table.from_arrays(columns, schema=PACKED)


def _to_windows(
    program: Program, slots: SlotProgram, output: AggregateOutput, events: pa.Table
) -> pa.Table:
    from cepheid.spark.batch.range_windows import fold_windows

    with errors_of(program.name):
        return fold_windows(program, slots, output, events)


def _one(fold: Fold, events: pa.Table) -> Iterator[pa.Table]:
    yield fold(events)


def _each(fold: Fold, chunks: Iterable[Chunk]) -> Iterator[pa.Table]:
    return (fold(chunk.events) for chunk in chunks)
