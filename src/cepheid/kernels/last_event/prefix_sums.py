"""Sums of values over places that only grow: Fenwick's tree.

Places count from 0; slot `base + place` holds what the tree has there. Values need no difference:
a prefix is a sum of slots, so minima work like numbers.
"""

from __future__ import annotations

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import inlined
from cepheid.kernels.values.extended import added
from cepheid.kernels.values.value_algebra import clear, plus
from cepheid.kernels.values.value_arrays import Values


@inlined
def add_prefix(
    into: Values, row: int, slot: int, sums: Values, base: int, count: int, moduli: Int64s
) -> None:
    """Add what waits at the first `count` places to a value; O(log count)."""
    at = count
    if into.mantissa.shape[2] == 1 and into.least.shape[2] == 0:  # a count alone: in registers
        mantissa, tier = into.mantissa[row, slot, 0], into.tier[row, slot, 0]
        low = into.low[row, slot, 0]
        while at > 0:
            place = base + at - 1
            mantissa, tier = added(
                mantissa, tier, sums.mantissa[0, place, 0], sums.tier[0, place, 0]
            )
            low += sums.low[0, place, 0]
            at &= at - 1
        into.mantissa[row, slot, 0], into.tier[row, slot, 0] = mantissa, tier
        into.low[row, slot, 0] = low
        return
    while at > 0:
        plus(into, row, slot, sums, 0, base + at - 1, moduli)
        at &= at - 1


@inlined
def add_at_place(
    sums: Values, base: int, size: int, place: int, value: Values, slot: int, moduli: Int64s
) -> None:
    """Let a value wait at a place; O(log size)."""
    at = place + 1
    while at <= size:
        plus(sums, 0, base + at - 1, value, 0, slot, moduli)
        at += at & -at


@inlined
def clear_place(sums: Values, base: int, size: int, place: int) -> None:
    """Clear every slot that a value at a place was added to."""
    at = place + 1
    while at <= size:
        clear(sums, 0, base + at - 1)
        at += at & -at
