"""Arithmetic on values of any type, next to each other: `[row, begin:end]`.

A kernel that is made of these is compiled for each type of values that it is called with, `Values`
or `Counts`; so there is one source of it.
"""

from __future__ import annotations

from typing import TypeAlias

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import by_type, inlined, inner_in_place
from cepheid.kernels.values import double_counts, value_algebra
from cepheid.kernels.values.double_counts import Counts
from cepheid.kernels.values.value_arrays import ValueRows, Values

AnyValues: TypeAlias = Values | Counts


@inlined
def _clear(values: Values, row: int, begin: int, end: int) -> None:
    for slot in range(begin, end):
        value_algebra.clear(values, row, slot)


@inner_in_place
def _plus(
    values: Values,
    row: int,
    other: Values,
    other_row: int,
    begin: int,
    end: int,
    moduli: Int64s,
) -> None:
    for slot in range(begin, end):
        value_algebra.plus(values, row, slot, other, other_row, slot, moduli)


@inner_in_place
def _extend(
    values: Values,
    row: int,
    begin: int,
    end: int,
    times: int,
    added_up: Values,
    position: int,
    moduli: Int64s,
) -> None:
    for slot in range(begin, end):
        value_algebra.extend(values, row, slot, times, added_up, position, moduli)


@inlined
def _is_exact(values: Values, row: int, slot: int) -> bool:
    return True  # what is not tells so itself


@inlined
def _write(values: Values, row: int, slot: int, rows: ValueRows, at: int) -> None:
    for number in range(values.mantissa.shape[2]):
        rows.mantissa[at, number] = values.mantissa[row, slot, number]
        rows.tier[at, number] = values.tier[row, slot, number]
        rows.low[at, number] = values.low[row, slot, number]
    for number in range(values.least.shape[2]):
        rows.least[at, number] = values.least[row, slot, number]


clear = by_type(_clear, double_counts.clear)
make_one = by_type(value_algebra.make_one, double_counts.make_one)
copy = by_type(value_algebra.copy, double_counts.copy)
plus = by_type(_plus, double_counts.plus)
extend = by_type(_extend, double_counts.extend)
has_runs = by_type(value_algebra.has_runs, double_counts.has_runs)
is_exact = by_type(_is_exact, double_counts.is_exact)
write = by_type(_write, double_counts.write)
