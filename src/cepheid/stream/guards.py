"""Which events of a stream are set aside, because they have no place in time.

A process of Spark's that only names the state reads this, and needs no engine.
"""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.plan.stream_options import Bad

REASON = "reason"  # the column that says why an event was set aside


@dataclass(frozen=True, slots=True)
class Guards:
    """Events at tick `ahead_from` or later are set aside, and bad ones unless they are an error."""

    ahead_from: int | None = None
    bad: str = Bad.ERROR

    @property
    def takes_bad(self) -> bool:
        """Whether bad events are no error."""
        return self.bad != Bad.ERROR


NO_GUARDS = Guards()
