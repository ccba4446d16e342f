"""Arithmetic on values (see values.py): alternatives add up, sequences multiply, events extend.

`[row, slot]` names one value. The moduli are those of `Measures`. Whatever has no runs is zero, so
only number 0 is looked at to tell.
"""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import inlined
from cepheid.kernels.values.extended import added, multiplied, product
from cepheid.kernels.values.value_arrays import NOTHING, Values


def make_values(rows: int, slots: int, numbers: int, minima: int) -> Values:
    """Return values without runs; not for kernels."""
    return Values(
        np.zeros((rows, slots, numbers)),
        np.zeros((rows, slots, numbers), np.int64),
        np.zeros((rows, slots, numbers), np.int64),
        np.full((rows, slots, minima), NOTHING, np.int64),
    )


@inlined
def has_runs(values: Values, row: int, slot: int) -> bool:
    """Whether there are any runs."""
    return bool(values.mantissa[row, slot, 0] != 0.0)


@inlined
def clear(values: Values, row: int, slot: int) -> None:
    """Set a value to zero: no runs."""
    for number in range(values.mantissa.shape[2]):
        values.mantissa[row, slot, number] = 0.0
        values.tier[row, slot, number] = 0
        values.low[row, slot, number] = 0
    for number in range(values.least.shape[2]):
        values.least[row, slot, number] = NOTHING


@inlined
def make_one(values: Values, row: int, slot: int, moduli: Int64s) -> None:
    """Set a value to one: a run without events."""
    clear(values, row, slot)
    values.mantissa[row, slot, 0] = 1.0
    values.low[row, slot, 0] = 1
    for number in range(1, values.mantissa.shape[2]):
        if moduli[number] > 0:
            values.low[row, slot, number] = 1


@inlined
def copy(
    values: Values, row: int, slot: int, other: Values, other_row: int, other_slot: int
) -> None:
    """Set a value to another."""
    for number in range(values.mantissa.shape[2]):
        values.mantissa[row, slot, number] = other.mantissa[other_row, other_slot, number]
        values.tier[row, slot, number] = other.tier[other_row, other_slot, number]
        values.low[row, slot, number] = other.low[other_row, other_slot, number]
    for number in range(values.least.shape[2]):
        values.least[row, slot, number] = other.least[other_row, other_slot, number]


@inlined
def plus(
    values: Values,
    row: int,
    slot: int,
    other: Values,
    other_row: int,
    other_slot: int,
    moduli: Int64s,
) -> None:
    """Add other runs to a value."""
    if other.mantissa[other_row, other_slot, 0] == 0.0:
        return
    for number in range(values.mantissa.shape[2]):
        low = values.low[row, slot, number] + other.low[other_row, other_slot, number]
        if moduli[number] != 0:
            low %= abs(moduli[number])
        else:
            values.mantissa[row, slot, number], values.tier[row, slot, number] = added(
                values.mantissa[row, slot, number],
                values.tier[row, slot, number],
                other.mantissa[other_row, other_slot, number],
                other.tier[other_row, other_slot, number],
            )
        values.low[row, slot, number] = low
    for number in range(values.least.shape[2]):
        values.least[row, slot, number] = min(
            values.least[row, slot, number], other.least[other_row, other_slot, number]
        )


@inlined
def extend(
    values: Values, row: int, slot: int, times: int, added_up: Values, position: int, moduli: Int64s
) -> None:
    """Extend runs by each of several events that fire a position.

    `added_up[0, position]` is what the events contribute together; its number 0 is not read.
    """
    runs, runs_tier = values.mantissa[row, slot, 0], values.tier[row, slot, 0]
    if runs == 0.0:
        return
    runs_low = values.low[row, slot, 0]
    for number in range(1, values.mantissa.shape[2]):
        low = values.low[row, slot, number]
        if moduli[number] != 0:
            modulus = abs(moduli[number])
            low = low * (times % modulus) % modulus
            if moduli[number] < 0:  # number + 1 is still as it was
                low += added_up.low[0, position, number] * values.low[row, slot, number + 1]
            values.low[row, slot, number] = low % modulus
            continue
        mantissa, tier = multiplied(
            values.mantissa[row, slot, number], values.tier[row, slot, number], float(times)
        )
        more, more_tier = product(
            added_up.mantissa[0, position, number],
            added_up.tier[0, position, number],
            runs,
            runs_tier,
        )
        mantissa, tier = added(mantissa, tier, more, more_tier)
        values.mantissa[row, slot, number] = mantissa
        values.tier[row, slot, number] = tier
        values.low[row, slot, number] = low * times + added_up.low[0, position, number] * runs_low
    if times != 1:
        values.mantissa[row, slot, 0], values.tier[row, slot, 0] = multiplied(
            runs, runs_tier, float(times)
        )
        values.low[row, slot, 0] = runs_low * times
    for number in range(values.least.shape[2]):
        values.least[row, slot, number] = min(
            values.least[row, slot, number], added_up.least[0, position, number]
        )


@inlined
def add_product(
    values: Values,
    row: int,
    slot: int,
    left: Values,
    left_row: int,
    left_slot: int,
    right: Values,
    right_row: int,
    right_slot: int,
    moduli: Int64s,
) -> None:
    """Add the runs that are one of `left` and then one of `right`."""
    runs, runs_tier = left.mantissa[left_row, left_slot, 0], left.tier[left_row, left_slot, 0]
    rest = right.mantissa[right_row, right_slot, 0]
    rest_tier = right.tier[right_row, right_slot, 0]
    if runs == 0.0 or rest == 0.0:
        return
    runs_low, rest_low = left.low[left_row, left_slot, 0], right.low[right_row, right_slot, 0]
    for number in range(1, values.mantissa.shape[2]):
        left_low = left.low[left_row, left_slot, number]
        right_low = right.low[right_row, right_slot, number]
        if moduli[number] != 0:
            modulus = abs(moduli[number])
            if moduli[number] > 0:
                low = left_low * right_low % modulus
            else:
                low = left_low * right.low[right_row, right_slot, number + 1] % modulus
                low += left.low[left_row, left_slot, number + 1] * right_low % modulus
            values.low[row, slot, number] = (values.low[row, slot, number] + low) % modulus
            continue
        mantissa, tier = product(
            runs,
            runs_tier,
            right.mantissa[right_row, right_slot, number],
            right.tier[right_row, right_slot, number],
        )
        more, more_tier = product(
            left.mantissa[left_row, left_slot, number],
            left.tier[left_row, left_slot, number],
            rest,
            rest_tier,
        )
        mantissa, tier = added(mantissa, tier, more, more_tier)
        values.mantissa[row, slot, number], values.tier[row, slot, number] = added(
            values.mantissa[row, slot, number], values.tier[row, slot, number], mantissa, tier
        )
        values.low[row, slot, number] += runs_low * right_low + left_low * rest_low
    mantissa, tier = product(runs, runs_tier, rest, rest_tier)
    values.mantissa[row, slot, 0], values.tier[row, slot, 0] = added(
        values.mantissa[row, slot, 0], values.tier[row, slot, 0], mantissa, tier
    )
    values.low[row, slot, 0] += runs_low * rest_low
    for number in range(values.least.shape[2]):
        least = min(
            left.least[left_row, left_slot, number], right.least[right_row, right_slot, number]
        )
        values.least[row, slot, number] = min(values.least[row, slot, number], least)
