"""Count the trends of a repetition whose neighbours compare one number, straight from a stream.

Every partition has a tree of its own over the numbers; events are taken as they come. This is
`count_any` for a stream in order whose trees are small, without grouping, steps and ranks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Float64s, Int64s, Masks
from cepheid.kernels.jit import kernel_in_place
from cepheid.kernels.prefix_counts import Counts, add_plain, plain_sum_of_first


class LoopEvents(NamedTuple):
    """Times, partitions, masks, and what is compared of the last and of the new event.

    Without partitions all events are of the first, without masks all fit.
    """

    clock: Int64s
    partition: Int64s
    fires: Masks
    last: Int64s
    new: Int64s


class LoopPlaces(NamedTuple):
    """Where numbers wait: the smallest has place 0 if trends rise, else the largest.

    `more` is 1 if equal numbers follow one another; `base` is where the tree of a partition begins.
    """

    smallest: int
    size: int
    is_rising: bool
    more: int
    base: Int64s


@kernel_in_place
def count_loop(
    events: LoopEvents,
    places: LoopPlaces,
    limit: float,
    counts: Counts,
    total: Float64s,
    first: Int64s,
) -> bool:
    """Write how many trends a partition has, and its first event; O(log size) an event.

    Returns False if times do not rise, or if a count may reach the limit. `total` is 0 and `first`
    -1 before.
    """
    size, largest = places.size, places.smallest + places.size - 1
    for event in range(events.clock.size):
        if event > 0 and events.clock[event] <= events.clock[event - 1]:
            return False
        if events.fires.size and events.fires[event] == 0:
            continue
        partition = events.partition[event] if events.partition.size else np.int64(0)
        last, new = events.last[event], events.new[event]
        place = last - places.smallest if places.is_rising else largest - last
        high = new - places.smallest if places.is_rising else largest - new
        base = places.base[partition]
        count = 1.0 + plain_sum_of_first(counts, base, size, high + places.more)
        if first[partition] < 0:
            first[partition] = event
        total[partition] += count
        if not total[partition] < limit:
            return False
        add_plain(counts, base, size, place, count)
    return True
