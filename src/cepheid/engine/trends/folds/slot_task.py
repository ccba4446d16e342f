"""The program's slots as kernel arrays, and the negative events of ordered events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.position.slot_machine import SlotMachine
from cepheid.kernels.values.value_arrays import Measures
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.program import Program, StrategyCode
from cepheid.program.slot_program import SlotProgram

Int64s = NDArray[np.int64]


class SlotTask(NamedTuple):
    """What is folded: `codes` are the negative events, or nothing."""

    machine: SlotMachine
    measures: Measures
    events: EventArrays
    codes: Int64s


def slot_task(
    program: Program, slots: SlotProgram, ordered: OrderedEvents, measures: Measures
) -> SlotTask:
    """Return what a linear query folds."""
    machine = slot_machine(slots, program.automaton, program.strategy)
    return SlotTask(machine, measures, ordered.arrays, negative_codes(slots, ordered))


def slot_machine(
    slots: SlotProgram, automaton: PositionAutomaton, strategy: StrategyCode
) -> SlotMachine:
    """Return the arrays in the dtypes that kernels are compiled for."""
    source_offsets, sources = _flat(slots.sources)
    entry_offsets, entries = _flat(slots.entries)
    return SlotMachine(
        np.array(slots.initial, np.int64),
        source_offsets,
        sources,
        entry_offsets,
        entries,
        np.array(slots.owner, np.int64),
        np.array(slots.moves, np.int64),
        np.array(slots.finals, np.int64),
        np.array(automaton.follow, np.uint64),
        np.array(automaton.mandatory, np.uint64),
        int(strategy),
    )


def negative_codes(slots: SlotProgram, ordered: OrderedEvents) -> Int64s:
    """Return by event the positions of negated parts that it fits; nothing if there are none."""
    codes = np.zeros(ordered.row.size if slots.negative else 0, np.int64)
    for masks, first_bit in slots.negative:
        codes |= ordered.negative_fires[masks].astype(np.int64) << first_bit
    return codes


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Int64s, Int64s]:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return offsets, np.array([each for one in lists for each in one], np.int64)
