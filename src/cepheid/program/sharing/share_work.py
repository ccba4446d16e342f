"""Who is folded with whom in a workload, and why the others are not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cepheid.program.program import Program
from cepheid.program.sharing.merge_programs import merge_programs
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.program.sharing.sharing_sets import sharing_sets, why_alone

NOBODY = (
    "no other query reads the same columns for time, type, order and partitions and adds up the "
    "same numbers"
)
READS_OTHERS = "it reads the results of another query"
IS_READ = "another query reads its results"


@dataclass(frozen=True, slots=True)
class SharedWork:
    """Sets of queries that are folded in one pass each, and by name why others are alone."""

    sets: tuple[MergedProgram, ...]
    alone: Mapping[str, str]


def share_work(programs: Mapping[str, Program]) -> SharedWork:
    """Return how queries are folded that do not read each other's results."""
    names, listed = list(programs), list(programs.values())
    sets = sharing_sets(listed)
    together = {place for each in sets for place in each.places}
    return SharedWork(
        tuple(merge_programs(listed, each) for each in sets),
        {
            name: why_alone(listed[place]) or NOBODY
            for place, name in enumerate(names)
            if place not in together
        },
    )
