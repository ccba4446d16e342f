"""Run the queries of a sharing set on one table: columns in, a table for every query out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import pyarrow as pa

from cepheid.kernels.values import Measures, ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.runtime.aggregate.aggregate import Aggregation
from cepheid.runtime.aggregate.group_rows import GroupRows
from cepheid.runtime.aggregate.measures import EventMeasures
from cepheid.runtime.order_events import OrderedEvents
from cepheid.runtime.sharing.fold_set import FoldedSet, fold_set
from cepheid.runtime.sharing.make_machine import SetTask
from cepheid.runtime.sharing.order_kinds import order_kinds
from cepheid.runtime.sharing.policy import Policy


@dataclass(frozen=True)
class FoldedAggregation(Aggregation):
    """An aggregation whose events were ordered and folded with those of other queries."""

    folded: ValueRows | None = None
    shared: OrderedEvents | None = None

    @cached_property
    def ordered(self) -> OrderedEvents:
        """The events of all queries."""
        assert self.shared is not None
        return self.shared

    @cached_property
    def stream(self) -> GroupRows | None:
        """Nothing: all has been folded."""
        return None

    def rows(self, measures: Measures) -> ValueRows:
        """Return the values that were folded."""
        assert self.folded is not None
        return self.folded


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
    length: int

    def tables(self, folded: FoldedSet, schema: pa.Schema) -> list[pa.Table]:
        """Return the result of every query."""
        tables = []
        for each, rows in zip(self.task.program.programs, folded.rows, strict=True):
            assert isinstance(each.output, AggregateOutput)
            aggregation = FoldedAggregation(
                each, each.output, self.columns, self.length, folded=rows, shared=self.ordered
            )
            tables.append(aggregation.table(schema))
        return tables


def prepare_set(
    program: MergedProgram, columns: Mapping[str, Any], length: int, threads: int
) -> PreparedSet:
    """Order the events of all queries, and tell their kinds and what they contribute."""
    ordered, kinds = order_kinds(program, columns, length, threads)
    some = program.programs[0]
    measures = EventMeasures(
        program.measures, columns, ordered.row, some.type_column, threads=threads
    ).arrays()
    task = SetTask(program, ordered.arrays, kinds.passes, measures)
    return PreparedSet(task, ordered, columns, length)
