"""Lists of numbers as kernels read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]


def flat_lists(lists: Iterable[Sequence[int]]) -> tuple[Int64s, Int64s]:
    """Return where each list begins, and all of them one after the other.

    >>> flat_lists([[7, 8], [], [9]])
    (array([0, 2, 2, 3]), array([7, 8, 9]))
    """
    kept = list(lists)
    offsets = np.array([0, *accumulate(map(len, kept))], np.int64)
    return offsets, np.array(list(chain.from_iterable(kept)), np.int64)
