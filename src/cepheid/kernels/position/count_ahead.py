"""Count runs in steps that are one event at one position, as most are.

Until a window opens or closes such a step needs no description: a lane takes a few additions. A
million contiguous events in one window took 12 ms; 48 ms with a description of every step. Other
values gain nothing: what they take lies in their arithmetic.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, SKIP_TILL_ANY, EventArrays, Int64s
from cepheid.kernels.jit import by_type, inlined
from cepheid.kernels.position.slot_machine import SlotMachine
from cepheid.kernels.step import survives
from cepheid.kernels.values.double_counts import Counts, clear, plus
from cepheid.kernels.values.value_arrays import Values


class Ahead(NamedTuple):
    """Steps `step:end` of a partition, and the open lanes, `begin_lane:end_lane`.

    At the clock `opening` a window begins; of those that are open, which are `length` long, the
    first one began at `oldest`. `rank` is that of the step before.
    """

    step: int
    end: int
    opening: int
    oldest: int
    length: int
    rank: int
    begin_lane: int
    end_lane: int


@inlined
def _go_ahead(
    values: Counts,
    fresh: Counts,
    machine: SlotMachine,
    events: EventArrays,
    moduli: Int64s,
    ahead: Ahead,
) -> int:
    """Take steps as long as they are simple, and return the step that is not, or `end`."""
    step, rank = ahead.step, ahead.rank
    while step < ahead.end:
        event = events.step_offsets[step]
        mask, clock = events.fires[event], events.clock[event]
        if (
            events.step_offsets[step + 1] != event + 1
            or mask == np.uint64(0)
            or mask & (mask - np.uint64(1)) != np.uint64(0)
            or clock >= ahead.opening
            or clock - ahead.length >= ahead.oldest
        ):
            break
        position = 0  # found without a branch, which would be mispredicted at every other event
        for each in range(1, machine.follow.size):
            position += each * int((mask >> np.uint64(each)) & np.uint64(1))
        if machine.strategy == CONTIGUOUS:
            if events.rank[event] != rank + 1:
                _clear(values, machine, np.uint64(0), ahead.begin_lane, ahead.end_lane)
            rank = events.rank[event]
        if ahead.end_lane == ahead.begin_lane + 1:
            _count_in_one(values, machine, position, mask, ahead.begin_lane)
        else:
            _count(values, fresh, machine, position, mask, ahead.begin_lane, ahead.end_lane, moduli)
        step += 1
    return step


@inlined
def _clear(
    values: Counts, machine: SlotMachine, mask: np.uint64, begin_lane: int, end_lane: int
) -> None:
    """Clear what does not survive a step that fires a mask."""
    for slot in range(machine.owner.size):
        if machine.owner[slot] >= 0 and not survives(machine, machine.owner[slot], mask):
            clear(values, slot, begin_lane, end_lane)


@inlined
def _count_in_one(
    values: Counts, machine: SlotMachine, position: int, mask: np.uint64, lane: int
) -> None:
    """Apply a step to one lane: its new runs are one number."""
    count = 0.0
    for at in range(machine.source_offsets[position], machine.source_offsets[position + 1]):
        count += values.runs[machine.sources[at], lane]
    if machine.strategy != SKIP_TILL_ANY:
        _clear(values, machine, mask, lane, lane + 1)
    for at in range(machine.entry_offsets[position], machine.entry_offsets[position + 1]):
        values.runs[machine.entries[at], lane] += count


@inlined
def _count(
    values: Counts,
    fresh: Counts,
    machine: SlotMachine,
    position: int,
    mask: np.uint64,
    begin_lane: int,
    end_lane: int,
    moduli: Int64s,
) -> None:
    """Apply a step to some lanes: new runs are a row, unless they are those of one slot."""
    source, end_source = machine.source_offsets[position], machine.source_offsets[position + 1]
    entry, end_entry = machine.entry_offsets[position], machine.entry_offsets[position + 1]
    only_adds = machine.strategy == SKIP_TILL_ANY
    if only_adds and end_source == source + 1 and end_entry == entry + 1:
        into, of = machine.entries[entry], machine.sources[source]
        plus(values, into, values, of, begin_lane, end_lane, moduli)
        return
    clear(fresh, position, begin_lane, end_lane)
    for at in range(source, end_source):
        plus(fresh, position, values, machine.sources[at], begin_lane, end_lane, moduli)
    if not only_adds:
        _clear(values, machine, mask, begin_lane, end_lane)
    for at in range(entry, end_entry):
        plus(values, machine.entries[at], fresh, position, begin_lane, end_lane, moduli)


@inlined
def _stay(
    values: Values,
    fresh: Values,
    machine: SlotMachine,
    events: EventArrays,
    moduli: Int64s,
    ahead: Ahead,
) -> int:
    """Take no step."""
    return ahead.step


go_ahead = by_type(_stay, _go_ahead)
