"""The events of one variable in every match."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph import MatchArrays
from cepheid.kernels.jit import kernel


@kernel
def select_events(matches: MatchArrays, positions: np.uint64) -> tuple[Int64s, Int64s]:
    """Return the events at some positions (a bit mask), and where those of a match begin."""
    count = matches.offsets.size - 1
    offsets = np.empty(count + 1, np.int64)
    events = np.empty(matches.event.size, np.int64)
    offsets[0] = 0
    selected = 0
    for match in range(count):
        for at in range(matches.offsets[match], matches.offsets[match + 1]):
            if (positions >> np.uint64(matches.position[at])) & np.uint64(1):
                events[selected] = matches.event[at]
                selected += 1
        offsets[match + 1] = selected
    return offsets, events[:selected]
