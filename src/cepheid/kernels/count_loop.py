"""Count the trends of a repetition whose neighbours compare one number, straight from a stream.

Every partition has a tree of its own over the numbers; events are taken as they come. This is
`count_any` for a stream in order whose trees are small, without grouping, steps and ranks; windows
must not overlap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Float64s, Int64s, Masks
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.prefix_counts import BITS, WIDTH, Counts, add_plain, plain_sum_of_first


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


class LoopRows(NamedTuple):
    """A row for every partition and window with events: its first event, and how many trends."""

    partition: Int64s
    window: Int64s
    first: Int64s
    trends: Float64s


@kernel_in_place
def count_loop(
    events: LoopEvents,
    places: LoopPlaces,
    window: int,
    limit: float,
    counts: Counts,
    row_of_partition: Int64s,
    rows: LoopRows,
) -> int:
    """Write how many trends every window of a partition has; O(log size) an event.

    Windows of 0 ticks: there are none. Returns the number of rows, -1 if times do not rise or a
    count may reach the limit. `row_of_partition` is -1 before.
    """
    size, largest = places.size, places.smallest + places.size - 1
    row, opened, number, end = 0, 0, 0, events.clock[0]
    for event in range(events.clock.size):
        if event > 0 and events.clock[event] <= events.clock[event - 1]:
            return -1
        if events.fires.size and events.fires[event] == 0:
            continue
        if window > 0 and events.clock[event] >= end:
            for each in range(opened, row):
                _close(places, counts, row_of_partition, rows.partition[each])
            opened = row
            number = events.clock[event] // window
            end = (number + 1) * window
        partition = events.partition[event] if events.partition.size else np.int64(0)
        last, new = events.last[event], events.new[event]
        place = last - places.smallest if places.is_rising else largest - last
        high = new - places.smallest if places.is_rising else largest - new
        base = places.base[partition]
        count = 1.0 + plain_sum_of_first(counts, base, size, high + places.more)
        at = row_of_partition[partition]
        if at < 0:
            at, row = row, row + 1
            row_of_partition[partition] = at
            rows.partition[at], rows.window[at], rows.first[at] = partition, number, event
            rows.trends[at] = 0.0
        rows.trends[at] += count
        if not rows.trends[at] < limit:
            return -1
        add_plain(counts, base, size, place, count)
    return row


@inlined
def _close(places: LoopPlaces, counts: Counts, row_of_partition: Int64s, partition: int) -> None:
    """Empty the tree of a partition."""
    row_of_partition[partition] = -1
    begin, end = places.base[partition] >> BITS, counts.mantissa.shape[0]
    if partition + 1 < places.base.size:
        end = places.base[partition + 1] >> BITS
    for node in range(begin, end):
        for slot in range(WIDTH):
            counts.mantissa[node, slot] = 0.0
