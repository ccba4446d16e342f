"""What small queries mean, read off the text: a reference for the oracle itself.

The oracle shares `analysis` with the engine, so that both would follow a mistake in there. This
reading shares the parser alone. What it knows, and what stays judged by analysis, is in
`blind-spots.md`.

A match is formed event by event along the routes of the pattern (`plain_routes`): later than the
one before, in the same partition, within WITHIN and BETWEEN, with every clause true of what is
bound so far (`plain_conditions`), and so that the run stayed alive over the events between. It
counts if the clauses hold at its end, too, and some way to cross each gap has no negated part.

`[k]` asks for one value of k in all events. Equalities of one attribute that join all events of the
pattern, negated ones included and two of them positive, mean `[k]`, too. So do those of several
attributes, if all events of a type are compared by the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from cepheid.language import ast
from cepheid.language.parser import parse
from tests.oracle.plain_conditions import (
    Bound,
    Clause,
    Conditions,
    Row,
    Scene,
    Schemas,
    clauses_of,
    names_of,
)
from tests.oracle.plain_routes import Gaps, Leaf, Place, PlainPattern, Routes

Run: TypeAlias = tuple[tuple[int, Place], ...]  # numbers of events and where they stand
Seen: TypeAlias = Callable[[Row], bool]  # how far negations look


def matches(text: str, events: Sequence[Row], schemas: Schemas = None) -> list[tuple[int, ...]]:
    """Return the matches as numbers of events; `schemas` has the attributes that types have."""
    reading = _Reading(parse(text), events, schemas)
    length = reading.length
    found = []
    for run in reading.formed():
        first, last = reading.ends(run)

        def is_seen(event: Row, first: int = first, last: int = last) -> bool:
            """Whether a match could have had the event, too."""
            times = (event["time"], first, last)
            return length is None or max(times) - min(times) < length

        if reading.stays(run, is_seen):
            found.append(tuple(number for number, _ in run))
    return found


def counts(text: str, events: Sequence[Row], schemas: Schemas = None) -> dict[Any, int]:
    """Return COUNT(*) by group, and by window if there is SLIDE; by time with WITHIN alone.

    A group is the value of k if the query groups by it.
    """
    query = parse(text)
    reading = _Reading(query, events, schemas)
    found: dict[Any, int] = {}
    views: list[tuple[Any, int | None, int | None]] = [(None, None, None)]
    if reading.length is not None and query.window is not None:
        slide = query.window.slide
        if slide is None:
            times = sorted({event["time"] for event in events})
            views = [(each, each - reading.length + 1, each) for each in times]
        else:
            starts = range(-20 * slide.amount, 21 * slide.amount, slide.amount)
            views = [(each, each, each + reading.length - 1) for each in starts]
    is_moving = query.window is not None and query.window.slide is None
    for run in reading.formed():
        first, last = reading.ends(run)
        group = events[run[0][0]]["k"] if query.group_by else None
        for name, low, high in views:

            def is_seen(
                event: Row,
                low: int | None = low,
                high: int | None = high,
                ends: tuple[int, int] = (first, last),
            ) -> bool:
                is_early = low is not None and event["time"] < low
                if is_moving and event["time"] < ends[0]:  # expiry revives nothing
                    is_early = ends[1] - event["time"] >= reading.length
                return not is_early and (high is None or event["time"] <= high)

            is_inside = low is None or high is None or low <= first <= last <= high
            if is_inside and reading.stays(run, is_seen):
                found[name, group] = found.get((name, group), 0) + 1
    return found


class _Reading:
    """A query over some events."""

    def __init__(self, query: ast.Query, events: Sequence[Row], schemas: Schemas) -> None:
        self.query = query
        self.events = events
        self.pattern = PlainPattern(query.pattern)
        self.leaves = self.pattern.leaves
        self.conditions = Conditions(self.leaves, schemas)
        self.length = None if query.window is None else query.window.within.amount
        self.is_kleene_next = False
        self.strategy = "" if query.semantics is None else query.semantics.strategy.value
        self.clauses: list[Clause] = []
        attributes = {"k"} if query.group_by else set()
        for term in _terms(query.where):
            match term:
                case ast.Equivalence():
                    attributes.update(term.attributes)
                case ast.StrategyTerm():
                    self.strategy = term.strategy.value
                    self.is_kleene_next = True
                case _:
                    self.clauses += clauses_of(term)
        types = {each for leaf in self.leaves for each in leaf.types}
        for name in ("k", "x"):
            # Where a type lacks the attribute, a comparison with its events is true.
            known = all(schemas is None or name in schemas[each] for each in types)
            if known and any(map(self._joins_all, self._chains(name))):
                attributes.add(name)
        self.attributes = sorted(attributes)
        keys = [
            _key(each, self.leaves)
            for each in self._chains(None)
            if self._joins_all(each) and not attributes & {name for _, name in each}
        ]
        self.keys = [
            each
            for each in keys
            if each.keys() == types
            and all(schemas is None or name in schemas[of] for of, name in each.items())
        ]
        parts = {leaf.variable: leaf.part for leaf in self.leaves}
        self.about: dict[int | None, list[Clause]] = {}  # clauses by the negated part they name
        for clause in self.clauses:
            named = {parts.get(each) for each in names_of(clause)} - {None}
            self.about.setdefault(min(named, default=None, key=str), []).append(clause)

    # --- partitions -----------------------------------------------------------------------------

    def _chains(self, attribute: str | None) -> list[set[tuple[Leaf, str]]]:
        """Return leaves, each with an attribute, that equalities of one attribute, or any, join."""
        groups: list[set[tuple[Leaf, str]]] = []
        for clause in self.clauses:
            match clause:
                case (
                    (
                        "=",
                        ast.Attribute(index=None, is_next=False) as left,
                        ast.Attribute(index=None, is_next=False) as right,
                    ),
                ) if len(names_of(clause)) == 2 and "LEN" not in (left.name, right.name):
                    if attribute is not None and {left.name, right.name} != {attribute}:
                        continue
                    leaves = self.conditions.leaves
                    named = {(leaf, each.name) for each in (left, right)
                             for leaf in leaves[each.variable]}  # fmt: skip
                    joined = named.union(*(each for each in groups if each & named))
                    groups = [each for each in groups if not each & named] + [joined]
        return groups

    def _joins_all(self, chain: set[tuple[Leaf, str]]) -> bool:
        positive = [each for each in self.leaves if each.part is None]
        return len(positive) > 1 and {leaf for leaf, _ in chain} == set(self.leaves)

    def _partition(self, event: Row) -> tuple[Any, ...] | None:
        values = tuple(event[each] for each in self.attributes)
        return None if None in values else values

    def _agree(self, numbers: Sequence[int]) -> bool:
        """Whether the events are of one partition."""
        events = [self.events[each] for each in numbers]
        partitions = {self._partition(each) for each in events}
        by_key = [{event[key[event["type"]]] for event in events} for key in self.keys]
        return (
            len(partitions) == 1
            and None not in partitions
            and all(len(each) == 1 and None not in each for each in by_key)
        )

    # --- runs -----------------------------------------------------------------------------------

    def formed(self) -> Iterator[Run]:
        """Yield the matches as they are formed, whatever negated parts say."""
        routes = self.pattern.routes
        for place in routes.first:
            for number in range(len(self.events)):
                if self._fits(((number, place),)):
                    yield from self._extended(((number, place),))

    def _extended(self, run: Run) -> Iterator[Run]:
        routes = self.pattern.routes
        place = run[-1][1]
        if place in routes.last and self._holds(run, has_ended=True):
            yield run
        for target in routes.next.get(place, {}):
            for number in range(len(self.events)):
                longer = (*run, (number, target))
                if self._fits(longer) and self._is_alive_at(run, number):
                    yield from self._extended(longer)

    def _fits(self, run: Run) -> bool:
        numbers = [number for number, _ in run]
        times = [self.events[number]["time"] for number in numbers]
        number, place = run[-1]
        return (
            self.events[number]["type"] in place.leaf.types
            and all(one < other for one, other in pairwise(times))
            and (self.length is None or times[-1] - times[0] < self.length)
            and self._agree(numbers)
            and all(self._is_near(run, each) for each in self.query.neighbour_windows)
            and self._holds(run, has_ended=False)
        )

    def _is_near(self, run: Run, window: ast.NeighbourWindow) -> bool:
        """WITHIN d BETWEEN a, b: the first b and the last a before it; of a, a all neighbours."""
        firsts, seconds = (self.conditions.leaves[each] for each in (window.first, window.second))
        bound = [(self.events[number]["time"], place.leaf) for number, place in run]
        if firsts == seconds:
            own = [time for time, leaf in bound if leaf in firsts]
            return all(later - time < window.within.amount for time, later in pairwise(own))
        end = next((each for each, (_, leaf) in enumerate(bound) if leaf in seconds), None)
        before = [time for time, leaf in bound[:end] if leaf in firsts]
        return end is None or not before or bound[end][0] - before[-1] < window.within.amount

    def _is_alive_at(self, run: Run, number: int) -> bool:
        """Whether the run has stayed as it was over everything before the event."""
        since, until = self.events[run[-1][0]]["time"], self.events[number]["time"]
        between = [each for each, event in enumerate(self.events) if since < event["time"] < until]
        partition = self._partition(self.events[number])
        match self.strategy:
            case "skip_till_next_match":
                routes = self.pattern.routes
                place = run[-1][1]
                targets = set(routes.next.get(place, {}))
                targets = routes.must_follow(place) if self.is_kleene_next else targets
                return not any(self._fits((*run, (each, target)))
                               for each in between for target in targets)  # fmt: skip
            case "contiguous":
                return all(self._partition(self.events[each]) != partition for each in between)
            case "strict_contiguity":
                return not between
        return True

    def _holds(self, run: Run, *, has_ended: bool) -> bool:
        scene = Scene(self._bound(run), (), has_ended)
        return all(self.conditions.hold(each, scene) for each in self.about.get(None, ()))

    def _bound(self, run: Run) -> Bound:
        return [(self.events[number], place.leaf) for number, place in run]

    def ends(self, run: Run) -> tuple[int, int]:
        """Return the times of the first and the last event."""
        return self.events[run[0][0]]["time"], self.events[run[-1][0]]["time"]

    # --- negated parts --------------------------------------------------------------------------

    def stays(self, run: Run, is_seen: Seen) -> bool:
        """Whether no negated part has a match in its gap."""
        routes = self.pattern.routes
        first, last = self.ends(run)
        crossings: list[tuple[Gaps, Seen]] = [
            (routes.first[run[0][1]], lambda event: event["time"] < first and is_seen(event)),
            (routes.last[run[-1][1]], lambda event: event["time"] > last and is_seen(event)),
        ]
        for (one, place), (other, target) in pairwise(run):
            low, high = self.events[one]["time"], self.events[other]["time"]
            crossings.append((
                routes.next[place][target],
                lambda event, low=low, high=high: low < event["time"] < high,
            ))  # fmt: skip
        return all(
            any(not any(self._blocks(part, run, lies_there) for part in parts) for parts in gaps)
            for gaps, lies_there in crossings
        )

    def _blocks(self, part: int, run: Run, lies_there: Seen) -> bool:
        gap = [number for number, event in enumerate(self.events) if lies_there(event)]
        numbers = [number for number, _ in run]
        for negative in _any_runs(self.pattern.parts[part], gap, self.events):
            scene = Scene(self._bound(run), self._bound(negative), has_ended=True)
            is_true = all(self.conditions.hold(each, scene) for each in self.about.get(part, ()))
            if is_true and self._agree([*numbers, *(number for number, _ in negative)]):
                return True
        return False


def _any_runs(routes: Routes, gap: Sequence[int], events: Sequence[Row]) -> Iterator[Run]:
    """Yield the matches of a negated part by skip-till-any."""

    def extended(run: Run) -> Iterator[Run]:
        if run and run[-1][1] in routes.last:
            yield run
        for target in routes.next.get(run[-1][1], {}) if run else routes.first:
            for number in gap:
                event = events[number]
                is_later = not run or event["time"] > events[run[-1][0]]["time"]
                if is_later and event["type"] in target.leaf.types:
                    yield from extended((*run, (number, target)))

    return extended(())


def _terms(where: ast.Expression | None) -> list[ast.Expression]:
    if where is None:
        return []
    if isinstance(where, ast.And):
        return [term for each in where.operands for term in _terms(each)]
    return [where]


def _key(chain: set[tuple[Leaf, str]], leaves: Sequence[Leaf]) -> Mapping[str, str]:
    """Return by type the attribute that all leaves of the type are compared by."""
    by_type: dict[str, set[str]] = {}
    for place in leaves:
        own = {name for leaf, name in chain if leaf == place}
        for each in place.types:
            by_type[each] = by_type.get(each, own) & own
    return {each: min(names) for each, names in by_type.items() if names}
