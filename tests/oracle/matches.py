"""Runs, step by step (semantics, section 3). Negation is not looked at: a match is formed first."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from cepheid.analysis.bound import BoundPattern, BoundQuery, NeighbourBound, Strategy, WindowUnit
from tests.oracle.combinations import Bindings, Scene
from tests.oracle.events import Event, column_values, has_type, measure, steps
from tests.oracle.predicates import holds

Match: TypeAlias = tuple[tuple[Event, int], ...]  # events and their positions


class Formed(NamedTuple):
    """The matches, and the runs that were alive when their window closed and not at `last`."""

    matches: list[Match]
    partial: list[Match]


def form_matches(query: BoundQuery, pattern: BoundPattern, events: list[Event]) -> Formed:
    """Feed every step to every run; each event that fits a first position starts a run."""
    last = {border.position for border in pattern.automaton.last}
    runs: list[Match] = []
    created: list[Match] = []
    closed: list[Match] = []
    for step in steps(events):
        alive: list[Match] = []
        before = len(created)
        for run in runs:
            if _window_has_closed(query, run, step):
                closed.append(run)
                continue
            fired = _fired(query, pattern, run, step)
            alive += [(*run, each) for each in fired]
            created += [(*run, each) for each in fired]
            if _survives(query, pattern, run, step, {position for _, position in fired}):
                alive.append(run)
        started = _fired(query, pattern, (), step)
        alive += [(each,) for each in started]
        created += [(each,) for each in started]
        if query.strategy is Strategy.LATEST_WINS:
            new = set(created[before:])
            alive = _latest(query, pattern, alive, new)
            created[before:] = [run for run in alive if run in new]
        runs = alive
    return Formed(
        matches=[run for run in created if run[-1][1] in last and may_end(query, pattern, run)],
        partial=[run for run in closed + runs if run[-1][1] not in last],
    )


def _latest(
    query: BoundQuery, pattern: BoundPattern, runs: list[Match], new: set[Match]
) -> list[Match]:
    """Of the runs of a partition at a position that came now or can go on, the latest one."""

    def rank(run: Match) -> tuple[Any, ...]:
        steps = [(event.key, position) for event, position in run]
        values = [column_values(event, query.schema) for event, _ in run]
        return (steps, values)

    found: dict[Any, list[Match]] = {}
    for run in runs:
        event, position = run[-1]
        if run in new or pattern.automaton.edges_from(position):
            found.setdefault((event.partition, position), []).append(run)
    latest = []
    for some in found.values():
        start = max(run[0][0].key for run in some)
        newest = [run for run in some if run[0][0].key == start]
        end = max(run[-1][0].key for run in newest)
        latest.append(min((run for run in newest if run[-1][0].key == end), key=rank))
    return latest


def _fired(
    query: BoundQuery, pattern: BoundPattern, run: Match, step: list[Event]
) -> list[tuple[Event, int]]:
    """F, with the events: where the run can go in this step."""
    automaton = pattern.automaton
    if run:
        targets = [edge.target for edge in automaton.edges_from(run[-1][1])]
    else:
        targets = [border.position for border in automaton.first]
    return [
        (event, target)
        for event in step
        for target in targets
        if event.partition is not None
        and (not run or event.partition == run[0][0].partition)
        and fits(query, pattern, run, event, target)
    ]


def _survives(
    query: BoundQuery, pattern: BoundPattern, run: Match, step: list[Event], fired: set[int]
) -> bool:
    """Whether the run also stays as it is."""
    match query.strategy:
        case Strategy.SKIP_TILL_ANY:
            return True
        case Strategy.SKIP_TILL_NEXT | Strategy.LATEST_WINS:
            return not fired
        case Strategy.SKIP_TILL_NEXT_KLEENE:
            return not fired & pattern.automaton.mandatory_from(run[-1][1])
        case Strategy.CONTIGUOUS:
            return all(event.partition != run[0][0].partition for event in step)
        case Strategy.STRICT:
            return False


def fits(query: BoundQuery, pattern: BoundPattern, run: Match, event: Event, position: int) -> bool:
    """Whether type, window and the predicates that this binding completes hold."""
    if not has_type(event, pattern.automaton.positions[position]):
        return False
    extended = (*run, (event, position))
    if not spans_window(query, [event for event, _ in extended]):
        return False
    bounds = query.neighbour_bounds if pattern is query.pattern else ()
    if not all(_neighbours_hold(each, pattern, extended) for each in bounds):
        return False
    before = scene(query, pattern, run, ended=False) if run else None
    after = scene(query, pattern, extended, ended=False)
    return all(holds(clause.condition, after, before) for clause in pattern.clauses)


def may_end(query: BoundQuery, pattern: BoundPattern, run: Match) -> bool:
    """Whether the combinations that only the end makes available satisfy their clauses."""
    before = scene(query, pattern, run, ended=False)
    after = scene(query, pattern, run, ended=True)
    return all(holds(clause.condition, after, before) for clause in pattern.clauses)


def spans_window(query: BoundQuery, events: list[Event]) -> bool:
    """Whether the events lie in one span shorter than WITHIN."""
    if query.window is None:
        return True
    places = [measure(query, event) for event in events]
    return max(places) - min(places) < query.window.length


def _window_has_closed(query: BoundQuery, run: Match, step: list[Event]) -> bool:
    """A window of events is closed by events of its own partition only."""
    first = run[0][0]
    counts = query.window is not None and query.window.unit is WindowUnit.EVENTS
    return any(
        not spans_window(query, [first, event])
        for event in step
        if not counts or event.partition == first.partition
    )


def _neighbours_hold(bound: NeighbourBound, pattern: BoundPattern, run: Match) -> bool:
    """WITHIN d BETWEEN a, b is settled by the first b and the last a before it.

    WITHIN d BETWEEN a, a bounds every a and the a before it.
    """
    occurrences = [occurrence for _, occurrence in bindings(pattern, run)]
    firsts = pattern.variables[bound.first].occurrences
    if bound.first == bound.second:
        times = [event.time for (event, _), each in zip(run, occurrences, strict=True)
                 if each in firsts]  # fmt: skip
        return all(later - time < bound.length for time, later in pairwise(times))
    seconds = pattern.variables[bound.second].occurrences
    end = next((place for place, each in enumerate(occurrences) if each in seconds), 0)
    starts = [place for place in range(end) if occurrences[place] in firsts]
    return not starts or run[end][0].time - run[starts[-1]][0].time < bound.length


def bindings(pattern: BoundPattern, match: Match) -> Bindings:
    """Events with the occurrences they are bound to, for predicates."""
    positions = pattern.automaton.positions
    return tuple((event, positions[position].occurrence) for event, position in match)


def scene(query: BoundQuery, pattern: BoundPattern, match: Match, *, ended: bool) -> Scene:
    """What clauses over positive variables look at."""
    return Scene(query.schema, pattern.variables, {None: bindings(pattern, match)}, ended)
