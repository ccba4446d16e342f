"""Places of values in their order, within partitions: dense ranks, or distances."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import kernel_in_place


@kernel_in_place
def rank_in_partitions(
    order: Int64s, number: Int64s, partition: Int64s, latest: Int64s, size: Int64s, rank: Int64s
) -> None:
    """Write how many different smaller values a partition has, and how many it has at all.

    `order` sorts the values; `number[i]` is the same for equal values of the whole stream. `latest`
    and `size` have an entry for every partition, -1 and 0 at first.
    """
    for index in range(order.size):
        item = order[index]
        owner = partition[item]
        if latest[owner] != number[index]:
            latest[owner] = number[index]
            size[owner] += 1
        rank[item] = size[owner] - 1


@kernel_in_place
def find_ranges(
    last: Int64s, new: Int64s, begin: Int64s, most: int, smallest: Int64s, size: Int64s
) -> bool:
    """Write the smallest value of every partition, and how many integers its values span.

    Both columns count; the events of partition p are `begin[p]:begin[p + 1]`. Returns False as soon
    as all partitions together span more than `most` integers.
    """
    total = 0
    for partition in range(size.size):
        first = begin[partition]
        low, high = last[first], last[first]
        for event in range(first, begin[partition + 1]):
            low, high = min(low, last[event], new[event]), max(high, last[event], new[event])
        # Without sign: compilers assume that a difference with one never leaves 64 bits.
        if np.uint64(high) - np.uint64(low) >= np.uint64(most - total):
            return False
        smallest[partition], size[partition] = low, high - low + 1
        total += size[partition]
    return True


@kernel_in_place
def place_by_distance(
    last: Int64s,
    new: Int64s,
    begin: Int64s,
    smallest: Int64s,
    size: Int64s,
    is_rising: bool,
    more: int,
    place: Int64s,
    high: Int64s,
) -> None:
    """Write where an event waits, and how many places it takes what waits at.

    Places count from the smallest value up if values rise along the edge, else from the largest
    down; `more` is 1 if equal values follow one another.
    """
    for partition in range(size.size):
        low, top = smallest[partition], smallest[partition] + size[partition] - 1
        for event in range(begin[partition], begin[partition + 1]):
            place[event] = last[event] - low if is_rising else top - last[event]
            high[event] = (new[event] - low if is_rising else top - new[event]) + more
