"""Put events into the order of the fold: partition by partition, step by step; O(events)."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import Int64s, Masks
from cepheid.kernels.jit import kernel_in_place

Booleans: TypeAlias = NDArray[np.bool_]
UNSORTED, SORTED, RISING = 0, 1, 2


class Grouped(NamedTuple):
    """Events by partition, each partition in key order: its number, time, key's rank and mask.

    Those of partition p are `begin[p]:begin[p + 1]`.
    """

    event: Int64s
    ticks: Int64s
    key_rank: Int64s
    masks: Masks
    begin: Int64s


class Arranged(NamedTuple):
    """The events that are kept, with their place among those given; see EventArrays."""

    event: Int64s
    masks: Masks
    clock: Int64s
    rank: Int64s
    key_rank: Int64s
    step_offsets: Int64s
    partition_offsets: Int64s


@kernel_in_place
def find_nonzero(codes: NDArray[np.uint8], rows: Int64s) -> int:
    """Write the places of all codes but 0, and return how many; there is room for one more."""
    count = 0
    for row in range(codes.size):
        rows[count] = row  # overwritten if the code is 0: a branch would often be mispredicted
        count += codes[row] != 0
    return count


@kernel_in_place
def rank_keys(keys: Int64s, order: Int64s, rank: Int64s) -> None:
    """Number the distinct keys of events from 1; a column is a key.

    `order` sorts them; if it is empty they are sorted.
    """
    current, before = 0, 0
    for at in range(rank.size):
        event = order[at] if order.size else at
        is_new = at == 0
        for row in range(keys.shape[0]):
            is_new = is_new or keys[row, event] != keys[row, before]
        current += is_new
        rank[event] = current
        before = event


@kernel_in_place
def count_events(
    code: Int64s, is_member: Booleans, order: Int64s, first: int, last: int, counts: Int64s
) -> None:
    """Count by code the events `first:last` of an order that belong to a partition.

    If `order` is empty, events are in order; if `is_member` is, all belong to one.
    """
    for each in range(counts.size):
        counts[each] = 0
    for at in range(first, last):
        event = order[at] if order.size else at
        if is_member.size == 0 or is_member[event]:
            counts[code[event]] += 1


@kernel_in_place
def find_places(counts: Int64s, begin: Int64s) -> int:
    """Turn counts by part and code into places: those of a code are next to one another.

    Returns how many places there are; those of code c are `begin[c]:begin[c + 1]`.
    """
    total = 0
    for code in range(counts.shape[1]):
        begin[code] = total
        for part in range(counts.shape[0]):
            count = counts[part, code]
            counts[part, code] = total
            total += count
    begin[counts.shape[1]] = total
    return total


@kernel_in_place
def place_events(
    code: Int64s,
    is_member: Booleans,
    order: Int64s,
    key_rank: Int64s,
    ticks: Int64s,
    masks: Masks,
    first: int,
    last: int,
    free: Int64s,
    grouped: Grouped,
) -> None:
    """Write the events `first:last` of an order where they belong; `free` has the next places.

    Everything is written in one pass, since reading it in the new order later would miss the cache
    at every event. Without ranks none are written.
    """
    for at in range(first, last):
        event = order[at] if order.size else at
        if is_member.size == 0 or is_member[event]:
            place = free[code[event]]
            free[code[event]] += 1
            grouped.event[place], grouped.ticks[place] = event, ticks[event]
            grouped.masks[place] = masks[event]
            if key_rank.size:
                grouped.key_rank[place] = key_rank[event]


@kernel_in_place
def count_up(numbers: Int64s, first: int, last: int) -> None:
    """Fill a part of an array with its own places."""
    for at in range(first, last):
        numbers[at] = at


@kernel_in_place
def order_of(ticks: Int64s) -> int:
    """Return whether times are unsorted, sorted, or sorted without equal ones."""
    is_rising = True
    for at in range(1, ticks.size):
        if ticks[at] <= ticks[at - 1]:
            if ticks[at] < ticks[at - 1]:
                return UNSORTED
            is_rising = False
    return RISING if is_rising else SORTED


@kernel_in_place
def arrange(
    grouped: Grouped,
    keeps_all: bool,
    counts_events: bool,
    ranks_partition: bool,
    arranged: Arranged,
) -> tuple[int, int, int]:
    """Cut grouped events into steps and partitions; those without a mask count, but may go.

    The clock is an event's time, or its index in the partition. Ranks number the steps of the
    partition, or of the stream. Returns how many events, steps and partitions there are.
    """
    count, steps, partitions, step = 0, 0, 0, 0
    for code in range(grouped.begin.size - 1):
        begin, end = grouped.begin[code], grouped.begin[code + 1]
        step_begin, last_step, is_empty = begin, -1, True
        for at in range(begin, end):
            if at == begin or grouped.key_rank[at] != grouped.key_rank[at - 1]:
                step_begin = at
                step += 1
            if not keeps_all and grouped.masks[at] == 0:
                continue
            if is_empty:
                arranged.partition_offsets[partitions] = steps
                partitions += 1
                is_empty = False
            if step != last_step:
                arranged.step_offsets[steps] = count
                steps += 1
                last_step = step
            arranged.event[count], arranged.masks[count] = grouped.event[at], grouped.masks[at]
            arranged.key_rank[count] = grouped.key_rank[at]
            arranged.clock[count] = step_begin - begin if counts_events else grouped.ticks[at]
            arranged.rank[count] = step if ranks_partition else grouped.key_rank[at]
            count += 1
    arranged.step_offsets[steps], arranged.partition_offsets[partitions] = count, steps
    return count, steps, partitions
