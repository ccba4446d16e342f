"""Aggregates of queries whose predicates read the last event of a run and the new one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.kernel_arrays import automaton_arrays, widest_step
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs
from cepheid.engine.fold import Facts
from cepheid.engine.matches.find_latest_starts import latest_before, latest_starts, open_from
from cepheid.engine.matches.match_chunks import reject_overflow
from cepheid.engine.matches.run_arrays import tables_of_tests
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.windows.stretches import WindowedSegments
from cepheid.kernels.arrays import Bytes, EventArrays
from cepheid.kernels.graph.border_tests import write_borders
from cepheid.kernels.graph.build_run_graph import make_room
from cepheid.kernels.graph.run_graph import Nodes, SlotTables
from cepheid.kernels.last_event.adjacent_any import aggregate_any
from cepheid.kernels.last_event.adjacent_next import aggregate_next
from cepheid.kernels.last_event.adjacent_rules import AdjacentRoom, AdjacentRules, Blocks
from cepheid.kernels.order.segment_bounds import find_latest
from cepheid.kernels.values.value_algebra import make_values
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.adjacent_program import AdjacentEdge, AdjacentProgram, StructureCode
from cepheid.program.negation_program import NegationProgram
from cepheid.program.program import Program, StrategyCode

Int64s = NDArray[np.int64]
NODE_WIDTH = 2
LISTED = (StructureCode.SCAN, StructureCode.STACK)


def values_by_last_event(task: TrendTask, facts: Facts) -> ValueRows:
    """Return a row for every partition, or for every partition and window that has trends.

    Every segment is folded by itself.

    Raises:
        DataError: a test left 64 bits.
    """
    program, ordered, predicates = task.group.program, task.ordered, task.predicates
    windows, measures, adjacent = task.segments, task.measures, program.adjacent
    assert adjacent is not None
    edges, indexes, slots = task.indexes
    rules = _rules(program, adjacent, edges, ordered.arrays, predicates)
    room = _room(program, rules, ordered.arrays, windows, slots, measures)
    blocks = _blocks(program, ordered, windows)
    blocks = blocks._replace(
        entries=_borders(rules, len(program.automaton.edges), predicates, room),
        ends=_borders(rules, len(adjacent.tests) - room.waiting.size, predicates, room),
    )
    automaton = automaton_arrays(program.automaton, program.strategy)
    if program.strategy is StrategyCode.SKIP_TILL_ANY:
        failed = aggregate_any(
            automaton,
            ordered.arrays,
            windows.segments,
            rules,
            indexes,
            blocks,
            predicates.columns,
            measures,
            program.window_length is not None,
            room,
        )
    else:
        failed = aggregate_next(
            automaton,
            ordered.arrays,
            windows.segments,
            rules,
            indexes,
            blocks,
            predicates.columns,
            measures,
            np.zeros(automaton.follow.size, np.int64),
            room,
        )
    if failed >= 0:
        reject_overflow(program.runs.may_overflow, int(ordered.row[failed]))
    return task.rows_of_segments(room.result)


def _rules(
    program: Program,
    adjacent: AdjacentProgram,
    edges: Sequence[AdjacentEdge],
    events: EventArrays,
    predicates: PredicateInputs,
) -> AdjacentRules:
    endpoints = program.automaton.edges
    positions = len(program.automaton.follow)
    sources = np.array([source for source, _ in endpoints], np.int64)
    targets = np.array([target for _, target in endpoints], np.int64)
    into = [[n for n, t in enumerate(targets) if t == each] for each in range(positions)]
    return AdjacentRules(
        np.searchsorted(sources, np.arange(positions + 1)).astype(np.int64),
        targets,
        np.cumsum([0, *map(len, into)]).astype(np.int64),
        np.array([each for group in into for each in group], np.int64),
        sources,
        np.array([each.structure for each in edges], np.int64),
        np.array([_is_cut(program, each) for each in range(len(edges))], np.int64),
        tables_of_tests(adjacent.tests),
        SlotTables(
            np.empty((len(adjacent.tests), 0), np.int64),
            np.empty((positions, 0), np.int64),
            np.empty((0, events.fires.size), np.int64),
            np.empty((0, 2), np.int64),
        ),
        predicates.code,
    )


def _is_cut(program: Program, edge: int) -> bool:
    """Whether negated parts can block an edge: every way along it crosses one."""
    return program.negation is not None and 0 not in program.negation.gaps[edge]


def _room(
    program: Program,
    rules: AdjacentRules,
    events: EventArrays,
    windows: WindowedSegments,
    slots: int,
    measures: Measures,
) -> AdjacentRoom:
    numbers, minima = measures.moduli.size, measures.least_positions.size
    positions = len(program.automaton.follow)
    wanted = np.zeros(positions, np.int64)
    stacked = np.zeros(positions, np.bool_)
    for edge, position in enumerate(rules.sources):
        if rules.structure[edge] in LISTED or rules.is_cut[edge]:
            fits = events.fires >> np.uint64(position) & np.uint64(1)
            wanted[position] = int(fits.sum())
            stacked[position] |= rules.structure[edge] == StructureCode.STACK
    node_base = np.concatenate(([0], np.cumsum(wanted)))[:-1].astype(np.int64)
    nodes = int(wanted.sum())
    widest = widest_step(events)
    tests = make_room(1, len(rules.code.rows))
    return AdjacentRoom(
        np.zeros((nodes, NODE_WIDTH), np.int64),
        make_values(1, nodes, numbers, minima),
        node_base,
        np.zeros(positions, np.int64),
        np.zeros((widest * positions + 1, 2), np.int64),
        make_values(1, widest * positions + 1, numbers, minima),
        make_values(1, slots, numbers, minima),
        make_values(1, max(positions, rules.targets.size), numbers, minima),
        make_values(1, nodes if stacked.any() else 0, numbers, minima),
        np.zeros((rules.targets.size, 2), np.int64),
        make_values(1, windows.segments.begin.size, numbers, minima),
        tests.operands,
        tests.stack,
        Nodes(np.zeros((1, NODE_WIDTH), np.int64), np.zeros((1, 0))),
    )


def _borders(
    rules: AdjacentRules, first_binding: int, predicates: PredicateInputs, room: AdjacentRoom
) -> Bytes:
    """Return by position and event whether the tests of an entry or an end hold; often none has."""
    positions, events = room.waiting.size, predicates.columns.status.shape[1]
    offsets = rules.tests.offsets
    if offsets[first_binding] == offsets[first_binding + positions]:
        return np.empty((0, 0), np.int8)
    results = np.empty((positions, events), np.int8)
    write_borders(
        rules.tests,
        first_binding,
        rules.slots,
        rules.code,
        predicates.columns,
        room.operands,
        room.stack,
        room.tested,
        results,
    )
    return results


def _blocks(program: Program, ordered: OrderedEvents, windows: WindowedSegments) -> Blocks:
    rank = np.ascontiguousarray(ordered.key_rank)
    none, untested = np.empty((0, 0), np.int64), np.empty((0, 0), np.int8)
    negation = program.negation
    if negation is None:
        return Blocks(untested, untested, rank, none, none, none)
    starts = [latest_starts(part, ordered) for part in negation.parts]
    before = [latest_before(each, ordered) for each in starts]
    edges, positions = len(program.automaton.edges), len(program.automaton.follow)
    cuts = np.stack([open_from(parts, before) for parts in negation.gaps[: edges + positions]])
    exits = _exit_cuts(negation, starts, ordered.arrays, windows, positions)
    return Blocks(untested, untested, rank, cuts[:edges], cuts[edges:], exits)


def _exit_cuts(
    negation: NegationProgram,
    starts: list[Int64s],
    events: EventArrays,
    windows: WindowedSegments,
    positions: int,
) -> Int64s:
    """Return by segment and position the rank from which on a match may end there."""
    segments = windows.segments
    latest = []
    for each in starts:
        found = np.zeros(segments.begin.size, np.int64)
        begin, end = events.step_offsets[segments.begin], events.step_offsets[segments.end]
        find_latest(each, begin, end, found)
        latest.append(found)
    ends = negation.gaps[len(negation.gaps) - positions :]
    return np.ascontiguousarray(np.stack([open_from(each, latest) for each in ends], axis=1))
