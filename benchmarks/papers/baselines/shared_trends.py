"""MCEP: all trends T+ are built once for all queries, and then aggregated (HAMLET, section 5.1).

| paper | here |
|---|---|
| shared trend construction | depth first; its first and last event and its sum are written |
| aggregation of a query afterwards | over all trends: events X before the first, Y after the last |

That a query's own events are multiplied instead of joined to every trend is faster than what the
paper compares with. Slices and queries are those of shared_sequences.py.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import Ints, compiled
from benchmarks.papers.baselines.trend_slices import Floats


@compiled
def shared_trends(
    code: Ints, value: Floats, offsets: Ints, kleene: int, starts: Ints, ends: Ints, types: int
) -> tuple[Floats, int]:
    """Return the sums by slice and query, and how many trends T+ were built."""
    slices = offsets.size - 1
    totals = np.zeros((slices, starts.size), np.float64)
    built, most, longest = 0, 0, 0
    for index in range(slices):
        length = 0
        for event in range(offsets[index], offsets[index + 1]):
            length += code[event] == kleene
        longest = max(longest, length)
    firsts, lasts = np.empty(1 << longest, np.int64), np.empty(1 << longest, np.int64)
    sums, path_sums = np.empty(1 << longest, np.float64), np.zeros(longest + 1, np.float64)
    own = np.empty(longest, np.float64)
    path, before = np.empty(longest + 1, np.int64), np.empty((longest, types), np.float64)
    seen = np.empty(types, np.float64)
    for index in range(slices):
        seen[:] = 0.0
        most = 0
        for event in range(offsets[index], offsets[index + 1]):
            if code[event] == kleene:
                before[most, :] = seen
                own[most] = value[event]
                most += 1
            seen[code[event]] += 1.0
        trends = 0
        depth, path[0] = 0, -1
        while depth >= 0:
            path[depth] += 1
            if path[depth] == most:
                depth -= 1
            else:
                firsts[trends], lasts[trends] = path[0], path[depth]
                sums[trends] = path_sums[depth] + own[path[depth]]
                path_sums[depth + 1] = sums[trends]
                trends += 1
                path[depth + 1] = path[depth]
                depth += 1
        built += trends
        for query in range(starts.size):
            start, end = starts[query], ends[query]
            total = 0.0
            for trend in range(trends):
                after = seen[end] - before[lasts[trend], end]
                total += before[firsts[trend], start] * after * sums[trend]
            totals[index, query] = total
    return totals, built
