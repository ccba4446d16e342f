"""Active instance stacks: AIS, PAIS, Dynamic Filtering and windows pushed down (SASE, section 4).

| paper | here |
|---|---|
| active instance stack of a state and a partition | linked list: `newest`, `below`, `oldest` |
| RIP, the most recent instance in the previous stack | `previous[event]` |
| AIS (4.1) | `partition` is 0 everywhere |
| PAIS (4.2.1) | `partition` is the value of the first equivalence attribute |
| Selection, Dynamic Filtering (4.2.2) | `test`: where the second equivalence test is evaluated |
| Windows in SS (4.3) | `in_scan`: a stack is pruned when a transition reads it |
| Windows in SC (4.3) | `in_construction`: the search stops at the window's edge |

The types of a pattern are different, so an event is an instance of one stack at most and the
arrays of instances are indexed by event. The window operator above checks every sequence anyway.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import FIRST_ROWS, Ints, States, compiled, grown

NO_TEST, SELECTION, DYNAMIC_FILTERING = 0, 1, 2


@compiled
def instance_stacks(
    state: States,
    time: Ints,
    partition: Ints,
    second: Ints,
    partitions: int,
    length: int,
    window: int,
    test: int,
    in_scan: bool,
    in_construction: bool,
) -> tuple[Ints, int]:
    """Return all matches and how many sequences were built: O(1) for an event that builds none."""
    events = len(state)
    below, above = np.empty(events, np.int64), np.empty(events, np.int64)
    previous = np.empty(events, np.int64)
    newest = np.full((length, partitions), -1)
    oldest = np.full((length, partitions), events)  # no instance is older than it; none: events
    cursor = np.empty(length, np.int64)
    rows = np.empty((FIRST_ROWS, length), np.int64)
    count = built = 0
    last = length - 1
    for event in range(events):
        place = state[event]
        if place < 0:
            continue
        key = partition[event]
        limit = time[event] - window
        if place > 0:
            if in_scan:
                first = oldest[place - 1, key]
                while first < events and time[first] <= limit:
                    first = above[first]
                oldest[place - 1, key] = first
                if first == events:
                    newest[place - 1, key] = -1
            previous[event] = newest[place - 1, key]
            if previous[event] < 0:
                continue
        if place < last:
            below[event], above[event] = newest[place, key], events
            if below[event] < 0:
                oldest[place, key] = event
            else:
                above[below[event]] = event
            newest[place, key] = event
            continue
        level = last - 1
        cursor[last], cursor[level] = event, previous[event]
        while level < last:
            instance = cursor[level]
            if instance < oldest[level, key] or (in_construction and time[instance] <= limit):
                level += 1
                cursor[level] = below[cursor[level]] if level < last else event
            elif test == DYNAMIC_FILTERING and second[instance] != second[event]:
                cursor[level] = below[instance]
            elif level > 0:
                level -= 1
                cursor[level] = previous[instance]
            else:
                built += 1
                passes = time[instance] > limit
                if test == SELECTION:
                    for other in range(last):
                        if second[cursor[other]] != second[event]:
                            passes = False
                            break
                if passes:
                    if count == len(rows):
                        rows = grown(rows)
                    for column in range(length):
                        rows[count, column] = cursor[column]
                    count += 1
                cursor[0] = below[instance]
    return rows[:count], built
