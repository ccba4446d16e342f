"""Queries of a set in panes: however much their windows overlap, and however different they are.

HAMLET (SIGMOD 2021), section 3.1, cuts the stream into panes that no window of any query begins or
ends within, so that what queries share in a pane is computed once for all windows. Here what a pane
does to a query is a matrix: row s is what a run becomes that is in slot s when the pane begins. So
a pane needs a lane for every slot, and not for every window. Slots whose runs never meet have one
lane in common: those after X of all queries `SEQ(X, T+, Y)`, say. So there are about as many lanes
as the longest query has slots, however many queries there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd

from cepheid.program.sharing.find_parts import find_families
from cepheid.program.sharing.merge_programs import merge_in_panes
from cepheid.program.sharing.merged_program import (
    MergedPosition,
    MergedProgram,
    MergedQuery,
    WindowGroup,
)


@dataclass(frozen=True, slots=True)
class MatrixEntry:
    """An entry of a query's matrix: what a run in slot `source` adds to slot `target`.

    `number` is the query of the program whose result it is.
    """

    source: int
    target: int
    number: int


@dataclass(frozen=True, slots=True)
class PaneProgram:
    """A program with a window group for every lane of a pane, and a query for every value of it.

    `entries` are by query of the set. A slot in `fixed` keeps its runs, so that its row needs none.
    """

    program: MergedProgram
    pane: int
    entries: tuple[tuple[MatrixEntry, ...], ...]
    fixed: tuple[tuple[int, ...], ...]


def why_no_panes(program: MergedProgram) -> str | None:
    """Return why a set cannot be folded in panes, as a part of a sentence; None if it can."""
    if any(each.length is None for each in program.groups):
        return "there are no windows"
    if any(len(set(each.slots)) < len(each.slots) for each in program.queries):
        return "runs of a query that begin in several ways are kept as one"
    return None


def common_pane(program: MergedProgram) -> int:
    """Return the length of the longest panes that all windows can be put together from."""
    lengths = [each.length or 0 for each in program.groups]
    return gcd(*lengths, *(each.slide or 0 for each in program.groups))


def pane_program(program: MergedProgram) -> PaneProgram:
    """Return a set in panes; that of the latest sets is kept, as it takes a while."""
    return _kept(_Same(program))


class _Same:
    """A program that is equal to nothing but itself: to compare all of it would take longer."""

    def __init__(self, program: MergedProgram) -> None:
        self.program = program

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.program is self.program

    def __hash__(self) -> int:
        return id(self.program)


@lru_cache(maxsize=16)
def _kept(same: _Same) -> PaneProgram:
    pane = common_pane(same.program)
    return _Panes(merge_in_panes(same.program, pane), pane).program()


class _Panes:
    def __init__(self, merged: MergedProgram, pane: int) -> None:
        self.merged, self.pane = merged, pane
        (self.group,) = merged.groups
        self.follow: list[set[int]] = [set() for _ in range(self.group.slots)]
        self.moving: set[int] = set()  # slots whose runs go somewhere else, too
        self.cut: set[int] = set()  # slots that negative events take runs away from
        for position in merged.positions:
            for slot in position.sources:
                self.follow[slot] |= set(position.entries)
                self.moving.add(slot)
        for query in merged.queries:
            for slot, targets in zip(query.gaps, query.moves, strict=True):
                self.follow[slot] |= {each for each in targets if each >= 0}
                self.moving.add(slot)
                self.cut.add(slot)
        self.reach = [self._reached(each) for each in range(self.group.slots)]
        self.lanes = self._lanes()

    def _reached(self, slot: int) -> frozenset[int]:
        found, waiting = {slot}, [slot]
        while waiting:
            new = self.follow[waiting.pop()] - found
            found |= new
            waiting += new
        return frozenset(found)

    def _lanes(self) -> list[list[int]]:
        """Return the slots that begin with a run in every lane: what they reach is never the same.

        A slot goes to the first lane that it fits, those that reach most first.
        """
        lanes: list[list[int]] = []
        reached: list[set[int]] = []
        for slot in sorted(self.moving, key=lambda each: (-len(self.reach[each]), each)):
            fits = (n for n, some in enumerate(reached) if some.isdisjoint(self.reach[slot]))
            lane = next(fits, len(lanes))
            if lane == len(lanes):
                lanes.append([])
                reached.append(set())
            lanes[lane].append(slot)
            reached[lane] |= self.reach[slot]
        return lanes

    def program(self) -> PaneProgram:
        merged, places = self.merged, list[list[int]]()
        positions: list[MergedPosition] = []
        queries: list[MergedQuery] = []
        number_of: dict[tuple[int, int], int] = {}  # by first and last slot of runs
        for lane, slots in enumerate(self.lanes):
            reached = frozenset[int]().union(*(self.reach[slot] for slot in slots))
            new_place = {}
            for number, position in enumerate(merged.positions):
                if not reached.isdisjoint(position.sources):
                    new_place[number] = len(positions)
                    positions.append(self._in_lane(position, lane, reached))
            places += [
                [new for old, new in new_place.items() if query in merged.positions[old].queries]
                for query in range(len(merged.queries))
            ]
            queries += self._moved(lane, reached)
            for slot in slots:
                for target in sorted(self._written(slot)):
                    number_of[slot, target] = len(queries)
                    queries.append(self._value(lane, target))
        groups = (
            WindowGroup(self.pane, self.pane, self.group.slots, tuple(slots))
            for slots in self.lanes
        )
        families = find_families(positions, merged.tests, places)
        program = replace(
            merged,
            groups=tuple(groups),
            positions=tuple(positions),
            queries=tuple(queries),
            families=families,
        )
        entries = tuple(tuple(self._entries(each, number_of)) for each in merged.queries)
        fixed = tuple(tuple(self._fixed(each, number_of)) for each in merged.queries)
        return PaneProgram(program, self.pane, entries, fixed)

    def _in_lane(
        self, position: MergedPosition, lane: int, reached: frozenset[int]
    ) -> MergedPosition:
        sources = tuple(each for each in position.sources if each in reached)
        return replace(position, group=lane, sources=sources)

    def _written(self, slot: int) -> set[int]:
        """Return the slots whose value is not what it was, if a run begins in a slot."""
        written = {each for source in self.reach[slot] for each in self.follow[source]}
        return (written | self.cut) & self.reach[slot]

    def _moved(self, lane: int, reached: frozenset[int]) -> Iterator[MergedQuery]:
        """Yield what has negative events move runs, and no result."""
        for query in self.merged.queries:
            if query.gaps and not reached.isdisjoint(query.gaps):
                yield replace(query, group=lane, finals=())

    def _value(self, lane: int, slot: int) -> MergedQuery:
        numbers, minima = range(self.merged.number_count), range(self.merged.minimum_count)
        return MergedQuery("", lane, (), (), (), (slot,), tuple(numbers), tuple(minima), ())

    def _entries(
        self, query: MergedQuery, number_of: dict[tuple[int, int], int]
    ) -> Iterator[MatrixEntry]:
        for source, first in enumerate(query.slots):
            for target, last in enumerate(query.slots):
                if (first, last) in number_of:
                    yield MatrixEntry(source, target, number_of[first, last])

    def _fixed(self, query: MergedQuery, number_of: dict[tuple[int, int], int]) -> Iterator[int]:
        for slot, place in enumerate(query.slots):
            if (place, place) not in number_of:
                yield slot
