"""Queries with the same adjacent predicates as one program with a lane for each query and window.

What a query keeps for an edge, and where an event looks it up, depends on what the edge compares;
what it finds there is a number of the query. So positions with the same test are one position, and
edges that compare the same are one edge, whose structure holds a vector of numbers: a *lane* for
every query that has the edge, and for every open window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from cepheid.program.adjacent_program import LOOKED_UP, AdjacentEdge, Comparison, StructureCode
from cepheid.program.aggregate_output import AggregateOutput, MinimumMeasure, NumberMeasure
from cepheid.program.position_automaton import PositionAutomaton, PositionTest
from cepheid.program.program import Clock, Program, StrategyCode
from cepheid.program.run_program import ColumnKind, PredicateColumn, RunProgram
from cepheid.program.sharing.shared_measures import EVERYWHERE
from cepheid.program.sharing.sharing_sets import plain_test, stream_of

MOST_POSITIONS = 64  # masks of events have a bit for each
NOBODY_COMPARES = "no other query that aggregates makes one of its comparisons of neighbours"
OTHER_STREAMS = (
    "those that make the same comparisons read other columns for time, type, order or partitions"
)

Compared: TypeAlias = tuple[StructureCode, int, PredicateColumn, PredicateColumn, bool] | None
Measure = TypeVar("Measure", NumberMeasure, MinimumMeasure)
EdgeKey: TypeAlias = tuple[PositionTest, PositionTest, Compared]
MOST_OPEN = 1024  # windows at once: every lane has a number for each of them


@dataclass(frozen=True, slots=True)
class LaneEdge:
    """An edge of one or more queries; `lookup` says how it finds what it extends."""

    source: int
    target: int
    lookup: AdjacentEdge
    queries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LaneQuery:
    """A query: where its positions are, masks of first and last ones, its window group.

    `numbers[k]` is the measure that number k + 1 adds up, at the positions of a mask; `minima[k]`
    likewise that of minimum k.
    """

    positions: tuple[int, ...]
    first: int
    last: int
    group: int
    numbers: tuple[tuple[int, int], ...]
    minima: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class LaneProgram:
    """Programs that are folded together; `united` orders and reads the events of all.

    `windows` are the lengths and slides of window groups, None without windows. `measures` are what
    events contribute, each once.
    """

    programs: tuple[Program, ...]
    united: Program
    edges: tuple[LaneEdge, ...]
    queries: tuple[LaneQuery, ...]
    windows: tuple[tuple[int, int] | None, ...]
    measures: AggregateOutput

    @property
    def open_windows(self) -> int:
        """How many windows of one query are open at once, at most."""
        return max(-(-each[0] // each[1]) if each else 1 for each in self.windows)

    @property
    def number_count(self) -> int:
        """How many numbers a lane has: a count, and as many sums as any query has."""
        return 1 + max(len(each.numbers) for each in self.queries)

    @property
    def minimum_count(self) -> int:
        """How many minima a lane has: as many as any query has."""
        return max(len(each.minima) for each in self.queries)


def why_no_lane(program: Program) -> str | None:
    """Return why a query with adjacent predicates has no lane; None if it can have one."""
    output, adjacent = program.output, program.adjacent
    if not isinstance(output, AggregateOutput) or adjacent is None or program.pair is not None:
        return "its state is more than a value per position"
    if program.strategy is not StrategyCode.SKIP_TILL_ANY:
        return "events take runs away from each other under its strategy"
    if program.negation is not None:
        return "it has adjacent predicates and negated parts"
    if program.clock is Clock.EVENTS:
        return "its windows count events"
    if program.window_length is not None:
        if program.slide is None:
            return "it has adjacent predicates, and its window moves with every event"
        if -(-program.window_length // program.slide) > MOST_OPEN:
            return f"{-(-program.window_length // program.slide):,} of its windows are open at once"
    if output.has_exact:
        return "its counts have all their digits"
    if any(adjacent.tests[len(program.automaton.edges) :]) or not all(
        map(_is_looked_up, adjacent.edges, [program] * len(adjacent.edges))
    ):
        return "its adjacent predicates are not plain comparisons"
    return None


def why_no_lanes(program: Program, programs: Sequence[Program]) -> str:
    """Return why a query that could have a lane shares no comparison with others."""
    own = _comparisons(program)
    same = [each for each in programs if each is not program and each.adjacent is not None]
    same = [each for each in same if own & _comparisons(each)]
    if not same:
        return NOBODY_COMPARES
    same = [each for each in same if stream_of(each) == stream_of(program)]
    if not same:
        return OTHER_STREAMS
    reasons = [(each.name, why_no_lane(each)) for each in same]
    if all(reason is not None for _, reason in reasons):
        name, reason = reasons[0]
        return f"those that make the same comparisons have no lane: of {name}, {reason}"
    return f"there would be more than {MOST_POSITIONS} positions together"


def _is_looked_up(edge: AdjacentEdge, program: Program) -> bool:
    if edge.structure not in LOOKED_UP or edge.last_conditions or edge.new_conditions:
        return False
    if edge.comparison is not None and edge.comparison.shift is not None:
        return False
    return edge.comparison is None or all(
        program.runs.columns[each].kind is not ColumnKind.COMPUTED
        for each in (edge.comparison.last, edge.comparison.new)
    )


def lane_sets(programs: Sequence[Program]) -> list[tuple[int, ...]]:
    """Return places of two or more programs that have an edge with the same comparison.

    They read the same columns for time, type, order and partitions.
    """
    places = [place for place, each in enumerate(programs) if why_no_lane(each) is None]
    sets: list[tuple[set[object], list[int]]] = []
    for place in places:
        stream = stream_of(programs[place])
        keys: set[object] = {(stream, key) for key in _keys(programs[place]) if key[2] is not None}
        members = [place]
        for each in [each for each in sets if each[0] & keys]:
            sets.remove(each)
            keys |= each[0]
            members += each[1]
        sets.append((keys, members))
    return [
        part
        for _, members in sets
        for part in _within_masks(programs, sorted(members))
        if len(part) > 1
    ]


def _keys(program: Program) -> list[EdgeKey]:
    """Return what is the same of edges in other queries."""
    adjacent = program.adjacent
    assert adjacent is not None
    tests = [plain_test(each) for each in program.tests]
    return [
        (tests[source], tests[target], _compared(edge, program.runs))
        for (source, target), edge in zip(program.automaton.edges, adjacent.edges, strict=True)
    ]


def _comparisons(program: Program) -> set[tuple[PositionTest, PositionTest, object]]:
    """Return what a query compares, however it looks it up: that follows from its strategy."""
    return {(last, new, each[1:]) for last, new, each in _keys(program) if each is not None}


def _compared(edge: AdjacentEdge, runs: RunProgram) -> Compared:
    found = edge.comparison
    if found is None:
        return None
    last, new = runs.columns[found.last], runs.columns[found.new]
    return edge.structure, found.operator, last, new, found.is_float


def _within_masks(programs: Sequence[Program], places: Sequence[int]) -> list[tuple[int, ...]]:
    """Cut a set so that the positions of each part fit a mask."""
    parts: list[tuple[list[int], set[tuple[PositionTest, int]]]] = [([], set())]
    for place in places:
        positions = set(_positions(programs[place]))
        members, known = parts[-1]
        if len(known | positions) > MOST_POSITIONS and members:
            parts.append(([place], positions))
        else:
            members.append(place)
            known |= positions
    return [tuple(members) for members, _ in parts]


def _positions(program: Program) -> list[tuple[PositionTest, int]]:
    """Return what positions are known by: the test, and which one of several that is."""
    found: list[tuple[PositionTest, int]] = []
    for test in map(plain_test, program.tests):
        found.append((test, sum(each == test for each, _ in found)))
    return found


def make_lanes(programs: Sequence[Program]) -> LaneProgram:
    """Return programs of a lane set as one."""
    return _Merging(programs).program()


class _Merging:
    def __init__(self, programs: Sequence[Program]) -> None:
        self.programs = tuple(programs)
        self.positions: dict[tuple[PositionTest, int], int] = {}
        self.columns: dict[PredicateColumn, int] = {}
        self.edges: dict[tuple[int, int, Compared], tuple[AdjacentEdge, list[int]]] = {}
        self.windows: dict[tuple[int, int] | None, int] = {}
        self.numbers: dict[NumberMeasure, int] = {}
        self.minima: dict[MinimumMeasure, int] = {}

    def program(self) -> LaneProgram:
        queries = tuple(self._query(number, each) for number, each in enumerate(self.programs))
        order = sorted(self.edges, key=lambda each: each[:2])
        edges = tuple(
            LaneEdge(key[0], key[1], lookup, tuple(owners))
            for key in order
            for lookup, owners in [self.edges[key]]
        )
        return LaneProgram(
            self.programs,
            self._united([(each.source, each.target) for each in edges]),
            edges,
            queries,
            tuple(self.windows),
            AggregateOutput((), tuple(self.numbers), tuple(self.minima), (), ()),
        )

    def _query(self, number: int, program: Program) -> LaneQuery:
        output, adjacent = program.output, program.adjacent
        assert isinstance(output, AggregateOutput)
        assert adjacent is not None
        places = tuple(
            self.positions.setdefault(each, len(self.positions)) for each in _positions(program)
        )
        for (source, target), edge in zip(program.automaton.edges, adjacent.edges, strict=True):
            key = (places[source], places[target], _compared(edge, program.runs))
            known = self.edges.setdefault(key, (self._lookup(edge, program.runs), []))
            known[1].append(number)
        window = None
        if program.window_length is not None:
            assert program.slide is not None
            window = program.window_length, program.slide
        return LaneQuery(
            places,
            _mapped(program.automaton.first, places),
            _mapped(program.automaton.last, places),
            self.windows.setdefault(window, len(self.windows)),
            tuple(
                (1 + _place(self.numbers, replace(each, positions=EVERYWHERE)),
                 _mapped(each.positions, places))
                for each in output.numbers  # row 0 is for counts of trends
            ),
            tuple(
                (_place(self.minima, replace(each, positions=EVERYWHERE)),
                 _mapped(each.positions, places))
                for each in output.minima
            ),
        )  # fmt: skip

    def _lookup(self, edge: AdjacentEdge, runs: RunProgram) -> AdjacentEdge:
        """Return the edge with the columns of all programs."""
        found = edge.comparison
        if found is None:
            return edge
        last, new = (
            self.columns.setdefault(runs.columns[each], len(self.columns))
            for each in (found.last, found.new)
        )
        comparison = Comparison(found.operator, last, new, found.is_float)
        return replace(edge, comparison=comparison)

    def _united(self, endpoints: Sequence[tuple[int, int]]) -> Program:
        some = max(self.programs, key=lambda each: each.window_length or 0)
        exempt = dict.fromkeys(each for one in self.programs for each in one.runs.exempt)
        unique = tuple(dict.fromkeys(endpoints))
        follow = [0] * len(self.positions)
        for source, target in unique:
            follow[source] |= 1 << target
        runs = RunProgram(
            tuple(self.columns), (), (), (), (), (), (), (), (), tuple(exempt)
        )  # fmt: skip
        every = (1 << len(self.positions)) - 1
        automaton = PositionAutomaton(every, every, tuple(follow), tuple(follow), unique)
        tests = tuple(test for test, _ in self.positions)
        return replace(some, automaton=automaton, tests=tests, runs=runs, adjacent=None)


def _place(known: dict[Measure, int], measure: Measure) -> int:
    return known.setdefault(measure, len(known))


def _mapped(mask: int, places: Sequence[int]) -> int:
    """Return a mask of positions of a query as one of all."""
    return sum(1 << place for position, place in enumerate(places) if mask >> position & 1)
