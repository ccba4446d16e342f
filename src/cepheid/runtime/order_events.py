"""Events in the order of the fold: partition by partition, step by step."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.derived_types import StreamTime
from cepheid.errors import DataError
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.graph import ALWAYS, NEVER
from cepheid.program.arrow_arrays import texts_to_arrow, to_arrow, to_numpy, to_scalar
from cepheid.program.position_masks import position_masks, relevant_masks
from cepheid.program.program import Clock, MatchOutput, Program, Ranking
from cepheid.runtime.clock import reject_extremes, reject_nulls, to_ticks

Int64s = NDArray[np.int64]
SMALL = 2**16
LARGEST_CODE = 2**62
MOST_DISTANT = 16  # how far integers may lie apart, per event, to be codes themselves


@dataclass(frozen=True, slots=True)
class OrderedEvents:
    """Kernel arrays, and for each of their events the row it came from.

    `negative_fires` are the masks of negated parts; an event may fit only those.

    `partition_of_event` numbers partitions densely in the order of the arrays; `key_rank` is the
    dense rank of the event's order key in the whole stream; `dropped` counts events that belong to
    no partition. `next_clock` is the clock at which a contiguous run that ends in the event is
    over: that of the next step, ALWAYS if there is none; only partial matches need it.
    """

    arrays: EventArrays
    negative_fires: tuple[NDArray[np.uint64], ...]
    row: Int64s
    partition_of_event: Int64s
    key_rank: Int64s
    dropped: int
    next_clock: Int64s | None = None


def order_events(program: Program, columns: Mapping[str, Any], length: int) -> OrderedEvents:
    """Mask, order and cut the events of one table."""
    if program.keeps_all_types:
        rows, masks_by_group = np.arange(length), position_masks(program, columns, length)
    else:
        rows, masks_by_group = relevant_masks(program, columns, length)
    masks = masks_by_group[0]
    if len(masks_by_group) > 1:
        masks = np.bitwise_or.reduce(masks_by_group)
    all_ticks = to_ticks(columns[program.time], program.time)
    if not program.keeps_all_types and not masks.all():
        fits = np.flatnonzero(masks)
        rows, masks = rows[fits], masks[fits]
        masks_by_group = [each[fits] for each in masks_by_group]
    ticks = all_ticks if rows.size == length else all_ticks[rows]
    if program.clock is Clock.TIME:
        window = program.window_length or 0
        reject_extremes(ticks, program.time, window, has_ends=_shows_ends(program))
    partition, has_partition = _partitions(program, columns, rows)
    keys = [ticks, *(each[rows] for each in _order_codes(program, columns))]
    order = _key_order(keys)
    if order is not None:
        keys = [each[order] for each in keys]
    key_rank = _dense_ranks(keys)
    tick_of_rank = keys[0][starts_of_runs(key_rank)]
    # From here on `place` finds an event among the relevant ones, in partition and key order.
    place = np.arange(rows.size) if order is None else order
    has_partition = has_partition[place]
    if not has_partition.all():
        place, key_rank = place[has_partition], key_rank[has_partition]
    by_partition = _stable_order(partition[place])
    place, key_rank = place[by_partition], key_rank[by_partition]
    rows, partition, ticks, masks = rows[place], partition[place], ticks[place], masks[place]
    starts_partition = starts_of_runs(partition)
    starts_step = starts_partition | starts_of_runs(key_rank)
    clock, rank = _clock_and_rank(program, ticks, key_rank, starts_partition, starts_step)
    keep = np.ones(rows.size, np.bool_) if program.folds_all_types else masks != 0
    next_clock = None
    if isinstance(program.output, MatchOutput) and program.output.is_partial:
        next_clock = _next_clock(program, clock, key_rank, starts_partition, tick_of_rank)[keep]
    steps = np.cumsum(starts_step)[keep]
    partition = partition[keep]
    starts_partition, starts_step = starts_of_runs(partition), starts_of_runs(steps)
    fires, *negative = [each[place[keep]] for each in masks_by_group]
    arrays = EventArrays(
        fires,
        np.ascontiguousarray(clock[keep]),
        np.ascontiguousarray(rank[keep]),
        _offsets(starts_step),
        _offsets(starts_partition[starts_step]),
    )
    dense = np.cumsum(starts_partition) - 1
    dropped = _count_without_partition(columns, program.partition_by)
    return OrderedEvents(
        arrays, tuple(negative), rows[keep], dense, key_rank[keep], dropped, next_clock
    )


def _partitions(
    program: Program, columns: Mapping[str, Any], rows: Int64s
) -> tuple[Int64s, NDArray[np.bool_]]:
    """Return partition codes of some rows; only those are looked at, often a small part."""
    read = {name: columns[name] for name in program.partition_by}
    if not program.keeps_all_types:
        read = {name: column.take(to_arrow(rows)) for name, column in read.items()}
    return partition_codes(read, program.partition_by, rows.size)


def _count_without_partition(columns: Mapping[str, Any], attributes: Sequence[str]) -> int:
    """Return how many events have NULL in a partition attribute."""
    missing = [pc.is_null(columns[each]) for each in attributes if columns[each].null_count]
    if not missing:
        return 0
    return int(pc.sum(functools.reduce(pc.or_, missing)).as_py())


def partition_codes(
    columns: Mapping[str, Any], attributes: Sequence[str], length: int
) -> tuple[Int64s, NDArray[np.bool_]]:
    """Return a number per event, equal for equal attributes, and whether none of them is NULL."""
    codes = np.zeros(length, np.int64)
    valid = np.ones(length, np.bool_)
    size = 1
    for attribute in attributes:
        try:
            indices, count = _dictionary_codes(columns[attribute])
        except pa.ArrowNotImplementedError:
            raise DataError(
                f"events cannot be partitioned by '{attribute}': it holds {columns[attribute].type}"
            ) from None
        valid &= indices >= 0
        if size * (count + 1) > LARGEST_CODE:
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
            size = int(codes.max(initial=0)) + 1
        codes = codes * (count + 1) + np.maximum(indices, 0)
        size *= count + 1
    return codes, valid


def _dictionary_codes(column: Any) -> tuple[Int64s, int]:
    if len(column) == 0:  # Arrow cannot combine no chunks of a dictionary of every type
        return np.zeros(0, np.int64), 0
    if pa.types.is_float32(column.type) or pa.types.is_float64(column.type):
        column = pc.add(column, to_scalar(0.0, column.type))  # -0.0 equals 0.0
    if pa.types.is_integer(column.type) and not column.null_count:
        distances, count = _distances(column)
        if count <= MOST_DISTANT * len(column):
            return distances, count
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column)
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    indices: Int64s = to_numpy(pc.fill_null(pc.cast(column.indices, pa.int64()), to_scalar(-1)))
    return indices, len(column.dictionary)


def _distances(column: Any) -> tuple[Int64s, int]:
    """Return integers as distances from the smallest; as codes they need no dictionary."""
    values = to_numpy(column)
    smallest, largest = int(values.min()), int(values.max())
    if largest - smallest > LARGEST_CODE or largest > 2**63 - 1:
        return np.empty(0, np.int64), largest - smallest + 1
    return values.astype(np.int64) - smallest, largest - smallest + 1


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


def _key_order(keys: list[Int64s]) -> Int64s | None:
    """Return the permutation that sorts by time, then by the tie-break columns; None if sorted."""
    if len(keys) > 1:
        return np.lexsort(keys[::-1])
    times = keys[0]
    if times.size < 2 or bool(np.all(times[1:] >= times[:-1])):
        return None
    return np.argsort(times, kind="stable")


def _dense_ranks(sorted_keys: list[Int64s]) -> Int64s:
    """Number the distinct keys of sorted events, from 1."""
    starts = starts_of_runs(sorted_keys[0])
    for each in sorted_keys[1:]:
        starts |= starts_of_runs(each)
    return np.cumsum(starts)


def _stable_order(codes: Int64s) -> Int64s:
    """Sort stably; few partitions fit 16 bits, which NumPy sorts by radix."""
    if codes.size and int(codes.max()) >= SMALL:
        distinct, codes = np.unique(codes, return_inverse=True)
        if distinct.size >= SMALL:
            return np.argsort(codes, kind="stable")
    return np.argsort(codes.astype(np.uint16), kind="stable")


def starts_of_runs(values: Int64s) -> NDArray[np.bool_]:
    """Return whether each value differs from the one before it; the first one does."""
    result = np.ones(values.size, np.bool_)
    result[1:] = values[1:] != values[:-1]
    return result


def _offsets(starts: NDArray[np.bool_]) -> Int64s:
    return np.append(np.flatnonzero(starts), starts.size).astype(np.int64)


def _clock_and_rank(
    program: Program,
    ticks: Int64s,
    key_rank: Int64s,
    starts_partition: NDArray[np.bool_],
    starts_step: NDArray[np.bool_],
) -> tuple[Int64s, Int64s]:
    clock = ticks
    if program.clock is Clock.EVENTS:
        index = np.arange(ticks.size)
        step_start = np.maximum.accumulate(np.where(starts_step, index, 0))
        partition_start = np.maximum.accumulate(np.where(starts_partition, index, 0))
        clock = step_start - partition_start
    if program.ranking is Ranking.PARTITION:
        return clock, np.cumsum(starts_step, dtype=np.int64)
    return clock, key_rank


def _next_clock(
    program: Program,
    clock: Int64s,
    key_rank: Int64s,
    starts_partition: NDArray[np.bool_],
    tick_of_rank: Int64s,
) -> Int64s:
    """Return for every event the clock of the step that ends a contiguous run at it.

    Under strict contiguity that is the next step of the stream. It closes a window of time; a
    window of events only if it has an event of the partition, otherwise the run is over (NEVER).
    """
    in_partition = np.full(clock.size, ALWAYS, np.int64)
    next_rank = np.full(clock.size, ALWAYS, np.int64)
    partition = np.cumsum(starts_partition)
    starts = np.flatnonzero(starts_partition | starts_of_runs(key_rank))
    follower = np.searchsorted(starts, np.arange(clock.size), side="right")
    has_follower = follower < starts.size
    event = starts[np.minimum(follower, starts.size - 1)] if starts.size else follower
    has_follower &= partition[event] == partition
    in_partition[has_follower] = clock[event[has_follower]]
    next_rank[has_follower] = key_rank[event[has_follower]]
    if program.ranking is not Ranking.STREAM:
        return in_partition
    is_last = key_rank == tick_of_rank.size
    if program.clock is Clock.TIME:
        after = tick_of_rank[np.minimum(key_rank, tick_of_rank.size - 1)]  # ranks count from 1
        return np.where(is_last, ALWAYS, after)
    return np.where(next_rank == key_rank + 1, in_partition, np.where(is_last, ALWAYS, NEVER))
