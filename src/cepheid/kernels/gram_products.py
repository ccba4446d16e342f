"""Matrices of several events at once, and vectors of counts multiplied by them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import Float64s, Int64s, Masks
from cepheid.kernels.jit import inlined, inner_in_place

Codes = NDArray[np.uint8]


class GramTables(NamedTuple):
    """Matrices by gram and by class; entry [s, t] of a matrix of size S is at s * S + t.

    The gram of k codes is the sum of `parts[j, code j]`. `feeds` marks the slots that runs which
    have just begun go to. `facts`: grams in a block; whether no slot ever loses runs (then
    concurrent events add up, too); whether low words are wanted.
    """

    parts: Masks
    grams: Float64s
    low_grams: Int64s
    class_of: Int64s
    singles: Int64s
    initial: Int64s
    finals: Int64s
    feeds: Int64s
    facts: Int64s


class CountState(NamedTuple):
    """Vectors of counts as extended numbers, `[row, slot]`, and room to work on one as doubles.

    `is_exact` says by row whether `low` is not kept since the mantissas are exact.
    """

    mantissa: Float64s
    tier: Int64s
    low: Int64s
    plain: Float64s
    total: Float64s
    work: Float64s
    work_tier: Int64s
    work_low: Int64s
    is_exact: Int64s


@inner_in_place
def apply_all(codes: Codes, tables: GramTables, state: CountState, begin: int, end: int) -> None:
    """Multiply the vector of doubles by the matrices of all events."""
    width = tables.parts.shape[0]
    grams = (end - begin) // width
    if width == 4 and state.plain.size == 4:
        _apply_four(codes, tables.parts, tables.grams, state.plain, begin, grams)
    else:
        _apply(codes, tables, state.plain, state.work, begin, grams)
    _apply_rest(codes, tables, state.plain, state.work, begin + grams * width, end)


@inlined
def _apply_four(
    codes: Codes, parts: Masks, grams: Float64s, vector: Float64s, begin: int, count: int
) -> None:
    """Multiply a vector of four by the matrices of grams of four events."""
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    at = np.uint64(begin)
    a, b, c, d = vector[0], vector[1], vector[2], vector[3]
    for _ in range(count):
        gram = parts[0, codes[at]] + parts[1, codes[at + one]]
        gram += parts[2, codes[at + two]] + parts[3, codes[at + three]]
        at += four
        new_a = a * grams[gram, 0] + b * grams[gram, 4] + c * grams[gram, 8] + d * grams[gram, 12]
        new_b = a * grams[gram, 1] + b * grams[gram, 5] + c * grams[gram, 9] + d * grams[gram, 13]
        new_c = a * grams[gram, 2] + b * grams[gram, 6] + c * grams[gram, 10] + d * grams[gram, 14]
        new_d = a * grams[gram, 3] + b * grams[gram, 7] + c * grams[gram, 11] + d * grams[gram, 15]
        a, b, c, d = new_a, new_b, new_c, new_d
    vector[0], vector[1], vector[2], vector[3] = a, b, c, d


@inlined
def _apply(
    codes: Codes, tables: GramTables, vector: Float64s, work: Float64s, begin: int, count: int
) -> None:
    """Multiply a vector by the matrices of grams."""
    size, width = vector.size, tables.parts.shape[0]
    for number in range(count):
        gram = np.uint64(0)
        for place in range(width):
            gram += tables.parts[place, codes[begin + number * width + place]]
        for slot in range(size):
            work[slot] = 0.0
        for slot in range(size):
            runs = vector[slot]
            for other in range(size):
                work[other] += runs * tables.grams[gram, slot * size + other]
        for slot in range(size):
            vector[slot] = work[slot]


@inlined
def _apply_rest(
    codes: Codes, tables: GramTables, vector: Float64s, work: Float64s, begin: int, end: int
) -> None:
    """Multiply a vector by the matrices of the few events that make no gram."""
    size = vector.size
    for at in range(begin, end):
        kind = tables.class_of[codes[at]]
        for slot in range(size):
            work[slot] = 0.0
        for slot in range(size):
            runs = vector[slot]
            for other in range(size):
                work[other] += runs * float(tables.singles[kind, slot * size + other])
        for slot in range(size):
            vector[slot] = work[slot]


@inlined
def apply_low_rest(
    codes: Codes, tables: GramTables, state: CountState, row: int, begin: int, end: int
) -> None:
    """Likewise for low words."""
    size = state.plain.size
    for at in range(begin, end):
        kind = tables.class_of[codes[at]]
        for slot in range(size):
            state.work_low[slot] = 0
        for slot in range(size):
            runs = state.low[row, slot]
            for other in range(size):
                state.work_low[other] += runs * tables.singles[kind, slot * size + other]
        for slot in range(size):
            state.low[row, slot] = state.work_low[slot]


@inlined
def apply_low(
    codes: Codes, tables: GramTables, state: CountState, row: int, begin: int, count: int
) -> None:
    """Multiply low words by the matrices of grams."""
    size, width = state.plain.size, tables.parts.shape[0]
    if width == 4 and size == 4:
        _apply_low_four(codes, tables.parts, tables.low_grams, state.low, row, begin, count)
        return
    for number in range(count):
        gram = np.uint64(0)
        for place in range(width):
            gram += tables.parts[place, codes[begin + number * width + place]]
        for slot in range(size):
            state.work_low[slot] = 0
        for slot in range(size):
            runs = state.low[row, slot]
            for other in range(size):
                state.work_low[other] += runs * tables.low_grams[gram, slot * size + other]
        for slot in range(size):
            state.low[row, slot] = state.work_low[slot]


@inlined
def _apply_low_four(
    codes: Codes, parts: Masks, grams: Int64s, low: Int64s, row: int, begin: int, count: int
) -> None:
    """Multiply four low words by the matrices of grams of four events."""
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    at = np.uint64(begin)
    a, b, c, d = low[row, 0], low[row, 1], low[row, 2], low[row, 3]
    for _ in range(count):
        gram = parts[0, codes[at]] + parts[1, codes[at + one]]
        gram += parts[2, codes[at + two]] + parts[3, codes[at + three]]
        at += four
        new_a = a * grams[gram, 0] + b * grams[gram, 4] + c * grams[gram, 8] + d * grams[gram, 12]
        new_b = a * grams[gram, 1] + b * grams[gram, 5] + c * grams[gram, 9] + d * grams[gram, 13]
        new_c = a * grams[gram, 2] + b * grams[gram, 6] + c * grams[gram, 10] + d * grams[gram, 14]
        new_d = a * grams[gram, 3] + b * grams[gram, 7] + c * grams[gram, 11] + d * grams[gram, 15]
        a, b, c, d = new_a, new_b, new_c, new_d
    low[row, 0], low[row, 1], low[row, 2], low[row, 3] = a, b, c, d
