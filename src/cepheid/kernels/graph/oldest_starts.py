"""The earliest start among the runs that are still alive after the last event of a partition."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.graph.match_nodes import ALWAYS, NEVER
from cepheid.kernels.jit import kernel_in_place
from cepheid.kernels.step import fired_by, survives


@kernel_in_place
def oldest_starts(
    automaton: AutomatonArrays, events: EventArrays, waiting: Int64s, fresh: Int64s, oldest: Int64s
) -> None:
    """Write by partition the clock of the earliest start; ALWAYS if no run waits.

    `waiting` and `fresh` have room for the earliest start at every position. Predicates across
    events are taken to hold, so under contiguity no run is missed. Cost per event: the edges into
    the positions it fires.
    """
    for partition in range(oldest.size):
        waiting[:] = ALWAYS
        rank_before = np.int64(NEVER)
        for step in range(
            events.partition_offsets[partition], events.partition_offsets[partition + 1]
        ):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            if automaton.strategy == CONTIGUOUS:
                if events.rank[begin] != rank_before + 1:
                    waiting[:] = ALWAYS
                rank_before = events.rank[begin]
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
