"""Several queries that are folded together, flat; see kernels/shared/merged_machine.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Program
from cepheid.program.sharing.sharing_sets import SharingSet


class TestedPrograms(Protocol):
    """Programs that are folded together, and the different tests of their events."""

    @property
    def programs(self) -> tuple[Program, ...]:
        """The programs; their events have the same order."""

    @property
    def tests(self) -> tuple[PositionTest, ...]:
        """The tests, without names of variables."""


@dataclass(frozen=True, slots=True)
class MergedPosition:
    """A position of one or more queries in a window group; slots are those of the group.

    `numbers` and `minima` say which measure an event adds to every number and minimum of a value,
    -1 for none; `numbers[0]` is not used. `queries` are those that it belongs to.
    """

    group: int
    test: int
    sources: tuple[int, ...]
    entries: tuple[int, ...]
    numbers: tuple[int, ...]
    minima: tuple[int, ...]
    value_slot: int | None
    queries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MergedQuery:
    """What a query has for itself: slots that negative events move, results, and where numbers are.

    `moves[place][code]` is where the runs of slot `gaps[place]` go, -1: they are dropped. A
    negative event has the bit of every one of `negative` that it fits: pairs of a test and a bit.
    `slots` are those of the group that the query's own ones are.
    """

    name: str
    group: int
    gaps: tuple[int, ...]
    moves: tuple[tuple[int, ...], ...]
    negative: tuple[tuple[int, int], ...]
    finals: tuple[int, ...]
    numbers: tuple[int, ...]
    minima: tuple[int, ...]
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WindowGroup:
    """Queries with the same windows; None: no windows. `initial` slots begin with a run."""

    length: int | None
    slide: int | None
    slots: int
    initial: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A place at which a part occurs: its class, and the positions in the order of the part."""

    of_class: int
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """A part that occurs at several places.

    `text` names it; `sources` are by place in the part the places it follows. A class has the tests
    of every place.
    """

    text: str
    sources: tuple[tuple[int, ...], ...]
    classes: tuple[tuple[int, ...], ...]
    members: tuple[Member, ...]

    @property
    def size(self) -> int:
        """The number of positions of the part."""
        return len(self.sources)


@dataclass(frozen=True, slots=True)
class MergedProgram:
    """Programs that are folded in one pass over the events, and what they share.

    `measures` has all sums and minima that events contribute to, each once; `carried` says what
    values carry.
    """

    programs: tuple[Program, ...]
    tests: tuple[PositionTest, ...]
    measures: AggregateOutput
    groups: tuple[WindowGroup, ...]
    positions: tuple[MergedPosition, ...]
    queries: tuple[MergedQuery, ...]
    families: tuple[Family, ...]
    carried: SharingSet

    @property
    def number_count(self) -> int:
        """How many numbers a value has."""
        return len(self.positions[0].numbers)

    @property
    def minimum_count(self) -> int:
        """How many minima a value has."""
        return len(self.positions[0].minima)

    @property
    def is_count(self) -> bool:
        """Whether trends are counted, and nothing else."""
        return self.number_count == 1 and self.minimum_count == 0
