"""Fold events into a graph: grow it, compact it, and say when it is too large."""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.arrays import AutomatonArrays, EventArrays
from cepheid.kernels.graph.build_run_graph import (
    RunRules,
    RunState,
    fold_runs,
    make_room,
    room_needed,
)
from cepheid.kernels.graph.compact_graph import compact_graph
from cepheid.kernels.graph.match_graph import fold_matches
from cepheid.kernels.graph.match_nodes import (
    CELL_COUNT,
    CURSOR_SIZE,
    END_COUNT,
    END_WIDTH,
    HEAD_COUNT,
    LATEST_START,
    LIVE_COUNT,
    NEVER,
    NEXT_STEP,
    NODE_COUNT,
    NONE,
    PARTITION,
    RANK_BEFORE,
    SLOTS,
    Graph,
)
from cepheid.kernels.predicates.predicate_machine import ColumnArrays
from cepheid.program.arrow_arrays import empty, empty_table

Scalar = TypeVar("Scalar", bound=np.generic)
FIRST_NODES = 2**14
MOST_RUNS = 2**20  # beyond a node per event and position; up to twice as many take a gigabyte
LINKS_OF_RUN = 32  # that may be kept for each of them: a gigabyte again


class FoldTask(NamedTuple):
    """What is folded: some partitions of events, under a window (0 is none).

    `apart`: matches are not to overlap, and the first one that ends is taken.
    """

    events: EventArrays
    partitions: range
    window: int
    apart: bool = False


class GraphFold(Protocol):
    """A fold over some partitions that can be stopped, compacted and gone on with.

    `most_live` is how many nodes may be alive if nobody says; None: they cannot explode.
    """

    graph: Graph
    most_live: int | None

    @property
    def edges(self) -> int:
        """How many ways from a node to runs that it extends are kept."""

    def advance(self, most_nodes: int) -> int:
        """Fold until all is done or the graph is full; return why it stopped."""

    def grow(self) -> None:
        """Make room for twice as many nodes, and for the next step at least."""

    def compact(self, limit: int) -> None:
        """Drop what no later event can reach, and all ends."""


class ChainFold:
    """The fold without predicates over several events: a node per event and position at most."""

    most_live: int | None = None

    def __init__(self, automaton: AutomatonArrays, task: FoldTask) -> None:
        self.automaton = automaton
        self.events = _until(task)
        self.window, self.apart = task.window, task.apart
        self.chain = np.full(automaton.follow.size, NONE, np.int64)
        nodes = min(FIRST_NODES, task.events.fires.size * automaton.follow.size)
        self.graph = _empty_graph(nodes, self._heads(nodes), SLOTS, task)
        self.floats = np.empty((0, 0))

    @property
    def edges(self) -> int:
        """How many ways from a node to runs that it extends are kept: each to a list of them."""
        return int(self.graph.cursor[HEAD_COUNT])

    def _heads(self, nodes: int) -> int:
        """No node has more heads than the position with most edges into it."""
        return nodes * int(np.diff(self.automaton.source_offsets).max(initial=0))

    def advance(self, most_nodes: int) -> int:
        """Fold until all is done or the graph is full; return why it stopped."""
        return fold_matches(
            self.graph,
            self.chain,
            self.automaton,
            self.events,
            self.window,
            self.apart,
            most_nodes,
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
    """The fold with predicates over several events; `may_overflow` are those of integers.

    Where conditions keep runs apart, every further event can double their number. Nodes have
    `own_columns` more than slots need.
    """

    own_columns = 0
    most_live: int | None

    def __init__(
        self,
        automaton: AutomatonArrays,
        rules: RunRules,
        columns: ColumnArrays,
        task: FoldTask,
        may_overflow: tuple[str, ...],
    ) -> None:
        self.may_overflow = may_overflow
        self.most_live = MOST_RUNS + task.events.fires.size * automaton.follow.size
        self.automaton = automaton
        self.rules = rules
        self.events = _until(task)
        self.columns = columns
        self.window, self.apart = task.window, task.apart
        path = longest_path(task.events) if rules.paths.clauses.size else 1
        self.room = make_room(path, len(rules.code.rows))
        aggregates = rules.slots.aggregates.shape[0]
        carried = rules.slots.representative.shape[0] + 2 * aggregates
        width = SLOTS + carried + self.own_columns
        self.graph = _empty_graph(FIRST_NODES, FIRST_NODES, width, task)
        self.floats = np.empty((FIRST_NODES, aggregates))
        self.live = np.empty(FIRST_NODES, np.int64)
        self.table = np.full((2 * FIRST_NODES, 2), NONE, np.int64)

    @property
    def edges(self) -> int:
        """How many ways from a node to a run that it extends are kept."""
        return int(self.graph.cursor[CELL_COUNT])

    @property
    def state(self) -> RunState:
        """What the kernels read and write."""
        return RunState(self.graph, self.floats, self.live, self.table)

    def advance(self, most_nodes: int) -> int:
        """Fold until all is done or the graph is full; return why it stopped."""
        return fold_runs(
            self.state,
            self.automaton,
            self.rules,
            self.events,
            self.columns,
            self.window,
            self.apart,
            most_nodes,
            self.room,
        )

    def grow(self) -> None:
        """Make room for twice as many nodes, and for the next step at least."""
        more = room_needed(self.graph.cursor, self.rules, self.events) + 1
        nodes, cells = self.graph.nodes.shape[0], self.graph.cells.shape[0]
        nodes, cells = max(2 * nodes, nodes + more), max(2 * cells, cells + more)
        if 2 * more > self.table.shape[0]:
            self.table = np.full((1 << int(2 * more).bit_length(), 2), NONE, np.int64)
        self.graph = _larger_graph(self.graph, nodes, nodes, cells)
        self.floats, self.live = _larger(self.floats, nodes), _larger(self.live, nodes)

    def compact(self, limit: int) -> None:
        """Drop what no later event can reach, and all ends."""
        cursor = self.graph.cursor
        live = self.live[: cursor[LIVE_COUNT]]
        fresh = live[self.graph.nodes[live, LATEST_START] > limit]
        cursor[LIVE_COUNT], cursor[END_COUNT] = fresh.size, 0
        compact_graph(self.graph, self.floats, np.empty(0, np.int64), fresh, limit)
        self.live[: fresh.size] = fresh


def _until(task: FoldTask) -> EventArrays:
    """Return the events up to the last of the partitions."""
    last = task.events.partition_offsets[task.partitions.stop]
    return task.events._replace(step_offsets=task.events.step_offsets[: last + 1])


def all_partitions(events: EventArrays) -> range:
    """Return the partitions that there are."""
    return range(events.partition_offsets.size - 1)


def longest_path(events: EventArrays) -> int:
    """Return how many events a match can have: the steps of the longest partition."""
    return int(np.diff(events.partition_offsets).max(initial=0)) + 1


def node_count(graph: Graph) -> int:
    """Return how many nodes a graph has."""
    return int(graph.cursor[NODE_COUNT])


def _empty_graph(nodes: int, heads: int, width: int, task: FoldTask) -> Graph:
    cursor = np.zeros(CURSOR_SIZE, np.int64)
    cursor[RANK_BEFORE] = NEVER
    cursor[PARTITION] = task.partitions.start
    cursor[NEXT_STEP] = task.events.partition_offsets[task.partitions.start]
    return Graph(
        empty_table(nodes, width),
        empty(heads),
        empty_table(nodes, 3),
        empty_table(nodes, END_WIDTH),
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
