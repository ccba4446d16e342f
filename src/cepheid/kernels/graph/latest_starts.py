"""The latest start of a match that ends at an event, where negations may cut edges.

Every position keeps the events that wait at it, with the latest start of a run that ends in each,
as a stack: an event whose start is not later than that of a newer event is never asked for again
and goes. So ranks grow and starts fall from the bottom to the top, and the latest start among the
events from some rank on is found by binary search.
"""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.jit import inner, kernel

NO_START = 0  # ranks count from 1


@inner
def _latest_from(rank: Int64s, start: Int64s, begin: int, end: int, cut: int) -> int:
    """Return the latest start in a stack among the events from a rank on."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if rank[middle] >= cut:
            high = middle
        else:
            low = middle + 1
    return int(start[low]) if low < end else NO_START


@kernel
def find_latest_starts(
    automaton: AutomatonArrays, events: EventArrays, rank: Int64s, cuts: Int64s
) -> Int64s:
    """Return by event the rank at which the latest match that ends there starts, or NO_START.

    Matches are those of skip-till-any. Along the k-th edge in, event e follows only events of rank
    `cuts[k, e]` or more; an empty table cuts nothing. O(edges into the fired positions times log n)
    per event.
    """
    positions = automaton.follow.size
    found = np.zeros(events.fires.size, np.int64)
    bottom = np.zeros(positions + 1, np.int64)
    for event in range(events.fires.size):
        for position in range(positions):
            if (events.fires[event] >> np.uint64(position)) & np.uint64(1):
                bottom[position + 1] += 1
    bottom = np.cumsum(bottom)
    top = bottom[:-1].copy()
    stack_rank, stack_start = np.empty(bottom[-1], np.int64), np.empty(bottom[-1], np.int64)
    widest = 0
    for step in range(events.step_offsets.size - 1):
        widest = max(widest, events.step_offsets[step + 1] - events.step_offsets[step])
    new_start = np.empty((widest, positions), np.int64)
    for partition in range(events.partition_offsets.size - 1):
        top[:] = bottom[:-1]
        for step in range(
            events.partition_offsets[partition], events.partition_offsets[partition + 1]
        ):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            for event in range(begin, end):
                for position in range(positions):
                    bit = np.uint64(1) << np.uint64(position)
                    latest = np.int64(NO_START)
                    if events.fires[event] & bit:
                        if automaton.first & bit:
                            latest = rank[event]
                        for edge in range(
                            automaton.source_offsets[position],
                            automaton.source_offsets[position + 1],
                        ):
                            source = automaton.sources[edge]
                            before = _latest_from(
                                stack_rank,
                                stack_start,
                                bottom[source],
                                top[source],
                                cuts[edge, event] if cuts.size else NO_START,
                            )
                            latest = max(latest, np.int64(before))
                        if automaton.last & bit:
                            found[event] = max(found[event], latest)
                    new_start[event - begin, position] = latest
            for event in range(begin, end):
                for position in range(positions):
                    latest = new_start[event - begin, position]
                    if latest == NO_START:
                        continue
                    at = top[position]
                    while at > bottom[position] and stack_start[at - 1] <= latest:
                        at -= 1
                    stack_rank[at], stack_start[at] = rank[event], latest
                    top[position] = at + 1
    return found
