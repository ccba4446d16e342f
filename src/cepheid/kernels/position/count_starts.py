"""WITHIN alone, where trends are counted: a vector of slots for every step that runs begin with.

That is A-Seq's counter per START event. A window forgets a step with all trends that begin there,
so it is enough to know how many these are, and how many trends end at each step; whoever adds up
results subtracts what has left. Vectors without runs are dropped, so that under a strategy in which
events take runs away there are few. `counts[slot, lane]` holds the state as in fold_slots.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import SKIP_TILL_ANY, EventArrays, Float64s, Int64s
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.position.fold_slots import add_single
from cepheid.kernels.position.slot_machine import (
    BEFORE_ALL,
    CODE,
    DROPPED,
    IS_BROKEN,
    SlotMachine,
    Step,
    advance_lanes,
    describe_step,
)
from cepheid.kernels.step import fired_by
from cepheid.kernels.values.double_counts import ALL_EXACT, Counts
from cepheid.kernels.values.value_arrays import Measures

# What `measure_starts` finds: steps of a window that runs begin with, at most, and over all steps.
MOST_STARTS, STARTS_OF_STEPS = range(2)


class StartRules(NamedTuple):
    """Positions that runs begin with, those that only begin runs, and those that complete them."""

    first: np.uint64
    only_first: np.uint64
    last: np.uint64


class StepCounts(NamedTuple):
    """By step: how many trends end there, and how many begin there."""

    completed: Float64s
    started: Float64s


class StartLanes(NamedTuple):
    """Room for vectors: `step` is by lane the one that its runs begin with.

    `completed` is by lane how many of them have become trends. `bounds` are the oldest lane and how
    many there are.
    """

    counts: Counts
    fresh: Counts
    step: Int64s
    completed: Float64s
    bounds: Int64s


OLDEST, LANES = 0, 1
TOO_MANY = -1


@kernel_in_place
def measure_starts(events: EventArrays, first: np.uint64, length: int, found: Int64s) -> None:
    """Write how many steps that runs begin with are in the windows of steps; O(steps)."""
    found[MOST_STARTS], found[STARTS_OF_STEPS] = 0, 0
    for partition in range(events.partition_offsets.size - 1):
        begin, end = events.partition_offsets[partition], events.partition_offsets[partition + 1]
        oldest, starts = begin, 0
        for step in range(begin, end):
            clock = _clock(events, step)
            while _clock(events, oldest) <= clock - length:
                starts -= _begins(events, first, oldest)
                oldest += 1
            starts += _begins(events, first, step)
            found[MOST_STARTS] = max(found[MOST_STARTS], starts)
            found[STARTS_OF_STEPS] += starts


@inlined
def _clock(events: EventArrays, step: int) -> int:
    return int(events.clock[events.step_offsets[step]])


@inlined
def _mask(events: EventArrays, step: int) -> np.uint64:
    return fired_by(events.fires, events.step_offsets[step], events.step_offsets[step + 1])


@inlined
def _begins(events: EventArrays, first: np.uint64, step: int) -> int:
    return int((_mask(events, step) & first) != np.uint64(0))


@kernel_in_place
def count_starts(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    rules: StartRules,
    length: int,
    lanes: StartLanes,
    about: Step,
    found: StepCounts,
) -> int:
    """Write how many trends end and begin at every step; O(edges) per event and lane with runs.

    There is room for twice the lanes that are in use at once. Returns how many lanes took a step,
    or TOO_MANY as soon as more trends end at a step than doubles can tell apart.
    """
    is_growing = machine.strategy == SKIP_TILL_ANY and codes.size == 0
    bounds, moduli, work = lanes.bounds, measures.moduli, 0
    for partition in range(events.partition_offsets.size - 1):
        bounds[OLDEST], bounds[LANES] = 0, 0
        rank = BEFORE_ALL
        begin, end = events.partition_offsets[partition], events.partition_offsets[partition + 1]
        for step in range(begin, end):
            clock, mask = _clock(events, step), _mask(events, step)
            rank_before, rank = rank, events.rank[events.step_offsets[step]]
            while (
                bounds[LANES] > 0 and _clock(events, lanes.step[bounds[OLDEST]]) <= clock - length
            ):
                _drop_oldest(lanes, found)
            is_first = (mask & rules.first) != np.uint64(0)
            if is_first:
                _open(machine, lanes, step)
            first, last = bounds[OLDEST], bounds[OLDEST] + bounds[LANES]
            if first == last:
                continue
            is_own = (mask & ~rules.only_first) == np.uint64(0)  # extends no runs of other lanes
            if is_growing and is_own:
                first = last - 1 if is_first else last
            if not (
                is_growing and add_single(machine, moduli, events, step, lanes.counts, first, last)
            ):
                describe_step(machine, measures, events, codes, step, rank_before, about)
                if is_own and is_first and not _changes_others(about):
                    first = last - 1
                advance_lanes(machine, moduli, lanes.counts, first, last, about, lanes.fresh)
            work += last - first
            if is_first:
                for slot in range(machine.initial.size):
                    if machine.initial[slot]:
                        lanes.counts.runs[slot, last - 1] = 0.0
            if mask & rules.last:
                found.completed[step] = _complete(machine, lanes, first, last)
                if found.completed[step] >= ALL_EXACT:
                    return TOO_MANY
            if machine.strategy != SKIP_TILL_ANY:
                while bounds[LANES] > 0 and _is_dead(machine, lanes.counts, bounds[OLDEST]):
                    _drop_oldest(lanes, found)
        while bounds[LANES] > 0:
            _drop_oldest(lanes, found)
    return work


@inlined
def _changes_others(about: Step) -> bool:
    """Whether a step takes runs away, or moves them."""
    facts = about.facts
    return bool(facts[DROPPED] != 0 or facts[CODE] != 0 or facts[IS_BROKEN] != 0)


@inlined
def _drop_oldest(lanes: StartLanes, found: StepCounts) -> None:
    bounds = lanes.bounds
    oldest = bounds[OLDEST]
    found.started[lanes.step[oldest]] = lanes.completed[oldest]
    bounds[OLDEST] += 1
    bounds[LANES] -= 1


@inlined
def _open(machine: SlotMachine, lanes: StartLanes, step: int) -> None:
    """Begin a lane with a run without events; where there is no room, move all to the front."""
    counts, bounds = lanes.counts.runs, lanes.bounds
    if bounds[OLDEST] + bounds[LANES] == lanes.step.size:
        for lane in range(bounds[LANES]):
            lanes.step[lane] = lanes.step[bounds[OLDEST] + lane]
            lanes.completed[lane] = lanes.completed[bounds[OLDEST] + lane]
            for slot in range(machine.owner.size):
                counts[slot, lane] = counts[slot, bounds[OLDEST] + lane]
        bounds[OLDEST] = 0
    lane = bounds[OLDEST] + bounds[LANES]
    lanes.step[lane], lanes.completed[lane] = step, 0.0
    for slot in range(machine.owner.size):
        counts[slot, lane] = float(machine.initial[slot])
    bounds[LANES] += 1


@inlined
def _complete(machine: SlotMachine, lanes: StartLanes, begin: int, end: int) -> float:
    """Count the trends that a step has completed, and forget their runs."""
    total = 0.0
    for place in range(machine.finals.size):
        slot = machine.finals[place]
        for lane in range(begin, end):
            count = lanes.counts.runs[slot, lane]
            lanes.counts.runs[slot, lane] = 0.0
            lanes.completed[lane] += count
            total += count
    return total


@inlined
def _is_dead(machine: SlotMachine, counts: Counts, lane: int) -> bool:
    """Whether a lane has no runs."""
    runs = 0.0
    for slot in range(machine.owner.size):
        runs += counts.runs[slot, lane]
    return runs == 0.0
