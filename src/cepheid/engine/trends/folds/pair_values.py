"""`P1 AND P2` in an aggregate: what pairs add up to, from what the trends of each side do.

A trend is its sequence of events. With C1 and C2 trends of the sides, c of them trends of both,
GRETA's (C1-c)·(C2-c) + (C1-c)·c + (C2-c)·c + c·(c-1)/2 pairs are C1·C2 - c·(c+1)/2. A trend of the
first side only is in C2 of them, one of the second only in C1, one of both in C1 + C2 - c - 1. So
with the sums S1, S2 and s of a measure, that of pairs is S1·C2 + C1·S2 - s·(c+1). As c is at most
C1 and C2, both differences are at least about half of what is subtracted: no digits are lost. If
there is a pair, then every trend is in one, so a minimum is that of both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.trends.groups import taken
from cepheid.kernels.values.extended import DOWN, LARGEST, SMALLEST, TIER
from cepheid.kernels.values.value_arrays import ValueRows

Int64s = NDArray[np.int64]
Float64s = NDArray[np.float64]
NOT_FOUND = -1
LOWEST = -(2**62)  # the tier of 0, below all others


class Extended(NamedTuple):
    """Numbers of kernels/values/extended.py, without low words."""

    mantissa: Float64s
    tier: Int64s


def pair_values(
    first: ValueRows, second: ValueRows, common: ValueRows | None, moduli: Int64s
) -> ValueRows:
    """Return the value of the pairs of every partition and place that has any.

    Each of the three has at most one row of a partition and place. `moduli` are those of measures.
    """
    found = _find(second, first)
    has_both = (found != NOT_FOUND) & (first.mantissa[:, 0] > 0)
    has_both[has_both] = second.mantissa[found[has_both], 0] > 0
    one, other = taken(first, np.flatnonzero(has_both)), taken(second, found[has_both])
    pairs = _products(one, other)
    for number in np.flatnonzero(moduli):
        pairs.low[:, number] = one.low[:, number] * other.low[:, number] % moduli[number]
    if common is not None:
        pairs = _without_equal(pairs, _at(common, one), moduli)
    return taken(pairs, np.flatnonzero(pairs.mantissa[:, 0] > 0))


def _find(rows: ValueRows, wanted: ValueRows) -> Int64s:
    """Return the row of every partition and place that is wanted, or NOT_FOUND."""
    if not rows.owner.size:
        return np.full(wanted.owner.size, NOT_FOUND)
    windows = np.unique(np.concatenate((rows.window, wanted.window)))
    codes, codes_wanted = (
        each.owner * windows.size + np.searchsorted(windows, each.window) for each in (rows, wanted)
    )
    order = np.argsort(codes, kind="stable")
    place = np.searchsorted(codes[order], codes_wanted)
    found = order[np.minimum(place, codes.size - 1)]
    return np.where(codes[found] == codes_wanted, found, NOT_FOUND)


def _at(rows: ValueRows, wanted: ValueRows) -> ValueRows:
    """Return the numbers of every partition and place that is wanted: 0 if there is no row."""
    found = _find(rows, wanted)
    if not rows.owner.size:
        rows = wanted  # which is cleared
    mantissa, tier, low = rows.mantissa[found], rows.tier[found], rows.low[found]
    mantissa[found == NOT_FOUND] = 0.0
    tier[found == NOT_FOUND] = 0
    low[found == NOT_FOUND] = 0
    return wanted._replace(mantissa=mantissa, tier=tier, low=low)


def _products(one: ValueRows, other: ValueRows) -> ValueRows:
    """Return the values of all combinations of a trend of each."""
    mantissa, tier = _sum(
        _product(_numbers(one), _counts(other)), _product(_counts(one), _numbers(other))
    )
    low = one.low * other.low[:, :1] + one.low[:, :1] * other.low
    mantissa[:, :1], tier[:, :1] = _product(_counts(one), _counts(other))
    low[:, 0] = one.low[:, 0] * other.low[:, 0]
    least = np.minimum(one.least, other.least)
    return ValueRows(one.owner, one.window, mantissa, tier, low, least)


def _without_equal(pairs: ValueRows, common: ValueRows, moduli: Int64s) -> ValueRows:
    """Subtract the pairs of equal trends, and those of common ones that differ in their order."""
    count = _counts(common)
    more = _sum(count, Extended(np.ones_like(count.mantissa), np.zeros_like(count.tier)))
    subtracted = _product(_numbers(common), more)
    lows = common.low * (common.low[:, :1] + 1)
    twice = _product(count, more)
    subtracted.mantissa[:, :1], subtracted.tier[:, :1] = _normal(twice.mantissa / 2, twice.tier)
    lows[:, 0] = _half_of_product(common.low[:, 0])
    # If common trends add up to infinity, pairs do too.
    mantissa = np.where(np.isfinite(subtracted.mantissa), -subtracted.mantissa, 0.0)
    mantissa, tier = _sum(_numbers(pairs), Extended(mantissa, subtracted.tier))
    low = pairs.low - lows
    for number in np.flatnonzero(moduli):
        modulus, residue = int(moduli[number]), common.low[:, number]
        half = residue * (residue + 1) % modulus * ((modulus + 1) // 2)
        low[:, number] = (pairs.low[:, number] - half) % modulus
    return pairs._replace(mantissa=mantissa, tier=tier, low=low)


def _half_of_product(count: Int64s) -> Int64s:
    """Return c · (c + 1) / 2; c itself fits 64 bits wherever the result is looked at."""
    is_even = count % 2 == 0
    result: Int64s = np.where(is_even, count // 2, count) * np.where(
        is_even, count + 1, (count + 1) // 2
    )
    return result


# --- extended numbers -----------------------------------------------------------------------------


def _numbers(rows: ValueRows) -> Extended:
    return Extended(rows.mantissa, rows.tier)


def _counts(rows: ValueRows) -> Extended:
    return Extended(rows.mantissa[:, :1], rows.tier[:, :1])


def _product(one: Extended, other: Extended) -> Extended:
    with np.errstate(invalid="ignore"):
        return _normal(one.mantissa * other.mantissa, one.tier + other.tier)


def _sum(one: Extended, other: Extended) -> Extended:
    """Return sums; what is more than one tier smaller is below precision."""
    one_tier, other_tier = (np.where(e.mantissa == 0, LOWEST, e.tier) for e in (one, other))
    tier = np.maximum(one_tier, other_tier)
    with np.errstate(invalid="ignore"):
        mantissa = _at_tier(one.mantissa, one_tier, tier) + _at_tier(
            other.mantissa, other_tier, tier
        )
    return _normal(mantissa, tier)


def _at_tier(mantissa: Float64s, own: Int64s, tier: Int64s) -> Float64s:
    """Return mantissas at a tier that is not lower than their own; infinity is so at any."""
    scale = np.where(own == tier, 1.0, np.where(own == tier - 1, DOWN, 0.0))
    result: Float64s = mantissa * np.where(np.isfinite(mantissa), scale, 1.0)
    return result


def _normal(mantissa: Float64s, tier: Int64s) -> Extended:
    """Return numbers whose mantissas are at most one tier off in their normal form."""
    size = np.abs(mantissa)
    is_large = (size >= LARGEST) & np.isfinite(size)
    is_small = (size < SMALLEST) & (size > 0)
    mantissa = mantissa * np.where(is_large, DOWN, np.where(is_small, TIER, 1.0))
    tier = tier + np.where(is_large, 1, np.where(is_small, -1, 0))
    return Extended(mantissa, np.where(mantissa == 0, 0, tier))
