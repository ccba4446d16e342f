"""A-Seq's PreTree: one tree of prefix counters for queries that begin alike (section 4.1).

| paper | here |
|---|---|
| PreTree of a START event | a column of `counts`, one number per node |
| prefix of several queries | a node; `parent` is the prefix without its last type |
| UPD event | one update of its node in every active tree, whoever shares it |
| TRIG event of a query | the sum of its node over all active trees |

All queries begin with the same type, and no type is twice in the tree: `node_of_type` is the node
of a type or NO_NODE. Node 0 is the START type.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import Ints, compiled
from benchmarks.papers.baselines.prefix_counters import FIRST_COUNTERS, with_space

NO_NODE = -1


@compiled
def prefix_tree(
    code: Ints, time: Ints, node_of_type: Ints, parent: Ints, ends: Ints, window: int
) -> tuple[Ints, Ints, Ints]:
    """Return query, time and count at every TRIG event; `ends` has the last node of each query."""
    counts = np.zeros((parent.size, FIRST_COUNTERS), np.int64)
    expires = np.empty(FIRST_COUNTERS, np.int64)
    queries, times, results = result_rows(code, node_of_type, ends)
    oldest = newest = row = 0
    for event in range(code.size):
        node = node_of_type[code[event]]
        if node == NO_NODE:
            continue
        while oldest < newest and expires[oldest] <= time[event]:
            oldest += 1
        if node == 0:
            if newest == expires.size:
                counts, expires = with_space(counts, expires, oldest, newest)
                oldest, newest = 0, newest - oldest
            counts[:, newest] = 0
            counts[0, newest] = 1
            expires[newest] = time[event] + window
            newest += 1
        else:
            for tree in range(oldest, newest):
                counts[node, tree] += counts[parent[node], tree]
        for query in range(ends.size):
            if ends[query] == node:
                total = 0
                for tree in range(oldest, newest):
                    total += counts[node, tree]
                queries[row], times[row], results[row] = query, time[event], total
                row += 1
    return queries, times, results


@compiled
def result_rows(code: Ints, node_of_type: Ints, ends: Ints) -> tuple[Ints, Ints, Ints]:
    """Return space for a result of every query at every event of its last type."""
    rows = 0
    for event in range(code.size):
        for query in range(ends.size):
            rows += ends[query] == node_of_type[code[event]]
    return np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64)
