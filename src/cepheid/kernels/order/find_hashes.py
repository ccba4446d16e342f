"""Rows whose hash is one of a few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import inner_in_place, kernel_in_place

Hashes = NDArray[np.uint32]
Places = NDArray[np.uint32]
Flags = NDArray[np.uint8]
SHIFT = np.uint32(16)  # what is left of a hash has a flag: most rows need no more than that


@inner_in_place
def first_not_below(hashes: Hashes, value: np.uint32, begin: int) -> int:
    """Return the first row, from one on, whose hash is not below a value; the rows are in order."""
    step, low = 1, begin
    while low + step <= hashes.size and hashes[low + step - 1] < value:
        low += step
        step *= 2
    high = min(low + step - 1, hashes.size)
    while low < high:
        middle = (low + high) // 2
        if hashes[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel_in_place
def find_among(hashes: Hashes, wanted: Hashes, flags: Flags, found: Int64s) -> int:
    """Write the rows with a wanted hash, and return how many; a flag per row, and few searches.

    The wanted hashes are in order; there are 65,536 flags, all 0.
    """
    for each in wanted:
        flags[each >> SHIFT] = 1
    count = 0
    for row in range(hashes.size):
        if flags[hashes[row] >> SHIFT] == 0:
            continue
        place = first_not_below(wanted, hashes[row], 0)
        if place < wanted.size and wanted[place] == hashes[row]:
            found[count] = row
            count += 1
    return count


@kernel_in_place
def find_in_order(hashes: Hashes, wanted: Hashes, first: Int64s, after: Int64s) -> int:
    """Write where the rows of each wanted hash begin and end, and return how many there are.

    Both are in order, so that a search goes on where the one before it ended.
    """
    place, count = 0, 0
    for number in range(wanted.size):
        place = first_not_below(hashes, wanted[number], place)
        first[number] = place
        while place < hashes.size and hashes[place] == wanted[number]:
            place += 1
        after[number] = place
        count += place - first[number]
    return count


@kernel_in_place
def take_between(
    places: Places, first: Int64s, after: Int64s, low: int, high: int, found: Int64s
) -> int:
    """Write those of the places in some stretches that are from `low` to before `high`."""
    count = 0
    for number in range(first.size):
        for row in range(first[number], after[number]):
            place = np.int64(places[row])
            if low <= place < high:
                found[count] = place
                count += 1
    return count
