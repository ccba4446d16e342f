"""Matches that do not overlap: the earliest end first, then the earliest start."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import kernel


@kernel
def choose_apart(owner: Int64s, first_rank: Int64s, last_rank: Int64s) -> Int64s:
    """Return the places of chosen matches, given in order of owner, last and first; O(1) each.

    A match is chosen if it starts after the end of the one chosen before it in its owner. Others
    with the same owner, start and end may follow it directly: the caller breaks such ties.
    """
    chosen = np.empty(owner.size, np.int64)
    count = 0
    for place in range(owner.size):
        if count > 0:
            before = chosen[count - 1]
            if owner[before] == owner[place] and first_rank[place] <= last_rank[before]:
                continue
        chosen[count] = place
        count += 1
    return chosen[:count]
