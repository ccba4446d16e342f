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
    concurrent events add up, too); whether low words are wanted; whether there is nothing below the
    diagonal of any matrix.
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

    `is_exact` says by row whether `low` is not kept since the mantissas are exact. `product` is
    room for all vectors as doubles, and stays triangular if they are.
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
    product: Float64s


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
    at = np.uint64(begin)
    a, b, c, d = vector[0], vector[1], vector[2], vector[3]
    for _ in range(count):
        gram = _gram_of_four(codes, parts, at)
        at += np.uint64(4)
        new_a = a * grams[gram, 0] + b * grams[gram, 4] + c * grams[gram, 8] + d * grams[gram, 12]
        new_b = a * grams[gram, 1] + b * grams[gram, 5] + c * grams[gram, 9] + d * grams[gram, 13]
        new_c = a * grams[gram, 2] + b * grams[gram, 6] + c * grams[gram, 10] + d * grams[gram, 14]
        new_d = a * grams[gram, 3] + b * grams[gram, 7] + c * grams[gram, 11] + d * grams[gram, 15]
        a, b, c, d = new_a, new_b, new_c, new_d
    vector[0], vector[1], vector[2], vector[3] = a, b, c, d


@inlined
def _gram_of_four(codes: Codes, parts: Masks, at: np.uint64) -> np.uint64:
    """Return the gram of the four events from one on."""
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    gram = parts[0, codes[at]] + parts[1, codes[at + one]]
    gram += parts[2, codes[at + two]] + parts[3, codes[at + three]]
    return np.uint64(gram)


@inlined
def apply_to_triangle(
    codes: Codes, tables: GramTables, state: CountState, begin: int, end: int
) -> None:
    """Multiply `product` by the matrices of all events, if all are triangular and of size four.

    What is below the diagonal is 0. A number waits for the one before it, so the ten side by side
    take hardly longer than one vector.
    """
    product, grams = state.product, tables.grams
    count = (end - begin) // 4
    at = np.uint64(begin)
    a, b, c, d = product[0, 0], product[0, 1], product[0, 2], product[0, 3]
    e, f, g = product[1, 1], product[1, 2], product[1, 3]
    h, i, j = product[2, 2], product[2, 3], product[3, 3]
    for _ in range(count):
        gram = _gram_of_four(codes, tables.parts, at)
        at += np.uint64(4)
        d = a * grams[gram, 3] + b * grams[gram, 7] + c * grams[gram, 11] + d * grams[gram, 15]
        c = a * grams[gram, 2] + b * grams[gram, 6] + c * grams[gram, 10]
        b = a * grams[gram, 1] + b * grams[gram, 5]
        a = a * grams[gram, 0]
        g = e * grams[gram, 7] + f * grams[gram, 11] + g * grams[gram, 15]
        f = e * grams[gram, 6] + f * grams[gram, 10]
        e = e * grams[gram, 5]
        i = h * grams[gram, 11] + i * grams[gram, 15]
        h = h * grams[gram, 10]
        j = j * grams[gram, 15]
    product[0, 0], product[0, 1], product[0, 2], product[0, 3] = a, b, c, d
    product[1, 1], product[1, 2], product[1, 3] = e, f, g
    product[2, 2], product[2, 3], product[3, 3] = h, i, j
    for row in range(4):
        _apply_rest(codes, tables, product[row], state.work, begin + 4 * count, end)


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
    at = np.uint64(begin)
    a, b, c, d = low[row, 0], low[row, 1], low[row, 2], low[row, 3]
    for _ in range(count):
        gram = _gram_of_four(codes, parts, at)
        at += np.uint64(4)
        new_a = a * grams[gram, 0] + b * grams[gram, 4] + c * grams[gram, 8] + d * grams[gram, 12]
        new_b = a * grams[gram, 1] + b * grams[gram, 5] + c * grams[gram, 9] + d * grams[gram, 13]
        new_c = a * grams[gram, 2] + b * grams[gram, 6] + c * grams[gram, 10] + d * grams[gram, 14]
        new_d = a * grams[gram, 3] + b * grams[gram, 7] + c * grams[gram, 11] + d * grams[gram, 15]
        a, b, c, d = new_a, new_b, new_c, new_d
    low[row, 0], low[row, 1], low[row, 2], low[row, 3] = a, b, c, d
