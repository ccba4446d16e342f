"""The events of one variable in every match."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.kernels.jit import kernel_in_place


def select_events(matches: MatchArrays, positions: np.uint64) -> tuple[Int64s, Int64s]:
    """Return where the events at some positions (a bit mask) of a match begin, and the events."""
    offsets = np.empty(matches.offsets.size, np.int64)
    events = np.empty(matches.event.size, np.int64)
    selected = _select_into(offsets, events, matches, positions)
    return offsets, events[:selected]


@kernel_in_place
def _select_into(
    offsets: Int64s, events: Int64s, matches: MatchArrays, positions: np.uint64
) -> int:
    """Fill the arrays and return the number of events. Made outside, they let it load sooner."""
    offsets[0] = 0
    selected = 0
    for match in range(matches.offsets.size - 1):
        for at in range(matches.offsets[match], matches.offsets[match + 1]):
            if (positions >> np.uint64(matches.position[at])) & np.uint64(1):
                events[selected] = matches.event[at]
                selected += 1
        offsets[match + 1] = selected
    return selected
