"""A merged program as kernel arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.shared import merged_machine as machine
from cepheid.program.sharing.merged_program import (
    Family,
    MergedPosition,
    MergedProgram,
    MergedQuery,
)

Int64s = NDArray[np.int64]


class _Kind(NamedTuple):
    """What events that pass some tests do, see kernels/shared/merged_machine.py."""

    own: list[int]
    parts: list[int]
    negative: list[int]
    breaks: int


class MergedArrays:
    """Makes the lists and tables of a merged program; `passes` are by kind the tests it passes."""

    def __init__(self, program: MergedProgram, passes: Sequence[tuple[int, ...]]) -> None:
        self.program = program
        self.passes = passes
        self.members = [
            (number, member)
            for number, family in enumerate(program.families)
            for member in family.members
        ]
        self.member_of = {
            position: number
            for number, (_, member) in enumerate(self.members)
            for position in member.positions
        }
        self.of_test: dict[int, list[int]] = defaultdict(list)
        for number, each in enumerate(program.positions):
            if number not in self.member_of:
                self.of_test[each.test].append(number)
        self.inner = [
            {program.positions[position].value_slot for position in member.positions}
            for _, member in self.members
        ]
        # By window group and slot: the members that add runs to it, and those it flows into.
        self.feeders: dict[tuple[int, int], set[int]] = defaultdict(set)
        self.readers: dict[tuple[int, int], set[int]] = defaultdict(set)
        for position, member_number in self.member_of.items():
            each = program.positions[position]
            for slot in each.entries:
                self.feeders[each.group, slot].add(member_number)
            for slot in set(each.sources) - self.inner[member_number]:
                self.readers[each.group, slot].add(member_number)

    @cached_property
    def lists(self) -> dict[int, list[Sequence[int]]]:
        """All lists by what they are lists of."""
        program, queries = self.program, self.program.queries
        kinds = self._kinds
        return {
            machine.SOURCES: [each.sources for each in program.positions],
            machine.ENTRIES: [each.entries for each in program.positions],
            machine.TOUCHES: [
                () if number in self.member_of else self._touches(each)
                for number, each in enumerate(program.positions)
            ],
            machine.OWN: [each.own for each in kinds],
            machine.PARTS: [each.parts for each in kinds],
            machine.NEGATIVE: [each.negative for each in kinds],
            machine.GAPS: [each.gaps for each in queries],
            machine.MOVES: [[e for row in each.moves for e in row] for each in queries],
            machine.FINALS: [each.finals for each in queries],
            machine.GAP_TOUCHES: [self._gap_touches(each) for each in queries],
            machine.FINAL_TOUCHES: [self._final_touches(each) for each in queries],
            machine.INNER: [sources for each in program.families for sources in each.sources],
            machine.INFLOW: self._inflow(),
            machine.FAMILY_MEMBERS: [
                [n for n, each in enumerate(self.members) if each[0] == family]
                for family in range(len(program.families))
            ],
            machine.GROUP_MEMBERS: [
                [n for n in range(len(self.members)) if self._group_of(n) == group]
                for group in range(len(program.groups))
            ],
            machine.GROUP_QUERIES: [
                [n for n, query in enumerate(queries) if query.group == group]
                for group in range(len(program.groups))
            ],
            machine.INITIAL: [each.initial for each in program.groups],
        }

    @cached_property
    def tables(self) -> dict[int, Sequence[int]]:
        """The tables that do not change."""
        program, groups, families = self.program, self.program.groups, self.program.families
        classes = [len(each.classes) for each in families]
        return {
            machine.POSITION_GROUP: [each.group for each in program.positions],
            machine.KIND_BREAKS: [each.breaks for each in self._kinds],
            machine.QUERY_GROUP: [each.group for each in program.queries],
            machine.QUERY_CODES: [len(e.moves[0]) if e.moves else 0 for e in program.queries],
            machine.MEMBER_FAMILY: [family for family, _ in self.members],
            machine.MEMBER_CLASS: [member.of_class for _, member in self.members],
            machine.MEMBER_GROUP: [self._group_of(each) for each in range(len(self.members))],
            machine.MEMBER_POSITION: [e for row in self._by_place(self._position) for e in row],
            machine.MEMBER_VALUE: [e for row in self._by_place(self._value) for e in row],
            machine.FAMILY_PLACES: [0, *accumulate(each.size for each in families)],
            machine.FAMILY_CLASSES: [(1 << each) - 1 for each in classes],
            machine.FAMILY_FIRST_CLASS: [0, *accumulate(classes)],
            machine.FAMILY_FORM: [self._form(each) for each in families],
            machine.GROUP_LENGTH: [each.length or 0 for each in groups],
            machine.GROUP_SLIDE: [each.slide or each.length or 0 for each in groups],
            machine.GROUP_SLOTS: [each.slots for each in groups],
        }

    def _form(self, family: Family) -> int:
        """Return whether there is a formula for many events in a row."""
        if family.size > 1 or self.program.number_count > 1 or self.program.minimum_count:
            return machine.ANY_FORM
        return machine.DOUBLES if family.sources[0] else machine.ADDS

    @cached_property
    def width(self) -> int:
        """The most places that a part has."""
        return max((each.size for each in self.program.families), default=1)

    def _group_of(self, member: int) -> int:
        return self.program.positions[self.members[member][1].positions[0]].group

    def _by_place(self, number: Callable[[int, int], int]) -> list[list[int]]:
        return [
            [
                number(each, place) if place < len(member.positions) else -1
                for place in range(self.width)
            ]
            for each, (_, member) in enumerate(self.members)
        ]

    def _position(self, member: int, place: int) -> int:
        return self.members[member][1].positions[place]

    def _value(self, member: int, place: int) -> int:
        """Return the slot of a place's runs that other places of the part follow, else -1."""
        family = self.program.families[self.members[member][0]]
        slot = self.program.positions[self._position(member, place)].value_slot
        is_followed = any(place in sources for sources in family.sources)
        return slot if is_followed and slot is not None else -1

    def _inflow(self) -> list[Sequence[int]]:
        return [
            [
                slot
                for slot in self.program.positions[self._position(number, place)].sources
                if slot not in self.inner[number]
            ]
            if place < len(member.positions)
            else []
            for number, (_, member) in enumerate(self.members)
            for place in range(self.width)
        ]

    def _kind(self, passes: tuple[int, ...]) -> _Kind:
        tests = set(passes)
        own = [position for test in passes for position in self.of_test.get(test, ())]
        negative: list[int] = []
        touched = [e for each in own for e in self._touches(self.program.positions[each])]
        for number, query in self._negating(tests):
            code = sum({bit for test, bit in query.negative if test in tests})
            negative += (number, code)
            touched += self._gap_touches(query)
        parts = []
        for number, family in enumerate(self.program.families):
            for place in range(family.size):
                classes = sum(1 << n for n, e in enumerate(family.classes) if e[place] in tests)
                if classes:
                    parts += [number, place, classes]
        breaks = sum({1 << self.members[each][0] for each in touched})
        return _Kind(own, parts, negative, breaks)

    @cached_property
    def _kinds(self) -> list[_Kind]:
        return [self._kind(each) for each in self.passes]

    def fires_family(self, family: int) -> NDArray[np.bool_]:
        """Return which kinds of events are of a part."""
        parts = [each.parts[::3] for each in self._kinds]
        return np.array([family in families for families in parts], np.bool_)

    def _negating(self, tests: set[int]) -> Iterator[tuple[int, MergedQuery]]:
        for number, query in enumerate(self.program.queries):
            if any(test in tests for test, _ in query.negative):
                yield number, query

    # --- who must catch up ----------------------------------------------------------------------

    def _touches(self, position: MergedPosition) -> list[int]:
        """Return the members whose runs a position reads, or that it adds runs before."""
        group = position.group
        read = (self.feeders[group, slot] for slot in position.sources)
        fed = (self.readers[group, slot] for slot in position.entries)
        return sorted(set().union(*read, *fed))

    def _gap_touches(self, query: MergedQuery) -> list[int]:
        before = (self.feeders[query.group, slot] for slot in query.gaps)
        after = (self.readers[query.group, slot] for slot in query.gaps)
        return sorted(set().union(*before, *after))

    def _final_touches(self, query: MergedQuery) -> list[int]:
        return sorted(set().union(*(self.feeders[query.group, slot] for slot in query.finals)))


def flat_lists(lists: Mapping[int, Sequence[Sequence[int]]]) -> tuple[Int64s, Int64s, Int64s]:
    """Return where the lists of every kind begin, where every list begins, and all items."""
    sizes, items, bases = [0], [], []
    for kind in range(machine.LISTS):
        bases.append(len(sizes) - 1)
        sizes += map(len, lists[kind])
        items += [each for one in lists[kind] for each in one]
    begins = np.cumsum(sizes).astype(np.int64)
    return np.array(bases, np.int64), begins, np.array(items, np.int64)
