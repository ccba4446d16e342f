"""Contiguous trends whose edges compare neighbours, as positions without comparisons.

Under contiguity a run goes on only with the next event of its partition. So which edges into an
event are *open* follows from the event before it. An event that fits position q fits one variant of
q instead, which has the open edges alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import EventArrays, Int64s, Masks
from cepheid.kernels.jit import kernel_in_place
from cepheid.kernels.last_event.adjacent_contiguous import (
    IS_TESTED,
    NO_EDGE,
    ContiguousRules,
    edge_holds,
)
from cepheid.kernels.last_event.adjacent_rules import NO_EVENT
from cepheid.kernels.predicates.predicate_machine import OVERFLOW, ColumnArrays

NO_STEP = -1


class Variants(NamedTuple):
    """Where the variants of a position begin; and the bit of an edge in the number of a variant."""

    begin: Int64s
    bit: Int64s


@kernel_in_place
def fire_variants(
    events: EventArrays,
    rules: ContiguousRules,
    columns: ColumnArrays,
    variants: Variants,
    fires: Masks,
) -> int:
    """Write the variants that every event fits; every step has one event.

    Returns the event whose test left 64 bits, or NO_EVENT.
    """
    positions, none, one = variants.begin.size, np.uint64(0), np.uint64(1)
    for partition in range(events.partition_offsets.size - 1):
        last = NO_STEP
        for event in range(
            events.partition_offsets[partition], events.partition_offsets[partition + 1]
        ):
            if last != NO_STEP and events.rank[event] != events.rank[last] + 1:
                last = NO_STEP
            mask = none
            for position in range(positions):
                if (events.fires[event] >> np.uint64(position)) & one == none:
                    continue
                variant = variants.begin[position]
                for source in range(positions if last != NO_STEP else 0):
                    edge = rules.edge_of[source, position]
                    if edge == NO_EDGE or rules.tests[edge, IS_TESTED] == 0:
                        continue
                    if (events.fires[last] >> np.uint64(source)) & one == none:
                        continue
                    holds = edge_holds(rules, columns, edge, last, event)
                    if holds == OVERFLOW:
                        return event
                    if holds:
                        variant += variants.bit[edge]
                mask |= one << np.uint64(variant)
            fires[event] = mask
            last = event
    return NO_EVENT
