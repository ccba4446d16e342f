"""Put programs into sets by the numbers and minima that their values carry.

A number of the value is a place: every query of a set has its own sums in some of them. So a set
carries the union of what its queries ask for, and one place serves queries that ask for the same
content at different types, as long as these do not meet in a pattern. What is in a place that a
query does not ask for is of no concern to it; contributions there are only chosen such that
positions are the same for as many queries as possible.

A number more costs a fold about 5 % of its time, a pass more all of it. So sets are united up to
`MOST_MEASURES`. Where most queries only count, these are a set of their own: without sums a burst
has a formula and counts are plain numbers. Where they are fewer, a pass more takes longer than that
saves: with 2 to 14 of 16 queries `SEQ(X, T+, Y)` that count, bursts of 2 and 20 and windows of 40
and 1000 events, one set took 0.5 to 1.2 times as long as two, and up to 4 times with 14.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

Types = tuple[str, ...]
MOST_MEASURES = 8  # numbers of a set, beside that of trends, and as many minima
COUNTS_APART = "most queries on the same events only count, which is quicker without sums"
TOO_MANY = f"there would be more than {MOST_MEASURES} numbers to add up together"


@dataclass(frozen=True, slots=True)
class MeasureName:
    """What is added up or compared, and the types, of those in several programs, at which it is."""

    content: str
    attribute: str | None
    types: frozenset[Types]


Names = tuple[tuple[MeasureName, ...], tuple[MeasureName, ...]]
Places = tuple[tuple[int, ...], tuple[int, ...]]


class Asking(NamedTuple):
    """A program: its place in the workload, what it adds up and compares, all types it has."""

    place: int
    names: Names
    types: frozenset[Types]

    @property
    def is_count(self) -> bool:
        """Whether it asks for the number of trends alone."""
        return not any(self.names)


class Packed(NamedTuple):
    """Programs of a set, what it carries, and by program where in that its own is."""

    places: tuple[int, ...]
    names: Names
    fits: tuple[Places, ...]


def pack_numbers(programs: Sequence[Asking]) -> list[Packed]:
    """Return the programs in sets of one or more.

    Those that ask for most come first, so that others find there what they ask for.
    """
    counts = _Set()
    filled: list[_Set] = []
    has_counts = counts_apart(sum(each.is_count for each in programs), len(programs))
    for each in sorted(programs, key=lambda one: -len(one.names[0]) - len(one.names[1])):
        if has_counts and each.is_count:
            counts.add(each)
            continue
        with_room = {one.added(each): one for one in reversed(filled) if one.has_room(each)}
        if not with_room:
            filled.append(_Set())
            with_room = {0: filled[-1]}
        with_room[min(with_room)].add(each)
    return [each.packed() for each in (counts, *filled) if each.members]


def counts_apart(counts: int, programs: int) -> bool:
    """Whether those of some programs that only count are a set of their own."""
    return counts > 1 and 2 * counts > programs


class _Measures:
    """Numbers, or minima, of a set while it is filled."""

    def __init__(self) -> None:
        self.names: list[MeasureName] = []
        self.foreign: list[frozenset[Types]] = []  # that programs have, and do not add up

    def fit(self, names: Sequence[MeasureName], types: frozenset[Types]) -> tuple[int, ...]:
        """Return where a program finds what it asks for; those from len(names) on are new."""
        taken: list[int] = []
        for name in names:
            free = [each for each in range(len(self.names)) if each not in taken]
            same = [each for each in free if self._is_same(each, name)]
            fitting = same or [each for each in free if self._can_join(each, name, types)]
            new = len(self.names) + sum(each >= len(self.names) for each in taken)
            taken.append(fitting[0] if fitting else new)
        return tuple(taken)

    def take(
        self, names: Sequence[MeasureName], types: frozenset[Types], places: Sequence[int]
    ) -> None:
        for name, place in zip(names, places, strict=True):
            if place == len(self.names):
                self.names.append(name)
                self.foreign.append(frozenset())
            else:
                joined = self.names[place].types | name.types
                self.names[place] = replace(self.names[place], types=joined)
            self.foreign[place] |= types - name.types

    def _is_same(self, place: int, name: MeasureName) -> bool:
        known = self.names[place]
        return _content(known) == _content(name) and known.types == name.types

    def _can_join(self, place: int, name: MeasureName, types: frozenset[Types]) -> bool:
        """Whether no one who asks for it has types in its pattern at which only another adds up."""
        known = self.names[place]
        if _content(known) != _content(name):
            return False
        foreign = self.foreign[place] | (types - name.types)
        return not foreign & (known.types | name.types)


def _content(name: MeasureName) -> tuple[str, str | None]:
    return name.content, name.attribute


class _Set:
    def __init__(self) -> None:
        self.measures = _Measures(), _Measures()
        self.members: list[tuple[int, Places]] = []

    def added(self, program: Asking) -> int:
        """Return how many numbers and minima the set would have to add."""
        return sum(
            sum(place >= len(measures.names) for place in places)
            for measures, places in zip(self.measures, self._fit(program), strict=True)
        )

    def has_room(self, program: Asking) -> bool:
        """Whether a program asks for nothing new, or the set stays small with it."""
        after = [
            max((len(measures.names), *(place + 1 for place in places)))
            for measures, places in zip(self.measures, self._fit(program), strict=True)
        ]
        return all(
            now <= max(MOST_MEASURES, len(measures.names))
            for now, measures in zip(after, self.measures, strict=True)
        )

    def add(self, program: Asking) -> None:
        fits = self._fit(program)
        for measures, names, places in zip(self.measures, program.names, fits, strict=True):
            measures.take(names, program.types, places)
        self.members.append((program.place, fits))

    def packed(self) -> Packed:
        members = sorted(self.members)
        numbers, minima = (tuple(each.names) for each in self.measures)
        return Packed(
            tuple(place for place, _ in members),
            (numbers, minima),
            tuple(fits for _, fits in members),
        )

    def _fit(self, program: Asking) -> Places:
        numbers, minima = (
            measures.fit(names, program.types)
            for measures, names in zip(self.measures, program.names, strict=True)
        )
        return numbers, minima
