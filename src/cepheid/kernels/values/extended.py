"""Numbers that neither overflow nor lose small terms: mantissa, tier and low word.

The value is mantissa * 2^(512 * tier), with the mantissa's size in [2^-256, 2^256), or 0 (tier 0).
The tier belongs to the single number: one exponent shared by a state vector would flush small
counts to zero beside large ones. `low` is the value modulo 2^64 in a wrapping int64: while the size
of the value is below 2^63 it is exact, and mantissa and tier tell whether it is.

Infinite and undefined values have a tier beyond `TIERS_OF_NUMBERS`, which may grow further; they
add up as they are, whatever their tiers.
"""

from __future__ import annotations

from cepheid.kernels.jit import inlined

TIER = 2.0**512
LARGEST = 2.0**256
SMALLEST = 2.0**-256
DOWN = 2.0**-512
TIERS_OF_NUMBERS = 2**39
TIER_OF_INFINITY = 2**40  # so that no number outweighs it


@inlined
def normal(mantissa: float, tier: int) -> tuple[float, int]:
    """Return a number whose mantissa is at most one tier off in its normal form."""
    if mantissa >= LARGEST or mantissa <= -LARGEST:
        return mantissa * DOWN, tier + 1
    if -SMALLEST < mantissa < SMALLEST:
        if mantissa == 0.0:
            return mantissa, 0
        return mantissa * TIER, tier - 1
    return mantissa, tier


@inlined
def added(mantissa: float, tier: int, other_mantissa: float, other_tier: int) -> tuple[float, int]:
    """Return the sum of two numbers; what is more than one tier smaller is below precision."""
    if other_mantissa == 0.0:
        return mantissa, tier
    if mantissa == 0.0:
        return other_mantissa, other_tier
    if tier < other_tier:
        mantissa, other_mantissa = other_mantissa, mantissa
        tier, other_tier = other_tier, tier
    if tier == other_tier:
        mantissa += other_mantissa
    elif tier == other_tier + 1:
        mantissa += other_mantissa * DOWN
    elif other_tier > TIERS_OF_NUMBERS:
        mantissa += other_mantissa
    return normal(mantissa, tier)


@inlined
def multiplied(mantissa: float, tier: int, factor: float) -> tuple[float, int]:
    """Return the number times a factor in [1, 2^256)."""
    return normal(mantissa * factor, tier)


@inlined
def product(
    mantissa: float, tier: int, other_mantissa: float, other_tier: int
) -> tuple[float, int]:
    """Return the product of two numbers."""
    return normal(mantissa * other_mantissa, tier + other_tier)
