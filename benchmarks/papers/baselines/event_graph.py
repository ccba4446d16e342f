"""GRETA: the event-grained graph (Poppe et al., VLDB 2017, as COGRA describes it in section 8.1).

| paper | here |
|---|---|
| vertex of a matched event | an index of `started` and `kept`, with the event's `value` |
| intermediate count of a vertex | `started` (trends that end at it as S), `kept` (as A) |
| edges | not stored: an event scans all vertices before it that may precede it |

Only skip-till-any. A predicate on adjacent events joins two events of the loop A+: the earlier
one's `bound` must be above the later one's `value`.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import Ints, compiled
from benchmarks.papers.baselines.trend_slices import END, KLEENE, START, Bits, Floats


@compiled
def event_graph(
    fires: Bits, offsets: Ints, bounded: bool, compares: bool, bound: Ints, value: Ints
) -> Floats:
    """Return the number of trends of every slice; an event costs a step per earlier vertex."""
    slices = offsets.size - 1
    totals = np.zeros(slices, np.float64)
    longest = 0
    for index in range(slices):
        longest = max(longest, offsets[index + 1] - offsets[index])
    started, kept = np.empty(longest, np.float64), np.empty(longest, np.float64)
    bounds = np.empty(longest, np.int64)
    for index in range(slices):
        vertices = 0
        total = 0.0
        for event in range(offsets[index], offsets[index + 1]):
            fired = fires[event]
            if fired == 0:
                continue
            count = 0.0
            if fired & KLEENE:
                count = 0.0 if bounded else 1.0
                if compares:
                    least = value[event]
                    for vertex in range(vertices):
                        count += started[vertex]
                        if bounds[vertex] > least:
                            count += kept[vertex]
                else:
                    for vertex in range(vertices):
                        count += started[vertex] + kept[vertex]
            if bounded and fired & END:
                for vertex in range(vertices):
                    total += kept[vertex]
            elif not bounded:
                total += count
            started[vertices] = 1.0 if bounded and fired & START else 0.0
            kept[vertices] = count
            bounds[vertices] = bound[event]
            vertices += 1
        totals[index] = total
    return totals


@compiled
def event_graph_sums(fires: Bits, offsets: Ints, value: Floats) -> Floats:
    """Return SUM(A.value) over the trends `SEQ(S, A+, F)` of every slice.

    A vertex has two numbers: how many trends end at it, and what their values add up to.
    """
    slices = offsets.size - 1
    totals = np.zeros(slices, np.float64)
    longest = 0
    for index in range(slices):
        longest = max(longest, offsets[index + 1] - offsets[index])
    counts, sums = np.empty(longest, np.float64), np.empty(longest, np.float64)
    for index in range(slices):
        vertices = 0
        total = 0.0
        for event in range(offsets[index], offsets[index + 1]):
            fired = fires[event]
            if fired == 0:
                continue
            count = added = 0.0
            if fired & KLEENE:
                for vertex in range(vertices):
                    count += counts[vertex]
                    added += sums[vertex]
                added += value[event] * count
            if fired & END:
                for vertex in range(vertices):
                    total += sums[vertex]
            counts[vertices] = count + (1.0 if fired & START else 0.0)
            sums[vertices] = added
            vertices += 1
        totals[index] = total
    return totals
