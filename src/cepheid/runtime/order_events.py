"""Events in the order of the fold: partition by partition, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.derived_types import StreamTime
from cepheid.errors import DataError
from cepheid.kernels.arrange_events import (
    Arranged,
    Grouped,
    arrange,
    group_events,
    rank_keys,
)
from cepheid.kernels.arrays import EventArrays, Masks
from cepheid.program.arrow_arrays import empty, empty_table, texts_to_arrow, to_numpy
from cepheid.program.position_masks import TakenColumns, position_masks, relevant_masks
from cepheid.program.program import Clock, MatchOutput, Program, Ranking
from cepheid.runtime.clock import reject_extremes, reject_nulls, to_ticks
from cepheid.runtime.next_clock import next_clock
from cepheid.runtime.partition_codes import (
    PartitionCodes,
    count_without_partition,
    partition_codes,
    partition_of_event,
)

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class OrderedEvents:
    """Kernel arrays, and for each of their events the row it came from.

    `negative_fires` are the masks of negated parts; an event may fit only those.

    `key_rank` is the dense rank of the event's order key in the whole stream; `dropped` counts
    events that belong to no partition. `next_clock` is the clock at which a contiguous run that
    ends in the event is over: that of the next step, ALWAYS if there is none; only partial matches
    need it.
    """

    arrays: EventArrays
    negative_fires: tuple[NDArray[np.uint64], ...]
    row: Int64s
    key_rank: Int64s
    dropped: int
    next_clock: Int64s | None = None

    @cached_property
    def partition_of_event(self) -> Int64s:
        """The number of every event's partition, in the order of the arrays."""
        return partition_of_event(self.arrays.step_offsets, self.arrays.partition_offsets)


def order_events(program: Program, columns: Mapping[str, Any], length: int) -> OrderedEvents:
    """Mask, order and cut the events of one table."""
    rows, masks_by_group, masks = _relevant(program, columns, length)
    ticks = to_ticks(columns[program.time], program.time)
    ticks = ticks if rows.size == length else ticks[rows]
    if program.clock is Clock.TIME:
        window = program.window_length or 0
        reject_extremes(ticks, program.time, window, has_ends=_shows_ends(program))
    keys = _stacked([ticks, *(each[rows] for each in _order_codes(program, columns))])
    ticks = keys[0]  # kernels know arrays of their own only, not those of Arrow
    read = TakenColumns({name: columns[name] for name in program.partition_by}, rows)
    partitions = partition_codes(read, program.partition_by, rows.size)
    order, key_rank = _key_order(keys), empty(rows.size)
    rank_keys(keys, order, key_rank)
    grouped = _grouped(partitions, order, key_rank, ticks, masks)
    events = _arranged(program, grouped, keeps_all=program.folds_all_types)
    fires, *negative = (
        [events.masks]
        if len(masks_by_group) == 1
        else [each[events.event] for each in masks_by_group]
    )
    later = None
    if isinstance(program.output, MatchOutput) and program.output.is_partial:
        every = _arranged(program, grouped, keeps_all=True)
        later = np.empty(rows.size, np.int64)
        later[every.event] = next_clock(program, every, _tick_of_rank(ticks, key_rank))
        later = later[events.event]
    return OrderedEvents(
        EventArrays(
            fires, events.clock, events.rank, events.step_offsets, events.partition_offsets
        ),
        tuple(negative),
        rows[events.event],
        events.key_rank,
        count_without_partition(columns, program.partition_by),
        later,
    )


def _stacked(keys: list[Int64s]) -> Int64s:
    stacked = empty_table(len(keys), keys[0].size)
    return np.stack(keys, out=stacked)


def _grouped(
    partitions: PartitionCodes, order: Int64s, key_rank: Int64s, ticks: Int64s, masks: Masks
) -> Grouped:
    size = ticks.size
    begin, free = empty(partitions.size + 1), empty(partitions.size + 1)
    room = Grouped(empty(size), empty(size), empty(size), empty(size, np.uint64), begin)
    count = group_events(
        partitions.code, partitions.is_member, order, key_rank, ticks, masks, free, room
    )
    return Grouped(
        room.event[:count], room.ticks[:count], room.key_rank[:count], room.masks[:count], begin
    )


