"""Trend aggregation in slices: what the methods that COGRA compares have in common.

A *slice* is the events of one partition in one window, in order. The pattern is `A+`, or
`SEQ(S, A+, F)` if it is *bounded*; an event's `fires` says by bits which of S, A and F it fits. A
number of trends is a double: it may be inexact, and it is faster than what the engine uses.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from benchmarks.papers.baselines.compiled import Ints, compiled

Floats = npt.NDArray[np.float64]
Bits = npt.NDArray[np.uint8]

START, KLEENE, END = 1, 2, 4


@compiled
def slice_offsets(keys: Ints, order: Ints) -> Ints:
    """Return where the slices begin in the order of their keys, and the end of the last."""
    offsets = np.empty(keys.size + 1, np.int64)
    count = 0
    for index in range(keys.size):
        if index == 0 or keys[order[index]] != keys[order[index - 1]]:
            offsets[count] = index
            count += 1
    offsets[count] = keys.size
    return offsets[: count + 1]
