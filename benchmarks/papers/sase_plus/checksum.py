"""A number for a set of matches, whatever their order."""

from __future__ import annotations

import numpy as np

from benchmarks.papers.sase_plus.rules import Int64s, compiled


@compiled
def _mixed(value):  # type: ignore[no-untyped-def]
    value ^= value >> np.uint64(30)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    value ^= value >> np.uint64(27)
    value *= np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@compiled
def checksum(offsets: Int64s, event: Int64s, ends: Int64s) -> np.uint64:
    """Return the sum, modulo 2**64, of a hash of every match's events in their order.

    Match m is `event[offsets[m]:offsets[m + 1]]` and then the m-th row of `ends`.
    """
    total = np.uint64(0)
    for match in range(offsets.size - 1):
        value = np.uint64(0x9E3779B97F4A7C15)
        for place in range(offsets[match], offsets[match + 1]):
            value = _mixed(value + np.uint64(event[place]) + np.uint64(1))
        for place in range(ends.shape[1]):
            value = _mixed(value + np.uint64(ends[match, place]) + np.uint64(1))
        total += value
    return total
