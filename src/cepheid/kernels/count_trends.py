"""Count trends per partition, or per window and partition."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, AutomatonArrays, EventArrays
from cepheid.kernels.counters import (
    CountRows,
    advance,
    append_row,
    clear_slots,
    count_fired,
    empty_buffer,
    finished_rows,
    make_counters,
)
from cepheid.kernels.jit import kernel
from cepheid.kernels.step import fired_by

BEFORE_ALL = -(2**62)


@kernel
def count_per_partition(automaton: AutomatonArrays, events: EventArrays) -> CountRows:
    """Count all trends of every partition, without a window; O(edges) per event."""
    partitions = events.partition_offsets.size - 1
    positions = automaton.follow.size
    rows = CountRows(
        np.arange(partitions),
        np.zeros(partitions, np.int64),
        np.zeros(partitions),
        np.zeros(partitions, np.int64),
        np.zeros(partitions, np.int64),
    )
    counters, fresh = make_counters(1, positions), make_counters(1, positions)
    times = np.zeros(positions, np.int64)
    for partition in range(partitions):
        clear_slots(counters, 0, 0, positions + 1)
        rank_before = np.int64(BEFORE_ALL)
        for step in range(
            events.partition_offsets[partition], events.partition_offsets[partition + 1]
        ):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            if automaton.strategy == CONTIGUOUS:
                if events.rank[begin] != rank_before + 1:
                    clear_slots(counters, 0, 0, positions)
                rank_before = events.rank[begin]
            count_fired(events.fires, begin, end, times)
            fired = fired_by(events.fires, begin, end)
            advance(counters, 0, automaton, fired, times, True, fresh)
        rows.mantissa[partition] = counters.mantissa[0, positions]
        rows.tier[partition] = counters.tier[0, positions]
        rows.low[partition] = counters.low[0, positions]
    return rows


@kernel
def count_per_window(
    automaton: AutomatonArrays, events: EventArrays, length: int, slide: int
) -> CountRows:
    """Count the trends in every window [i * slide, i * slide + length) of every partition.

    One state vector per open window; O(open windows * edges) per event. Window i keeps its vector
    in row i modulo the number of windows that can be open.
    """
    positions = automaton.follow.size
    overlap = -(-length // slide)
    counters, fresh = make_counters(overlap, positions), make_counters(1, positions)
    times = np.zeros(positions, np.int64)
    buffer = empty_buffer()
    for partition in range(events.partition_offsets.size - 1):
        rank_before = np.int64(BEFORE_ALL)
        oldest, newest = np.int64(BEFORE_ALL + 1), np.int64(BEFORE_ALL)
        for step in range(
            events.partition_offsets[partition], events.partition_offsets[partition + 1]
        ):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            clock = events.clock[begin]
            opened_first, opened_last = (clock - length) // slide + 1, clock // slide
            for window in range(oldest, min(newest + 1, opened_first)):
                if counters.mantissa[window % overlap, positions] != 0.0:
                    buffer = append_row(buffer, partition, window, counters, window % overlap)
            for window in range(max(newest + 1, opened_first), opened_last + 1):
                clear_slots(counters, window % overlap, 0, positions + 1)
            oldest, newest = opened_first, opened_last
            is_broken = False
            if automaton.strategy == CONTIGUOUS:
                is_broken = events.rank[begin] != rank_before + 1
                rank_before = events.rank[begin]
            count_fired(events.fires, begin, end, times)
            fired = fired_by(events.fires, begin, end)
            for window in range(oldest, newest + 1):
                if is_broken:
                    clear_slots(counters, window % overlap, 0, positions)
                advance(counters, window % overlap, automaton, fired, times, True, fresh)
        for window in range(oldest, newest + 1):
            if counters.mantissa[window % overlap, positions] != 0.0:
                buffer = append_row(buffer, partition, window, counters, window % overlap)
    return finished_rows(buffer)
