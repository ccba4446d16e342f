"""Run queries with WITHIN alone that have a common beginning: one queue, several exits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.kernels.values import ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.program.sharing.merged_program import MergedQuery
from cepheid.program.sharing.recent_program import RecentProgram
from cepheid.runtime.aggregate.group_rows import GroupRows
from cepheid.runtime.aggregate.integer_sums import Bounds, bounds_by_largest, largest_sizes
from cepheid.runtime.aggregate.measures import EventMeasures
from cepheid.runtime.aggregate.moments import find_moments
from cepheid.runtime.aggregate.recent import Exits, rows_of_exits
from cepheid.runtime.aggregate.result_table import (
    Finished,
    PlaceColumns,
    aggregate_schema,
    finish,
)
from cepheid.runtime.aggregate.slot_machine import SlotTask, slot_machine
from cepheid.runtime.aggregate.wanted_windows import needed_events
from cepheid.runtime.name_errors import errors_of
from cepheid.runtime.order_events import OrderedEvents, order_events, starts_of_runs
from cepheid.runtime.partition_codes import partition_codes
from cepheid.runtime.settled import Settled
from cepheid.runtime.warn_of_events import warn_of_dropped

Int64s = NDArray[np.int64]


def run_recent(
    program: RecentProgram,
    columns: Mapping[str, Any],
    length: int,
    schema: pa.Schema,
    *,
    threads: int = 1,
    settled: Settled | None = None,
) -> list[pa.Table]:
    """Return the result of every query.

    With `settled` it is what becomes final in a step of a stream, all of whose events are settled.
    """
    united = program.united
    ordered = order_events(united, columns, length, threads=threads, settled=settled)
    if settled is not None:
        ordered = needed_events(united, ordered)
    measures = EventMeasures(program.measures, columns, ordered.row, threads=threads)
    group = _groups(program, columns, length, ordered)
    ends = (ordered.arrays.fires & np.uint64(united.automaton.last)) != 0
    if settled is not None:
        ends &= settled.is_new(ordered.arrays.clock, ordered.row)
    moments = find_moments(united, ordered, group, ends, None)
    machine = slot_machine(program.slots, united.automaton, united.strategy)
    task = SlotTask(machine, measures.arrays(), ordered.arrays, np.empty(0, np.int64))
    asked = _asked(program, ordered, group, np.flatnonzero(ends), moments.group.size)
    exits = Exits(tuple(len(each.finals) for each in program.queries), asked)
    rows = rows_of_exits(united, task, ordered, group, moments, exits)
    warn_of_dropped(united.partition_by, ordered.dropped)
    result, (moment, query) = [], np.nonzero(asked)
    for number, each in enumerate(program.merged.programs):
        at = np.flatnonzero(query == number)
        own = moment[at]
        values = _values(rows, at, program.queries[number])
        groups = GroupRows(ordered.row[moments.event[own]], values, np.zeros(own.size, np.bool_))
        extremes = [
            measures.sortables[minimum].values(values.least[:, place])
            for place, minimum in enumerate(program.queries[number].minima)
        ]
        assert isinstance(each.output, AggregateOutput)
        bounds = bounds_by_largest(values, each.output, largest_sizes(each.output, measures))
        result.append(moment_table(each, groups, columns, schema, extremes, bounds))
    return result


def _groups(
    program: RecentProgram, columns: Mapping[str, Any], length: int, ordered: OrderedEvents
) -> Int64s:
    """Return the number of every event's group."""
    attributes = [column for column, _ in program.measures.groups]
    if not attributes:
        return np.zeros(ordered.row.size, np.int64)
    return partition_codes(columns, attributes, length).code[ordered.row]


def _asked(
    program: RecentProgram, ordered: OrderedEvents, group: Int64s, ends: Int64s, moments: int
) -> NDArray[np.bool_]:
    """Return by moment and query whether an event fits a last position of it then.

    Moments are the different order keys of groups, sorted by group.
    """
    rank = ordered.key_rank[ends]
    order = np.lexsort([rank, group[ends]])
    is_new = starts_of_runs(group[ends][order]) | starts_of_runs(rank[order])
    moment = np.cumsum(is_new) - 1
    fires = ordered.arrays.fires[ends[order]]
    asked = np.zeros((moments, len(program.queries)), np.bool_)
    for number, last in enumerate(program.lasts):
        asked[moment[(fires & np.uint64(last)) != 0], number] = True
    return asked


def _values(rows: ValueRows, at: Int64s, query: MergedQuery) -> ValueRows:
    numbers, minima = list(query.numbers), list(query.minima)
    return ValueRows(
        rows.owner[at],
        rows.window[at],
        rows.mantissa[at][:, numbers],
        rows.tier[at][:, numbers],
        rows.low[at][:, numbers],
        rows.least[at][:, minima],
    )


def moment_table(
    program: Program,
    groups: GroupRows,
    columns: Mapping[str, Any],
    schema: pa.Schema,
    extremes: Sequence[Any] = (),
    bounds: Bounds | None = None,
) -> pa.Table:
    """Return the result of a query of which there is a row for every moment of a group."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    places = PlaceColumns(program, output, columns, schema).table(groups)
    finished = Finished(
        places, groups.values, None, list(extremes), groups.is_expiry, bounds=bounds or {}
    )
    with errors_of(program.name):
        return finish(output, aggregate_schema(program, output, schema), finished)
