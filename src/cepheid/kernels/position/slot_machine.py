"""One step of an automaton on a vector of slots, where no predicate needs the last event of a run.

A slot holds all runs with the same future: those that have not begun, those at a position (apart by
what has happened in a gap that negation looks at) and those that are complete. A step is linear in
the slots, for all strategies. Its order matters:
1. new runs of every fired position, from the slots as they were;
2. what does not survive is cleared, whether the edge it could take was blocked or not;
3. negative events move runs on in their gap automata, or drop them;
4. new runs are added to their slots.
Concurrent events are one step, so they never follow or block each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, SKIP_TILL_ANY, EventArrays, Int64s, Masks
from cepheid.kernels.jit import inlined
from cepheid.kernels.step import survives
from cepheid.kernels.values import value_stretches
from cepheid.kernels.values.extended import added
from cepheid.kernels.values.value_algebra import (
    clear,
    extend,
    has_runs,
    make_values,
    plus,
)
from cepheid.kernels.values.value_arrays import NOTHING, Measures, Values
from cepheid.kernels.values.value_stretches import AnyValues

# Places in `Step.facts`.
FIRED, DROPPED, CODE, IS_BROKEN = 0, 1, 2, 3
BEFORE_ALL = -(2**62)


class SlotMachine(NamedTuple):
    """What a step does to the slots.

    `initial[s]` is 1 if slot s holds a run without events at the beginning. An event at position q
    extends the runs of `sources[source_offsets[q]:source_offsets[q + 1]]`; the new runs are added
    to the slots in `entries`, likewise. `owner[s]` is the position whose survival keeps a slot, -1
    if nothing clears it. `moves[s, code]` is where runs go in a step with these negative events, to
    a slot that is not before s, or -1: they are blocked. The slots in `finals` add up to the
    result.
    """

    initial: Int64s
    source_offsets: Int64s
    sources: Int64s
    entry_offsets: Int64s
    entries: Int64s
    owner: Int64s
    moves: Int64s
    finals: Int64s
    follow: Masks
    mandatory: Masks
    strategy: int


class Step(NamedTuple):
    """What a step is to any vector: computed once, applied to many.

    `fired` lists positions, `times` has by position how many events fire it, `contributions[0, q]`
    what those contribute, `dropped` the slots that do not survive.
    """

    facts: Int64s
    fired: Int64s
    times: Int64s
    contributions: Values
    dropped: Int64s


def make_step(machine: SlotMachine, measures: Measures) -> Step:
    """Return room for a step; not for kernels."""
    positions, slots = machine.follow.size, machine.owner.size
    return Step(
        np.zeros(4, np.int64),
        np.zeros(positions, np.int64),
        np.zeros(positions, np.int64),
        make_values(1, positions, measures.moduli.size, measures.least_positions.size),
        np.zeros(slots, np.int64),
    )


def make_fresh(machine: SlotMachine, measures: Measures) -> Values:
    """Return room for new runs by position, and for one value more; not for kernels."""
    numbers, minima = measures.moduli.size, measures.least_positions.size
    return make_values(1, machine.follow.size + 1, numbers, minima)


@inlined
def describe_step(
    machine: SlotMachine,
    measures: Measures,
    events: EventArrays,
    codes: Int64s,
    step: int,
    rank_before: int,
    about: Step,
) -> None:
    """Write what a step is; `codes` has the negative code of every event, or nothing."""
    begin, end = events.step_offsets[step], events.step_offsets[step + 1]
    mask = np.uint64(0)
    for event in range(begin, end):
        mask |= events.fires[event]
    count = 0
    for position in range(machine.follow.size):
        bit = np.uint64(1) << np.uint64(position)
        if mask & bit:
            about.fired[count] = position
            count += 1
            _add_up(measures, events.fires, begin, end, position, about)
    code = 0
    if codes.size:
        for event in range(begin, end):
            code |= codes[event]
    dropped = 0
    if machine.strategy != SKIP_TILL_ANY:
        for slot in range(machine.owner.size):
            if machine.owner[slot] >= 0 and not survives(machine, machine.owner[slot], mask):
                about.dropped[dropped] = slot
                dropped += 1
    is_broken = machine.strategy == CONTIGUOUS and events.rank[begin] != rank_before + 1
    about.facts[FIRED], about.facts[DROPPED] = count, dropped
    about.facts[CODE], about.facts[IS_BROKEN] = code, is_broken


@inlined
def _add_up(
    measures: Measures, fires: Masks, begin: int, end: int, position: int, about: Step
) -> None:
    """Count the events that fire a position, and add up what they contribute."""
    bit = np.uint64(1) << np.uint64(position)
    times = 0
    for event in range(begin, end):
        if fires[event] & bit:
            times += 1
    about.times[position] = times
    total = about.contributions
    for number in range(1, measures.moduli.size):
        if measures.moduli[number] > 0:
            continue
        mantissa, tier, low = 0.0, 0, 0
        if measures.positions[number] & bit:
            for event in range(begin, end):
                if fires[event] & bit:
                    mantissa, tier = added(
                        mantissa,
                        tier,
                        measures.mantissa[number, event],
                        measures.tier[number, event],
                    )
                    low += measures.low[number, event]
        total.mantissa[0, position, number] = mantissa
        total.tier[0, position, number] = tier
        if measures.moduli[number] < 0:
            low %= -measures.moduli[number]
        total.low[0, position, number] = low
    for number in range(measures.least_positions.size):
        least = NOTHING
        if measures.least_positions[number] & bit:
            for event in range(begin, end):
                if fires[event] & bit:
                    least = min(least, measures.least[number, event])
        total.least[0, position, number] = least


@inlined
def advance(
    machine: SlotMachine, moduli: Int64s, values: Values, row: int, about: Step, fresh: Values
) -> None:
    """Apply one step to one vector; O(edges into the fired positions + dropped slots)."""
    if about.facts[IS_BROKEN]:
        for slot in range(machine.owner.size):
            if machine.owner[slot] >= 0:
                clear(values, row, slot)
    for place in range(about.facts[FIRED]):
        position = about.fired[place]
        clear(fresh, 0, position)
        for at in range(machine.source_offsets[position], machine.source_offsets[position + 1]):
            plus(fresh, 0, position, values, row, machine.sources[at], moduli)
        extend(fresh, 0, position, about.times[position], about.contributions, position, moduli)
    for place in range(about.facts[DROPPED]):
        clear(values, row, about.dropped[place])
    code = about.facts[CODE]
    if code != 0:
        for slot in range(machine.owner.size - 1, -1, -1):
            target = machine.moves[slot, code]
            if target != slot:
                if target >= 0:
                    plus(values, row, target, values, row, slot, moduli)
                clear(values, row, slot)
    for place in range(about.facts[FIRED]):
        position = about.fired[place]
        if has_runs(fresh, 0, position):
            for at in range(machine.entry_offsets[position], machine.entry_offsets[position + 1]):
                plus(values, row, machine.entries[at], fresh, 0, position, moduli)


@inlined
def advance_lanes(
    machine: SlotMachine,
    moduli: Int64s,
    values: AnyValues,
    begin: int,
    end: int,
    about: Step,
    fresh: AnyValues,
) -> None:
    """Apply one step to some vectors, `values[slot, begin:end]`; O(edges + dropped slots) each."""
    if about.facts[IS_BROKEN]:
        for slot in range(machine.owner.size):
            if machine.owner[slot] >= 0:
                value_stretches.clear(values, slot, begin, end)
    for place in range(about.facts[FIRED]):
        position = about.fired[place]
        value_stretches.clear(fresh, position, begin, end)
        for at in range(machine.source_offsets[position], machine.source_offsets[position + 1]):
            value_stretches.plus(fresh, position, values, machine.sources[at], begin, end, moduli)
        value_stretches.extend(
            fresh, position, begin, end, about.times[position], about.contributions, position,
            moduli,
        )  # fmt: skip
    for place in range(about.facts[DROPPED]):
        value_stretches.clear(values, about.dropped[place], begin, end)
    code = about.facts[CODE]
    if code != 0:
        for slot in range(machine.owner.size - 1, -1, -1):
            target = machine.moves[slot, code]
            if target != slot:
                if target >= 0:
                    value_stretches.plus(values, target, values, slot, begin, end, moduli)
                value_stretches.clear(values, slot, begin, end)
    for place in range(about.facts[FIRED]):
        position = about.fired[place]
        for at in range(machine.entry_offsets[position], machine.entry_offsets[position + 1]):
            value_stretches.plus(values, machine.entries[at], fresh, position, begin, end, moduli)
