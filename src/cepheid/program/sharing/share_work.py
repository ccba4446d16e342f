"""Who is folded with whom in a workload, and why the others are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cepheid.program.program import Program
from cepheid.program.sharing.chain_program import why_no_chain, why_not_chain
from cepheid.program.sharing.lane_program import why_no_lane, why_no_lanes
from cepheid.program.sharing.merge_programs import merge_programs
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.program.sharing.other_sets import OtherSets, other_sets, scans
from cepheid.program.sharing.pack_numbers import COUNTS_APART, TOO_MANY, counts_apart
from cepheid.program.sharing.sharing_sets import (
    MOVES,
    and_others,
    only_counts,
    sharing_sets,
    stream_of,
    why_alone,
)

NOBODY = "no other query reads the same columns for time, type, order and partitions"
OTHER_PARTITIONS = "they partition events by other attributes"
OTHER_COLUMNS = "they read other columns for time, type or order"
READS_OTHERS = "it reads the results of another query"
IS_READ = "another query reads its results"


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
    merged = [(each.places, merge_programs(listed, each)) for each in sets]
    return SharedWork(
        tuple(names),
        tuple(each for _, each in merged),
        others,
        tuple(
            tuple(names[place] for place in each.places) for each in scans(listed, merged, others)
        ),
        {names[place]: _why_alone(listed[place], listed) for place in others.alone},
    )


def why_two_sets(one: MergedProgram, other: MergedProgram) -> str:
    """Return why the queries of two sets are not in one, as a part of a sentence."""
    some, another = one.programs[0], other.programs[0]
    if some.partition_by != another.partition_by:
        return OTHER_PARTITIONS
    if stream_of(some) != stream_of(another):
        return OTHER_COLUMNS
    return COUNTS_APART if one.is_count or other.is_count else TOO_MANY


def _why_alone(program: Program, programs: Sequence[Program]) -> str:
    """Return why a query has nothing in common with others but the scan of events."""
    if program.slots is None and program.adjacent is not None:
        return why_no_lane(program) or why_no_lanes(program, programs)
    reason = why_alone(program) or _why_in_no_set(program, programs)
    if reason == MOVES:
        return f"{reason}, and {why_not_chain(program) or why_no_chain(program, programs)}"
    return reason


def _why_in_no_set(program: Program, programs: Sequence[Program]) -> str:
    """Return why a query that could be in a set is in none."""
    stream = stream_of(program)
    others = [each for each in programs if each is not program and stream_of(each) == stream]
    if not others:
        return NOBODY
    alike = [each for each in others if why_alone(each) is None]
    if not alike:
        return refused_others({each.name: why_alone(each) or "" for each in others})
    counts = sum(map(only_counts, [program, *alike]))
    others_count = all(map(only_counts, alike))
    return COUNTS_APART if others_count and counts_apart(counts, len(alike) + 1) else TOO_MANY


def refused_others(reasons: Mapping[str, str]) -> str:
    """Return that those on the same events cannot be in a set, and why one of them cannot."""
    name, reason = next(iter(reasons.items()))
    more = and_others(reasons)
    return f"those that read the same events cannot be in a set: of {name}, {reason}{more}"
