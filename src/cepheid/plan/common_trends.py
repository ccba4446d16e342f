"""Sequences of events that are trends of two patterns, as far as event types tell.

A sequence that both patterns accept is a path through pairs of positions, one of each automaton, of
which every pair has an event type in common. That decides three questions of `P1 AND P2`: whether
one sequence can be a trend of both, whether a pattern accepts a sequence on two paths (then it has
a path through pairs of its own positions that differ), and which pattern the common ones have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cepheid.analysis.automaton import (
    Alternatives,
    Automaton,
    Border,
    Edge,
    NegatedPart,
    Position,
    combine,
)
from cepheid.analysis.bound import (
    BoundPattern,
    BoundQuery,
    Branch,
    Clause,
    PredicateClass,
    Strategy,
    Variable,
)
from cepheid.analysis.rename_variables import rename_variables

MOST_POSITIONS = 64
SKIPS_TILL_NEXT = (Strategy.SKIP_TILL_NEXT, Strategy.SKIP_TILL_NEXT_KLEENE)
Places = tuple[int, int]  # a position of each automaton


@dataclass(frozen=True, slots=True)
class CommonTrends:
    """A query for the trends that two sides have in common.

    Its position k stands for the pair `positions[k]`. Where an event that one side alone can take
    ends a run of both, there are more: a *witness* for every position of each side, which no run
    comes to. Negated parts are those of the first side, then those of the second.
    """

    query: BoundQuery
    positions: tuple[Places, ...]
    witnesses: tuple[tuple[int, int], ...] = ()  # side, position


def is_unambiguous(automaton: Automaton) -> bool:
    """Whether no sequence of events has two paths, so that counting runs counts sequences.

    Two paths of one sequence part at some event; then they end at different positions, or meet
    again. A run can be completed from every position.
    """
    pairs = _Pairs(automaton, automaton)
    seen, waiting = set[Places](), pairs.starts()
    while waiting:
        places = waiting.pop()
        if places in seen:
            continue
        seen.add(places)
        is_apart = places[0] != places[1]
        if is_apart and places in pairs.ends:
            return False
        after = pairs.after(places)
        if is_apart and any(one == other for one, other in after):
            return False
        waiting += after
    return True


def shared_places(one: Automaton, other: Automaton) -> frozenset[Places]:
    """Return the pairs of positions that sequences accepted by both can go through."""
    pairs = _Pairs(one, other)
    before: dict[Places, list[Places]] = {}
    waiting = pairs.starts()
    for places in waiting:
        before.setdefault(places, [])
    while waiting:
        places = waiting.pop()
        for after in pairs.after(places):
            if after not in before:
                before[after] = []
                waiting.append(after)
            before[after].append(places)
    seen, waiting = set[Places](), [each for each in before if each in pairs.ends]
    while waiting:
        places = waiting.pop()
        if places not in seen:
            seen.add(places)
            waiting += before[places]
    return frozenset(seen)


class _Pairs:
    """Pairs of positions of two automata that an event can fit by its type."""

    def __init__(self, one: Automaton, other: Automaton) -> None:
        self.automata = one, other
        self.ends = {(first.position, last.position) for first in one.last for last in other.last}
        self.types = [[frozenset(e.types) for e in each.positions] for each in self.automata]
        self.follow: list[dict[int, list[int]]] = []
        for automaton in self.automata:
            follow: dict[int, list[int]] = {each.index: [] for each in automaton.positions}
            for edge in automaton.edges:
                follow[edge.source].append(edge.target)
            self.follow.append(follow)

    def starts(self) -> list[Places]:
        one, other = ([border.position for border in each.first] for each in self.automata)
        return self._fitting(one, other)

    def after(self, places: Places) -> list[Places]:
        """Return where one event more can lead."""
        return self._fitting(self.follow[0][places[0]], self.follow[1][places[1]])

    def _fitting(self, one: list[int], other: list[int]) -> list[Places]:
        return [
            (first, second)
            for first in one
            for second in other
            if not self.types[0][first].isdisjoint(self.types[1][second])
        ]


def _common_types(one: Automaton, other: Automaton, places: Places) -> tuple[str, ...]:
    types = one.positions[places[0]].types
    return tuple(each for each in types if each in other.positions[places[1]].types)


def find_common_trends(sides: tuple[BoundQuery, BoundQuery]) -> CommonTrends | None:
    """Return a query for sequences that are trends of both sides; None if it is too large.

    What is local to a position holds at a pair if it holds at both, so such clauses, and those on
    one negated event, are left out. Clauses across events are those of both sides: consecutive
    events of a run are consecutive for both.
    """
    one, other = automata = [each.pattern.automaton for each in sides]
    positions = tuple(sorted(shared_places(one, other)))
    witnesses = tuple(
        (side, position.index)
        for side, automaton in enumerate(automata)
        for position in automaton.positions
        if sides[0].strategy in SKIPS_TILL_NEXT
    )
    if len(positions) + len(witnesses) > MOST_POSITIONS:
        return None
    automaton = _product(one, other, positions)
    automaton = replace(
        automaton,
        positions=(
            *automaton.positions,
            *(
                replace(automata[side].positions[position], index=number)
                for number, (side, position) in enumerate(witnesses, start=len(positions))
            ),
        ),
    )
    renamings = tuple(
        {name: f"{name} of side {side}" for name in each.pattern.variables}
        for side, each in enumerate(sides)
    )
    clauses = [
        _renamed(clause, names)
        for each, names in zip(sides, renamings, strict=True)
        for clause in each.pattern.clauses
        if clause.predicate_class is not PredicateClass.LOCAL
    ]
    variables = {
        names[variable.name]: _at_pairs(variable, positions, side)
        for side, (each, names) in enumerate(zip(sides, renamings, strict=True))
        for variable in _positive(each.pattern)
    }
    bounds = tuple(
        replace(each, first=renamings[0][each.first], second=renamings[0][each.second])
        for each in sides[0].neighbour_bounds
    )
    pattern = BoundPattern(automaton, variables, tuple(clauses), (Branch((), {}),))
    query = replace(sides[0], patterns=(pattern,), neighbour_bounds=bounds)
    return CommonTrends(query, positions, witnesses)


def _positive(pattern: BoundPattern) -> Iterable[Variable]:
    """Yield the variables and types of positive events by the names that clauses use."""
    for name, variable in pattern.variables.items():
        if variable.negated_part is None:
            yield replace(variable, name=name)


def _at_pairs(variable: Variable, positions: tuple[Places, ...], side: int) -> Variable:
    own = (number for number, places in enumerate(positions) if places[side] in variable.positions)
    return replace(variable, positions=tuple(own))


def _renamed(clause: Clause, names: Mapping[str, str]) -> Clause:
    return replace(
        clause,
        condition=rename_variables(clause.condition, names.__getitem__),
        variables=frozenset(names[each] for each in clause.variables),
    )


def _product(one: Automaton, other: Automaton, positions: tuple[Places, ...]) -> Automaton:
    index = {places: number for number, places in enumerate(positions)}
    shift = len(one.negated_parts)
    edges = [
        Edge(
            number,
            index[first.target, second.target],
            is_loop=False,
            blocked_by=combine(first.blocked_by, _shifted(second.blocked_by, shift)),
        )
        for places, number in index.items()
        for first in one.edges_from(places[0])
        for second in other.edges_from(places[1])
        if (first.target, second.target) in index
    ]
    return Automaton(
        tuple(
            Position(number, _common_types(one, other, places), f"both {number}", number)
            for places, number in index.items()
        ),
        _borders(one.first, other.first, index, shift),
        _borders(one.last, other.last, index, shift),
        tuple(sorted(edges, key=lambda edge: (edge.source, edge.target))),
        (*one.negated_parts, *(_moved(each, shift) for each in other.negated_parts)),
    )


def _borders(
    one: tuple[Border, ...], other: tuple[Border, ...], index: dict[Places, int], shift: int
) -> tuple[Border, ...]:
    return tuple(
        Border(
            index[first.position, second.position],
            combine(first.blocked_by, _shifted(second.blocked_by, shift)),
        )
        for first in one
        for second in other
        if (first.position, second.position) in index
    )


def _shifted(blocked_by: Alternatives, shift: int) -> Alternatives:
    return frozenset(frozenset(part + shift for part in way) for way in blocked_by)


def _moved(part: NegatedPart, shift: int) -> NegatedPart:
    return replace(part, index=part.index + shift)
