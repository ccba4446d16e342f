"""Queries with WITHIN alone and a common beginning as one program with several exits.

That is the prefix sharing of A-Seq, section 4.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from cepheid.program.aggregate_output import (
    AggregateOutput,
    Content,
    MinimumMeasure,
    NumberMeasure,
)
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.program import Clock, Program, StrategyCode
from cepheid.program.sharing.merge_programs import merge_programs
from cepheid.program.sharing.merged_program import MergedPosition, MergedProgram, MergedQuery
from cepheid.program.sharing.sharing_sets import SharingSet, plain_test, sets_of, stream_of
from cepheid.program.slot_program import SlotProgram

MOST_POSITIONS = 62  # and queries: masks have a bit for each


@dataclass(frozen=True, slots=True)
class RecentProgram:
    """Queries that are folded together; `united` orders and reads the events of all.

    `lasts` are by query the positions that complete its trends; final slots are sorted by query.
    """

    merged: MergedProgram
    united: Program
    slots: SlotProgram
    lasts: tuple[int, ...]

    @property
    def queries(self) -> tuple[MergedQuery, ...]:
        """Where the numbers and minima of every query are."""
        return self.merged.queries

    @property
    def measures(self) -> AggregateOutput:
        """What events contribute."""
        output = self.united.output
        assert isinstance(output, AggregateOutput)
        return output


def is_recent(program: Program) -> bool:
    """Whether a query can have its beginning in common with others of the same WITHIN."""
    output = program.output
    if not isinstance(output, AggregateOutput) or program.slots is None:
        return False
    if program.strategy is not StrategyCode.SKIP_TILL_ANY or program.pair is not None:
        return False
    if program.window_length is None or program.slide is not None or program.clock is Clock.EVENTS:
        return False
    return program.negation is None and not output.has_exact and not output.shows_expiry


def recent_sets(programs: Sequence[Program]) -> list[tuple[tuple[int, ...], RecentProgram]]:
    """Return sets of two or more programs that have a beginning in common."""
    places = [place for place, each in enumerate(programs) if is_recent(each)]
    found = []
    for shared in sets_of(programs, places, _key):
        made = make_recent(programs, shared)
        if made is not None:
            found.append((shared.places, made))
    return found


def _key(program: Program) -> object:
    """Return what such programs have in common: events, window, groups, first events."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    first = frozenset(
        plain_test(test)
        for position, test in enumerate(program.tests)
        if program.automaton.first >> position & 1
    )
    groups = tuple(column for column, _ in output.groups)
    return stream_of(program), program.window_length, groups, first


def make_recent(programs: Sequence[Program], shared: SharingSet) -> RecentProgram | None:
    """Return programs of a set as one; None if nothing is in common, or positions are too many."""
    merged = merge_programs(programs, shared)
    positions = merged.positions
    has_common = any(len(each.queries) > 1 for each in positions)
    if not has_common or max(len(positions), len(merged.queries)) > MOST_POSITIONS:
        return None
    (group,) = merged.groups
    owner = [-1] * group.slots
    for number, each in enumerate(positions):
        if each.value_slot is not None:
            owner[each.value_slot] = number
    slots = SlotProgram(
        tuple(int(slot in group.initial) for slot in range(group.slots)),
        tuple(each.sources for each in positions),
        tuple(each.entries for each in positions),
        tuple(owner),
        tuple((slot,) for slot in range(group.slots)),
        tuple(slot for query in merged.queries for slot in query.finals),
        (),
    )
    lasts = tuple(
        _mask(bool(set(each.entries) & set(query.finals)) for each in positions)
        for query in merged.queries
    )
    return RecentProgram(merged, _united(merged, shared, lasts), slots, lasts)


def _united(merged: MergedProgram, shared: SharingSet, lasts: Sequence[int]) -> Program:
    """Return a program whose events are those of all."""
    some, positions = merged.programs[0], merged.positions
    numbers = tuple(
        NumberMeasure(
            Content(each.content), each.attribute, _where(positions, number, minima=False)
        )
        for number, each in enumerate(shared.numbers, start=1)
    )
    minima = []
    for number, each in enumerate(shared.minima):
        assert each.attribute is not None
        where = _where(positions, number, minima=True)
        minima.append(MinimumMeasure(each.attribute, each.content == "maximum", where))
    assert isinstance(some.output, AggregateOutput)
    output = AggregateOutput(some.output.groups, numbers, tuple(minima), (), ())
    none = (0,) * len(positions)
    initial = set(merged.groups[0].initial)
    first = _mask(bool(set(each.sources) & initial) for each in positions)
    last = reduce(or_, lasts)
    return replace(
        some,
        automaton=PositionAutomaton(first, last, none, none, ()),
        tests=tuple(merged.tests[each.test] for each in positions),
        output=output,
        slots=None,
    )


def _where(positions: Sequence[MergedPosition], number: int, *, minima: bool) -> int:
    """Return the positions whose events contribute to a number."""
    return _mask((each.minima if minima else each.numbers)[number] >= 0 for each in positions)


def _mask(flags: Iterable[bool]) -> int:
    return sum(1 << place for place, flag in enumerate(flags) if flag)
