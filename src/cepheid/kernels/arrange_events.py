"""Put events into the order of the fold: partition by partition, step by step; O(events)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import Int64s, Masks
from cepheid.kernels.jit import kernel_in_place


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
def group_events(
    code: Int64s,
    is_member: NDArray[np.bool_],
    order: Int64s,
    key_rank: Int64s,
    ticks: Int64s,
    masks: Masks,
    free: Int64s,
    grouped: Grouped,
) -> int:
    """Group the events that belong to a partition by their code, then in the given order.

    Everything is written where it belongs in one pass, since reading it in the new order later
    would miss the cache at every event. Returns how many belong to one.
    """
    begin = grouped.begin
    for each in range(begin.size):
        begin[each] = 0
    for event in range(code.size):
        if is_member[event]:
            begin[code[event] + 1] += 1
    for each in range(begin.size - 1):
        begin[each + 1] += begin[each]
    for each in range(begin.size):
        free[each] = begin[each]
    for at in range(code.size):
        event = order[at] if order.size else at
        if is_member[event]:
            place = free[code[event]]
            free[code[event]] += 1
            grouped.event[place], grouped.ticks[place] = event, ticks[event]
            grouped.key_rank[place], grouped.masks[place] = key_rank[event], masks[event]
    return int(begin[begin.size - 1])


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
