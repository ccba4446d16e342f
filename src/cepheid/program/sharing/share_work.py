"""Who is folded with whom in a workload, and why the others are not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cepheid.program.program import Program
from cepheid.program.sharing.lane_program import why_no_lane
from cepheid.program.sharing.match_program import has_shared_graph
from cepheid.program.sharing.merge_programs import merge_programs
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.program.sharing.other_sets import OtherSets, other_sets, scans
from cepheid.program.sharing.recent_program import is_recent
from cepheid.program.sharing.sharing_sets import sharing_sets, why_alone

NOBODY = (
    "no other query reads the same columns for time, type, order and partitions and adds up the "
    "same numbers"
)
READS_OTHERS = "it reads the results of another query"
IS_READ = "another query reads its results"


NOBODY_COMPARES = "no other query has the same adjacent predicates"
NOBODY_BEGINS = "and no other query with the same window begins alike"


@dataclass(frozen=True, slots=True)
class SharedWork:
    """Sets of queries that are folded in one pass each, and by name why others are alone.

    `others` have less in common; places are those of `names`. `scans` are queries whose events are
    read and ordered once.
    """

    names: tuple[str, ...]
    sets: tuple[MergedProgram, ...]
    others: OtherSets
    scans: tuple[tuple[str, ...], ...]
    alone: Mapping[str, str]


def share_work(programs: Mapping[str, Program]) -> SharedWork:
    """Return how queries are folded that do not read each other's results."""
    names, listed = list(programs), list(programs.values())
    sets = sharing_sets(listed)
    others = other_sets(listed, [place for each in sets for place in each.places])
    merged = [(each, merge_programs(listed, each)) for each in sets]
    return SharedWork(
        tuple(names),
        tuple(each for _, each in merged),
        others,
        tuple(
            tuple(names[place] for place in each.places) for each in scans(listed, merged, others)
        ),
        {names[place]: _why_alone(listed[place]) for place in others.alone},
    )


def _why_alone(program: Program) -> str:
    """Return why a query has nothing in common with others but the scan of events."""
    if program.slots is None and program.adjacent is not None:
        return why_no_lane(program) or NOBODY_COMPARES
    reason = why_alone(program) or NOBODY
    begins = is_recent(program) or has_shared_graph(program)
    return f"{reason}, {NOBODY_BEGINS}" if begins else reason
