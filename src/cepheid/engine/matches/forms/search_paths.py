"""Find the first match, in the order of NON OVERLAPPING, that no negated part blocks.

A part with conditions blocks a match as a whole. Matches are tried in their order, but not all of
them. What conditions can see of the beginning of a match is its *trace*. Of two beginnings with the
same trace that end in the same node, either both go on to a match that stays, or none does. So a
node is tried once for every trace. Where the conditions read a repeated variable there can be as
many traces as matches; then the search gives up after a while.

Beginnings with the same steps (order keys and positions) are followed together, a layer for every
step, because values decide only between matches with the same steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.matches.blocked_matches import NegationFilter
from cepheid.errors import DataError
from cepheid.kernels.graph.event_order import EventOrder
from cepheid.kernels.graph.match_nodes import EVENT, POSITION, Graph, MatchArrays
from cepheid.kernels.graph.open_part import OpenPart
from cepheid.program.negation_program import NegationProgram
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.program import Program

Int64s = NDArray[np.int64]
Trace: TypeAlias = tuple[int, ...]
Beginning: TypeAlias = tuple[int, Trace]  # the node in which it ends, and its trace
Layer: TypeAlias = dict[Beginning, list[Beginning]]  # with what each of them goes on from
MOST_TRIED = 2**19
MOST_POSITIONS = 64
BREAK, GAP = -1, -2


class Visible(NamedTuple):
    """What conditions on negated parts can see of a match."""

    positions: int
    edges: frozenset[tuple[int, int]]
    start: bool

    def extended(
        self, trace: Trace, before: tuple[int, int] | None, here: tuple[int, int]
    ) -> Trace:
        """Return the trace with one more (event, position)."""
        event, position = here
        if before is None:
            trace = (event,) if self.start else ()
        elif (before[1], position) in self.edges:
            trace = (*trace, GAP, before[0], event)
        if self.positions >> position & 1:
            return (*trace, position, event)
        return trace if not trace or trace[-1] == BREAK else (*trace, BREAK)


def visible(automaton: PositionAutomaton, negation: NegationProgram) -> Visible:
    """Return what the conditions of a pattern can see."""
    groups = [group for each in negation.branches for group in (*each.negative, each.positive)]
    read = [each for group in groups for clause in group for each in clause.variables]
    mask = 0
    for variable in read:
        mask |= 0 if variable.is_negated else variable.mask
    tied = sum(1 << part for part in range(len(negation.parts)) if negation.has_conditions(part))

    def is_tested(binding: int) -> bool:
        return any(mask & tied for mask in negation.gaps[binding])

    edges = len(automaton.edges)
    return Visible(
        mask,
        frozenset(edge for number, edge in enumerate(automaton.edges) if is_tested(number)),
        any(0 not in negation.gaps[each] for each in range(edges, len(negation.gaps))),
    )


class PathSearch:
    """Searches parts of one graph."""

    def __init__(
        self, program: Program, negation: NegationFilter, graph: Graph, order: EventOrder
    ) -> None:
        assert program.negation is not None
        self.program = program
        self.negation = negation
        self.order = order
        self.event: list[int] = graph.nodes[:, EVENT].tolist()
        self.position: list[int] = graph.nodes[:, POSITION].tolist()
        self.visible = visible(program.automaton, program.negation)

    def first(self, part: OpenPart) -> MatchArrays | None:
        """Return the first match that stays, None if there is none; ends have the last key."""
        self.failed: set[Beginning] = set()
        self.tried = 0
        self.last = self.order.rank[self.event[part.nodes[-1]]] if part.nodes.size else 0
        by_source = np.lexsort([part.target, self._steps(part.target), part.source])
        source, target = part.source[by_source], part.target[by_source]
        bounds = np.searchsorted(source, [part.nodes, part.nodes + 1])
        self.followers = {
            node: target[begin:end]
            for node, begin, end in zip(part.nodes.tolist(), *bounds.tolist(), strict=True)
        }
        starts = part.nodes[part.is_start == 1]
        starts = starts[np.argsort(self._steps(starts), kind="stable")]
        layers: list[Layer] = [{}]
        waiting = [self._after_nothing(starts)]
        while waiting:
            layer = next(waiting[-1], None)
            if layer is None:
                self.failed |= layers.pop().keys()
                waiting.pop()
                continue
            layer = {each: before for each, before in layer.items() if each not in self.failed}
            if not layer:
                continue
            self._count(len(layer))
            layers.append(layer)
            waiting.append(iter(()))
            if self._is_last(layer):
                staying = self._staying(layers)
                if staying:
                    return self._smallest(layers[1:], staying)
            else:
                waiting[-1] = self._after(layer)
        return None

    def _steps(self, nodes: Int64s) -> Int64s:
        event = np.array(self.event, np.int64)[nodes]
        position = np.array(self.position, np.int64)[nodes]
        steps: Int64s = self.order.rank[event] * MOST_POSITIONS + position
        return steps

    def _step(self, node: int) -> int:
        return int(self.order.rank[self.event[node]]) * MOST_POSITIONS + self.position[node]

    def _is_last(self, layer: Layer) -> bool:
        node, _ = next(iter(layer))
        return bool(self.order.rank[self.event[node]] == self.last)

    def _after_nothing(self, starts: Int64s) -> Iterator[Layer]:
        for _, nodes in groupby(starts.tolist(), key=self._step):
            yield {(node, self._extended((), None, node)): [] for node in nodes}

    def _after(self, layer: Layer) -> Iterator[Layer]:
        """Yield what comes next, by steps; nothing is made that is not asked for."""
        follows = map(self._next, layer)
        for _, group in groupby(merge(*follows, key=itemgetter(0, 1)), key=itemgetter(0)):
            found: Layer = {}
            for _, node, before in group:
                here = (node, self._extended(before[1], before[0], node))
                found.setdefault(here, []).append(before)
            yield found

    def _next(self, before: Beginning) -> Iterator[tuple[int, int, Beginning]]:
        for node in map(int, self.followers[before[0]]):
            yield self._step(node), node, before

    def _extended(self, trace: Trace, before: int | None, node: int) -> Trace:
        earlier = None if before is None else (self.event[before], self.position[before])
        return self.visible.extended(trace, earlier, (self.event[node], self.position[node]))

    def _staying(self, layers: list[Layer]) -> set[Beginning]:
        """Return what of the last layer stays: one match of each trace is tested."""
        candidates = list(layers[-1])
        paths = []
        for each in candidates:
            path = [each]
            for layer in layers[:1:-1]:
                path.append(layer[path[-1]][0])
            paths.append([node for node, _ in reversed(path)])
        matches = self._matches(paths)
        kept = self.negation.find_unblocked(matches, self.negation.reach(matches))
        return {candidates[number] for number in kept.tolist()}

    def _smallest(self, layers: list[Layer], staying: set[Beginning]) -> MatchArrays:
        """Return the match with the smallest values among those that stay."""
        kept = [staying]
        for layer in layers[:0:-1]:
            kept.append({before for each in kept[-1] for before in layer[each]})
        kept.reverse()
        chosen: list[list[Beginning]] = []
        for number, layer in enumerate(layers):
            able = [
                each
                for each in kept[number]
                if number == 0 or not set(layer[each]).isdisjoint(chosen[-1])
            ]
            least = min(self._value(each) for each in able)
            chosen.append([each for each in able if self._value(each) == least])
        path = [chosen[-1][0]]
        for number in range(len(layers) - 1, 0, -1):
            before = set(layers[number][path[-1]])
            path.append(next(each for each in chosen[number - 1] if each in before))
        return self._matches([[node for node, _ in reversed(path)]])

    def _value(self, beginning: Beginning) -> int:
        return int(self.order.values[self.event[beginning[0]]])

    def _matches(self, paths: list[list[int]]) -> MatchArrays:
        nodes = [node for path in paths for node in path]
        return MatchArrays(
            np.cumsum([0, *map(len, paths)]).astype(np.int64),
            np.array([self.event[node] for node in nodes], np.int64),
            np.array([self.position[node] for node in nodes], np.int8),
        )

    def _count(self, more: int) -> None:
        self.tried += more
        if self.tried > MOST_TRIED:
            _reject_search(self.program)


def _reject_search(program: Program) -> NoReturn:
    raise DataError(
        f"{program.name!r} has tried {MOST_TRIED:,} beginnings of matches without finding one that "
        "no negated part blocks",
        hint="add WITHIN or a partition such as [attribute], or a condition on the negated part "
        "that reads no repeated variable",
    )
