"""When queries that are folded together share the work on a burst of events."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from cepheid.program.sharing.merged_sets import MergedSets


class Policy(StrEnum):
    """All share every burst, nobody does, or those for whom it pays."""

    ALWAYS = "always"
    NEVER = "never"
    DYNAMIC = "dynamic"


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the queries of a workload share work, and what was merged before.

    `in_ranges`: on Spark, queries that can be folded in ranges of time are, and not together.
    """

    policy: Policy = Policy.DYNAMIC
    merged: MergedSets = field(default_factory=MergedSets)
    in_ranges: bool = False
