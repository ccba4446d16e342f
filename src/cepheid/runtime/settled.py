"""What a step of a stream settles: the part of the results that it reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Settled:
    """All events before tick `until` are known; those before tick `before` were known already.

    Results that were final before are not reported again. `before` is None in the first step.
    """

    before: int | None
    until: int

    def reports(self, ticks: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which final ticks are settled by this step, and were not before."""
        is_settled: NDArray[np.bool_] = ticks < self.until
        return is_settled if self.before is None else is_settled & (ticks >= self.before)
