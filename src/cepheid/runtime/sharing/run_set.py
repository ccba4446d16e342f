"""Run the queries of a sharing set on one table: columns in, a table for every query out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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
from cepheid.runtime.aggregate.partial_table import partial_schema, to_partial
from cepheid.runtime.aggregate.result_table import (
    Finished,
    PlaceColumns,
    aggregate_schema,
    finish,
)
from cepheid.runtime.local import warn_of_dropped
from cepheid.runtime.order_events import OrderedEvents
from cepheid.runtime.partition_codes import partition_codes
from cepheid.runtime.sharing.fold_set import FoldedSet, fold_set
from cepheid.runtime.sharing.make_machine import SetTask
from cepheid.runtime.sharing.order_kinds import order_kinds
from cepheid.runtime.sharing.policy import Policy

Int64s = NDArray[np.int64]
FinishedQuery = tuple[Program, AggregateOutput, Finished]


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
    return prepared.tables(fold_prepared(prepared, policy, threads), schema)


def fold_prepared(prepared: PreparedSet, policy: Policy, threads: int = 1) -> FoldedSet:
    """Return what every query has per partition and window."""
    return fold_set(replace(prepared.task, policy=policy), threads)


@dataclass(frozen=True, slots=True)
class PreparedSet:
    """Events of a set in the order of the fold, and what they contribute."""

    task: SetTask
    ordered: OrderedEvents
    columns: Mapping[str, Any]
    measures: EventMeasures

    def tables(self, folded: FoldedSet, schema: pa.Schema) -> list[pa.Table]:
        """Return the result of every query."""
        return [set_table(each, schema, partially=False) for each in self.finished(folded, schema)]

    def finished(self, folded: FoldedSet, schema: pa.Schema) -> list[FinishedQuery]:
        """Return everything that the columns of every query's result are made of."""
        return [each for each in self._each_finished(folded, schema, every=True) if each]

    def found(self, folded: FoldedSet, schema: pa.Schema) -> list[FinishedQuery | None]:
        """Return the same, but None for queries of which nothing was found."""
        return list(self._each_finished(folded, schema, every=False))

    def _each_finished(
        self, folded: FoldedSet, schema: pa.Schema, *, every: bool
    ) -> Iterator[FinishedQuery | None]:
        results = _Results(self.columns, self.ordered, schema, self.measures)
        programs = self.task.program.programs
        warn_of_dropped(programs[0], self.ordered.dropped)
        for program, rows in zip(programs, folded.rows, strict=True):
            yield results.finished(program, rows) if every or rows.owner.size else None


def set_table(finished: FinishedQuery, schema: pa.Schema, *, partially: bool) -> pa.Table:
    """Return the result of a query; with `partially` rows of groups that others add to."""
    program, output, rows = finished
    if partially:
        return to_partial(partial_schema(program, output, schema), rows)
    return finish(output, aggregate_schema(program, output, schema), rows)


def prepare_set(
    program: MergedProgram, columns: Mapping[str, Any], length: int, threads: int
) -> PreparedSet:
    """Order the events of all queries, and tell their kinds and what they contribute."""
    ordered, kinds = order_kinds(program, columns, length, threads)
    type_column = program.programs[0].type_column
    measures = EventMeasures(program.measures, columns, ordered.row, type_column, threads=threads)
    task = SetTask(program, ordered.arrays, kinds.passes, measures.arrays())
    return PreparedSet(task, ordered, columns, measures)


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

    def finished(self, program: Program, rows: ValueRows) -> FinishedQuery:
        """Return what a row for every group and window of a query is made of."""
        output = program.output
        assert isinstance(output, AggregateOutput)
        moduli = np.zeros(rows.mantissa.shape[1], np.int64)
        group = self._group_of_partition(output)[rows.owner]
        groups = add_groups(rows, group, rows.owner, moduli)
        extremes = [
            self._sortable(each).values(groups.values.least[:, number])
            for number, each in enumerate(output.minima)
        ]
        places = PlaceColumns(program, output, self.columns, self.schema).table(groups)
        finished = Finished(places, groups.values, None, extremes, groups.is_expiry)
        return program, output, finished

    def _group_of_partition(self, output: AggregateOutput) -> Int64s:
        attributes = tuple(column for column, _ in output.groups)
        if attributes not in self.groups:
            codes = partition_codes(self.columns, attributes, self.partitions).code
            self.groups[attributes] = codes
        return self.groups[attributes]

    def _sortable(self, measure: MinimumMeasure) -> Any:
        wanted = MinimumMeasure(measure.attribute, measure.is_maximum, EVERYWHERE)
        return self.measures.sortables[self.measures.output.minima.index(wanted)]
