"""Events in the order of the fold: partition by partition, step by step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.derived_types import StreamTime
from cepheid.engine.events.few_events import group_few, grouped_few, order_of_few
from cepheid.engine.events.hidden_columns import INDEX
from cepheid.engine.events.horizons import Horizons, horizons_in_events, horizons_in_time
from cepheid.engine.events.is_few import is_few
from cepheid.engine.events.next_tick import next_clock
from cepheid.engine.events.partition_codes import (
    PartitionCodes,
    count_without_partition,
    partition_codes,
    partition_of_event,
)
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.take_rows import take_into
from cepheid.engine.events.ticks import (
    reject_extremes,
    reject_nulls,
    times_with_windows,
    to_ticks,
)
from cepheid.engine.process.threads import cut, side_by_side
from cepheid.errors import DataError
from cepheid.kernels.arrays import EventArrays, Masks
from cepheid.kernels.order.arrange_events import (
    RISING,
    UNSORTED,
    Arranged,
    Grouped,
    arrange,
    count_events,
    count_up,
    find_nonzero,
    find_places,
    order_of,
    place_events,
    rank_keys,
)
from cepheid.program.arrow_arrays import empty, empty_table, texts_to_arrow, to_numpy
from cepheid.program.position_masks import EventTypes, TakenColumns, masks_of_types
from cepheid.program.program import Clock, MatchOutput, Program, Ranking

Int64s = NDArray[np.int64]
LEAST_EVENTS = 2**17  # that are worth a thread


@dataclass(frozen=True)
class OrderedEvents:
    """Kernel arrays, and for each of their events the row it came from.

    `negative_fires` are the masks of negated parts; an event may fit only those.

    `key_rank` is the dense rank of the event's order key in the whole stream; `dropped` counts
    events that fit a position and belong to no partition. `next_clock` is the clock at which a
    contiguous run that ends in the event is over: that of the next step, ALWAYS if there is none;
    only partial matches need it. `horizons` are those of a step of a stream.
    """

    arrays: EventArrays
    negative_fires: tuple[NDArray[np.uint64], ...]
    row: Int64s
    key_rank: Int64s
    dropped: int
    next_clock: Int64s | None = None
    horizons: Horizons | None = None

    @cached_property
    def partition_of_event(self) -> Int64s:
        """The number of every event's partition, in the order of the arrays."""
        return partition_of_event(self.arrays.step_offsets, self.arrays.partition_offsets)


class ScannedColumns(Mapping[str, Any], ABC):
    """Columns of events that several programs read, which are ordered once for all of them."""

    @abstractmethod
    def ordered(self, program: Program, report: ReportRange | None = None) -> OrderedEvents:
        """Return the events that matter to a program, in order."""


def order_events(
    program: Program,
    columns: Mapping[str, Any],
    length: int,
    *,
    threads: int = 1,
    report: ReportRange | None = None,
) -> OrderedEvents:
    """Mask, order and cut the events of one table.

    The time is read last: while it is, what comes before can be done.
    """
    if isinstance(columns, ScannedColumns):
        return columns.ordered(program, report)
    relevant = _relevant(program, columns, length)
    return order_relevant(program, columns, relevant, threads=threads, report=report)


class Relevant(NamedTuple):
    """The events that matter (None: all), their masks by group, and those of all groups in one."""

    rows: Int64s | None
    masks_by_group: list[Masks]
    masks: Masks


def order_relevant(
    program: Program,
    columns: Mapping[str, Any],
    relevant: Relevant,
    *,
    threads: int = 1,
    report: ReportRange | None = None,
) -> OrderedEvents:
    """Order and cut events whose masks are known."""
    ordering = find_ordering(program, columns, relevant.rows, relevant.masks, threads=threads)
    reject_extreme_times(program, ordering.keys.ticks)
    return cut_events(program, columns, ordering, relevant, report=report)


class Ordering(NamedTuple):
    """Events in order, by partition."""

    partitions: PartitionCodes
    keys: Keys
    grouped: Grouped
    threads: int


