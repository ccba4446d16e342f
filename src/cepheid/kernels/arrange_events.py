"""Put events into the order of the fold: partition by partition, step by step; O(events)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import Int64s, Masks
from cepheid.kernels.jit import kernel


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
    partition: Int64s
    step_offsets: Int64s
    partition_offsets: Int64s


@kernel
def rank_keys(keys: Int64s, order: Int64s) -> Int64s:
    """Number the distinct keys of events from 1; a column is a key, `order` sorts them."""
    rank = np.empty(order.size, np.int64)
    current = np.int64(0)
    for at in range(order.size):
        is_new = at == 0
        for row in range(keys.shape[0]):
            is_new = is_new or keys[row, order[at]] != keys[row, order[at - 1]]
        current += is_new
        rank[order[at]] = current
    return rank


@kernel
def group_events(
    code: Int64s,
    is_member: NDArray[np.bool_],
    codes: int,
    order: Int64s,
    key_rank: Int64s,
    ticks: Int64s,
    masks: Masks,
) -> Grouped:
    """Group the events that belong to a partition by their code, then in the given order.

    Everything is written where it belongs in one pass, since reading it in the new order later
    would miss the cache at every event.
    """
    begin = np.zeros(codes + 1, np.int64)
    for event in range(code.size):
        if is_member[event]:
            begin[code[event] + 1] += 1
    for each in range(codes):
        begin[each + 1] += begin[each]
    size, free = begin[codes], begin.copy()
    grouped = Grouped(
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.uint64),
        begin,
    )
    for event in order:
        if is_member[event]:
            at = free[code[event]]
            free[code[event]] += 1
            grouped.event[at], grouped.ticks[at] = event, ticks[event]
            grouped.key_rank[at], grouped.masks[at] = key_rank[event], masks[event]
    return grouped


@kernel
def arrange(
    grouped: Grouped, keeps_all: bool, counts_events: bool, ranks_partition: bool
) -> Arranged:
    """Cut grouped events into steps and partitions; those without a mask count, but may go.

    The clock is an event's time, or its index in the partition. Ranks number the steps of the
    partition, or of the stream.
    """
    size = grouped.event.size
    kept = np.empty(size, np.int64)
    clock, rank, partition = (
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64),
    )  # fmt: skip
    step_offsets, partition_offsets = np.empty(size + 1, np.int64), np.empty(size + 1, np.int64)
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
                partition_offsets[partitions] = steps
                partitions += 1
                is_empty = False
            if step != last_step:
                step_offsets[steps] = count
                steps += 1
                last_step = step
            kept[count] = at
            clock[count] = step_begin - begin if counts_events else grouped.ticks[at]
            rank[count] = step if ranks_partition else grouped.key_rank[at]
            partition[count] = partitions - 1
            count += 1
    step_offsets[steps], partition_offsets[partitions] = count, steps
    kept = kept[:count]
    return Arranged(
        grouped.event[kept],
        grouped.masks[kept],
        clock[:count],
        rank[:count],
        grouped.key_rank[kept],
        partition[:count],
        step_offsets[: steps + 1],
        partition_offsets[: partitions + 1],
    )
