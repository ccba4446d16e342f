"""The events of one variable in every match."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph import MatchArrays
from cepheid.kernels.jit import kernel_in_place


def select_events(matches: MatchArrays, positions: np.uint64, row: Int64s) -> tuple[Int64s, Int64s]:
    """Return the rows of the events at some positions (a bit mask), and where a match's begin."""
    offsets = np.empty(matches.offsets.size, np.int64)
    rows = np.empty(matches.event.size, np.int64)
    selected = _select_into(offsets, rows, matches, positions, row)
    return offsets, rows[:selected]


@kernel_in_place
def _select_into(
    offsets: Int64s, rows: Int64s, matches: MatchArrays, positions: np.uint64, row: Int64s
) -> int:
    """Fill the arrays and return the number of rows. Made outside, they let it load sooner."""
    offsets[0] = 0
    selected = 0
    for match in range(matches.offsets.size - 1):
        for at in range(matches.offsets[match], matches.offsets[match + 1]):
            if (positions >> np.uint64(matches.position[at])) & np.uint64(1):
                rows[selected] = row[matches.event[at]]
                selected += 1
        offsets[match + 1] = selected
    return selected
