"""From how many events on a step takes the ways that are made for many."""

from __future__ import annotations

from typing import NamedTuple


class StepSizes(NamedTuple):
    """Numbers that change how long a step takes, and nothing else.

    `many`: events that are run again, before it pays to make matrices instead. `piece`: events that
    are left to be run at either end of a window, where the middle is known as matrices; at least
    `per_partition` times as many as there are partitions.
    """

    many: int = 2**14
    piece: int = 2**12
    per_partition: int = 2


SIZES = StepSizes()
