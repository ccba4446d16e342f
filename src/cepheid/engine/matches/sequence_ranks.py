"""The lexicographic order of many sequences of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import starts_of_runs

Int64s = NDArray[np.int64]
ENDED = -1


def sequence_ranks(offsets: Int64s, values: NDArray[np.integer]) -> Int64s:
    """Return for every sequence how many come before it; equal ones get the same number.

    Sequence s is `values[offsets[s]:offsets[s + 1]]`, of numbers from 0; a prefix comes before its
    extensions. Place by place, those that agree so far are told apart; the cost is the length of
    what they share.

    >>> sequence_ranks(np.array([0, 2, 3, 5]), np.array([7, 1, 7, 7, 0])).tolist()
    [2, 0, 1]
    """
    sizes = np.diff(offsets)
    ranks = np.zeros(sizes.size, np.int64)
    alike = np.arange(sizes.size)
    place = 0
    while alike.size:
        value = np.full(alike.size, ENDED, np.int64)
        goes_on = sizes[alike] > place
        value[goes_on] = values[offsets[alike[goes_on]] + place]
        order = np.lexsort([value, ranks[alike]])
        alike, value = alike[order], value[order]
        before = ranks[alike]
        begins_group = starts_of_runs(before)
        begins = begins_group | starts_of_runs(value)
        index = np.arange(alike.size)
        group_start = np.maximum.accumulate(np.where(begins_group, index, 0))
        start = np.maximum.accumulate(np.where(begins, index, 0))
        ranks[alike] = before + start - group_start
        ends = np.append(begins[1:], True)
        is_alone = begins & ends
        alike = alike[~is_alone & (value != ENDED)]
        place += 1
    return ranks