def find_ordering(
    program: Program,
    columns: Mapping[str, Any],
    rows: Int64s | None,
    masks: Masks,
    *,
    threads: int,
) -> Ordering:
    """Sort events by the partitions and order keys of a program; None stands for all rows."""
    read = TakenColumns({name: columns[name] for name in program.partition_by}, rows)
    partitions = partition_codes(read, program.partition_by, masks.size)
    reject_missing_order(program, columns)
    ties = [_taken(each, rows) for each in order_codes(program, columns)]
    ticks = _taken(to_ticks(columns[program.time], program.time), rows)
    keys = _keys(ticks, ties)
    threads = max(1, min(threads, masks.size // LEAST_EVENTS))
    grouped = _grouped(partitions, keys, masks, threads)
    return Ordering(partitions, keys, grouped, threads)


def cut_events(
    program: Program,
    columns: Mapping[str, Any],
    ordering: Ordering,
    relevant: Relevant,
    *,
    report: ReportRange | None = None,
) -> OrderedEvents:
    """Cut events in order into steps and partitions; those without a mask may be left out."""
    partitions, keys, grouped, threads = ordering
    rows, masks_by_group, masks = relevant
    events = _arranged(program, grouped, keys, threads, keeps_all=program.folds_all_types)
    index = _index(program, columns, rows)
    if index is not None:
        events = events._replace(clock=index[events.event])
    fires, *negative = (
        [events.masks]
        if len(masks_by_group) == 1
        else [each[events.event] for each in masks_by_group]
    )
    later = None
    if isinstance(program.output, MatchOutput) and program.output.is_partial:
        every = _arranged(program, grouped, keys, threads, keeps_all=True)
        later = np.empty(masks.size, np.int64)
        if index is not None:
            every = every._replace(clock=index[every.event])
        later[every.event] = next_clock(program, every, _tick_of_rank(keys))
        later = later[events.event]
    horizons = None
    if report is not None and program.clock is Clock.TIME:
        horizons = horizons_in_time(report, events.partition_offsets.size - 1)
    elif report is not None:
        firsts = events.event[events.step_offsets[events.partition_offsets[:-1]]]
        window = program.window_length or 0
        by_code = horizons_in_events(report, grouped, index, window)
        horizons = Horizons._make(each[partitions.code[firsts]] for each in by_code)
    return OrderedEvents(
        EventArrays(
            fires, events.clock, events.rank, events.step_offsets, events.partition_offsets
        ),
        tuple(negative),
        events.event if rows is None else _taken(rows, events.event),
        events.key_rank,
        count_without_partition(partitions, masks),
        later,
        horizons,
    )


def reject_missing_order(program: Program, columns: Mapping[str, Any]) -> None:
    """Raise a DataError if a tie-break column has a NULL that it may not have."""
    for name in program.order:
        reject_nulls(columns[name], name, "order", allowed=is_derived(program, columns))


def reject_extreme_times(program: Program, ticks: Int64s) -> None:
    """Raise a DataError if a time is too far out for the windows of the program."""
    if program.clock is Clock.TIME:
        window, ends = program.window_length or 0, _shows_ends(program)
        has_negation = _has_negation(program)
        reject_extremes(ticks, program.time, window, has_ends=ends, has_negation=has_negation)


def extreme_times(program: Program, ticks: Int64s) -> NDArray[np.bool_]:
    """Return which times are too far out for the windows of the program."""
    if program.clock is not Clock.TIME:
        return np.zeros(ticks.size, np.bool_)
    window, ends = program.window_length or 0, _shows_ends(program)
    has_negation = _has_negation(program)
    first, last = times_with_windows(window, has_ends=ends, has_negation=has_negation)
    return (ticks < first) | (ticks > last)


def _has_negation(program: Program) -> bool:
    sides = (program,) if program.pair is None else (program, program.pair.second)
    return any(each.negation is not None for each in sides)


def _index(program: Program, columns: Mapping[str, Any], rows: Int64s | None) -> Int64s | None:
    """Return the index of every event in its partition, if a stream has counted them."""
    if program.clock is not Clock.EVENTS or INDEX not in columns:
        return None
    return _taken(np.array(to_numpy(columns[INDEX]), np.int64), rows)


class Keys(NamedTuple):
    """The keys of events: their times, what sorts them (nothing if they are) and their ranks.

    Keys that are sorted and all different are `rising`. Then ranks follow from places: none here.
    """

    ticks: Int64s
    order: Int64s
    rank: Int64s
    are_rising: bool


def _keys(ticks: Int64s, ties: list[Int64s]) -> Keys:
    none = np.empty(0, np.int64)
    keys = empty_table(1 + len(ties), ticks.size)
    for row, key in enumerate([ticks, *ties]):  # kernels know arrays of their own, not of Arrow
        keys[row] = key
    kind = UNSORTED
    if not ties:
        kind = rising_or_sorted(keys[0])
    if kind == RISING:
        return Keys(keys[0], none, none, are_rising=True)
    order = none
    if kind == UNSORTED:
        order = np.lexsort(keys[::-1]) if ties else np.argsort(ticks, kind="stable")
    rank = empty(ticks.size)
    rank_keys(keys, order, rank)
    return Keys(keys[0], order, rank, are_rising=False)


def _grouped(partitions: PartitionCodes, keys: Keys, masks: Masks, threads: int) -> Grouped:
    """Group the events; a thread has a part of them, and a place where those of a code begin."""
    code, is_member, size = partitions
    if size == 1 and not is_member.size and not keys.order.size:
        events = np.arange(masks.size)
        rank = events + 1 if keys.are_rising else keys.rank
        return Grouped(events, keys.ticks, rank, masks, np.array([0, masks.size]))
    if is_few(masks.size):
        events, begin = group_few(code, is_member, keys.order, size)
        return grouped_few(events, begin, keys.ticks, keys.rank, masks)
    threads = 1 if size * threads > masks.size else threads
    parts, free, begin = cut(masks.size, threads), empty_table(threads, size), empty(size + 1)
    side_by_side(
        [
            partial(count_events, code, is_member, keys.order, part.start, part.stop, own)
            for part, own in zip(parts, free, strict=True)
        ]
    )
    count = find_places(free, begin)
    room = Grouped(empty(count), empty(count), empty(count), empty(count, np.uint64), begin)
    given = (code, is_member, keys.order, keys.rank, keys.ticks, masks)
    side_by_side(
        [
            partial(place_events, *given, part.start, part.stop, own, room)
            for part, own in zip(parts, free, strict=True)
        ]
    )
    if keys.are_rising:
        np.add(room.event, 1, out=room.key_rank)
    return room


def _arranged(
    program: Program, grouped: Grouped, keys: Keys, threads: int, *, keeps_all: bool
) -> Arranged:
    size = grouped.event.size
    counts_events = program.clock is Clock.EVENTS
    ranks_partition = program.ranking is Ranking.PARTITION
    has_all = keeps_all or bool(grouped.masks.all())
    if has_all and keys.are_rising and not counts_events:
        return _one_event_a_step(grouped, threads, ranks_partition=ranks_partition)
    room = Arranged(
        grouped.event if has_all else empty(size),
        grouped.masks if has_all else empty(size, np.uint64),
        grouped.ticks if has_all and not counts_events else empty(size),
        empty(size),
        grouped.key_rank if has_all else empty(size),
        empty(size + 1),
        empty(grouped.begin.size),
    )
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


def _one_event_a_step(grouped: Grouped, threads: int, *, ranks_partition: bool) -> Arranged:
    """Arrange events of which no two are concurrent, and all of which are kept."""
    size = grouped.event.size
    if is_few(size):
        steps = np.arange(size + 1)
    else:
        steps = empty(size + 1)
        side_by_side([partial(count_up, steps, e.start, e.stop) for e in cut(size + 1, threads)])
    begin = grouped.begin
    return Arranged(
        grouped.event,
        grouped.masks,
        grouped.ticks,
        steps[1:] if ranks_partition else grouped.key_rank,
        grouped.key_rank,
        steps,
        np.append(begin[:-1][begin[:-1] < begin[1:]], size),
    )


def _relevant(program: Program, columns: Mapping[str, Any], length: int) -> Relevant:
    types = EventTypes(program, columns, length)
    rows = None if program.keeps_all_types else _rows_of_types(types)
    if rows is not None:  # often a small part
        columns, types = TakenColumns(columns, rows), types.at(rows)
    by_group = masks_of_types(program, columns, types)
    masks = by_group[0] if len(by_group) == 1 else np.bitwise_or.reduce(by_group)
    if program.keeps_all_types or masks.all():
        return Relevant(rows, by_group, masks)
    fits = np.flatnonzero(masks)
    rows = fits if rows is None else rows[fits]
    return Relevant(rows, [each[fits] for each in by_group], masks[fits])


def _rows_of_types(types: EventTypes) -> Int64s | None:
    """Return the events of types that the program names, None for all."""
    if types.codes is None or types.codes.all():
        return None
    if types.codes.dtype != np.uint8 or is_few(types.codes.size):
        return np.flatnonzero(types.codes)
    codes = types.codes.view(np.uint8)
    rows = empty(int(np.count_nonzero(codes)) + 1)
    return rows[: find_nonzero(codes, rows)]


def _taken(values: Int64s, rows: Int64s | None) -> Int64s:
    """Return the values of some rows, or of all."""
    if rows is None:
        return values
    return take_into(empty(rows.size), values, rows)


def _tick_of_rank(keys: Keys) -> Int64s:
    """Return the time of every order key; ranks count from 1."""
    if keys.are_rising:
        return keys.ticks
    result = np.empty(int(keys.rank.max(initial=0)), np.int64)
    result[keys.rank - 1] = keys.ticks
    return result


def _shows_ends(program: Program) -> bool:
    output = program.output
    if isinstance(output, MatchOutput):
        return output.stream_time is StreamTime.SPAN_END
    return program.slide is not None or output.shows_expiry


def order_codes(program: Program, columns: Mapping[str, Any]) -> list[Int64s]:
    """Return ranks; NULL, which results of other queries may have, comes last."""
    codes = []
    for name in program.order:
        column = columns[name]
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


def is_derived(program: Program, columns: Mapping[str, Any]) -> Any:
    """Return which events are of a type that INTO names; None if there are no such types."""
    if program.type_column is None or not program.derived_types:
        return None
    types = columns[program.type_column]
    if pa.types.is_dictionary(types.type):
        types = pc.cast(types, types.type.value_type)
    return pc.is_in(types, texts_to_arrow(program.derived_types, types.type))


def starts_of_runs(values: Int64s) -> NDArray[np.bool_]:
    """Return whether each value differs from the one before it; the first one does."""
    result = np.ones(values.size, np.bool_)
    result[1:] = values[1:] != values[:-1]
    return result


def rising_or_sorted(ticks: Int64s) -> int:
    """Return whether times rise, are sorted, or neither; see `order_of`."""
    return order_of_few(ticks) if is_few(ticks.size) else order_of(ticks)
