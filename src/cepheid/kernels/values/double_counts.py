"""Values that are counts below 2^53: one double each.

Why doubles are enough:
1. A step adds counts and multiplies them by positive whole numbers; nothing is subtracted.
2. So a count is never less than one that it was made of, not even when it is rounded.
3. So a result below 2^53 was made of whole numbers below 2^53, and those are exact.
When a result is larger the fold stops, and another one with `Values` has to do all.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import inlined
from cepheid.kernels.values.value_arrays import ValueRows, Values

ALL_EXACT = 2.0**53  # below that every whole number is a double


class Counts(NamedTuple):
    """`[row, slot]`, as `Values` that have number 0 alone."""

    runs: Float64s


@inlined
def clear(values: Counts, row: int, begin: int, end: int) -> None:
    """Set values to zero: no runs."""
    for slot in range(begin, end):
        values.runs[row, slot] = 0.0


@inlined
def make_one(values: Counts, row: int, slot: int, moduli: Int64s) -> None:
    """Set a value to one: a run without events."""
    values.runs[row, slot] = 1.0


@inlined
def copy(
    values: Counts, row: int, slot: int, other: Counts, other_row: int, other_slot: int
) -> None:
    """Set a value to another."""
    values.runs[row, slot] = other.runs[other_row, other_slot]


@inlined
def plus(
    values: Counts,
    row: int,
    other: Counts,
    other_row: int,
    begin: int,
    end: int,
    moduli: Int64s,
) -> None:
    """Add other runs to values."""
    for slot in range(begin, end):
        values.runs[row, slot] += other.runs[other_row, slot]


@inlined
def extend(
    values: Counts,
    row: int,
    begin: int,
    end: int,
    times: int,
    added_up: Values,
    position: int,
    moduli: Int64s,
) -> None:
    """Extend runs by each of several events."""
    if times != 1:
        for slot in range(begin, end):
            values.runs[row, slot] *= float(times)


@inlined
def has_runs(values: Counts, row: int, slot: int) -> bool:
    """Whether there are any runs."""
    return bool(values.runs[row, slot] != 0.0)


@inlined
def is_exact(values: Counts, row: int, slot: int) -> bool:
    """Whether a count is known to the last digit."""
    return bool(values.runs[row, slot] < ALL_EXACT)


@inlined
def write(values: Counts, row: int, slot: int, rows: ValueRows, at: int) -> None:
    """Write a value as a row."""
    count = values.runs[row, slot]
    rows.mantissa[at, 0], rows.tier[at, 0], rows.low[at, 0] = count, 0, int(count)
