"""Matches that overlap stand below each other."""

from __future__ import annotations

from collections.abc import Sequence

from cepheid.plot.timeline import Match

MOST_LANES = 12


def pack_lanes(matches: Sequence[Match]) -> tuple[tuple[Match, ...], ...]:
    """Give every match, in the order of their beginnings, the first lane that is free.

    A match for which there is none is left out.
    """
    lanes: list[list[Match]] = []
    for match in matches:
        left = min([match.begin, *(gap.begin for gap in match.gaps)])
        free = next((each for each in lanes if each[-1].right < left), None)
        if free is not None:
            free.append(match)
        elif len(lanes) < MOST_LANES:
            lanes.append([match])
    return tuple(map(tuple, lanes))
