"""What runs add up to, in any aggregate: the values that every fold of an aggregate query carries.

A value has several *numbers* (extended numbers, see extended.py) and several *minima*. Number 0 is
how many runs there are; number k > 0 is the sum of a measure over all events of all runs, so when
an event extends runs it grows by what the event contributes times number 0. A minimum is the
smallest value that an event of a run has; a maximum is the minimum of negated values.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Float64s, Int64s, Masks

NOTHING = 2**63 - 1  # the minimum of no value


class Values(NamedTuple):
    """State vectors: `[row, slot, number]`, and `[row, slot, minimum]` for `least`.

    No runs: every number is 0, every minimum NOTHING. Whether there are runs is told by the
    mantissa of number 0, as `low` may be 0 modulo 2^64.
    """

    mantissa: Float64s
    tier: Int64s
    low: Int64s
    least: Int64s


class Measures(NamedTuple):
    """What events contribute to numbers and minima.

    `moduli[k]` is what `low` of number k is taken by; 0 stands for 2^64. A number with a modulus is
    another residue of the number of runs, and events contribute nothing to it. With modulus -p it
    is a sum modulo p, of which `low` is all there is, and number k + 1 is the number of runs modulo
    p. `positions[k]` are
    the positions at which an event contributes to number k; its contribution is an extended number,
    `mantissa[k, event]`, `tier[k, event]` and `low[k, event]` (row 0 is not read). Likewise for the
    minima: `least_positions[k]` and `least[k, event]`, NOTHING where the attribute is NULL.
    """

    moduli: Int64s
    positions: Masks
    mantissa: Float64s
    tier: Int64s
    low: Int64s
    least_positions: Masks
    least: Int64s


class ValueRows(NamedTuple):
    """Values with the partition (or group) and the window (or moment) they belong to.

    `[row, number]`, and `[row, minimum]` for `least`.
    """

    owner: Int64s
    window: Int64s
    mantissa: Float64s
    tier: Int64s
    low: Int64s
    least: Int64s
