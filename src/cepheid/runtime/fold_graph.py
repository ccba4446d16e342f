"""Fold events into a graph: grow it, compact it, and say when it is too large."""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import AutomatonArrays, EventArrays
from cepheid.kernels.build_run_graph import RunRules, RunState, fold_runs, make_room, room_needed
from cepheid.kernels.compact_graph import compact_graph
from cepheid.kernels.graph import (
    CURSOR_SIZE,
    END_COUNT,
    LATEST_START,
    LIVE_COUNT,
    NEVER,
    NEXT_STEP,
    NODE_COUNT,
    NONE,
    RANK_BEFORE,
    SLOTS,
    Graph,
)
from cepheid.kernels.match_graph import fold_matches
from cepheid.kernels.predicate_code import ColumnArrays

Scalar = TypeVar("Scalar", bound=np.generic)
FIRST_NODES = 2**16


class Fold(Protocol):
    """A fold that can be stopped, compacted and gone on with."""

    @property
    def graph(self) -> Graph:
        """The graph as it is now."""

    def advance(self, most_nodes: int) -> int:
        """Fold until all is done or the graph is full; return why it stopped."""

    def grow(self) -> None:
        """Make room for twice as many nodes, and for the next step at least."""

    def compact(self, limit: int) -> None:
        """Drop what no later event can reach, and all ends."""


class ChainFold:
    """The fold without predicates over several events."""

    def __init__(self, automaton: AutomatonArrays, events: EventArrays, window: int) -> None:
        self.automaton = automaton
        self.events = events
        self.window = window
        self.chain = np.full(automaton.follow.size, NONE, np.int64)
        nodes = min(FIRST_NODES, events.fires.size * automaton.follow.size)
        self.graph = _empty_graph(nodes, self._heads(nodes), SLOTS)
        self.floats = np.empty((0, 0))

    def _heads(self, nodes: int) -> int:
        """No node has more heads than the position with most edges into it."""
        return nodes * int(np.diff(self.automaton.source_offsets).max(initial=0))

    def advance(self, most_nodes: int) -> int:
        """Fold until all is done or the graph is full; return why it stopped."""
        return int(
            fold_matches(
                self.graph, self.chain, self.automaton, self.events, self.window, most_nodes
            )
        )

    def grow(self) -> None:
        """Make room for twice as many nodes, and for the next step at least."""
        nodes = 2 * self.graph.nodes.shape[0] + self._next_step()
        self.graph = _larger_graph(self.graph, nodes, self._heads(nodes), nodes)

    def _next_step(self) -> int:
        """Return how many nodes the next step can add."""
        step = int(self.graph.cursor[NEXT_STEP])
        size = int(self.events.step_offsets[step + 1] - self.events.step_offsets[step])
        return size * max(self.automaton.follow.size, self.automaton.sources.size)

    def compact(self, limit: int) -> None:
        """Drop what no later event can reach, and all ends."""
        self.graph.cursor[END_COUNT] = 0
        compact_graph(self.graph, self.floats, self.chain, np.empty(0, np.int64), limit)


class RunFold:
    """The fold with predicates over several events."""

    def __init__(
        self,
        automaton: AutomatonArrays,
        rules: RunRules,
        events: EventArrays,
        columns: ColumnArrays,
        window: int,
    ) -> None:
        self.automaton = automaton
        self.rules = rules
        self.events = events
        self.columns = columns
        self.window = window
        self.room = make_room(longest_path(events) if rules.paths.clauses.size else 1)
        slots = rules.slots
        aggregates = slots.aggregates.shape[0]
        width = SLOTS + slots.representative.shape[0] + 2 * aggregates
        graph = _empty_graph(FIRST_NODES, FIRST_NODES, width)
        self.state = RunState(
            graph,
            np.empty((FIRST_NODES, aggregates)),
            np.empty(FIRST_NODES, np.int64),
            np.full((2 * FIRST_NODES, 2), NONE, np.int64),
        )

    @property
    def graph(self) -> Graph:
        """The graph as it is now."""
        return self.state.graph

    def advance(self, most_nodes: int) -> int:
        """Fold until all is done or the graph is full; return why it stopped."""
        return int(
            fold_runs(
                self.state,
                self.automaton,
                self.rules,
                self.events,
                self.columns,
                self.window,
                most_nodes,
                self.room,
            )
        )

    def grow(self) -> None:
        """Make room for twice as many nodes, and for the next step at least."""
        more = room_needed(self.state, self.rules, self.events) + 1
        graph, table = self.graph, self.state.table
        nodes = max(2 * graph.nodes.shape[0], graph.nodes.shape[0] + more)
        cells = max(2 * graph.cells.shape[0], graph.cells.shape[0] + more)
        if 2 * more > table.shape[0]:
            table = np.full((1 << int(2 * more).bit_length(), 2), NONE, np.int64)
        self.state = RunState(
            _larger_graph(graph, nodes, nodes, cells),
            _larger(self.state.floats, nodes),
            _larger(self.state.live, nodes),
            table,
        )

    def compact(self, limit: int) -> None:
        """Drop what no later event can reach, and all ends."""
        live = self.state.live[: self.graph.cursor[LIVE_COUNT]]
        fresh = live[self.graph.nodes[live, LATEST_START] > limit]
        self.graph.cursor[LIVE_COUNT], self.graph.cursor[END_COUNT] = fresh.size, 0
        compact_graph(self.graph, self.state.floats, np.empty(0, np.int64), fresh, limit)
        self.state.live[: fresh.size] = fresh


def longest_path(events: EventArrays) -> int:
    """Return how many events a match can have: the steps of the longest partition."""
    return int(np.diff(events.partition_offsets).max(initial=0)) + 1


def node_count(graph: Graph) -> int:
    """Return how many nodes a graph has."""
    return int(graph.cursor[NODE_COUNT])


def _empty_graph(nodes: int, heads: int, width: int) -> Graph:
    cursor = np.zeros(CURSOR_SIZE, np.int64)
    cursor[RANK_BEFORE] = NEVER
    return Graph(
        np.empty((nodes, width), np.int64),
        np.empty(heads, np.int64),
        np.empty((nodes, 3), np.int64),
        np.empty((nodes, 2), np.int64),
        cursor,
    )


def _larger_graph(graph: Graph, nodes: int, heads: int, cells: int) -> Graph:
    return Graph(
        _larger(graph.nodes, nodes),
        _larger(graph.heads, heads),
        _larger(graph.cells, cells),
        _larger(graph.ends, nodes),
        graph.cursor,
    )


def _larger(array: NDArray[Scalar], size: int) -> NDArray[Scalar]:
    larger = np.empty((size, *array.shape[1:]), array.dtype)
    larger[: array.shape[0]] = array
    return larger
