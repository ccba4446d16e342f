"""A relational stream processor: an n-way join over windows (SASE, section 5.4, TelegraphCQ).

| paper | here |
|---|---|
| event type stream with RANGE BY W | the list of a place and a value: `newest`, `below` |
| n-way join on the first equivalence attribute | an event that arrives probes all other streams |
| second equivalence test | a filter after each join of two streams |
| temporal constraints | evaluated on the joined row, after all joins |

An event joins with what has arrived, whatever its place in the pattern: rows in the wrong order are
built and thrown away, as the paper says of TelegraphCQ.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import FIRST_ROWS, Ints, States, compiled, grown


@compiled
def joins(
    state: States,
    time: Ints,
    partition: Ints,
    second: Ints,
    partitions: int,
    length: int,
    window: int,
    has_second: bool,
) -> tuple[Ints, int]:
    """Return all matches and how many rows were joined; an event costs the rows that it joins."""
    events = len(state)
    below = np.empty(events, np.int64)
    newest = np.full((length, partitions), -1)
    row = np.empty(length, np.int64)
    others = np.empty(length, np.int64)
    rows = np.empty((FIRST_ROWS, length), np.int64)
    count = joined = 0
    for event in range(events):
        place = state[event]
        if place < 0:
            continue
        key = partition[event]
        below[event] = newest[place, key]
        newest[place, key] = event
        row[place] = event
        for other in range(length - 1):
            others[other] = other if other < place else other + 1
        limit = time[event] - window
        level = 0
        row[others[0]] = newest[others[0], key]
        while level >= 0:
            current = row[others[level]]
            if current < 0 or time[current] <= limit:
                level -= 1
                if level >= 0:
                    row[others[level]] = below[row[others[level]]]
            elif has_second and second[current] != second[event]:
                row[others[level]] = below[current]
            elif level < length - 2:
                level += 1
                row[others[level]] = newest[others[level], key]
            else:
                joined += 1
                in_order = True
                for other in range(1, length):
                    in_order = in_order and time[row[other - 1]] < time[row[other]]
                if in_order:
                    if count == len(rows):
                        rows = grown(rows)
                    for column in range(length):
                        rows[count, column] = row[column]
                    count += 1
                row[others[level]] = below[current]
    return rows[:count], joined
