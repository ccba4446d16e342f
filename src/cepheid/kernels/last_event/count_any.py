"""Count trends by their last events under skip-till-any: `adjacent_any` for counts alone.

There are no tests but comparisons that are looked up, and no negated parts. Most counts fit a
double, and a partition is folded with nothing else as long as they do; then its trees go on with
tiers, or with low words if digits are asked for.
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
from cepheid.kernels.last_event.prefix_counts import (
    LARGEST,
    Counts,
    add_at_place,
    add_plain,
    add_slot,
    add_to_slot,
    clear_place,
    clear_slot,
    make_low,
    plain_slot,
    plain_sum_of_first,
    plus,
    set_low,
    sum_of_first,
)

EXACT = 2.0**53  # up to here a double is its own low word


class CountRules(NamedTuple):
    """Where trends begin and end, and edges, sorted by source; see `AdjacentRules`.

    `total_slot` is where the one sum of an edge is kept, for edges that need no more.
    """

    first: np.uint64
    last: np.uint64
    out_offsets: Int64s
    in_offsets: Int64s
    in_edges: Int64s
    structure: Int64s
    total_slot: Int64s


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


@inlined
def _is_loop(rules: CountRules, indexes: Indexes, steps: int, events: int) -> bool:
    """Whether there is one position, with an edge to itself that compares, and no two concur."""
    is_loop = rules.structure.size == 1 and rules.structure[0] == PREFIX_SUMS
    return is_loop and rules.out_offsets.size == 2 and indexes.offsets[1] == 1 and steps == events


@inner_in_place
def _fold_loop(
    fires: Masks,
    first_event: int,
    last_event: int,
    base: int,
    size: int,
    indexes: Indexes,
    counts: Counts,
    limit: float,
) -> tuple[int, float]:
    """Do what `_fold_plain` does for such a pattern, without the loops over what there is one of.

    They took twice as long as what they hold. Returns the event at which it has stopped.
    """
    total = 0.0
    for event in range(first_event, last_event):
        if fires[event] & np.uint64(1) == 0:
            continue
        count = 1.0 + plain_sum_of_first(counts, base, size, indexes.high[0, event])
        if not total + count < limit:
            return event, total
        total += count
        if indexes.place[0, event] >= 0:
            add_plain(counts, base, size, indexes.place[0, event], count)
    return last_event, total


@inner_in_place
def _fold_plain(
    rules: CountRules,
    fires: Masks,
    step_offsets: Int64s,
    first_step: int,
    last_step: int,
    partition: int,
    indexes: Indexes,
    counts: Counts,
    fresh: Fresh,
    limit: float,
) -> tuple[int, float]:
    """Return how many trends the steps have, and the step at which counts could reach a limit."""
    positions = rules.out_offsets.size - 1
    total, everything = 0.0, 0.0
    for step in range(first_step, last_step):
        waiting = 0
        for event in range(step_offsets[step], step_offsets[step + 1]):
            for position in range(positions):
                bit = np.uint64(1) << np.uint64(position)
                if fires[event] & bit == 0:
                    continue
                count = 1.0 if rules.first & bit else 0.0
                for at in range(rules.in_offsets[position], rules.in_offsets[position + 1]):
                    edge = rules.in_edges[at]
                    if rules.structure[edge] == TOTAL:
                        count += plain_slot(counts, rules.total_slot[edge])
                        continue
                    for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
                        base, high = indexes.base[row, partition], indexes.high[row, event]
                        if rules.structure[edge] == PREFIX_SUMS:
                            size = indexes.size[row, partition]
                            count += plain_sum_of_first(counts, base, size, high)
                        elif indexes.low[row, event] < high:
                            count += plain_slot(counts, base + indexes.low[row, event])
                if count == 0.0:
                    continue
                fresh.place[waiting, 0], fresh.place[waiting, 1] = event, position
                fresh.mantissa[waiting] = count
                everything += count
                waiting += 1
        if not everything < limit:
            return step, total
        for at in range(waiting):
            event, position = fresh.place[at, 0], fresh.place[at, 1]
            count = fresh.mantissa[at]
            for edge in range(rules.out_offsets[position], rules.out_offsets[position + 1]):
                if rules.structure[edge] == TOTAL:
                    add_to_slot(counts, rules.total_slot[edge], count, 0, 0)
                    continue
                for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
                    place, base = indexes.place[row, event], indexes.base[row, partition]
                    if place < 0:
                        continue
                    if rules.structure[edge] == EQUAL_SUMS:
                        add_to_slot(counts, base + place, count, 0, 0)
                    else:
                        add_plain(counts, base, indexes.size[row, partition], place, count)
            if rules.last & (np.uint64(1) << np.uint64(position)):
                total += count
    return last_step, total


@inner_in_place
def _loop_tiers(
    fires: Masks,
    first_event: int,
    last_event: int,
    base: int,
    size: int,
    indexes: Indexes,
    counts: Counts,
    total: float,
) -> tuple[float, int, int]:
    """Go on where `_fold_loop` has stopped, and return how many trends there are in all."""
    total_tier, total_low = 0, 0
    if counts.low.size:
        total_low = int(total)
        make_low(counts, base, size)
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
def _fold_tiers(
    rules: CountRules,
    fires: Masks,
    step_offsets: Int64s,
    first_step: int,
    last_step: int,
    partition: int,
    indexes: Indexes,
    counts: Counts,
    fresh: Fresh,
    total: float,
) -> tuple[float, int, int]:
    """Go on where `_fold_plain` has stopped, and return how many trends there are in all."""
    positions = rules.out_offsets.size - 1
    total_tier, total_low = 0, 0
    if counts.low.size:
        total_low = int(total)
        for edge in range(rules.structure.size):
            set_low(counts, rules.total_slot[edge])
            for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
                make_low(counts, indexes.base[row, partition], indexes.size[row, partition])
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
    limit = EXACT if counts.low.size else LARGEST
    for segment in range(segments.begin.size):
        partition = segments.partition[segment]
        begin, end = segments.begin[segment], segments.end[segment]
        for edge in range(rules.structure.size):
            clear_slot(counts, rules.total_slot[edge])
        first_event, last_event = step_offsets[begin], step_offsets[end]
        if _is_loop(rules, indexes, end - begin, last_event - first_event):
            base, size = indexes.base[0, partition], indexes.size[0, partition]
            event, total = _fold_loop(
                fires, first_event, last_event, base, size, indexes, counts, limit
            )
            tier, low = 0, int(total) if counts.low.size else 0
            if event < last_event:
                total, tier, low = _loop_tiers(
                    fires, event, last_event, base, size, indexes, counts, total
                )
            step = end
            result.mantissa[segment], result.tier[segment], result.low[segment] = total, tier, low
        else:
            step, total = _fold_plain(
                rules, fires, step_offsets, begin, end, partition, indexes, counts, fresh, limit
            )
            result.mantissa[segment], result.tier[segment] = total, 0
            result.low[segment] = int(total) if counts.low.size else 0
        if step < end:
            result.mantissa[segment], result.tier[segment], result.low[segment] = _fold_tiers(
                rules, fires, step_offsets, step, end, partition, indexes, counts, fresh, total
            )
        if forgets:
            _forget(rules, indexes, counts, fires, partition, first_event, last_event)
