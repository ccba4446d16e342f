"""Programs of a sharing set to one merged program: equal prefixes are kept once."""

from __future__ import annotations

from collections.abc import Sequence

from cepheid.program.position_automaton import PositionTest
from cepheid.program.program import Program
from cepheid.program.sharing.find_parts import find_families
from cepheid.program.sharing.merged_program import (
    MergedPosition,
    MergedProgram,
    MergedQuery,
    WindowGroup,
)
from cepheid.program.sharing.shared_measures import SharedMeasures
from cepheid.program.sharing.sharing_sets import SharingSet, plain_test
from cepheid.program.slot_program import SlotProgram


def merge_programs(programs: Sequence[Program], shared: SharingSet) -> MergedProgram:
    """Return the programs of a set as one."""
    return _Merging([programs[place] for place in shared.places], shared).program()


def merge_in_panes(program: MergedProgram, pane: int) -> MergedProgram:
    """Return the same queries as if their windows were panes, so that all of them have the same.

    What they share is not looked for.
    """
    return _Merging(program.programs, program.carried, pane).program()


class _Group:
    """A window group while it is filled."""

    def __init__(self) -> None:
        self.slots = 0
        self.start: int | None = None
        self.initial: list[int] = []

    def new_slot(self, *, is_initial: bool = False) -> int:
        slot = self.slots
        self.slots += 1
        if is_initial:
            self.initial.append(slot)
        return slot

    def free_start(self) -> int:
        """Return the slot of runs that have not begun and that nothing keeps from beginning."""
        if self.start is None:
            self.start = self.new_slot(is_initial=True)
        return self.start


class _Position:
    """A position while it is filled: entries are added by every query that has it."""

    def __init__(self, key: tuple[int, int, tuple[int, ...]], value_slot: int | None) -> None:
        self.group, self.test, self.sources = key
        self.value_slot = value_slot
        self.entries: list[int] = []
        self.queries: list[int] = []
        self.numbers: tuple[int, ...] = ()
        self.minima: tuple[int, ...] = ()


class _Merging:
    def __init__(
        self, programs: Sequence[Program], shared: SharingSet, pane: int | None = None
    ) -> None:
        self.programs = programs
        self.shared = shared
        self.pane = pane
        self.tests: dict[PositionTest, int] = {}
        self.groups: dict[tuple[int | None, int | None], _Group] = {}
        self.positions: list[_Position] = []
        self.known: dict[object, list[int]] = {}
        self.places: list[list[int]] = []
        self.measures = SharedMeasures(programs, shared)

    def program(self) -> MergedProgram:
        queries = [self._query(number, each) for number, each in enumerate(self.programs)]
        positions = tuple(
            MergedPosition(
                each.group,
                each.test,
                each.sources,
                tuple(each.entries),
                each.numbers,
                each.minima,
                each.value_slot,
                tuple(each.queries),
            )
            for each in self.positions
        )
        groups = tuple(
            WindowGroup(length, slide, each.slots, tuple(each.initial))
            for (length, slide), each in self.groups.items()
        )
        tests = tuple(self.tests)
        return MergedProgram(
            tuple(self.programs),
            tests,
            self.measures.output,
            groups,
            positions,
            tuple(queries),
            () if self.pane else find_families(positions, tests, self.places),
            self.shared,
        )

    def _query(self, number: int, program: Program) -> MergedQuery:
        window = (program.window_length, program.slide)
        key = window if self.pane is None else (self.pane, self.pane)
        group = self.groups.setdefault(key, _Group())
        slots = program.slots
        assert slots is not None
        place = list(self.groups).index(key)
        of_slot = self._own_slots(slots, group)
        places = []
        for position, test in enumerate(program.tests):
            places.append(self._position(number, place, position, test, of_slot))
        self.places.append(places)
        gaps = [slot for slot in range(slots.size) if not _is_free(slots, slot)]
        numbers, minima = self.shared.fits[number]
        return MergedQuery(
            program.name,
            place,
            tuple(of_slot[slot] for slot in gaps),
            tuple(
                tuple(-1 if target < 0 else of_slot[target] for target in slots.moves[slot])
                for slot in gaps
            ),
            tuple(
                (self._test(test), 1 << first_bit + bit)
                for masks, first_bit in slots.negative
                for bit, test in enumerate(program.negative_tests[masks])
            ),
            tuple(of_slot[slot] for slot in slots.finals),
            (0, *(1 + each for each in numbers)),
            minima,
            tuple(of_slot[slot] for slot in range(slots.size)),
        )

    def _own_slots(self, slots: SlotProgram, group: _Group) -> dict[int, int]:
        """Return slots of the group for those of this query alone: all but values of positions.

        Positions add the others when they are met.
        """
        of_slot = {}
        for slot in range(slots.size):
            if slots.owner[slot] >= 0 and slot == _value_slot(slots, slots.owner[slot]):
                continue
            is_initial = bool(slots.initial[slot])
            if is_initial and _is_free(slots, slot):
                of_slot[slot] = group.free_start()
            else:
                of_slot[slot] = group.new_slot(is_initial=is_initial)
        return of_slot

    def _position(
        self, query: int, place: int, position: int, test: PositionTest, of_slot: dict[int, int]
    ) -> int:
        program = self.programs[query]
        slots = program.slots
        assert slots is not None
        group = list(self.groups.values())[place]
        own = _value_slot(slots, position)
        plain = self._test(test)
        numbers, minima = self.measures.of(query, position, test)
        sources = [each for each in slots.sources[position] if each != own]
        later = [each for each in sources if each not in of_slot]
        for each in later:  # a loop that comes back from a later position
            of_slot[each] = group.new_slot()
        mapped = tuple(sorted(of_slot[each] for each in sources))
        loops = own in slots.sources[position]
        key = (place, plain, mapped, loops, numbers, minima)
        can_merge = not later and own not in of_slot
        known = self._known_position(key, query) if can_merge else None
        if known is None:
            value = of_slot.get(own) if own is not None else None
            if value is None and own is not None:
                value = group.new_slot()
            if loops:
                assert value is not None
                mapped = (*mapped, value)
            known = len(self.positions)
            merged = _Position((place, plain, mapped), value)
            merged.numbers, merged.minima = numbers, minima
            self.positions.append(merged)
            if can_merge:
                self.known.setdefault(key, []).append(known)
        merged = self.positions[known]
        merged.queries.append(query)
        if own is not None:
            if merged.value_slot is None:
                merged.value_slot = group.new_slot()
            of_slot[own] = merged.value_slot
        for each in slots.entries[position]:
            if of_slot[each] not in merged.entries:
                merged.entries.append(of_slot[each])
        return known

    def _known_position(self, key: object, query: int) -> int | None:
        """Return a position that other queries have; trends of one query are counted apart."""
        found = self.known.get(key, ())
        return next((each for each in found if query not in self.positions[each].queries), None)

    def _test(self, test: PositionTest) -> int:
        """Return the number of a test; tests that differ in names of variables are the same."""
        return self.tests.setdefault(plain_test(test), len(self.tests))


def _value_slot(slots: SlotProgram, position: int) -> int | None:
    """Return the slot with all runs that are at a position, None if nothing can follow them."""
    own = (e for e in slots.entries[position] if slots.owner[e] == position)
    return next((each for each in own if _is_free(slots, each)), None)


def _is_free(slots: SlotProgram, slot: int) -> bool:
    """Whether no negative event moves the runs of a slot."""
    return all(target == slot for target in slots.moves[slot])
