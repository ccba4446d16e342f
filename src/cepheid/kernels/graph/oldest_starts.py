"""The earliest start among the runs of a partition that are still alive after some events."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, AutomatonArrays, Bytes, EventArrays, Int64s
from cepheid.kernels.graph.match_nodes import ALWAYS
from cepheid.kernels.jit import kernel_in_place
from cepheid.kernels.step import fired_by, survives


@kernel_in_place
def oldest_starts(
    automaton: AutomatonArrays,
    events: EventArrays,
    is_known: Bytes,
    before_all: int,
    waiting: Int64s,
    fresh: Int64s,
    oldest: Int64s,
) -> None:
    """Write by partition the clock of the earliest start; ALWAYS if no run waits.

    Events that are not known come after all others of their partition, and are not looked at.
    `before_all` is the earliest start that runs before all events may have, at any position: ALWAYS
    if there were none. `waiting` and `fresh` have room for the earliest start at every position.
    Predicates across events are taken to hold, so under contiguity no run is missed. Cost per
    event: the edges into the positions it fires.
    """
    for partition in range(oldest.size):
        for position in range(waiting.size):
            waiting[position] = before_all if automaton.follow[position] else ALWAYS
        first = events.partition_offsets[partition]
        for step in range(first, events.partition_offsets[partition + 1]):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            if is_known[begin] == 0:
                break
            if automaton.strategy == CONTIGUOUS and step > first:
                last = events.step_offsets[step - 1]
                if events.rank[begin] != events.rank[last] + 1:
                    waiting[:] = ALWAYS
            fired = fired_by(events.fires, begin, end)
            for position in range(waiting.size):
                fresh[position] = ALWAYS
                if (fired >> np.uint64(position)) & np.uint64(1) == 0:
                    continue
                if (automaton.first >> np.uint64(position)) & np.uint64(1):
                    fresh[position] = events.clock[begin]
                for edge in range(
                    automaton.source_offsets[position], automaton.source_offsets[position + 1]
                ):
                    fresh[position] = min(fresh[position], waiting[automaton.sources[edge]])
            for position in range(waiting.size):
                if not survives(automaton, position, fired):
                    waiting[position] = ALWAYS
                if automaton.follow[position]:
                    waiting[position] = min(waiting[position], fresh[position])
        oldest[partition] = ALWAYS
        for position in range(waiting.size):
            oldest[partition] = min(oldest[partition], waiting[position])
