"""A-Seq as published: a prefix counter per active START event (SIGMOD 2014, sections 3.1 to 3.3).

| paper | here |
|---|---|
| PreCntr of a START event | a column of `counts`, one number per prefix |
| START, UPD, TRIG event | place 0, a place in between, the last place |
| expiration of a START event | its column is left behind: `oldest` moves on |
| recounting at a negated event | the prefix before the negated type becomes 0 in all columns |

The columns of one prefix lie next to each other, so that the loop over all active START events,
which is the cost of the method, works on neighbours.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import Ints, States, compiled

FIRST_COUNTERS = 64
NO_PLACE = -1


@compiled
def prefix_counters(
    place: States, negated: States, time: Ints, length: int, window: int
) -> tuple[Ints, Ints, int]:
    """Return time and count at every TRIG event, and how many counters there were at most.

    `place` is the place of an event in the sequence, `negated` the place after which its type is
    negated; NO_PLACE: none. An event costs as many steps as there are active START events.
    """
    counts = np.zeros((length, FIRST_COUNTERS), np.int64)
    expires = np.empty(FIRST_COUNTERS, np.int64)
    triggers = 0
    for event in range(place.size):
        triggers += place[event] == length - 1
    times, results = np.empty(triggers, np.int64), np.empty(triggers, np.int64)
    oldest = newest = row = most = 0
    for event in range(place.size):
        while oldest < newest and expires[oldest] <= time[event]:
            oldest += 1
        if negated[event] >= 0:
            counts[negated[event], oldest:newest] = 0
        at = place[event]
        if at == 0:
            if newest == expires.size:
                counts, expires = with_space(counts, expires, oldest, newest)
                oldest, newest = 0, newest - oldest
            counts[:, newest] = 0
            counts[0, newest] = 1
            expires[newest] = time[event] + window
            newest += 1
            most = max(most, newest - oldest)
        elif at > 0:
            for counter in range(oldest, newest):
                counts[at, counter] += counts[at - 1, counter]
        if at == length - 1:
            total = 0
            for counter in range(oldest, newest):
                total += counts[at, counter]
            times[row], results[row] = time[event], total
            row += 1
    return times, results, most


@compiled
def with_space(counts: Ints, expires: Ints, oldest: int, newest: int) -> tuple[Ints, Ints]:
    """Move the active counters to the front, into twice the space if they need it."""
    active = newest - oldest
    size = 2 * expires.size if 2 * active > expires.size else expires.size
    moved, moved_expires = np.zeros((counts.shape[0], size), np.int64), np.empty(size, np.int64)
    moved[:, :active] = counts[:, oldest:newest]
    moved_expires[:active] = expires[oldest:newest]
    return moved, moved_expires
