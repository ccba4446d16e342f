"""Sums of values over places from which values are taken away: a binary tree of sums.

The tree of `width` places (a power of two) has its root at slot `base + 1` and the places from slot
`base + width` on; the children of slot s are 2s and 2s + 1. No difference of values is ever taken,
so minima work like numbers.
"""

from __future__ import annotations

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import inlined, inner_in_place
from cepheid.kernels.values.value_algebra import clear, has_runs, plus
from cepheid.kernels.values.value_arrays import Values


@inner_in_place
def add_range(
    into: Values,
    slot: int,
    sums: Values,
    base: int,
    width: int,
    low: int,
    high: int,
    moduli: Int64s,
) -> None:
    """Add what waits from place `low` up to but without `high` to a value; O(log width)."""
    left, right = low + width, high + width
    while left < right:
        if left & 1:
            plus(into, 0, slot, sums, 0, base + left, moduli)
            left += 1
        if right & 1:
            right -= 1
            plus(into, 0, slot, sums, 0, base + right, moduli)
        left >>= 1
        right >>= 1


@inner_in_place
def add_to_tree(
    sums: Values, base: int, width: int, place: int, value: Values, slot: int, moduli: Int64s
) -> None:
    """Let a value wait at a place; O(log width)."""
    at = place + width
    while at >= 1:
        plus(sums, 0, base + at, value, 0, slot, moduli)
        at >>= 1


@inlined
def _next_place(sums: Values, base: int, width: int, low: int) -> int:
    """Return the first place from `low` on at which something waits, or `width`."""
    at = low + width
    if at >= 2 * width:
        return width
    while not has_runs(sums, 0, base + at):
        while at & 1:  # a right child: all below its parent has been looked at
            at >>= 1
        if at == 0:
            return width
        at += 1
    while at < width:
        at = 2 * at if has_runs(sums, 0, base + 2 * at) else 2 * at + 1
    return at - width


@inner_in_place
def clear_range(sums: Values, base: int, width: int, low: int, high: int, moduli: Int64s) -> None:
    """Take away what waits from `low` up to but without `high`; O(log width) for each place."""
    place = _next_place(sums, base, width, low)
    while place < high:
        at = place + width
        clear(sums, 0, base + at)
        at >>= 1
        while at >= 1:
            clear(sums, 0, base + at)
            plus(sums, 0, base + at, sums, 0, base + 2 * at, moduli)
            plus(sums, 0, base + at, sums, 0, base + 2 * at + 1, moduli)
            at >>= 1
        place = _next_place(sums, base, width, place + 1)
