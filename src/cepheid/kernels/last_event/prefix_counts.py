"""Counts over places that only grow, with sums of the first places: a wide tree.

A node has 32 slots; a slot holds what waits at the places below it and below those before it in the
node. A count is added to the slots of one node a level, by a few vector instructions, and looked up
by one slot a level: Fenwick's tree has five times as many levels, each of which waits for the one
before, and took four times as long.

A count is mantissa * 2^(1000 * tier), the mantissa 0 or in [1, 2^1000): counts are only added up,
so tiers can be wider than those of extended.py, and hardly a stream leaves the first. The tier
belongs to the slot, since small counts may outgrow large ones later; `node_tier` is that of all
slots of a node, or MIXED.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import inlined, kernel_in_place

BITS, WIDTH = 5, 32
TIER_BITS = 1000
LARGEST = 2.0**TIER_BITS
DOWN = 2.0**-TIER_BITS
MIXED = -1


class Counts(NamedTuple):
    """`[node, slot]`; `low` are counts modulo 2^64, without nodes where nobody asks for them."""

    mantissa: Float64s
    tier: Int64s
    low: Int64s
    node_tier: Int64s


@inlined
def plus(mantissa: float, tier: int, other: float, other_tier: int) -> tuple[float, int]:
    """Return the sum of two counts; what is more than one tier smaller is below precision."""
    if tier == other_tier:
        mantissa += other
    elif other == 0.0:
        return mantissa, tier
    elif mantissa == 0.0:
        return other, other_tier
    elif tier > other_tier:
        if tier == other_tier + 1:
            mantissa += other * DOWN
    else:
        mantissa = other + mantissa * DOWN if other_tier == tier + 1 else other
        tier = other_tier
    if mantissa >= LARGEST:
        return mantissa * DOWN, tier + 1
    return mantissa, tier


@inlined
def add_slot(
    counts: Counts, place: int, mantissa: float, tier: int, low: int
) -> tuple[float, int, int]:
    """Return a count and what a slot holds."""
    node, slot = place >> BITS, place & (WIDTH - 1)
    mantissa, tier = plus(mantissa, tier, counts.mantissa[node, slot], counts.tier[node, slot])
    return mantissa, tier, low + counts.low[node, slot] if counts.low.size else low


@inlined
def add_to_slot(counts: Counts, place: int, mantissa: float, tier: int, low: int) -> None:
    """Add a count to one slot, of a node that is no tree's."""
    node, slot = place >> BITS, place & (WIDTH - 1)
    counts.mantissa[node, slot], counts.tier[node, slot] = plus(
        counts.mantissa[node, slot], counts.tier[node, slot], mantissa, tier
    )
    if counts.low.size:
        counts.low[node, slot] += low


@inlined
def clear_slot(counts: Counts, place: int) -> None:
    """Set one slot to no runs."""
    node, slot = place >> BITS, place & (WIDTH - 1)
    counts.mantissa[node, slot] = 0.0
    counts.tier[node, slot] = 0
    if counts.low.size:
        counts.low[node, slot] = 0


@inlined
def _add_to_mixed(counts: Counts, node: int, first: int, mantissa: float, tier: int) -> None:
    """Add a count to the slots of a node from `first` on, whatever tiers they have."""
    for slot in range(first):
        if counts.mantissa[node, slot] == 0.0:  # 0 may have any tier: most nodes get a common one
            counts.tier[node, slot] = tier
    for slot in range(first, WIDTH):
        counts.mantissa[node, slot], counts.tier[node, slot] = plus(
            counts.mantissa[node, slot], counts.tier[node, slot], mantissa, tier
        )
    common = counts.tier[node, 0]
    for slot in range(1, WIDTH):
        if counts.tier[node, slot] != common:
            common = MIXED
    counts.node_tier[node] = common


@inlined
def add_at_place(
    counts: Counts, base: int, size: int, place: int, mantissa: float, tier: int, low: int
) -> None:
    """Let a count wait at a place of a tree with so many places; O(log size).

    Loops go over all slots, and their bound is no constant, since both are what makes vector
    instructions of them: 4 ns a node, 16 ns otherwise.
    """
    while True:
        node, first = (base + place) >> BITS, place & (WIDTH - 1)
        most = counts.mantissa[node, WIDTH - 1] + mantissa
        if counts.node_tier[node] == tier and most < LARGEST:
            for slot in range(counts.mantissa.shape[1]):
                counts.mantissa[node, slot] += mantissa if slot >= first else 0.0
        else:
            _add_to_mixed(counts, node, first, mantissa, tier)
        if counts.low.size:
            for slot in range(counts.low.shape[1]):
                counts.low[node, slot] += low if slot >= first else 0
        if size <= WIDTH:
            return
        size = (size + WIDTH - 1) >> BITS
        base += size << BITS
        place >>= BITS


@inlined
def sum_of_first(
    counts: Counts, base: int, size: int, count: int, mantissa: float, tier: int, low: int
) -> tuple[float, int, int]:
    """Return a count and what waits at the first `count` places of a tree; O(log size)."""
    while count > 0:
        if size <= WIDTH:
            return add_slot(counts, base + count - 1, mantissa, tier, low)
        if count & (WIDTH - 1):
            mantissa, tier, low = add_slot(counts, base + count - 1, mantissa, tier, low)
        size = (size + WIDTH - 1) >> BITS
        base += size << BITS
        count >>= BITS
    return mantissa, tier, low


@inlined
def clear_place(counts: Counts, base: int, size: int, place: int) -> None:
    """Clear every node that a count at a place was added to."""
    while True:
        node = (base + place) >> BITS
        counts.node_tier[node] = 0
        for slot in range(WIDTH):
            counts.mantissa[node, slot] = 0.0
            counts.tier[node, slot] = 0
        if counts.low.size:
            for slot in range(WIDTH):
                counts.low[node, slot] = 0
        if size <= WIDTH:
            return
        size = (size + WIDTH - 1) >> BITS
        base += size << BITS
        place >>= BITS


@kernel_in_place
def lay_out(size: Int64s, base: Int64s) -> int:
    """Write where trees of so many places begin; return how many nodes they need."""
    nodes = 0
    for row in range(size.shape[0]):
        for partition in range(size.shape[1]):
            base[row, partition] = nodes << BITS
            places = size[row, partition]
            while True:
                needed = (places + WIDTH - 1) >> BITS
                nodes += needed
                if places <= WIDTH:
                    break
                places = needed
    return nodes