def _arranged(program: Program, grouped: Grouped, *, keeps_all: bool) -> Arranged:
    size = grouped.event.size
    counts_events = program.clock is Clock.EVENTS
    ranks_partition = program.ranking is Ranking.PARTITION
    room = Arranged(
        empty(size),
        empty(size, np.uint64),
        empty(size),
        empty(size),
        empty(size),
        empty(size + 1),
        empty(grouped.begin.size),
    )
    if keeps_all or bool(grouped.masks.all()):  # then most arrays stay as they are
        room = room._replace(event=grouped.event, masks=grouped.masks, key_rank=grouped.key_rank)
        if not counts_events:
            room = room._replace(clock=grouped.ticks)
    count, steps, partitions = arrange(grouped, keeps_all, counts_events, ranks_partition, room)
    return Arranged(
        room.event[:count],
        room.masks[:count],
        room.clock[:count],
        room.rank[:count],
        room.key_rank[:count],
        room.step_offsets[: steps + 1],
        room.partition_offsets[: partitions + 1],
    )


def _relevant(
    program: Program, columns: Mapping[str, Any], length: int
) -> tuple[Int64s, list[Masks], Masks]:
    """Return the events that matter, their masks by group, and those of all groups together."""
    if program.keeps_all_types:
        rows, by_group = np.arange(length), position_masks(program, columns, length)
    else:
        rows, by_group = relevant_masks(program, columns, length)
    masks = by_group[0] if len(by_group) == 1 else np.bitwise_or.reduce(by_group)
    if program.keeps_all_types or masks.all():
        return rows, by_group, masks
    fits = np.flatnonzero(masks)
    return rows[fits], [each[fits] for each in by_group], masks[fits]


def _tick_of_rank(ticks: Int64s, key_rank: Int64s) -> Int64s:
    """Return the time of every order key; ranks count from 1."""
    result = np.empty(int(key_rank.max(initial=0)), np.int64)
    result[key_rank - 1] = ticks
    return result


def _shows_ends(program: Program) -> bool:
    output = program.output
    if isinstance(output, MatchOutput):
        return output.stream_time is StreamTime.SPAN_END
    return program.slide is not None


def _order_codes(program: Program, columns: Mapping[str, Any]) -> list[Int64s]:
    """Return ranks; NULL, which results of other queries may have, comes last."""
    codes = []
    for name in program.order:
        column = columns[name]
        reject_nulls(column, name, "order", allowed=_is_derived(program, columns))
        if pa.types.is_dictionary(column.type):
            column = pc.cast(column, column.type.value_type)
        try:
            ranks = pc.rank(column, tiebreaker="dense")
        except pa.ArrowNotImplementedError:
            raise DataError(
                f"the order column '{name}' holds {column.type}, which has no order"
            ) from None
        codes.append(to_numpy(ranks).astype(np.int64))
    return codes


def _is_derived(program: Program, columns: Mapping[str, Any]) -> Any:
    """Return which events are of a type that INTO names; None if there are no such types."""
    if program.type_column is None or not program.derived_types:
        return None
    types = columns[program.type_column]
    if pa.types.is_dictionary(types.type):
        types = pc.cast(types, types.type.value_type)
    return pc.is_in(types, texts_to_arrow(program.derived_types, types.type))


def _key_order(keys: Int64s) -> Int64s:
    """Return the permutation that sorts by time, then by the tie-break columns; none if sorted."""
    times = keys[0]
    if len(keys) > 1:
        return np.lexsort(keys[::-1])
    if times.size < 2 or bool(np.all(times[1:] >= times[:-1])):
        return np.empty(0, np.int64)
    return np.argsort(times, kind="stable")


def starts_of_runs(values: Int64s) -> NDArray[np.bool_]:
    """Return whether each value differs from the one before it; the first one does."""
    result = np.ones(values.size, np.bool_)
    result[1:] = values[1:] != values[:-1]
    return result
