"""How far back a window reaches from each event."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.jit import kernel


@kernel
def find_reach(clock: Int64s, partition: Int64s, window_length: int) -> Int64s:
    """Return by event the first event of its partition within the window before it; O(1) each.

    `window_length` 0 means no window.
    """
    reach = np.empty(clock.size, np.int64)
    first = 0
    for event in range(clock.size):
        if event > 0 and partition[event] != partition[event - 1]:
            first = event
        while window_length > 0 and clock[first] <= clock[event] - window_length:
            first += 1
        reach[event] = first
    return reach
