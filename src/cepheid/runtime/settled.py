"""What a step of a stream settles: the part of the results that it reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settled:
    """All events before tick `until` are known; those before tick `before` were known already.

    Results that were final before are not reported again. `before` is None in the first step.
    """

    before: int | None
    until: int
