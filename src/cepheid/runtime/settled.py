"""What a step of a stream settles: the part of the results that it reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]
NOTHING = -(2**63)  # a clock before all others

# Columns that events of an earlier step may have besides their own. Those of the new ones are NULL.
INDEX = "__index"  # the event's index in its partition, if events before it are gone
TAKEN = "__taken"  # whether a match that NON OVERLAPPING took ends there


@dataclass(frozen=True, slots=True)
class Settled:
    """All events before tick `until` are known; those before tick `before` were known already.

    Results that were final before are not reported again. `before` is None in the first step. The
    first `known_rows` rows of the events were known before; all later rows come after them.
    """

    before: int | None
    until: int
    known_rows: int = 0


class Horizons(NamedTuple):
    """By partition, the clocks up to which windows were closed before, and now are.

    What waits for the end of a window at clock e becomes final if `before < e <= until`. On a clock
    of time these are the ticks of the step. A window of events is closed by an event with an index
    that is not below its end, so each partition has its own; NOTHING if it had no event before.
    """

    before: Int64s
    until: Int64s
