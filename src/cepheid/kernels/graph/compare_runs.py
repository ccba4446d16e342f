"""Whether a run makes another one superfluous: what must be the same of both, what is compared.

Why that is right is argued in best_runs.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph.match_nodes import EVENT, LATEST_START, POSITION, SLOTS
from cepheid.kernels.graph.run_graph import (
    AGGREGATE_FUNCTION,
    AGGREGATE_IS_FLOAT,
    AVERAGE,
    COUNT,
    UNBOUND,
    Nodes,
    SlotTables,
    TestTables,
)
from cepheid.kernels.jit import inlined, inner_in_place

FINE, LARGE = 2.0**20, 2.0**60  # floats are hashed as multiples of 1 / FINE, large ones not
MIX, OTHER_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0x165667B19E3779F9)


class CarriedEvents(NamedTuple):
    """What later tests read of events that runs carry: a row for every slot and every position.

    The rows of positions are of the last event of a run that waits there. `is_read[p, r]`: it is
    read of runs at position p. Events that are not compared have the same number in `kinds[r]`. The
    rows `rank_offsets[r]:rank_offsets[r + 1]` of `ranks` have larger numbers for better events.
    """

    is_read: Int64s
    kinds: Int64s
    rank_offsets: Int64s
    ranks: Int64s


class Preference(NamedTuple):
    """What makes a run better than another.

    `by_value` has the events of every step in the order of their values. `directions` says for
    every aggregate whether more (1) or less (-1) of it is better, or neither (0). `directed` is for
    every position the number of values that are compared. `settled` has for every edge the tests
    that read nothing of the next event. `drops`: with the first match that ends all runs are over.
    `tells_starts`: runs that start at different times are kept apart.
    """

    by_value: Int64s
    directions: Int64s
    directed: Int64s
    events: CarriedEvents
    settled: TestTables
    drops: bool
    tells_starts: bool


@inlined
def _aggregate_state(
    rows: Nodes, node: int, slot: int, slots: SlotTables, direction: int
) -> tuple[int, int]:
    """Return what two runs must have in common of an aggregate, beside its value."""
    at = SLOTS + slots.representative.shape[0] + slot
    count = rows.integers[node, at]
    if direction != 0 and slots.aggregates[slot, AGGREGATE_FUNCTION] == AVERAGE:
        return count, 0
    if direction != 0:
        most = UNBOUND + 1 if slots.aggregates[slot, AGGREGATE_FUNCTION] == COUNT else 1
        return min(count, most), 0
    return count, rows.integers[node, at + slots.aggregates.shape[0]]


@inlined
def _carried(rows: Nodes, node: int, row: int, slots: SlotTables) -> int:
    """Return the event that a run carries, or a number below 0 for none."""
    in_slots = slots.representative.shape[0]
    return int(rows.integers[node, SLOTS + row if row < in_slots else EVENT])


@inlined
def _kind(rows: Nodes, node: int, row: int, slots: SlotTables, events: CarriedEvents) -> int:
    """Return what two runs must have in common of an event that they carry."""
    event = _carried(rows, node, row, slots)
    return int(events.kinds[row, event]) if event >= 0 else event


@inner_in_place
def hash_run(rows: Nodes, node: int, slots: SlotTables, preference: Preference) -> int:
    """Return a number from all that two runs must have in common."""
    position = rows.integers[node, POSITION]
    value = np.uint64(position) * MIX ^ np.uint64(rows.integers[node, -1]) * OTHER_MIX
    if preference.tells_starts:
        value ^= np.uint64(rows.integers[node, LATEST_START]) * OTHER_MIX
    value = (value ^ (value >> np.uint64(29))) * MIX
    for row in range(preference.events.is_read.shape[1]):
        if preference.events.is_read[position, row]:
            kind = _kind(rows, node, row, slots, preference.events)
            value = (value ^ np.uint64(kind)) * OTHER_MIX
            value ^= value >> np.uint64(29)
    for slot in range(slots.aggregates.shape[0]):
        count, integer = _aggregate_state(rows, node, slot, slots, preference.directions[slot])
        value = (value ^ np.uint64(count) ^ (np.uint64(integer) * MIX)) * OTHER_MIX
        if preference.directions[slot] == 0:
            scaled = rows.floats[node, slot] * FINE
            if -LARGE < scaled < LARGE:
                value ^= np.uint64(np.int64(scaled)) * MIX
        value ^= value >> np.uint64(29)
    return int(value >> np.uint64(1))


@inner_in_place
def is_alike(rows: Nodes, one: int, other: int, slots: SlotTables, preference: Preference) -> bool:
    """Whether two runs differ at most in values of which more, or less, is better."""
    left, right, events = rows.integers[one], rows.integers[other], preference.events
    if left[POSITION] != right[POSITION] or left[-1] != right[-1]:
        return False
    if preference.tells_starts and left[LATEST_START] != right[LATEST_START]:
        return False
    for row in range(events.is_read.shape[1]):
        if events.is_read[left[POSITION], row] and (
            _kind(rows, one, row, slots, events) != _kind(rows, other, row, slots, events)
        ):
            return False
    for slot in range(slots.aggregates.shape[0]):
        direction = preference.directions[slot]
        state = _aggregate_state(rows, one, slot, slots, direction)
        if state != _aggregate_state(rows, other, slot, slots, direction):
            return False
        real, other_real = rows.floats[one, slot], rows.floats[other, slot]
        if direction == 0 and real != other_real and not (np.isnan(real) and np.isnan(other_real)):
            return False
    return True


@inner_in_place
def _carries_no_worse(
    rows: Nodes, one: int, other: int, slots: SlotTables, events: CarriedEvents
) -> bool:
    """Whether no event that a run carries is worse than that of another one that is alike."""
    position = rows.integers[one, POSITION]
    for row in range(events.is_read.shape[1]):
        event, another = _carried(rows, one, row, slots), _carried(rows, other, row, slots)
        if events.is_read[position, row] and event >= 0:
            for rank in range(events.rank_offsets[row], events.rank_offsets[row + 1]):
                if events.ranks[rank, event] < events.ranks[rank, another]:
                    return False
    return True


@inner_in_place
def _is_no_worse(rows: Nodes, one: int, other: int, slots: SlotTables, directions: Int64s) -> bool:
    """Whether no aggregate of a run is worse than that of another one that is alike."""
    events, aggregates = slots.representative.shape[0], slots.aggregates.shape[0]
    for slot in range(aggregates):
        direction = directions[slot]
        if direction == 0:
            continue
        at = SLOTS + events + slot
        if slots.aggregates[slot, AGGREGATE_FUNCTION] != COUNT:
            if slots.aggregates[slot, AGGREGATE_IS_FLOAT]:
                if direction * rows.floats[one, slot] < direction * rows.floats[other, slot]:
                    return False
                continue
            at += aggregates
        if direction * rows.integers[one, at] < direction * rows.integers[other, at]:
            return False
    return True


@inlined
def is_superfluous(
    rows: Nodes, node: int, other: int, slots: SlotTables, preference: Preference
) -> bool:
    """Whether another run that is alike, and comes before, makes one superfluous."""
    return _is_no_worse(rows, other, node, slots, preference.directions) and _carries_no_worse(
        rows, other, node, slots, preference.events
    )
