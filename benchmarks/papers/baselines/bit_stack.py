"""Basic with its states as bits: the same search as `runtime_stack`, without its pointers.

Not in the paper. A cell of the stack is two words, and the search goes from cell to cell with a few
instructions whatever L is. It shows how much of Basic's cost is the way in which it is written.

| paper | here |
|---|---|
| active state k, with a pointer to state k-1 of the cell before | bit k of `stepped[event]` |
| active state k, with a pointer to itself in the cell before | bit k of `stayed[event]` |
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import FIRST_ROWS, Ints, States, compiled, grown

START = np.uint64(1)


@compiled
def bit_stack(state: States, time: Ints, length: int, window: int) -> tuple[Ints, int]:
    """Return all matches: O(1) for an event, O(W) more for one that completes matches."""
    events = len(state)
    stepped, stayed = np.empty(events, np.uint64), np.empty(events, np.uint64)
    # found[k, j]: the events of place k, newest first; older[k, j]: where found[k-1] is before it.
    found = np.empty((length, min(window + 1, events)), np.int64)
    older = np.empty((length, min(window + 1, events)), np.int64)
    found_count = np.zeros(length, np.int64)
    cursor = np.zeros(length, np.int64)
    rows = np.empty((FIRST_ROWS, length), np.int64)
    count = 0
    accepting = START << np.uint64(length)
    active = START
    for event in range(events):
        stepped[event] = np.uint64(0)
        stayed[event] = active & ~START & ~accepting
        if state[event] >= 0 and (active >> np.uint64(state[event])) & START:
            stepped[event] = START << np.uint64(state[event] + 1)
        active = stepped[event] | stayed[event] | START
        if stepped[event] != accepting:
            continue
        found_count[:] = 0
        reached, cell, limit = accepting, event, time[event] - window
        while cell >= 0 and time[cell] > limit and reached > START:
            step = reached & stepped[cell]
            if step:
                place = state[cell]
                found[place, found_count[place]] = cell
                older[place, found_count[place]] = found_count[place - 1] if place > 0 else 0
                found_count[place] += 1
            reached = (reached & stayed[cell]) | (step >> START)
            cell -= 1
        level = length - 1
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
