"""What a user may ask of one run of a query, beside its text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cepheid.analysis.bound import WindowUnit
from cepheid.errors import ConfigError
from cepheid.plan.physical import PhysicalPlan
from cepheid.plan.rules.choose_parallelism import choose_parallelism, obstacle_to_ranges


@dataclass(frozen=True, slots=True)
class RunOptions:
    """See `Query.run`."""

    live_limit: int | None = None
    on_expiry: bool = False
    parallel_in_time: bool | None = None
    grouped: bool = False
    packed: bool = False

    def check(self, plan: PhysicalPlan) -> None:
        """Raise a ConfigError if the query cannot have what is asked for."""
        if self.on_expiry and not _can_expire(plan):
            raise ConfigError(
                "on_expiry is for aggregates over the last minutes, hours, …",
                hint="write WITHIN with a time and without SLIDE, or leave on_expiry out",
            )
        if self.grouped and self.parallel_in_time:
            raise ConfigError(
                "grouped and parallel_in_time exclude each other",
                hint="tasks have either whole partitions or ranges of time",
            )
        if self.parallel_in_time:
            obstacle = obstacle_to_ranges(plan.query, plan.method.value)
            if obstacle is not None:
                raise ConfigError(
                    f"ranges of time cannot be folded apart: {obstacle}",
                    hint="leave parallel_in_time out",
                )

    def applied_to(self, plan: PhysicalPlan) -> PhysicalPlan:
        """Return the plan with the options that concern it."""
        if self.live_limit is not None and self.live_limit < 1:
            raise ConfigError(
                f"live_limit is {self.live_limit}, but must be at least 1",
                hint="leave it out for no limit",
            )
        method = plan.method.value
        return replace(
            plan,
            live_limit=self.live_limit,
            shows_expiry=self.on_expiry and _can_expire(plan),
            parallelism=choose_parallelism(plan.query, method, self.parallel_in_time),
            is_grouped=self.grouped,
            packs_events=self.packed,
        )


def _can_expire(plan: PhysicalPlan) -> bool:
    """Whether results change as time passes: an aggregate with WITHIN alone."""
    window = plan.query.window
    by_time = window is not None and window.unit is WindowUnit.TIME and window.slide is None
    return plan.query.is_aggregate and by_time
