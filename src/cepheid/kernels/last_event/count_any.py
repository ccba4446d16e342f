"""Count trends by their last events under skip-till-any: `adjacent_any` for counts alone.

There are no tests but comparisons that are looked up, and no negated parts. `count_plain` does the
same where counts fit a double, as most do; here they have tiers, and low words if digits are asked
for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Float64s, Int64s, Masks
from cepheid.kernels.jit import inlined, inner_in_place, kernel_in_place
from cepheid.kernels.last_event.adjacent_rules import (
    EQUAL_SUMS,
    PREFIX_SUMS,
    TOTAL,
    Indexes,
    Segments,
)
from cepheid.kernels.last_event.count_plain import CountRules, is_loop
from cepheid.kernels.last_event.prefix_counts import (
    Counts,
    add_at_place,
    add_slot,
    add_to_slot,
    clear_place,
    clear_slot,
    plus,
    sum_of_first,
)


class Fresh(NamedTuple):
    """The counts of the current step: event and position, mantissa, tier and low word."""

    place: Int64s
    mantissa: Float64s
    tier: Int64s
    low: Int64s


class SegmentCounts(NamedTuple):
    """The count of every segment; mantissa and tier are those of `Counts`."""

    mantissa: Float64s
    tier: Int64s
    low: Int64s


@inlined
def _extended(
    rules: CountRules, indexes: Indexes, counts: Counts, edge: int, partition: int, event: int
) -> tuple[float, int, int]:
    """Return how many trends an event extends along an edge."""
    mantissa, tier, low = 0.0, 0, 0
    if rules.structure[edge] == TOTAL:
        return add_slot(counts, rules.total_slot[edge], mantissa, tier, low)
    for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
        base = indexes.base[row, partition]
        if rules.structure[edge] == PREFIX_SUMS:
            mantissa, tier, low = sum_of_first(
                counts,
                base,
                indexes.size[row, partition],
                indexes.high[row, event],
                mantissa,
                tier,
                low,
            )
        elif indexes.low[row, event] < indexes.high[row, event]:
            slot = base + indexes.low[row, event]
            mantissa, tier, low = add_slot(counts, slot, mantissa, tier, low)
    return mantissa, tier, low


@inlined
def _let_wait(
    rules: CountRules,
    indexes: Indexes,
    counts: Counts,
    edge: int,
    partition: int,
    event: int,
    mantissa: float,
    tier: int,
    low: int,
) -> None:
    """Put a count into the structure of an edge out of its position."""
    if rules.structure[edge] == TOTAL:
        add_to_slot(counts, rules.total_slot[edge], mantissa, tier, low)
        return
    for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
        place, base = indexes.place[row, event], indexes.base[row, partition]
        if place < 0:
            continue
        if rules.structure[edge] == EQUAL_SUMS:
            add_to_slot(counts, base + place, mantissa, tier, low)
        else:
            add_at_place(counts, base, indexes.size[row, partition], place, mantissa, tier, low)


@inlined
def _forget(
    rules: CountRules,
    indexes: Indexes,
    counts: Counts,
    fires: Masks,
    partition: int,
    begin: int,
    end: int,
) -> None:
    """Clear the structures of everything that the events of a segment can have put there."""
    for position in range(rules.out_offsets.size - 1):
        bit = np.uint64(1) << np.uint64(position)
        for edge in range(rules.out_offsets[position], rules.out_offsets[position + 1]):
            for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
                base, size = indexes.base[row, partition], indexes.size[row, partition]
                for event in range(begin, end):
                    place = indexes.place[row, event]
                    if place < 0 or fires[event] & bit == 0:
                        continue
                    if rules.structure[edge] == EQUAL_SUMS:
                        clear_slot(counts, base + place)
                    else:
                        clear_place(counts, base, size, place)


@inner_in_place
def _fold_loop(
    fires: Masks,
    first_event: int,
    last_event: int,
    base: int,
    size: int,
    indexes: Indexes,
    counts: Counts,
) -> tuple[float, int, int]:
    """Do what `_fold_steps` does for one position with an edge to itself; see `count_plain`."""
    total, total_tier, total_low = 0.0, 0, 0
    for event in range(first_event, last_event):
        if fires[event] & np.uint64(1) == 0:
            continue
        mantissa, tier, low = sum_of_first(counts, base, size, indexes.high[0, event], 1.0, 0, 1)
        total, total_tier = plus(total, total_tier, mantissa, tier)
        total_low += low
        if indexes.place[0, event] >= 0:
            add_at_place(counts, base, size, indexes.place[0, event], mantissa, tier, low)
    return total, total_tier, total_low


@inner_in_place
def _fold_steps(
    rules: CountRules,
    fires: Masks,
    step_offsets: Int64s,
    first_step: int,
    last_step: int,
    partition: int,
    indexes: Indexes,
    counts: Counts,
    fresh: Fresh,
) -> tuple[float, int, int]:
    """Return how many trends the steps have."""
    positions = rules.out_offsets.size - 1
    total, total_tier, total_low = 0.0, 0, 0
    for step in range(first_step, last_step):
        waiting = 0
        for event in range(step_offsets[step], step_offsets[step + 1]):
            for position in range(positions):
                bit = np.uint64(1) << np.uint64(position)
                if fires[event] & bit == 0:
                    continue
                low = 1 if rules.first & bit else 0
                mantissa, tier = float(low), 0
                for at in range(rules.in_offsets[position], rules.in_offsets[position + 1]):
                    more, more_tier, more_low = _extended(
                        rules, indexes, counts, rules.in_edges[at], partition, event
                    )
                    mantissa, tier = plus(mantissa, tier, more, more_tier)
                    low += more_low
                if mantissa == 0.0:
                    continue
                fresh.place[waiting, 0], fresh.place[waiting, 1] = event, position
                fresh.mantissa[waiting], fresh.tier[waiting] = mantissa, tier
                fresh.low[waiting] = low
                waiting += 1
        for at in range(waiting):
            event, position = fresh.place[at, 0], fresh.place[at, 1]
            mantissa, tier, low = fresh.mantissa[at], fresh.tier[at], fresh.low[at]
            for edge in range(rules.out_offsets[position], rules.out_offsets[position + 1]):
                _let_wait(rules, indexes, counts, edge, partition, event, mantissa, tier, low)
            if rules.last & (np.uint64(1) << np.uint64(position)):
                total, total_tier = plus(total, total_tier, mantissa, tier)
                total_low += low
    return total, total_tier, total_low


@kernel_in_place
def count_any(
    rules: CountRules,
    fires: Masks,
    step_offsets: Int64s,
    segments: Segments,
    indexes: Indexes,
    forgets: bool,
    counts: Counts,
    fresh: Fresh,
    result: SegmentCounts,
) -> None:
    """Write the count of every segment; O(log n) an event and edge.

    `forgets`: segments share partitions, so that structures must be cleared after each.
    """
    for segment in range(segments.begin.size):
        partition = segments.partition[segment]
        begin, end = segments.begin[segment], segments.end[segment]
        for edge in range(rules.structure.size):
            clear_slot(counts, rules.total_slot[edge])
        first_event, last_event = step_offsets[begin], step_offsets[end]
        if is_loop(rules, indexes, end - begin, last_event - first_event):
            base, size = indexes.base[0, partition], indexes.size[0, partition]
            total, tier, low = _fold_loop(
                fires, first_event, last_event, base, size, indexes, counts
            )
        else:
            total, tier, low = _fold_steps(
                rules, fires, step_offsets, begin, end, partition, indexes, counts, fresh
            )
        result.mantissa[segment], result.tier[segment], result.low[segment] = total, tier, low
        if forgets:
            _forget(rules, indexes, counts, fires, partition, first_event, last_event)
