"""Match queries with a common beginning as one program with several exits.

The events that may be in matches are selected and ordered once, and the graph of what the patterns
begin with is built once. Every query walks it from its own last events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from cepheid.program.position_automaton import PositionAutomaton, PositionTest
from cepheid.program.program import MatchOutput, Program, StrategyCode
from cepheid.program.sharing.sharing_sets import plain_test, stream_of

MOST_POSITIONS = 64  # masks of events have a bit for each
PositionKey: TypeAlias = tuple[PositionTest, bool, frozenset[int], bool]


@dataclass(frozen=True, slots=True)
class MatchProgram:
    """Queries whose graph is built once; `united` is the automaton of all, with all their exits.

    `places` has by query where its positions are in `united`, `owners` by position the queries.
    """

    programs: tuple[Program, ...]
    united: Program
    places: tuple[tuple[int, ...], ...]

    def last(self, query: int) -> int:
        """Return the positions of `united` at which matches of a query end."""
        mask, places = self.programs[query].automaton.last, self.places[query]
        return sum(1 << place for position, place in enumerate(places) if mask >> position & 1)

    @property
    def owners(self) -> tuple[tuple[int, ...], ...]:
        """By position of `united` the queries that have it."""
        return tuple(
            tuple(query for query, each in enumerate(self.places) if place in each)
            for place in range(len(self.united.tests))
        )


def has_shared_graph(program: Program) -> bool:
    """Whether the graph of a query can be that of others, too.

    Runs must not be told apart by more than the position of their last event, nor be taken away
    by events of other queries.
    """
    output = program.output
    if not isinstance(output, MatchOutput) or program.strategy is not StrategyCode.SKIP_TILL_ANY:
        return False
    if output.is_partial or output.is_compressed or output.tie_columns is not None:
        return False
    if program.pair is not None or program.negation is not None:
        return False
    if program.live_limit is not None or program.limit is not None:
        return False
    return not program.runs.has_tests


def match_sets(programs: Sequence[Program]) -> list[tuple[tuple[int, ...], MatchProgram]]:
    """Return sets of two or more programs that begin with the same events in the same window."""
    found: dict[object, list[int]] = {}
    for place, program in enumerate(programs):
        if has_shared_graph(program):
            found.setdefault(_key(program), []).append(place)
    sets = []
    for places in found.values():
        made = make_match_program([programs[place] for place in places])
        has_common = any(len(each) > 1 for each in made.owners)
        if has_common and len(made.united.tests) <= MOST_POSITIONS:
            sets.append((tuple(places), made))
    return sets


def _key(program: Program) -> object:
    first = frozenset(
        plain_test(test)
        for position, test in enumerate(program.tests)
        if program.automaton.first >> position & 1
    )
    return stream_of(program), program.window_length, program.clock, first


def make_match_program(programs: Sequence[Program]) -> MatchProgram:
    """Return programs as one: positions with the same test after the same positions are one."""
    merging = _Merging()
    places = tuple(merging.add(number, each) for number, each in enumerate(programs))
    return MatchProgram(tuple(programs), merging.united(programs, places), places)


class _Merging:
    def __init__(self) -> None:
        self.known: dict[PositionKey, list[int]] = {}
        self.tests: list[PositionTest] = []
        self.owners: list[set[int]] = []

    def add(self, query: int, program: Program) -> tuple[int, ...]:
        """Return where the positions of a query are."""
        places: list[int] = []
        edges = program.automaton.edges
        for position, test in enumerate(map(plain_test, program.tests)):
            before = {source for source, target in edges if target == position} - {position}
            can_merge = all(source < position for source in before)
            is_first = bool(program.automaton.first >> position & 1)
            place = None
            if can_merge:
                mapped = frozenset(places[source] for source in before)
                key = test, is_first, mapped, (position, position) in edges
                known = self.known.setdefault(key, [])
                place = next((each for each in known if query not in self.owners[each]), None)
                if place is None:
                    known.append(len(self.tests))
            if place is None:
                place = len(self.tests)
                self.tests.append(test)
                self.owners.append(set())
            self.owners[place].add(query)
            places.append(place)
        return tuple(places)

    def united(self, programs: Sequence[Program], places: Sequence[tuple[int, ...]]) -> Program:
        """Return a program that has the edges and exits of all."""
        first = last = 0
        edges: set[tuple[int, int]] = set()
        for program, own in zip(programs, places, strict=True):
            automaton = program.automaton
            edges |= {(own[source], own[target]) for source, target in automaton.edges}
            for position, place in enumerate(own):
                first |= (automaton.first >> position & 1) << place
                last |= (automaton.last >> position & 1) << place
        follow = [0] * len(self.tests)
        for source, target in edges:
            follow[source] |= 1 << target
        every = tuple(follow)
        return replace(
            programs[0],
            automaton=PositionAutomaton(first, last, every, every, tuple(sorted(edges))),
            tests=tuple(self.tests),
        )
