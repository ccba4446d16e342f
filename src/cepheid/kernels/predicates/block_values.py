"""Sums, averages and extremes of the events of one block: nothing wraps or overflows on the way.

A sum is an integer and a float. Of integers it is `integer + 2^64 * real`: the float has the number
of times that the integer has wrapped. Of floats it is `real`, or `real * 2^64` if the integer is 1,
which it becomes when the sum leaves the range of floats; it may come back.

An average of integers is rounded once: with S = q * n + r it is q + r / n, where q fits 64 bits as
the values do. If S is below 2^53 a division does it; else if q is, q is exact and r / n so coarse
that it is rounded to no tie but its own (with less than 2^26 values); beyond that the fraction
matters only in that it is not 0.
"""

from __future__ import annotations

import numpy as np

from cepheid.kernels.jit import inlined

UP, DOWN = 2.0**64, 2.0**-64
EXACT, WITH_ROOM = 2**53, 2**61
LOW_WORD = 2**32 - 1
SMALLEST, LARGEST = -(2**63), 2**63 - 1


@inlined
def with_value(
    integer: int, real: float, value: int, value_real: float, is_float: int
) -> tuple[int, float]:
    """Return a sum with one value more."""
    if is_float != 0:
        if integer == 0:
            total = real + value_real
            if np.isfinite(total) or not (np.isfinite(real) and np.isfinite(value_real)):
                return integer, total
            real *= DOWN
        return 1, real + value_real * DOWN
    # Compilers assume that integers with a sign never wrap, so 2^64 is taken away in two halves.
    if value > 0 and integer > LARGEST - value:
        return (integer + SMALLEST) + (value + SMALLEST), real + 1.0
    if value < 0 and integer < SMALLEST - value:
        return (integer - SMALLEST) + (value - SMALLEST), real - 1.0
    return integer + value, real


@inlined
def is_beyond(real: float, is_float: int) -> bool:
    """Whether a sum of integers does not fit 64 bits."""
    return is_float == 0 and real != 0.0


@inlined
def sum_of(integer: int, real: float) -> float:
    """Return a sum of floats."""
    return real if integer == 0 else real * UP


@inlined
def average(integer: int, real: float, count: int, is_float: int) -> float:
    """Return what a sum of so many values is on average."""
    if is_float != 0:
        return real / count if integer == 0 else real / count * UP
    if real == 0.0 and -EXACT < integer < EXACT:
        return float(integer) / count
    high = np.int64(real) * np.int64(2**32) + (integer >> 32)
    quotient = high // count
    low = (high - quotient * count) * np.int64(2**32) + (integer & LOW_WORD)
    whole = quotient * np.int64(2**32) + low // count
    rest = low - low // count * count
    if -EXACT <= whole < EXACT:
        return float(whole) + rest / count
    is_between = 1 if rest != 0 else 0
    if -WITH_ROOM < whole < WITH_ROOM:
        return float(4 * whole | is_between) / 4.0
    return float(whole | is_between)


@inlined
def smaller(one: float, other: float) -> float:
    """Return the smaller float; NaN is larger than every number."""
    return other if other < one or np.isnan(one) else one


@inlined
def larger(one: float, other: float) -> float:
    """Return the larger float; NaN is larger than every number."""
    return other if other > one or np.isnan(other) else one
