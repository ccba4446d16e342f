"""What of the settled events can still matter (decision 14)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.hidden_columns import INDEX, TAKEN
from cepheid.engine.events.order_events import order_codes, starts_of_runs
from cepheid.engine.events.partition_codes import partition_codes
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.matches.pending_runs import pending_rows
from cepheid.program.arrow_arrays import to_arrow, to_numpy, to_scalar
from cepheid.program.program import Clock, Program, Ranking
from cepheid.program.when_final import (
    has_end_negation,
    has_start_negation,
    is_apart,
)
from cepheid.stream.admit_events import ranks_of
from cepheid.stream.step_rules import how_far_back, keeps_pending, marks_windows

Int64s = NDArray[np.int64]
Booleans = NDArray[np.bool_]


def still_needed(program: Program, events: pa.Table, horizon: int, taken: Int64s) -> pa.Table:
    """Return the settled events that are to be kept, with their hidden columns.

    `taken` has the rows of events that tell which matches may still be taken.
    """
    keys = EventKeys(program, events)
    stays = np.ones(events.num_rows, np.bool_)
    reach = how_far_back(program)
    if reach is not None and program.clock is Clock.TIME:
        stays = keys.ticks >= horizon - reach
    elif reach is not None:
        index = to_numpy(events[INDEX])
        stays = keys.is_member & (index >= keys.last(index) - reach)
    if is_apart(program) or marks_windows(program):
        is_taken = _flags(events)
        is_taken[taken] = True
        looks_around = has_start_negation(program) or has_end_negation(program)
        if is_apart(program) and not looks_around:
            stays &= keys.rank > keys.boundary(program, is_taken)
        else:
            events = _with(events, TAKEN, to_arrow(is_taken))
    if keeps_pending(program):
        columns = dict(zip(events.column_names, events.columns, strict=True))
        rows = pending_rows(program, columns, events.num_rows, horizon, RankedFolds())
        if rows is not None:
            waits = np.zeros_like(stays)
            waits[rows] = True
            stays &= waits
    if program.clock is Clock.EVENTS and program.ranking is Ranking.STREAM:
        return _with_marks(program, events, keys, stays)
    return events if stays.all() else events.filter(to_arrow(stays))


def with_indexes(program: Program, events: pa.Table) -> pa.Table:
    """Return the events with their indexes; those that were known before have them already."""
    known = np.zeros(events.num_rows, np.int64)
    if INDEX in events.column_names:
        known = to_numpy(pc.fill_null(events[INDEX], to_scalar(0)))
    return _with(events, INDEX, to_arrow(EventKeys(program, events).index(known)))


class EventKeys:
    """By event: its time, the rank of its order key, and its partition."""

    def __init__(self, program: Program, events: pa.Table) -> None:
        columns: dict[str, Any] = dict(zip(events.column_names, events.columns, strict=True))
        self.ticks = to_ticks(columns[program.time], program.time)
        self.rank = ranks_of([self.ticks, *order_codes(program, columns)])
        codes = partition_codes(columns, program.partition_by, events.num_rows)
        self.code = codes.code
        self.is_member = codes.is_member if codes.is_member.size else np.ones(self.code.size, bool)
        self.size = max(1, codes.size)

    def index(self, known: Int64s) -> Int64s:
        """Return indexes in the partition that count on from that of its first event."""
        member = np.flatnonzero(self.is_member)
        order = member[np.lexsort([self.rank[member], self.code[member]])]
        place = np.arange(order.size)
        begins = starts_of_runs(self.code[order])
        is_new = begins | starts_of_runs(self.rank[order])
        first = np.maximum.accumulate(np.where(begins, place, 0))
        step = np.maximum.accumulate(np.where(is_new, place, 0))
        index = np.zeros(self.code.size, np.int64)
        index[order] = step - first + known[order[first]]
        return index

    def last(self, index: Int64s) -> Int64s:
        """Return by event the last index of its partition."""
        last = np.zeros(self.size, np.int64)
        np.maximum.at(last, self.code[self.is_member], index[self.is_member])
        return last[self.code]

    def boundary(self, program: Program, is_taken: Booleans) -> Int64s:
        """Return by event the order key at which the last match ends that was taken beside it."""
        owner = np.zeros_like(self.code) if program.ranking is Ranking.STREAM else self.code
        boundary = np.zeros(self.size, np.int64)
        np.maximum.at(boundary, owner[is_taken], self.rank[is_taken])
        return boundary[owner]


def _flags(events: pa.Table) -> Booleans:
    """Return what is in the hidden column of taken matches."""
    if TAKEN not in events.column_names:
        return np.zeros(events.num_rows, np.bool_)
    return np.array(to_numpy(pc.fill_null(events[TAKEN], to_scalar(False))))


def _with(events: pa.Table, name: str, column: pa.Array) -> pa.Table:
    if name in events.column_names:
        return events.set_column(events.column_names.index(name), name, column)
    return events.append_column(name, column)


def _with_marks(program: Program, events: pa.Table, keys: EventKeys, stays: Booleans) -> pa.Table:
    """Drop events, but not what they broke: where some are dropped one stays without a partition.

    Under strict contiguity two events would otherwise become neighbours. A mark keeps its place in
    the order. If that is all that its partition is known by, it stays a member of it, with all
    later ones of the partition, so that their indexes still follow from that of the first.
    """
    has_kept = np.zeros(int(keys.rank.max(initial=0)) + 1, np.bool_)
    has_kept[keys.rank[stays]] = True
    follows_kept = np.append(False, has_kept[:-1])
    dropped = np.flatnonzero(~has_kept[keys.rank] & follows_kept[keys.rank])
    marks = dropped[np.unique(keys.rank[dropped], return_index=True)[1]]
    fixed = {program.time, *program.order, *(each.name for each in program.computed)}
    blanked = [each for each in program.partition_by if each not in fixed]
    if program.partition_by and not blanked:
        first = np.full(keys.size, keys.rank.size + 1)
        np.minimum.at(first, keys.code[marks], keys.rank[marks])
        return events.filter(to_arrow(stays | (keys.rank >= first[keys.code])))
    is_mark = np.zeros(events.num_rows, np.bool_)
    is_mark[marks] = True
    for name in blanked:
        place = events.column_names.index(name)
        blank = pc.if_else(to_arrow(is_mark), pa.nulls(1, events.schema.field(name).type)[0],
                           events[name])  # fmt: skip
        events = events.set_column(place, events.schema.field(name), blank)
    return events.filter(to_arrow(stays | is_mark))
