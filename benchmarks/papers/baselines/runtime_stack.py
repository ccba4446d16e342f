"""Basic: sequences from the runtime stack of the NFA (SASE, section 3.2).

| paper | here |
|---|---|
| cell of the runtime stack, one per event | `length` places of the ring, for states 1 .. L |
| active state instance of state k | instance event * L + k - 1 |
| its predecessor pointers, one or two | `stepped` to state k-1, `stayed` to the same state |
| depth first search in the DAG, O(2 L W) | `search`: every instance is visited once |
| event sequences | the paths over the step edges that the search has found |

The stack is a ring of as many cells as a window can hold; the search checks windows.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import FIRST_ROWS, Ints, States, compiled, grown

NONE, START = -1, -2


@compiled
def search(
    accepting: int,
    limit: int,
    time: Ints,
    stepped: Ints,
    stayed: Ints,
    visited: Ints,
    pending: Ints,
    found: Ints,
    found_count: Ints,
) -> None:
    """Collect the events of all step edges below an instance: found[k] is newest first.

    The step is followed before the loop. So the first instance of a state that is visited is the
    newest one, and all others lie on its loops.
    """
    length, size = len(found_count), len(stepped)
    found_count[:] = 0
    pending[0] = accepting
    waiting = 1
    while waiting > 0:
        waiting -= 1
        instance = pending[waiting]
        place = instance % size
        event, state = instance // length, instance % length
        if visited[place] == accepting or time[event] <= limit:
            continue
        visited[place] = accepting
        if stayed[place] != NONE:
            pending[waiting] = stayed[place]
            waiting += 1
        if stepped[place] != NONE:
            found[state, found_count[state]] = event
            found_count[state] += 1
            if stepped[place] != START:
                pending[waiting] = stepped[place]
                waiting += 1


@compiled
def runtime_stack(state: States, time: Ints, length: int, window: int) -> tuple[Ints, int]:
    """Return all matches: O(L) for an event, O(L W) more for one that completes matches."""
    events = len(state)
    cells = min(window + 1, events)
    stepped, stayed = np.empty(cells * length, np.int64), np.empty(cells * length, np.int64)
    visited = np.full(cells * length, NONE)
    pending = np.empty(2 * cells * length + 2, np.int64)
    found = np.empty((length, cells), np.int64)
    older = np.empty((length, cells), np.int64)  # [k, j]: where found[k-1] is before found[k, j]
    found_count = np.zeros(length, np.int64)
    cursor = np.zeros(length, np.int64)
    active = np.zeros(length, np.bool_)
    rows = np.empty((FIRST_ROWS, length), np.int64)
    count = 0
    last = length - 1
    for event in range(events):
        cell, before = (event % cells) * length, (event - 1) * length
        place = state[event]
        completes = place == last and active[last - 1]
        for each in range(last - 1, -1, -1):
            stayed[cell + each] = before + each if active[each] else NONE
            stepped[cell + each] = NONE
            if each == place and (each == 0 or active[each - 1]):
                stepped[cell + each] = START if each == 0 else before + each - 1
                active[each] = True
        if not completes:
            continue
        stayed[cell + last], stepped[cell + last] = NONE, before + last - 1
        limit = time[event] - window
        accepting = event * length + last
        search(accepting, limit, time, stepped, stayed, visited, pending, found, found_count)
        for each in range(1, length):
            begin = 0
            for index in range(found_count[each]):
                event_found, before_count = found[each, index], found_count[each - 1]
                while begin < before_count and found[each - 1, begin] >= event_found:
                    begin += 1
                older[each, index] = begin
        level = last
        cursor[level] = 0
        while level < length:
            if cursor[level] >= found_count[level]:
                level += 1
                if level < length:
                    cursor[level] += 1
            elif level > 0:
                level -= 1
                cursor[level] = older[level + 1, cursor[level + 1]]
            else:
                if count == len(rows):
                    rows = grown(rows)
                for column in range(length):
                    rows[count, column] = found[column, cursor[column]]
                count += 1
                cursor[0] += 1
    return rows[:count], count
