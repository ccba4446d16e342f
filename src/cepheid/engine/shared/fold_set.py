"""Fold the queries of a sharing set in one pass over the events."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.matches.match_chunks import split_partitions
from cepheid.engine.process.threads import side_by_side
from cepheid.engine.shared.count_set import SetCounter, is_plain, repeats
from cepheid.engine.shared.make_machine import SetTask, make_machine, recorded, table_of
from cepheid.engine.shared.merged_arrays import MergedArrays
from cepheid.engine.shared.policy import Policy
from cepheid.engine.trends.groups import taken
from cepheid.engine.trends.value_rows import counts_only, first_rows, joined_rows, make_rows
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.position.fold_slots import MOST_LANES, PANES, measure_windows
from cepheid.kernels.shared.fold_merged import fold_merged
from cepheid.kernels.shared.merged_machine import COUNTERS, RECORDS, SHARED_BURSTS, MergedEvents
from cepheid.kernels.shared.merged_windows import IS_OPEN, ROWS
from cepheid.kernels.shared.share_bursts import RECORD
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.plan.sharing_costs import sharing_costs
from cepheid.program.sharing.merged_program import MergedQuery, WindowGroup

Int64s = NDArray[np.int64]
ROWS_AT_ONCE = 1 << 14
FEW_REPEATED = 32  # positions: with more, steps that are written down once are cheaper
MANY_WINDOWS = 128  # that an event is in: then it is worth to count how many are open at once


@dataclass(frozen=True, slots=True)
class FoldedSet:
    """The rows of every query, what was counted, and the bursts if they were to be recorded.

    `is_plain`: they were counted with plain numbers, without decisions.
    """

    rows: tuple[ValueRows, ...]
    counters: Int64s
    bursts: Int64s
    is_plain: bool


def fold_set(task: SetTask, threads: int = 1) -> FoldedSet:
    """Return what every query of the set has per partition and window."""
    lanes = [open_lanes(task.events, each) for each in task.program.groups]
    parts = split_partitions(task.events, threads)
    folded = _counted(task, lanes, parts)
    is_plain = folded is not None
    if folded is None:
        arrays = MergedArrays(task.program, task.passes)
        folded = side_by_side(
            [functools.partial(_fold_part, task, arrays, lanes, each) for each in parts]
        )
    queries = np.concatenate([each[1] for each in folded])
    order = np.argsort(queries.astype(np.int32), kind="stable")
    rows = taken(joined_rows([each[0] for each in folded]), order)
    ends = np.cumsum(np.bincount(queries, minlength=len(task.program.queries))).tolist()
    return FoldedSet(
        tuple(
            _of_query(ValueRows._make(each[begin:end] for each in rows), query)
            for query, (begin, end) in zip(task.program.queries, pairwise([0, *ends]), strict=True)
        ),
        np.sum([each[2] for each in folded], axis=0),
        np.concatenate([each[3] for each in folded]),
        is_plain,
    )


FoldedPart = tuple[ValueRows, Int64s, Int64s, Int64s]  # rows, their queries, counters, bursts


def _counted(
    task: SetTask, lanes: Sequence[int], parts: Sequence[range]
) -> list[FoldedPart] | None:
    """Return the parts if they can be counted with plain numbers.

    That takes a few nanoseconds for a step of a lane, so that to share it would not pay.
    """
    if task.policy is Policy.ALWAYS or not is_plain(task.program):
        return None
    counter = SetCounter(task.program, task.passes, lanes, is_lazy=task.policy is not Policy.NEVER)
    if counter.repeated > FEW_REPEATED:
        return None
    if task.most_records and any(map(repeats, task.program.positions)):
        return None
    found = side_by_side(
        [functools.partial(counter.rows, task.events, each, task.measures) for each in parts]
    )
    nothing = np.zeros(SHARED_BURSTS + 1, np.int64), np.zeros((0, RECORD), np.int64)
    counted = [(*each, *nothing) for each in found if each is not None]
    return counted if len(counted) == len(parts) else None


def _of_query(rows: ValueRows, query: MergedQuery) -> ValueRows:
    """Return rows with the numbers and minima that a query asks for."""
    numbers, minima = list(query.numbers), list(query.minima)
    if numbers == list(range(rows.mantissa.shape[1])) and not minima:
        return rows
    return rows._replace(
        mantissa=rows.mantissa[:, numbers],
        tier=rows.tier[:, numbers],
        low=rows.low[:, numbers],
        least=rows.least[:, minima],
    )


def open_lanes(events: EventArrays, group: WindowGroup) -> int:
    """Return how many vectors a window group needs at once, at most."""
    if group.length is None:
        return 1
    slide = group.slide or group.length
    lanes = -(-group.length // slide)
    if lanes > MANY_WINDOWS:
        work = np.zeros(PANES + 1, np.int64)
        measure_windows(events, group.length, slide, slide, work)
        lanes = max(1, int(work[MOST_LANES]))
    return lanes


def _fold_part(
    task: SetTask, arrays: MergedArrays, lanes: Sequence[int], part: range
) -> FoldedPart:
    """Return the rows of some partitions, their queries, counters and bursts."""
    program, measures = task.program, task.measures
    folded = merged_events(task, part)
    tables, cells = make_machine(task, arrays, folded, lanes)
    cursor = np.zeros(IS_OPEN + 1, np.int64)
    shape = Measures(
        np.zeros(program.number_count, np.int64),
        *measures[1:5],
        np.zeros(program.minimum_count, np.uint64),
        measures.least,
    )
    costs = np.array(sharing_costs(is_counted=counts_only(shape)))
    parts, queries, is_done = [], [], False
    while not is_done:
        rows = make_rows(ROWS_AT_ONCE, shape)
        query_of_row = np.empty(ROWS_AT_ONCE, np.int64)
        cursor[ROWS] = 0
        is_done = fold_merged(tables, folded, cells, costs, rows, query_of_row, cursor)
        count = int(cursor[ROWS])
        parts.append(first_rows(rows, count))
        queries.append(query_of_row[:count])
    every = joined_rows(parts)
    return (
        every._replace(owner=every.owner + part.start),
        np.concatenate(queries),
        table_of(tables, COUNTERS, SHARED_BURSTS + 1),
        table_of(tables, RECORDS, recorded(tables) * RECORD).reshape(-1, RECORD),
    )


def merged_events(task: SetTask, part: range) -> MergedEvents:
    """Return the events of some partitions for the kernel."""
    program, events, measures = task.program, task.events, task.measures
    return MergedEvents(
        events.fires.view(np.int64) - 1,
        events.clock,
        events.step_offsets,
        events.partition_offsets[part.start : part.stop + 1],
        _table([each.numbers for each in program.positions]),
        _table([each.minima for each in program.positions]),
        measures.mantissa,
        measures.tier,
        measures.low,
        measures.least,
    )


def _table(rows: Sequence[Sequence[int]]) -> Int64s:
    return np.array(rows, np.int64).reshape(len(rows), -1)
