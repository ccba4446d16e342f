"""What a task makes of its events, for every kind of result.

Workers import this file: what runs each kind of query is imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.run import run_in_batches, run_local, run_partially
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import MatchOutput, Program
from cepheid.program.slot_program import SlotProgram
from cepheid.spark.shuffle.fold_task import Fold, FoldWhole, TaskFold
from cepheid.stream.sorted_runs import Chunk


@dataclass(frozen=True, slots=True)
class TaskFolds:
    """The folds of a program for events of a schema; `memory` is in bytes."""

    program: Program
    events: pa.Schema
    memory: int

    def results(self) -> TaskFold:
        """Rows of the result, as they are found."""
        return self._fold(partial(_in_batches, self.program), partially=False)

    def graphs(self, output: MatchOutput) -> TaskFold:
        """Graphs of matches."""
        fold = partial(run_to_graphs, self.program, output)
        return self._fold(partial(_one, fold), partially=False)

    def partial_groups(self, output: AggregateOutput) -> TaskFold:
        """Rows of groups that other tasks add to."""
        fold = partial(run_partially, self.program, output)
        return self._fold(partial(_one, fold), partially=True)

    def ranges(self, slots: SlotProgram, output: AggregateOutput) -> TaskFold:
        """Windows and matrices of a range of time; every chunk is a range of its own."""
        fold = partial(_to_windows, self.program, slots, output)
        return TaskFold(self.program.time, partial(_one, fold), partial(_each, fold), self.memory)

    def _fold(self, whole: FoldWhole, *, partially: bool) -> TaskFold:
        from cepheid.stream.fold_in_chunks import folds_in_chunks

        in_chunks = None
        if folds_in_chunks(self.program, self.events):
            in_chunks = partial(_in_chunks, self.program, partially)
        return TaskFold(self.program.time, whole, in_chunks, self.memory)


def run_to_rows(
    program: Program, events: pa.Table, columns: Mapping[str, Any] | None = None
) -> pa.Table:
    """Return rows of the result; `columns` are those of the events, as for `run_local`."""
    result = run_local(program, events, columns=columns)
    assert isinstance(result, pa.Table)
    return result


def run_to_graphs(
    program: Program,
    output: MatchOutput,
    events: pa.Table,
    columns: Mapping[str, Any] | None = None,
) -> pa.Table:
    """Return graphs of matches."""
    from cepheid.spark.frames.compressed_frame import fold_to_graphs

    with errors_of(program.name if columns is None else None):
        return fold_to_graphs(program, output, events, columns)


def _to_windows(
    program: Program, slots: SlotProgram, output: AggregateOutput, events: pa.Table
) -> pa.Table:
    from cepheid.spark.batch.range_windows import fold_windows

    with errors_of(program.name):
        return fold_windows(program, slots, output, events)


def _in_chunks(program: Program, partially: bool, chunks: Iterable[Chunk]) -> Iterator[pa.Table]:
    from cepheid.stream.fold_in_chunks import fold_in_chunks

    return fold_in_chunks(program, chunks, partially=partially)


def _in_batches(program: Program, events: pa.Table) -> Iterator[pa.Table]:
    for batch in run_in_batches(program, events):
        yield pa.Table.from_batches([batch])


def _one(fold: Fold, events: pa.Table) -> Iterator[pa.Table]:
    yield fold(events)


def _each(fold: Fold, chunks: Iterable[Chunk]) -> Iterator[pa.Table]:
    return (fold(chunk.events) for chunk in chunks)
