"""Multi-PAIS: one stack per equivalence attribute (SASE, section 4.2.2).

| paper | here |
|---|---|
| PAIS_1, PAIS_2 | `newest_by_first` and `below_first`, `newest_by_second` and `below_second` |
| cross-attribute transition filtering | `meet`: the two stacks at the state before share an event |
| multi-stack maintenance | an event that passes is added to both |

Sequences are built in PAIS_1, which does not know the second attribute; Selection tests it after.
Windows are checked in the scan, where the intersection stops at the window's edge, and in the
construction.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import FIRST_ROWS, Ints, States, compiled, grown


@compiled
def meet(one: int, other: int, below_one: Ints, below_other: Ints, oldest: int) -> bool:
    """Say whether two stacks, given by their newest instances, share an event from `oldest` on."""
    while one >= oldest and other >= oldest:
        if one == other:
            return True
        if one > other:
            one = below_one[one]
        else:
            other = below_other[other]
    return False


@compiled
def multi_stacks(
    state: States,
    time: Ints,
    first: Ints,
    second: Ints,
    first_values: int,
    second_values: int,
    length: int,
    window: int,
) -> tuple[Ints, int]:
    """Return all matches and how many sequences were built; an event costs the stacks it meets."""
    events = len(state)
    below_first, below_second = np.empty(events, np.int64), np.empty(events, np.int64)
    previous = np.empty(events, np.int64)
    newest_by_first = np.full((length, first_values), -1)
    newest_by_second = np.full((length, second_values), -1)
    cursor = np.empty(length, np.int64)
    rows = np.empty((FIRST_ROWS, length), np.int64)
    count = built = in_window = 0
    last = length - 1
    for event in range(events):
        place = state[event]
        if place < 0:
            continue
        key, other_key = first[event], second[event]
        while time[in_window] <= time[event] - window:
            in_window += 1
        if place > 0:
            previous[event] = newest_by_first[place - 1, key]
            other_newest = newest_by_second[place - 1, other_key]
            if not meet(previous[event], other_newest, below_first, below_second, in_window):
                continue
        if place < last:
            below_first[event] = newest_by_first[place, key]
            below_second[event] = newest_by_second[place, other_key]
            newest_by_first[place, key] = newest_by_second[place, other_key] = event
            continue
        level = last - 1
        cursor[last], cursor[level] = event, previous[event]
        while level < last:
            instance = cursor[level]
            if instance < in_window:
                level += 1
                cursor[level] = below_first[cursor[level]] if level < last else event
            elif level > 0:
                level -= 1
                cursor[level] = previous[instance]
            else:
                built += 1
                passes = True
                for other in range(last):
                    if second[cursor[other]] != other_key:
                        passes = False
                        break
                if passes:
                    if count == len(rows):
                        rows = grown(rows)
                    for column in range(length):
                        rows[count, column] = cursor[column]
                    count += 1
                cursor[0] = below_first[instance]
    return rows[:count], built
