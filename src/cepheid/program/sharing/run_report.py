"""What the queries of a workload did together in one run: made by the runtime, shown by explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from cepheid.program.run_record import GroupRecord, RunRecord

ALONE = "alone"  # the policy of a query by itself


class Decision(StrEnum):
    """Who shared a burst: all classes of a part, some of them, or none."""

    SHARED = "shared"
    PARTLY = "partly shared"
    APART = "not shared"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How many runs a place of a part begins a burst with: those in the part, and before it.

    `queries` are those whose runs they are. `window` is where the first window of the lane begins,
    in ticks; None without windows. `runs` is None beyond 2^512.
    """

    queries: tuple[str, ...]
    window: int | None
    runs: int | None


@dataclass(frozen=True, slots=True)
class Burst:
    """A stretch of steps of a part; `begin` and `end` are the times of its first and last event.

    `lanes` are the places of the part, once for every open window, or for every lane of a pane.
    `graphlets` is how often its steps were taken: once by all who shared it, and once by every
    other lane. `snapshots` are one at the beginning of a burst that is shared, and one for every
    lane and step that concerned not all who share. `caught_up` is how often a lane took what was
    written so far, since this burst began and before the next one. `sharing` are the classes that
    shared it. `mixed_steps` tells whether some steps concerned not all classes. `saved` is what the
    costs say that sharing saved, in nanoseconds, and `if_all_share` what it saves or loses if every
    class shares. `values` are the snapshots that it began with, as far as they were kept: those of
    places that something was done to since the burst before.
    """

    part: int
    partition: tuple[str, ...]
    begin: int
    end: int
    first_time: str
    steps: int
    lanes: int
    graphlets: int
    snapshots: int
    caught_up: int
    sharing: tuple[int, ...]
    decision: Decision
    mixed_steps: bool
    saved: int
    if_all_share: int
    values: tuple[Snapshot, ...] = ()


@dataclass(frozen=True, slots=True)
class PartRun:
    """The bursts of a part, added up."""

    text: str
    classes: int
    bursts: int
    shared: int
    partly: int
    steps: int
    most_lanes: int
    graphlets: int
    snapshots: int
    caught_up: int
    saved: int


@dataclass(frozen=True, slots=True)
class Counters:
    """What was counted in a set: `caught_up` is how often a place took what others had written.

    `snapshots` are those of bursts that were shared, and of lanes whose step did not concern all.
    `logged` steps were written once for all, in `blocks` of which `applied` were used; `direct`
    steps were taken by every place for itself.
    """

    bursts: int
    shared_bursts: int
    logged: int
    direct: int
    caught_up: int
    applied: int
    blocks: int
    snapshots: int


@dataclass(frozen=True, slots=True)
class SetRun:
    """A sharing set in one run; times are in seconds.

    Bursts are in the order of partitions and time; `bursts` may be only the first ones, and `parts`
    adds up the first `recorded`. `ticks_per_second` is None if times are plain numbers. With a
    comparison, `warm_seconds` is the fold once more and `apart_seconds` the same without sharing.

    `is_plain`: a run counts these queries with plain numbers and shares no burst. Bursts are then
    those of another fold, which shares them by the policy; what is compared is one that shares all
    of them, in `shared_seconds`. `is_alone`: a run folds each query by itself, and bursts are those
    of one fold for all. `is_in_panes`: a run puts windows together from panes, and bursts are those
    of panes, whose lanes are the places that runs can be in when a pane begins.
    """

    queries: tuple[str, ...]
    events: int
    partitions: int
    ordering_seconds: float
    folding_seconds: float
    is_plain: bool
    warm_seconds: float | None
    apart_seconds: float | None
    shared_seconds: float | None
    counters: Counters
    ticks_per_second: int | None
    recorded: int
    parts: tuple[PartRun, ...]
    bursts: tuple[Burst, ...]
    is_alone: bool = False
    is_in_panes: bool = False

    @property
    def seconds_saved(self) -> float | None:
        """How much sooner the fold was done with sharing, if that was measured."""
        if self.warm_seconds is None or self.apart_seconds is None:
            return None
        return self.apart_seconds - self.warm_seconds


@dataclass(frozen=True, slots=True)
class RunReport:
    """All sets of a run, the policy, and how long all queries took.

    `groups` are what was folded, each with the folds that were tried; `counts` and `stages`, in
    seconds, are those of the whole run.
    """

    policy: str
    seconds: float
    sets: tuple[SetRun, ...]
    groups: tuple[GroupRecord, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    stages: Mapping[str, float] = field(default_factory=dict)


def make_report(
    record: RunRecord, seconds: float, policy: str = ALONE, sets: Sequence[SetRun] = ()
) -> RunReport:
    """Return what was written down in a run."""
    groups, counts, stages = tuple(record.groups), dict(record.counts), dict(record.seconds)
    return RunReport(policy, seconds, tuple(sets), groups, counts, stages)
