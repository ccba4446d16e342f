"""What a user may ask of one run of a query, beside its text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral

from cepheid.analysis.bound import WindowUnit
from cepheid.errors import ConfigError
from cepheid.language.ast import OutputMode
from cepheid.plan.physical import PhysicalPlan
from cepheid.plan.rules.choose_parallelism import choose_parallelism, obstacle_to_ranges
from cepheid.plan.rules.find_warnings import find_warnings

# Ten million rows of a few numbers are about a gigabyte.
MOST_MATCHES = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What every run can be asked for: see `Batch` and `Streaming`, which have these options too.

    Args:
        live_limit: how many events and partial matches a match query may keep alive in one
            partition before it fails instead of filling the memory. None means any number, but
            a million beyond the events where conditions keep every run apart. It is looked at
            whenever twice as many have come together, and not for OUTPUT PARTIAL and
            COMPRESSED, which report all of them.
        max_matches: how many matches a query may list, in a run in process, in a task of a
            Spark batch, or in a bucket and micro-batch of a stream. Where there
            are many, they are counted before they are built, and a query with more fails with a
            MatchLimitError; None means any number. So does one whose arrays hold more than ten
            values for each of them, and more than ten million.
        on_expiry: an aggregate with WITHIN alone gives a row when an event arrives that can end
            a trend; with True also when only time passes and a trend leaves the window, if that
            changes the result.
    """

    live_limit: int | None = None
    max_matches: int | None = MOST_MATCHES
    on_expiry: bool = False

    def __post_init__(self) -> None:
        require_positive("live_limit", self.live_limit, "leave it out for no limit")
        require_positive("max_matches", self.max_matches, "None means any number")
        require_flag("on_expiry", self.on_expiry)

    def check(self, plan: PhysicalPlan) -> None:
        """Raise a ConfigError if the query cannot have what is asked for."""
        if self.on_expiry and not _can_expire(plan):
            raise ConfigError(
                "on_expiry is for aggregates over the last minutes, hours, …",
                hint="write WITHIN with a time and without SLIDE, or leave on_expiry out",
            )

    def applied_to(self, plan: PhysicalPlan) -> PhysicalPlan:
        """Return the plan with the options that concern it."""
        return replace(
            plan,
            live_limit=self.live_limit,
            max_matches=self.max_matches,
            shows_expiry=self.on_expiry and _can_expire(plan),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch(RunOptions):
    """The options of a run on events that have an end; all may be left out.

    Beside those below: `live_limit`, `max_matches` and `on_expiry`, as in
    docs/reference/options.md.

    Args:
        limit: list at most so many matches and look for no others; which ones is not defined.
        parallel_in_time: in a Spark batch, aggregates without partitions are folded in ranges
            of time on several tasks where their state allows it (EXPLAIN says so); True asks
            for that also where there are partitions, for events with one hot key, False forbids
            it.
        grouped: on Spark, every task of the DataFrame has all events of its partitions, as in a
            table bucketed by them or after `repartition`: they are not shuffled again.
        packed: on Spark, events are shuffled in packets of columns instead of as rows; see
            docs/how-to/tune-spark.md for when that is faster.

    >>> Batch(limit=100).limit
    100
    """

    limit: int | None = None
    parallel_in_time: bool | None = None
    grouped: bool = False
    packed: bool = False

    def __post_init__(self) -> None:
        RunOptions.__post_init__(self)
        require_positive("limit", self.limit, "leave it out for all matches")
        if self.parallel_in_time is not None:
            require_flag("parallel_in_time", self.parallel_in_time)
        require_flag("grouped", self.grouped)
        require_flag("packed", self.packed)
        if self.grouped and self.parallel_in_time:
            raise ConfigError(
                "grouped and parallel_in_time exclude each other",
                hint="tasks have either whole partitions or ranges of time",
            )

    def check(self, plan: PhysicalPlan) -> None:
        """Raise a ConfigError if the query cannot have what is asked for."""
        RunOptions.check(self, plan)
        if self.limit is not None and not lists_matches(plan):
            raise ConfigError(
                "limit is for queries that list matches",
                hint="leave limit out; HAVING chooses among rows of an aggregate, and `first` of "
                "OUTPUT COMPRESSED gives some matches",
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
        return replace(
            RunOptions.applied_to(self, plan),
            limit=self.limit if lists_matches(plan) else None,
            warnings=find_warnings(plan.query, lists_all=self.limit is None),
            parallelism=choose_parallelism(plan.query, plan.method.value, self.parallel_in_time),
            is_grouped=self.grouped,
            packs_events=self.packed,
        )


def require_positive(name: str, value: object, hint: str) -> None:
    """Raise a ConfigError unless an option is None or a whole number of at least 1."""
    if value is None:
        return
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise ConfigError(f"{name} is {value!r}, but must be a whole number", hint=hint)
    if int(value) < 1:
        raise ConfigError(f"{name} is {value}, but must be at least 1", hint=hint)


def require_flag(name: str, value: object) -> None:
    """Raise a ConfigError unless an option is True or False."""
    if not isinstance(value, bool):
        raise ConfigError(f"{name} is {value!r}", hint="it is True or False")


def lists_matches(plan: PhysicalPlan) -> bool:
    """Whether every match is a row."""
    return not plan.query.is_aggregate and plan.query.output is not OutputMode.COMPRESSED


def _can_expire(plan: PhysicalPlan) -> bool:
    """Whether results change as time passes: an aggregate with WITHIN alone."""
    window = plan.query.window
    by_time = window is not None and window.unit is WindowUnit.TIME and window.slide is None
    return plan.query.is_aggregate and by_time
