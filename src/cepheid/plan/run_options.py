"""What a user may ask of one run of a query, beside its text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cepheid.analysis.bound import WindowUnit
from cepheid.errors import ConfigError
from cepheid.language.ast import OutputMode
from cepheid.plan.physical import PhysicalPlan
from cepheid.plan.rules.choose_parallelism import choose_parallelism, obstacle_to_ranges
from cepheid.plan.rules.find_warnings import find_warnings

# Ten million rows of a few numbers are about a gigabyte; of long arrays they are several.
MOST_MATCHES = 10_000_000
# What must be at least 1, and what to do instead of giving less.
LIMITS = {
    "live_limit": "leave it out for no limit",
    "max_matches": "None means any number",
    "limit": "leave it out for all matches",
}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """See `Query.run`."""

    live_limit: int | None = None
    max_matches: int | None = MOST_MATCHES
    limit: int | None = None
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
        if self.limit is not None and not lists_matches(plan):
            raise ConfigError(
                "limit is for queries that list matches",
                hint="leave limit out; HAVING chooses among rows of an aggregate, and `first` of "
                "OUTPUT COMPRESSED gives some matches",
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
        for name, hint in LIMITS.items():
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"{name} is {value}, but must be at least 1", hint=hint)
        method = plan.method.value
        return replace(
            plan,
            live_limit=self.live_limit,
            max_matches=self.max_matches,
            limit=self.limit if lists_matches(plan) else None,
            warnings=find_warnings(plan.query, lists_all=self.limit is None),
            shows_expiry=self.on_expiry and _can_expire(plan),
            parallelism=choose_parallelism(plan.query, method, self.parallel_in_time),
            is_grouped=self.grouped,
            packs_events=self.packed,
        )


def lists_matches(plan: PhysicalPlan) -> bool:
    """Whether every match is a row."""
    return not plan.query.is_aggregate and plan.query.output is not OutputMode.COMPRESSED


def _can_expire(plan: PhysicalPlan) -> bool:
    """Whether results change as time passes: an aggregate with WITHIN alone."""
    window = plan.query.window
    by_time = window is not None and window.unit is WindowUnit.TIME and window.slide is None
    return plan.query.is_aggregate and by_time
