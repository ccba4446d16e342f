"""Run the queries of a sharing set on one table: columns in, a table for every query out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.kernels.values import ValueRows
from cepheid.program.aggregate_output import AggregateOutput, MinimumMeasure
from cepheid.program.position_masks import TakenColumns
from cepheid.program.program import Program
from cepheid.program.sharing.merge_programs import EVERYWHERE
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.runtime.aggregate.group_rows import add_groups
from cepheid.runtime.aggregate.measures import EventMeasures
from cepheid.runtime.aggregate.result_table import (
    Finished,
    PlaceColumns,
    aggregate_schema,
    finish,
)
from cepheid.runtime.aggregate.value_rows import joined_rows
from cepheid.runtime.local import warn_of_dropped
from cepheid.runtime.order_events import OrderedEvents
from cepheid.runtime.partition_codes import partition_codes
from cepheid.runtime.sharing.fold_set import FoldedSet, fold_set
from cepheid.runtime.sharing.make_machine import SetTask
from cepheid.runtime.sharing.order_kinds import order_kinds
from cepheid.runtime.sharing.policy import Policy

Int64s = NDArray[np.int64]


class RunSet(Protocol):
    """Runs the queries of a set, as `run_set` does."""

    def __call__(
        self,
        program: MergedProgram,
        columns: Mapping[str, Any],
        length: int,
        schema: pa.Schema,
        *,
        threads: int = 1,
        policy: Policy = Policy.DYNAMIC,
    ) -> list[pa.Table]:
        """Return the result of every query."""


def run_set(
    program: MergedProgram,
    columns: Mapping[str, Any],
    length: int,
    schema: pa.Schema,
    *,
    threads: int = 1,
    policy: Policy = Policy.DYNAMIC,
) -> list[pa.Table]:
    """Return the result of every query."""
    prepared = prepare_set(program, columns, length, threads)
    folded = fold_set(replace(prepared.task, policy=policy), threads)
    return prepared.tables(folded, schema)


@dataclass(frozen=True, slots=True)
class PreparedSet:
    """Events of a set in the order of the fold, and what they contribute."""

    task: SetTask
    ordered: OrderedEvents
    columns: Mapping[str, Any]
    measures: EventMeasures

    def tables(self, folded: FoldedSet, schema: pa.Schema) -> list[pa.Table]:
        """Return the result of every query."""
        results = _Results(self.columns, self.ordered, schema, self.measures)
        programs = self.task.program.programs
        warn_of_dropped(programs[0], self.ordered.dropped)
        return results.tables(programs, folded.rows)


def prepare_set(
    program: MergedProgram, columns: Mapping[str, Any], length: int, threads: int
) -> PreparedSet:
    """Order the events of all queries, and tell their kinds and what they contribute."""
    ordered, kinds = order_kinds(program, columns, length, threads)
    type_column = program.programs[0].type_column
    measures = EventMeasures(program.measures, columns, ordered.row, type_column, threads=threads)
    task = SetTask(program, ordered.arrays, kinds.passes, measures.arrays())
    return PreparedSet(task, ordered, columns, measures)


def _form(program: Program, place: int) -> object:
    """Return what tables depend on beside their rows; HAVING leaves out rows, so it is alone."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    if output.having is not None:
        return place
    numbers = tuple(replace(each, positions=0) for each in output.numbers)
    minima = tuple(replace(each, positions=0) for each in output.minima)
    shown = replace(output, numbers=numbers, minima=minima)
    return shown, program.time, program.clock, program.window_length, program.slide


class _Results:
    """Makes results of folded rows; queries have the attributes of partitions in common."""

    def __init__(
        self,
        columns: Mapping[str, Any],
        ordered: OrderedEvents,
        schema: pa.Schema,
        measures: EventMeasures,
    ) -> None:
        arrays = ordered.arrays
        firsts = ordered.row[arrays.step_offsets[arrays.partition_offsets[:-1]]]
        self.columns = TakenColumns(columns, firsts)
        self.partitions = firsts.size
        self.schema = schema
        self.measures = measures
        self.groups: dict[tuple[str, ...], Int64s] = {}

    def tables(self, programs: Sequence[Program], rows: Sequence[ValueRows]) -> list[pa.Table]:
        """Return the result of every query; those with the same columns are made at once."""
        alike: dict[object, list[int]] = {}
        for place, program in enumerate(programs):
            alike.setdefault(_form(program, place), []).append(place)
        found: dict[int, pa.Table] = {}
        for places in alike.values():
            made = self._of_alike(programs[places[0]], [rows[place] for place in places])
            found |= zip(places, made, strict=True)
        return [found[place] for place in range(len(programs))]

    def _of_alike(self, program: Program, rows: Sequence[ValueRows]) -> list[pa.Table]:
        """Return a row for every group and window of queries that differ in nothing else."""
        if len(rows) == 1:
            return [self._table(program, rows[0], rows[0].owner)[0]]
        query = np.repeat(np.arange(len(rows)), [each.owner.size for each in rows])
        every = joined_rows(list(rows))
        table, row = self._table(program, every, query * self.partitions + every.owner)
        ends = np.searchsorted(row, np.arange(len(rows) + 1) * self.partitions).tolist()
        return [table.slice(begin, end - begin) for begin, end in pairwise(ends)]

    def _table(self, program: Program, rows: ValueRows, row: Int64s) -> tuple[pa.Table, Int64s]:
        """Return a row for every group and window, and which of `row` it comes from.

        `row` is the partition plus the number of partitions for every query before.
        """
        output = program.output
        assert isinstance(output, AggregateOutput)
        moduli = np.zeros(rows.mantissa.shape[1], np.int64)
        codes = self._group_of_partition(output)
        group = codes[rows.owner] + row // self.partitions * (codes.max(initial=0) + 1)
        groups = add_groups(rows, group, row, moduli)
        extremes = [
            self._sortable(each).values(groups.values.least[:, number])
            for number, each in enumerate(output.minima)
        ]
        owned = replace(groups, row=groups.row % self.partitions)
        places = PlaceColumns(program, output, self.columns, self.schema).table(owned)
        finished = Finished(places, groups.values, None, extremes, groups.is_expiry)
        schema = aggregate_schema(program, output, self.schema)
        return finish(output, schema, finished), groups.row

    def _group_of_partition(self, output: AggregateOutput) -> Int64s:
        attributes = tuple(column for column, _ in output.groups)
        if attributes not in self.groups:
            codes = partition_codes(self.columns, attributes, self.partitions).code
            self.groups[attributes] = codes
        return self.groups[attributes]

    def _sortable(self, measure: MinimumMeasure) -> Any:
        wanted = MinimumMeasure(measure.attribute, measure.is_maximum, EVERYWHERE)
        return self.measures.sortables[self.measures.output.minima.index(wanted)]
