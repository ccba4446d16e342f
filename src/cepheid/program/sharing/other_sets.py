"""What programs in no sharing set have in common: lanes, segments, the scan of events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import MatchOutput, Program
from cepheid.program.sharing.chain_program import ChainProgram, chain_sets
from cepheid.program.sharing.lane_program import LaneProgram, lane_sets, make_lanes
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.program.sharing.sharing_sets import stream_of

Places = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OtherSets:
    """Places of programs with what is made of them, and of those that are folded by themselves.

    `lanes` have adjacent predicates in common, `chains` segments of sequences.
    """

    lanes: tuple[tuple[Places, LaneProgram], ...]
    chains: tuple[tuple[Places, ChainProgram], ...]
    alone: Places


def other_sets(programs: Sequence[Program], taken: Collection[int]) -> OtherSets:
    """Return what programs have in common, but for those at places that are taken."""
    left = [place for place in range(len(programs)) if place not in taken]

    def among(found: Callable[[list[Program]], _Sets[Made]]) -> list[tuple[Places, Made]]:
        """Return sets of programs that are left, which then are not left any more."""
        sets = [
            (tuple(left[each] for each in places), made)
            for places, made in found([programs[place] for place in left])
        ]
        for places, _ in sets:
            left[:] = [each for each in left if each not in places]
        return sets

    lanes, chains = among(_lanes), among(chain_sets)
    return OtherSets(tuple(lanes), tuple(chains), tuple(left))


Made = TypeVar("Made")
_Sets = Sequence[tuple[Places, Made]]


def _lanes(programs: list[Program]) -> list[tuple[Places, LaneProgram]]:
    return [
        (tuple(each), make_lanes([programs[place] for place in each]))
        for each in lane_sets(programs)
    ]


class Scanned(NamedTuple):
    """Programs whose events are read, typed and ordered once: places, who orders, all tests."""

    places: Places
    programs: tuple[Program, ...]
    tests: tuple[PositionTest, ...]


def scans(
    programs: Sequence[Program],
    sets: Sequence[tuple[Places, MergedProgram]],
    others: OtherSets,
) -> list[Scanned]:
    """Return what reads the same columns for time, type, order and partitions: two or more units.

    A unit is a set of programs that are folded together, or one program.
    """
    units = [Scanned(places, merged.programs[:1], merged.tests) for places, merged in sets]
    units += [Scanned(places, each.programs[:1], each.tests) for places, each in others.chains]
    united = [(places, each.united) for places, each in others.lanes]
    united += [((place,), programs[place]) for place in others.alone]
    units += [Scanned(places, (each,), each.all_tests) for places, each in united]
    found: dict[object, list[Scanned]] = {}
    for unit in units:
        if is_scanned(unit.programs[0]):
            found.setdefault(stream_of(unit.programs[0]), []).append(unit)
    return [
        Scanned(
            tuple(sorted(place for each in some for place in each.places)),
            tuple(program for each in some for program in each.programs),
            tuple(test for each in some for test in each.tests),
        )
        for some in found.values()
        if len(some) > 1
    ]


def is_scanned(program: Program) -> bool:
    """Whether the events of a program can be those that others order, too.

    Partial runs are over when any event comes, of whatever type.
    """
    return not (isinstance(program.output, MatchOutput) and program.output.is_partial)
