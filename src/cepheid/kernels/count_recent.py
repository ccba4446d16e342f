"""Counts over the last w time units, at every event that can end a match (A-Seq).

One state vector per live start: a *lane* holds the runs that began in one step of one partition.
Cost per event: the live lanes of its group.
"""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.count_trends import BEFORE_ALL
from cepheid.kernels.counters import (
    Counters,
    CountRows,
    advance,
    append_row,
    clear_slots,
    count_fired,
    empty_buffer,
    finished_rows,
    make_counters,
)
from cepheid.kernels.extended import added
from cepheid.kernels.jit import inner, kernel
from cepheid.kernels.step import fired_by

DEAD = -1


@inner
def _more_lanes(lanes: Counters, positions: int) -> Counters:
    rows = lanes.mantissa.shape[0]
    larger = make_counters(2 * rows, positions)
    larger.mantissa[:rows] = lanes.mantissa
    larger.tier[:rows] = lanes.tier
    larger.low[:rows] = lanes.low
    return larger


@inner
def _total(lanes: Counters, lane_partition: Int64s, begin: int, end: int, into: Counters) -> None:
    """Write the sum of the finished totals of the live lanes."""
    slot = lanes.mantissa.shape[1] - 1
    clear_slots(into, 0, slot, slot + 1)
    for lane in range(begin, end):
        if lane_partition[lane] == DEAD:
            continue
        into.mantissa[0, slot], into.tier[0, slot] = added(
            into.mantissa[0, slot],
            into.tier[0, slot],
            lanes.mantissa[lane, slot],
            lanes.tier[lane, slot],
        )
        into.low[0, slot] += lanes.low[lane, slot]


@inner
def _compact(lanes: Counters, partition: Int64s, clock: Int64s, begin: int, end: int) -> int:
    """Move the live lanes to the front."""
    target = 0
    for lane in range(begin, end):
        if partition[lane] == DEAD:
            continue
        lanes.mantissa[target] = lanes.mantissa[lane]
        lanes.tier[target] = lanes.tier[lane]
        lanes.low[target] = lanes.low[lane]
        partition[target] = partition[lane]
        clock[target] = clock[lane]
        target += 1
    return target


@kernel
def count_recent(
    automaton: AutomatonArrays,
    events: EventArrays,
    partition_of_step: Int64s,
    moment_offsets: Int64s,
    group_of_moment: Int64s,
    length: int,
    has_own_clocks: bool,
) -> CountRows:
    """Count at every order key of a group at which an event fits a last position.

    Steps are ordered by group, order key, partition; a *moment* is the steps of one group and
    order key. The result's `owner` is the group, its `window` the first step of the moment. With
    `has_own_clocks` (windows that count events) time passes for a partition only by its own events.
    """
    positions = automaton.follow.size
    lanes, fresh = make_counters(16, positions), make_counters(1, positions)
    lane_partition, lane_clock = np.empty(16, np.int64), np.empty(16, np.int64)
    oldest, count = 0, 0
    times = np.zeros(positions, np.int64)
    partitions = partition_of_step.max() + 1 if partition_of_step.size else 0
    rank_before = np.full(partitions, BEFORE_ALL, np.int64)
    buffer = empty_buffer()
    group = -1
    for moment in range(moment_offsets.size - 1):
        if group_of_moment[moment] != group:
            group = group_of_moment[moment]
            oldest, count = 0, 0
        clock = events.clock[events.step_offsets[moment_offsets[moment]]]
        while oldest < count and (
            lane_partition[oldest] == DEAD
            or (not has_own_clocks and lane_clock[oldest] <= clock - length)
        ):
            oldest += 1
        ends = False
        for step in range(moment_offsets[moment], moment_offsets[moment + 1]):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            partition, clock = partition_of_step[step], events.clock[begin]
            fired = fired_by(events.fires, begin, end)
            ends = ends or (fired & automaton.last) != 0
            is_broken = False
            if automaton.strategy == CONTIGUOUS:
                is_broken = events.rank[begin] != rank_before[partition] + 1
                rank_before[partition] = events.rank[begin]
            count_fired(events.fires, begin, end, times)
            for lane in range(oldest, count):
                if lane_partition[lane] != partition:
                    continue
                if lane_clock[lane] <= clock - length:
                    lane_partition[lane] = DEAD
                    continue
                if is_broken:
                    clear_slots(lanes, lane, 0, positions)
                advance(lanes, lane, automaton, fired, times, False, fresh)
            if fired & automaton.first:
                if count == lane_clock.size:
                    count = _compact(lanes, lane_partition, lane_clock, oldest, count)
                    oldest = 0
                    if 2 * count > lane_clock.size:
                        lanes = _more_lanes(lanes, positions)
                        lane_partition = np.concatenate((lane_partition, lane_partition))
                        lane_clock = np.concatenate((lane_clock, lane_clock))
                clear_slots(lanes, count, 0, positions + 1)
                lane_partition[count], lane_clock[count] = partition, clock
                advance(lanes, count, automaton, fired, times, True, fresh)
                count += 1
        if ends:
            _total(lanes, lane_partition, oldest, count, fresh)
            buffer = append_row(buffer, group, moment_offsets[moment], fresh, 0)
    return finished_rows(buffer)
