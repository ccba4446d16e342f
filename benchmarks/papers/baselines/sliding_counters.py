"""A-Seq as published, with a result at the end of every window [i * slide, i * slide + length).

The prefix counters are those of prefix_counters.py: one per active START event. What a window has
is the sum over the counters of its START events.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import Ints, States, compiled
from benchmarks.papers.baselines.prefix_counters import FIRST_COUNTERS, with_space

FIRST_RESULTS = 1024


@compiled
def sliding_counters(
    place: States, time: Ints, length: int, window: int, slide: int
) -> tuple[Ints, Ints]:
    """Return the beginning and the count of every window that has sequences.

    `place` is the place of an event in the sequence, below 0: none. An event costs as many steps as
    there are active START events.
    """
    counts = np.zeros((length, FIRST_COUNTERS), np.int64)
    expires = np.empty(FIRST_COUNTERS, np.int64)
    starts, results = np.empty(FIRST_RESULTS, np.int64), np.empty(FIRST_RESULTS, np.int64)
    oldest = newest = rows = 0
    end = (time[0] // slide + 1) * slide if time.size else 0
    for event in range(time.size + 1):
        while event == time.size or end <= time[event]:
            while oldest < newest and expires[oldest] < end:
                oldest += 1
            if oldest == newest:  # nothing to tell until the next event
                if event == time.size:
                    break
                end = max(end, time[event] // slide * slide) + slide
                continue
            total = 0
            for counter in range(oldest, newest):
                total += counts[length - 1, counter]
            if total > 0:
                if rows == starts.size:
                    starts, results = _longer(starts), _longer(results)
                starts[rows], results[rows] = end - window, total
                rows += 1
            end += slide
        if event == time.size:
            break
        at = place[event]
        if at == 0:
            if newest == expires.size:
                counts, expires = with_space(counts, expires, oldest, newest)
                oldest, newest = 0, newest - oldest
            counts[:, newest] = 0
            counts[0, newest] = 1
            expires[newest] = time[event] + window
            newest += 1
        elif at > 0:
            for counter in range(oldest, newest):
                counts[at, counter] += counts[at - 1, counter]
    return starts[:rows], results[:rows]


@compiled
def _longer(values: Ints) -> Ints:
    longer = np.empty(2 * values.size, np.int64)
    longer[: values.size] = values
    return longer
