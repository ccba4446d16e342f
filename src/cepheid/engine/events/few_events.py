"""What small kernels do, for so few events that NumPy does it as well.

A kernel that is not on disk yet takes a tenth of a second or more to compile, and a first query
needs several. Every function here gives what the kernel gives that it names.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import Masks
from cepheid.kernels.order.arrange_events import RISING, SORTED, UNSORTED, Grouped
from cepheid.kernels.values.value_arrays import ValueRows

Int64s = NDArray[np.int64]
LARGEST = 2.0**200  # so many times this stays in the first tier of numbers


def order_of_few(ticks: Int64s) -> int:
    """Do what `order_of` does."""
    if (ticks[1:] > ticks[:-1]).all():
        return RISING
    return SORTED if (ticks[1:] >= ticks[:-1]).all() else UNSORTED


def group_few(
    code: Int64s, is_member: NDArray[np.bool_], order: Int64s, size: int
) -> tuple[Int64s, Int64s]:
    """Do what `count_events`, `find_places` and `place_events` do.

    Returns events by code, and where those of a code begin.
    """
    events = order if order.size else np.arange(code.size)
    if is_member.size:
        events = events[is_member[events]]
    events = events[np.argsort(code[events], kind="stable")]
    begin = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(code[events], minlength=size), out=begin[1:])
    return events, begin


def grouped_few(
    events: Int64s, begin: Int64s, ticks: Int64s, key_rank: Int64s, masks: Masks
) -> Grouped:
    """Return what the kernels write; without ranks events are in the order of their keys."""
    rank = key_rank[events] if key_rank.size else events + 1
    return Grouped(events, ticks[events], rank, masks[events], begin)


def rank_few(number: Int64s, partition: Int64s, partitions: int) -> tuple[Int64s, Int64s]:
    """Do what `rank_in_partitions` does, for the numbers of items in their own order.

    Returns how many different values each partition has, and the ranks.
    """
    order = np.lexsort((number, partition))
    owner, value = partition[order], number[order]
    is_first, is_new = np.ones((2, order.size), np.bool_)
    is_first[1:] = owner[1:] != owner[:-1]
    is_new[1:] = is_first[1:] | (value[1:] != value[:-1])
    count = np.cumsum(is_new)
    size = np.bincount(owner[is_new], minlength=partitions)
    before = np.cumsum(size) - size
    rank = np.empty(order.size, np.int64)
    rank[order] = count - 1 - before[owner]
    return size, rank


def add_few(keys: Int64s, rows: ValueRows, moduli: Int64s, totals: ValueRows) -> bool:
    """Do what `add_by_key` does, if numbers are of a usual size; else return False."""
    magnitude = np.abs(rows.mantissa)
    is_usual = (magnitude == 0) | ((magnitude >= 1) & (magnitude <= LARGEST))
    if moduli.any() or rows.tier.any() or not is_usual.all():
        return False
    np.add.at(totals.mantissa, keys, rows.mantissa)
    np.add.at(totals.low, keys, rows.low)
    np.minimum.at(totals.least, keys, rows.least)
    return True
