"""Sequences of events that are trends of two patterns, as far as event types tell.

A sequence that both patterns accept is a path through pairs of positions, one of each automaton, of
which every pair has an event type in common. That decides three questions of `P1 AND P2`: whether
one sequence can be a trend of both, whether a pattern accepts a sequence on two paths (then it has
a path through pairs of its own positions that differ), and which pattern the common ones have.
"""

from __future__ import annotations

from collections.abc import Iterable
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
from cepheid.analysis.bound import BoundPattern, BoundQuery, Branch, Strategy

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
    """Whether no sequence of events has two paths, so that counting runs counts sequences."""
    return all(one == other for one, other in shared_places(automaton, automaton))


def shared_places(one: Automaton, other: Automaton) -> frozenset[Places]:
    """Return the pairs of positions that sequences accepted by both can go through."""
    starts = {
        (first.position, second.position)
        for first in one.first
        for second in other.first
        if _common_types(one, other, (first.position, second.position))
    }
    ends = {(first.position, last.position) for first in one.last for last in other.last}
    steps: dict[Places, set[Places]] = {}
    for before, after in _steps(one, other):
        steps.setdefault(before, set()).add(after)
    reached = _closure(starts, steps)
    back: dict[Places, set[Places]] = {}
    for before in reached:
        for after in steps.get(before, ()):
            back.setdefault(after, set()).add(before)
    return frozenset(_closure(ends & reached, back))


def _steps(one: Automaton, other: Automaton) -> Iterable[tuple[Places, Places]]:
    for first in one.edges:
        for second in other.edges:
            after = first.target, second.target
            if _common_types(one, other, after):
                yield (first.source, second.source), after


def _common_types(one: Automaton, other: Automaton, places: Places) -> tuple[str, ...]:
    types = one.positions[places[0]].types
    return tuple(each for each in types if each in other.positions[places[1]].types)


def _closure(starts: Iterable[Places], steps: dict[Places, set[Places]]) -> set[Places]:
    seen, waiting = set[Places](), list(starts)
    while waiting:
        places = waiting.pop()
        if places not in seen:
            seen.add(places)
            waiting += steps.get(places, ())
    return seen


def find_common_trends(sides: tuple[BoundQuery, BoundQuery]) -> CommonTrends | None:
    """Return a query for sequences that are trends of both sides; None if it is too large.

    What is local to a position holds at a pair if it holds at both.
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
    conditions = {
        part.index + shift: conditions
        for each, shift in zip(sides, (0, len(one.negated_parts)), strict=True)
        for part in each.pattern.automaton.negated_parts
        if (conditions := each.pattern.branches[0].negative.get(part.index))
    }
    pattern = BoundPattern(automaton, {}, (), (Branch((), conditions),))
    return CommonTrends(replace(sides[0], patterns=(pattern,)), positions, witnesses)


def _product(one: Automaton, other: Automaton, positions: tuple[Places, ...]) -> Automaton:
    index = {places: number for number, places in enumerate(positions)}
    shift = len(one.negated_parts)
    edges = [
        Edge(
            index[first.source, second.source],
            index[first.target, second.target],
            is_loop=False,
            blocked_by=combine(first.blocked_by, _shifted(second.blocked_by, shift)),
        )
        for first in one.edges
        for second in other.edges
        if (first.source, second.source) in index and (first.target, second.target) in index
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
