"""Matches in chunks that fit the processor's cache; memory follows the window, not the stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.kernel_arrays import automaton_arrays
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.fold import Facts
from cepheid.engine.matches.fold_graph import (
    LINKS_OF_RUN,
    MOST_RUNS,
    ChainFold,
    FoldTask,
    GraphFold,
    RunFold,
    node_count,
)
from cepheid.engine.matches.match_folds import choice_of, drops_overlaps
from cepheid.engine.matches.match_task import MatchTask
from cepheid.engine.matches.run_arrays import run_rules
from cepheid.engine.process.threads import stop_if_unwanted
from cepheid.errors import DataError, LiveStateError
from cepheid.kernels.arrays import AutomatonArrays, EventArrays
from cepheid.kernels.graph.build_run_graph import RunRules
from cepheid.kernels.graph.match_nodes import (
    DONE,
    END_COUNT,
    FAILED_EVENT,
    HAS_OVERFLOW,
    NEVER,
    NEXT_STEP,
    PARTITION,
    START,
    Graph,
    MatchArrays,
)
from cepheid.kernels.graph.walk_graph import (
    DEPTH,
    MATCHES,
    PATH_WIDTH,
    PLACE_SIZE,
    WRITTEN,
    Walk,
    walk_graph,
)
from cepheid.kernels.predicates.predicate_machine import ColumnArrays
from cepheid.program.arrow_arrays import empty, empty_table
from cepheid.program.evaluate import OVERFLOW_HINT
from cepheid.program.program import Program
from cepheid.program.run_record import RunRecord

Int64s = NDArray[np.int64]
CHUNK_EVENTS = 2**17
LEAST_EVENTS = 2**16  # that are worth a thread


def split_partitions(events: EventArrays, most_parts: int) -> list[range]:
    """Cut the partitions into ranges with about as many events each, and not too few."""
    count = events.partition_offsets.size - 1
    parts = min(most_parts, events.fires.size // LEAST_EVENTS, count)
    if parts < 2:
        return [range(count)]
    ends = events.step_offsets[events.partition_offsets]
    cuts = np.searchsorted(ends, np.arange(1, parts) * events.fires.size // parts)
    return [range(a, b) for a, b in pairwise([0, *cuts.tolist(), count]) if a < b]


def lots_of(events: EventArrays, partitions: range) -> Iterator[range]:
    """Yield ranges of partitions with about `CHUNK_EVENTS` events each."""
    ends = events.step_offsets[events.partition_offsets]
    begin = partitions.start
    while begin < partitions.stop:
        most = int(ends[begin]) + CHUNK_EVENTS
        stop = int(np.searchsorted(ends, most, side="right")) - 1
        stop = min(max(stop, begin + 1), partitions.stop)
        yield range(begin, stop)
        begin = stop


def graph_of_positions(task: MatchTask, facts: Facts) -> GraphFold:
    """Return a fold without predicates over several events."""
    return ChainFold(automaton_arrays(task.program.automaton, task.program.strategy), _todo(task))


def graph_of_runs(task: MatchTask, facts: Facts) -> GraphFold:
    """Return a fold with predicates over several events."""
    return RunFold(*parts_of_run_fold(task))


def parts_of_run_fold(
    task: MatchTask,
) -> tuple[AutomatonArrays, RunRules, ColumnArrays, FoldTask, tuple[str, ...]]:
    """Return what such a fold is made from."""
    program, predicates = task.program, task.predicates
    automaton = automaton_arrays(program.automaton, program.strategy)
    rules = run_rules(program.runs, program.automaton, predicates.columns, predicates.code)
    return automaton, rules, predicates.columns, _todo(task), program.runs.may_overflow


def _todo(task: MatchTask) -> FoldTask:
    window = task.program.window_length or 0
    return FoldTask(task.ordered.arrays, task.partitions, window, drops_overlaps(task.program))


class Walkable(NamedTuple):
    """A graph, and the rows of its ends from which matches are to be walked."""

    graph: Graph
    ends: Int64s


def fold_in_parts(task: MatchTask) -> Iterator[Walkable]:
    """Yield the graph whenever it is full; the next one begins with what is still alive of it.

    What no later event can reach is dropped, so that memory follows the window.
    """
    program, ordered, record = task.program, task.ordered, task.folding.record
    fold: GraphFold = task.folding.fold(task)
    live_limit = fold.most_live if program.live_limit is None else program.live_limit
    events, window = ordered.arrays, program.window_length or 0
    live = live_edges = 0
    while True:
        size, step = fold.graph.nodes.shape[0], int(fold.graph.cursor[NEXT_STEP])
        is_done = advance(fold, size if live_limit is None else min(size, 2 * live_limit), ordered)
        _write_down(record, fold, live, live_edges)
        record.most("nodes at once", node_count(fold.graph))
        yield Walkable(fold.graph, fold.graph.ends[: fold.graph.cursor[END_COUNT]])
        if is_done:
            return
        fold.compact(_limit(fold.graph, events, window))
        live, live_edges = node_count(fold.graph), fold.edges
        record.count("graphs compacted", 1)
        if live_limit is not None and (live > live_limit or has_many_links(fold, live_limit)):
            partition = int(fold.graph.cursor[PARTITION])
            named = partition_in_words(program, ordered, task.columns, partition)
            place = f"in the partition {named}" if named else "(the query has no partitions)"
            raise too_much_alive(program, place, fold, live_limit)
        if 2 * live > size or step == fold.graph.cursor[NEXT_STEP]:
            fold.grow()


def fold_whole(task: MatchTask) -> Graph:
    """Fold everything into one graph and drop nothing."""
    fold: GraphFold = task.folding.fold(task)
    grow_whole(fold, task.ordered, task.program)
    _write_down(task.folding.record, fold)
    return fold.graph


def _write_down(record: RunRecord, fold: GraphFold, live: int = 0, live_edges: int = 0) -> None:
    """Write down what is new in a graph: beyond nodes and edges that were left of the last one.

    Where predicates tell runs apart, a node is a run that is kept. Each edge beyond the first
    merges others with it, which no later predicate can tell from it.
    """
    nodes, edges = node_count(fold.graph) - live, fold.edges - live_edges
    record.count("nodes", nodes)
    record.count("edges", edges)
    if record.is_detailed and isinstance(fold, RunFold):
        starts = np.count_nonzero(fold.graph.nodes[live : live + nodes, START] != NEVER)
        record.count("runs kept", nodes)
        record.count("runs merged", max(0, edges + int(starts) - nodes))
    record.count("ends of matches", fold.graph.cursor[END_COUNT])


def grow_whole(fold: GraphFold, ordered: OrderedEvents, program: Program) -> Graph:
    """Fold until nothing is left, in a graph that grows."""
    while not advance(fold, fold.graph.nodes.shape[0], ordered):
        if fold.most_live is not None:
            most = max(fold.most_live, program.live_limit or 0)
            if node_count(fold.graph) > most or has_many_links(fold, most):
                raise too_much_alive(program, "in one graph", fold, most)
        fold.grow()
    return fold.graph


def has_many_links(fold: GraphFold, most_live: int) -> bool:
    """Whether runs that are kept extend so many others that these links fill the memory."""
    return isinstance(fold, RunFold) and fold.edges > LINKS_OF_RUN * max(most_live, MOST_RUNS)


def too_much_alive(program: Program, place: str, fold: GraphFold, most_live: int) -> LiveStateError:
    """Return the error for more partial matches than allowed, or for the links between them."""
    live, most, what = node_count(fold.graph), most_live, "partial matches"
    if live <= most_live:
        live, what = fold.edges, "links between partial matches"
        most = LINKS_OF_RUN * max(most_live, MOST_RUNS)
    is_told = choice_of(program) is not None and program.runs.has_tests
    return LiveStateError(program.name, place, live, most, what, are_told_apart=is_told)


def advance(fold: GraphFold, most_nodes: int, ordered: OrderedEvents) -> bool:
    """Fold as far as there is room; whether that was to the end."""
    stop_if_unwanted()
    outcome = fold.advance(most_nodes)
    if outcome == HAS_OVERFLOW:
        assert isinstance(fold, RunFold)  # the other one computes nothing
        reject_overflow(fold.may_overflow, int(ordered.row[fold.graph.cursor[FAILED_EVENT]]))
    return outcome == DONE


def empty_chunk(size: int = CHUNK_EVENTS) -> MatchArrays:
    """Return room for matches with so many events in all."""
    return MatchArrays(empty(size + 1), empty(size), empty(size, np.int8))


def walk_in_chunks(
    graph: Graph, ends: Int64s, clock: Int64s, window: int, chunk: MatchArrays
) -> Iterator[MatchArrays]:
    """Yield the matches of a graph that end at some of its nodes, as many as fit at a time."""
    longest = node_count(graph) + 1  # no match has a node twice
    if longest > chunk.event.size:
        chunk = empty_chunk(longest)
    walk = Walk(
        empty_table(longest, PATH_WIDTH),
        empty(longest),
        empty(longest, np.int8),
        np.zeros(PLACE_SIZE, np.int64),
    )
    walk.place[DEPTH] = -1
    is_done = False
    while not is_done:
        stop_if_unwanted()
        is_done = walk_graph(graph, ends, clock, window, walk, chunk)
        matches, written = int(walk.place[MATCHES]), int(walk.place[WRITTEN])
        if matches:
            yield MatchArrays(
                chunk.offsets[: matches + 1], chunk.event[:written], chunk.position[:written]
            )


def joined(chunks: Iterable[MatchArrays]) -> MatchArrays:
    """Return all chunks as one."""
    sizes, events, positions = [np.zeros(1, np.int64)], [], []
    for chunk in chunks:
        sizes.append(np.diff(chunk.offsets))
        events.append(chunk.event.copy())
        positions.append(chunk.position.copy())
    if not events:
        return MatchArrays(np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0, np.int8))
    return MatchArrays(
        np.cumsum(np.concatenate(sizes)), np.concatenate(events), np.concatenate(positions)
    )


def picked(matches: MatchArrays, chosen: Int64s) -> MatchArrays:
    """Return some matches, in the order of their numbers in `chosen`."""
    begins, ends = matches.offsets[chosen], matches.offsets[chosen + 1]
    sizes = ends - begins
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    places = np.repeat(begins - offsets[:-1], sizes) + np.arange(int(sizes.sum()))
    return MatchArrays(offsets, matches.event[places], matches.position[places])


def _limit(graph: Graph, events: EventArrays, window: int) -> int:
    """Return the start at or before which no run can be extended any more."""
    step = int(graph.cursor[NEXT_STEP])
    if window == 0 or step == 0:
        return NEVER
    return int(events.clock[events.step_offsets[step - 1]]) - window


def reject_overflow(what: Sequence[str], row: int) -> NoReturn:
    """Raise the error for integers that left 64 bits in one of several expressions."""
    names = " or ".join(f"'{each}'" for each in what) or "a predicate"
    raise DataError(
        f"{names} leaves the range of 64-bit integers at row {row}",
        hint=OVERFLOW_HINT,
    )


def partition_in_words(
    program: Program, ordered: OrderedEvents, columns: Mapping[str, Any], partition: int
) -> str:
    """Return what the events of a partition have in common; nothing if there are no partitions."""
    events = ordered.arrays
    first = int(ordered.row[events.step_offsets[events.partition_offsets[partition]]])
    return ", ".join(f"{name} = {columns[name][first].as_py()!r}" for name in program.partition_by)
