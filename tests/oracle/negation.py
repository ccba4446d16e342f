"""Negation: which formed matches stay (semantics, section 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cepheid.analysis.automaton import Alternatives, Automaton, NegatedPart
from cepheid.analysis.bound import BoundPattern, BoundQuery, Branch
from cepheid.analysis.expressions import Condition
from tests.oracle.combinations import Bindings, Scene
from tests.oracle.events import Event, has_type
from tests.oracle.matches import Match, bindings
from tests.oracle.predicates import holds

IsBlocked = Callable[[NegatedPart, list[Event]], bool]  # has the part a match among the events?


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A partition's events, and how far start and end negations look around a match."""

    events: Sequence[Event]
    reaches: Callable[[Event], bool]

    def between(self, left: Event, right: Event) -> list[Event]:
        """Return the events strictly between two others."""
        return [event for event in self.events if left.key < event.key < right.key]

    def before(self, first: Event) -> list[Event]:
        """Return the events that a start negation sees."""
        return [event for event in self.events if event.key < first.key and self.reaches(event)]

    def after(self, last: Event) -> list[Event]:
        """Return the events that an end negation sees."""
        return [event for event in self.events if last.key < event.key and self.reaches(event)]


def stays(
    query: BoundQuery,
    pattern: BoundPattern,
    match: Match,
    around: Surroundings,
    *,
    ended: bool = True,
) -> bool:
    """Whether some branch of WHERE holds and finds every gap open; a partial run has no exit."""
    bound = bindings(pattern, match)

    def is_kept_by(branch: Branch) -> bool:
        here = Scene(query.schema, pattern.variables, {None: bound}, ended)
        if not all(holds(condition, here) for condition in branch.positive):
            return False

        def is_blocked(part: NegatedPart, gap: list[Event]) -> bool:
            conditions = branch.negative.get(part.index, ())
            return any(
                _all_hold(conditions, query, pattern, {None: bound, part.index: negative})
                for negative in negative_matches(part.automaton, gap)
            )

        return _is_open(pattern.automaton, match, around, is_blocked, ended=ended)

    return any(map(is_kept_by, pattern.branches))


def _all_hold(
    conditions: Sequence[Condition],
    query: BoundQuery,
    pattern: BoundPattern,
    bound: Mapping[int | None, Bindings],
) -> bool:
    here = Scene(query.schema, pattern.variables, bound, ended=True)
    return all(holds(condition, here) for condition in conditions)


def _is_open(
    automaton: Automaton, match: Match, around: Surroundings, is_blocked: IsBlocked, *, ended: bool
) -> bool:
    entries = {border.position: border.blocked_by for border in automaton.first}
    exits = {border.position: border.blocked_by for border in automaton.last}
    (first, entry), (last, exit_) = match[0], match[-1]
    gaps = [(entries[entry], around.before(first)), *_edges(automaton, match, around)]
    if ended:
        gaps.append((exits[exit_], around.after(last)))
    return all(_lets_through(automaton, *gap, is_blocked) for gap in gaps)


def _edges(
    automaton: Automaton, match: Match, around: Surroundings
) -> list[tuple[Alternatives, list[Event]]]:
    blocked_by = {(edge.source, edge.target): edge.blocked_by for edge in automaton.edges}
    return [
        (blocked_by[source, target], around.between(left, right))
        for (left, source), (right, target) in pairwise(match)
    ]


def _lets_through(
    automaton: Automaton, alternatives: Alternatives, gap: list[Event], is_blocked: IsBlocked
) -> bool:
    """Whether one of the sets of negated parts has no match in the gap."""
    return any(
        not any(is_blocked(automaton.negated_parts[index], gap) for index in parts)
        for parts in alternatives
    )


def negative_matches(automaton: Automaton, gap: list[Event]) -> Iterator[Bindings]:
    """Yield the matches of a negated part that lie in the gap, by skip-till-any.

    A negation nested in it blocks its edges; it has no predicates and no borders.
    """
    around = Surroundings(gap, lambda _: True)
    last = {border.position for border in automaton.last}

    def is_blocked(part: NegatedPart, inner_gap: list[Event]) -> bool:
        return any(True for _ in negative_matches(part.automaton, inner_gap))

    def extensions(run: Match) -> Iterator[Match]:
        if run and run[-1][1] in last:
            yield run
        if run:
            targets = [edge.target for edge in automaton.edges_from(run[-1][1])]
        else:
            targets = [border.position for border in automaton.first]
        for event in gap:
            if run and event.key <= run[-1][0].key:
                continue
            for target in targets:
                if has_type(event, automaton.positions[target]):
                    yield from extensions((*run, (event, target)))

    for match in extensions(()):
        if all(_lets_through(automaton, *each, is_blocked)
               for each in _edges(automaton, match, around)):  # fmt: skip
            yield tuple(
                (event, automaton.positions[position].occurrence) for event, position in match
            )
