"""When a contiguous run is over; partial matches ask."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.partition_codes import partition_of_event
from cepheid.kernels.graph.match_nodes import ALWAYS, NEVER
from cepheid.kernels.order.arrange_events import Arranged
from cepheid.program.program import Clock, Program, Ranking

Int64s = NDArray[np.int64]


def next_clock(program: Program, events: Arranged, tick_of_rank: Int64s) -> Int64s:
    """Return for every event the clock of the step that ends a contiguous run at it.

    Under strict contiguity that is the next step of the stream. It closes a window of time; a
    window of events only if it has an event of the partition, otherwise the run is over (NEVER).
    `tick_of_rank` has the time of every order key of the stream.
    """
    size, key_rank = events.clock.size, events.key_rank
    in_partition, next_rank = np.full(size, ALWAYS, np.int64), np.full(size, ALWAYS, np.int64)
    step = np.repeat(np.arange(events.step_offsets.size - 1), np.diff(events.step_offsets))
    follower = events.step_offsets[step + 1] if size else step
    has_follower = follower < size
    event = np.minimum(follower, max(0, size - 1))
    partition = partition_of_event(events.step_offsets, events.partition_offsets)
    has_follower &= partition[event] == partition
    in_partition[has_follower] = events.clock[event[has_follower]]
    next_rank[has_follower] = key_rank[event[has_follower]]
    if program.ranking is not Ranking.STREAM:
        return in_partition
    is_last = key_rank == tick_of_rank.size
    if program.clock is Clock.TIME:
        after = tick_of_rank[np.minimum(key_rank, tick_of_rank.size - 1)]  # ranks count from 1
        return np.where(is_last, ALWAYS, after)
    return np.where(next_rank == key_rank + 1, in_partition, np.where(is_last, ALWAYS, NEVER))
