"""Run the queries of a sharing set on one table: columns in, a table for every query out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pyarrow as pa

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.scan import order_kinds
from cepheid.engine.events.warn_of_events import warn_of_dropped
from cepheid.engine.fold import Folding
from cepheid.engine.shared.fold_set import FoldedSet, fold_set
from cepheid.engine.shared.make_machine import SetTask
from cepheid.engine.shared.policy import Policy
from cepheid.engine.shared.set_results import SetResults
from cepheid.engine.shared.shared_folds import Alone
from cepheid.engine.trends.measures import EventMeasures
from cepheid.program.sharing.merged_program import MergedProgram


class SetOptions(NamedTuple):
    """How a set is run; queries in `partially` give rows of groups that others add to.

    `stays`: they cannot be folded one by one.
    """

    folding: Folding
    threads: int = 1
    policy: Policy = Policy.DYNAMIC
    partially: Collection[int] = ()
    stays: bool = False


def run_set(
    program: MergedProgram,
    columns: Mapping[str, Any],
    length: int,
    schema: pa.Schema,
    options: SetOptions,
) -> list[pa.Table] | Alone:
    """Return the result of every query, or that each is to be run alone."""
    record = options.folding.record
    with record.stage("order"):
        prepared = prepare_set(program, columns, length, options.threads)
    folded = fold_prepared(prepared, options)
    if isinstance(folded, Alone):
        return folded
    with record.stage("columns"):
        return prepared.tables(folded, schema, options.partially)


def fold_prepared(prepared: PreparedSet, options: SetOptions) -> FoldedSet | Alone:
    """Return what every query has per partition and window."""
    task = replace(prepared.task, policy=options.policy, stays=options.stays)
    return fold_set(task, options.folding, options.threads)


@dataclass(frozen=True, slots=True)
class PreparedSet:
    """Events of a set in the order of the fold, and what they contribute."""

    task: SetTask
    ordered: OrderedEvents
    columns: Mapping[str, Any]
    measures: EventMeasures

    def tables(
        self, folded: FoldedSet, schema: pa.Schema, partially: Collection[int] = ()
    ) -> list[pa.Table]:
        """Return the result of every query; of some, rows of groups that others add to."""
        programs = self.task.program.programs
        warn_of_dropped(programs[0].partition_by, self.ordered.dropped)
        results = SetResults(self.columns, self.ordered, schema, self.measures)
        return results.tables(programs, folded.rows, partially)


def prepare_set(
    program: MergedProgram, columns: Mapping[str, Any], length: int, threads: int
) -> PreparedSet:
    """Order the events of all queries, and tell their kinds and what they contribute."""
    ordered, passes = order_kinds(program, columns, length, threads)
    measures = EventMeasures(program.measures, columns, ordered.row, threads=threads)
    task = SetTask(program, ordered.arrays, passes, measures.arrays())
    return PreparedSet(task, ordered, columns, measures)
