"""SHARON for Kleene patterns: fixed lengths, whose counts all queries share (HAMLET, section 5.1).

| paper | here |
|---|---|
| flattening of T+ | sequences of 1, 2, … events T, up to all those of the slice |
| shared sequence | `counts[first, length]`: how many begin with the event `first`; `sums` |
| what a query has before it | `before[first, type]`: events of a type before `first` |
| aggregate of a query of one length | before times counts, when its last event comes |

A slice is the events of one partition in one window, see trend_slices.py. Query q is
`SEQ(X, T+, Y)` with X of type `starts[q]`, Y of type `ends[q]`, and asks for SUM(T.value).
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import Ints, compiled
from benchmarks.papers.baselines.trend_slices import Floats


@compiled
def shared_sequences(
    code: Ints, value: Floats, offsets: Ints, kleene: int, starts: Ints, ends: Ints, types: int
) -> Floats:
    """Return the sums by slice and query.

    An event T costs a step per event T before it and length, shared by all queries; the last event
    of a query costs as much for this query.
    """
    slices = offsets.size - 1
    totals = np.zeros((slices, starts.size), np.float64)
    longest = 0
    for index in range(slices):
        length = 0
        for event in range(offsets[index], offsets[index + 1]):
            length += code[event] == kleene
        longest = max(longest, length)
    counts = np.zeros((longest, longest + 1), np.float64)
    sums = np.zeros((longest, longest + 1), np.float64)
    before = np.zeros((longest, types), np.float64)
    seen = np.zeros(types, np.float64)
    for index in range(slices):
        seen[:] = 0.0
        firsts = 0
        for event in range(offsets[index], offsets[index + 1]):
            own = code[event]
            for query in range(ends.size):
                if ends[query] == own:
                    for first in range(firsts):
                        some = before[first, starts[query]]
                        for length in range(1, firsts - first + 1):
                            totals[index, query] += some * sums[first, length]
            if own == kleene:
                for first in range(firsts):
                    for length in range(firsts - first + 1, 1, -1):
                        shorter = counts[first, length - 1]
                        counts[first, length] += shorter
                        sums[first, length] += sums[first, length - 1] + value[event] * shorter
                counts[firsts, :] = 0.0
                counts[firsts, 1] = 1.0
                sums[firsts, :] = 0.0
                sums[firsts, 1] = value[event]
                before[firsts, :] = seen
                firsts += 1
            seen[own] += 1.0
    return totals
