"""A-Seq for a Kleene pattern: one query for every length up to the longest trend (COGRA, 8.1).

| paper | here |
|---|---|
| fixed-length query of k events A | `counts[k]`, the prefix that ends with the k-th A |
| workload of queries up to length l | `counts[0 .. l]`; l is the number of events A in the slice |

All queries of the workload are prefixes of the longest one, so they share its prefix counter, as
A-Seq's PreTree does (section 4.1); without that every event would cost l^2 instead of l. A slice is
one window, so no counter expires. Only skip-till-any, no predicates on adjacent events.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import Ints, compiled
from benchmarks.papers.baselines.trend_slices import END, KLEENE, START, Bits, Floats


@compiled
def flattened_queries(fires: Bits, offsets: Ints, bounded: bool) -> Floats:
    """Return the number of trends of every slice; an event costs a step per query."""
    slices = offsets.size - 1
    totals = np.zeros(slices, np.float64)
    longest = 0
    for index in range(slices):
        longest = max(longest, offsets[index + 1] - offsets[index])
    counts = np.empty(longest + 1, np.float64)
    for index in range(slices):
        counts[0] = 0.0 if bounded else 1.0
        length = 0
        total = 0.0
        for event in range(offsets[index], offsets[index + 1]):
            fired = fires[event]
            if bounded and fired & END:
                for each in range(1, length + 1):
                    total += counts[each]
            if fired & KLEENE:
                length += 1
                counts[length] = 0.0
                for each in range(length, 0, -1):
                    counts[each] += counts[each - 1]
            if bounded and fired & START:
                counts[0] += 1.0
        if not bounded:
            for each in range(1, length + 1):
                total += counts[each]
        totals[index] = total
    return totals
