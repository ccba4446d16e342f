"""The fold of the best runs, where matches are not to overlap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.fold import Facts
from cepheid.engine.matches.fold_graph import GraphFold, RunFold
from cepheid.engine.matches.match_chunks import parts_of_run_fold
from cepheid.engine.matches.match_task import MatchTask
from cepheid.engine.matches.order_trends import ranks_of_concurrent
from cepheid.engine.matches.run_arrays import representatives
from cepheid.kernels.graph.best_runs import KeptRuns, Preference, fold_best_runs
from cepheid.kernels.graph.build_run_graph import room_needed
from cepheid.kernels.graph.match_nodes import LATEST_START, LIVE_COUNT, NONE
from cepheid.kernels.graph.run_graph import COUNT, LAST_EVENT, SUM
from cepheid.kernels.predicates.predicate_machine import VALID, ColumnArrays
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.program import MatchOutput
from cepheid.program.run_program import AggregateSlot, Operand, RunProgram

Int64s = NDArray[np.int64]
LARGEST_SUM = 2.0**62  # of integers that never leave 64 bits


def graph_of_best_runs(task: MatchTask, facts: Facts) -> GraphFold:
    """Return a fold that keeps the runs of which one can become the match that is taken."""
    return BestRunFold(task)


class BestRunFold(RunFold):
    """The fold with predicates over several events that drops runs which others make superfluous.

    Under skip-till-any, and where the first match that ends is taken (kernels/graph/best_runs.py).
    """

    def __init__(self, task: MatchTask) -> None:
        super().__init__(*parts_of_run_fold(task))
        self.preference = _preference(task)
        self.kept = _room_for(self.live.size)

    def advance(self, most_nodes: int) -> int:
        """Fold until all is done or the graph is full; return why it stopped."""
        return fold_best_runs(
            self.state,
            self.kept,
            self.automaton,
            self.rules,
            self.events,
            self.columns,
            self.window,
            self.preference,
            most_nodes,
            self.room,
        )

    def grow(self) -> None:
        """Make room for twice as many nodes, and for the next step at least."""
        super().grow()
        live = int(self.graph.cursor[LIVE_COUNT])
        most = live + room_needed(self.graph.cursor, self.rules, self.events)
        if 2 * most > self.table.shape[0]:
            self.table = np.full((1 << int(2 * most).bit_length(), 2), NONE, np.int64)
        classes = self.kept.class_of[:live]
        self.kept = _room_for(self.live.size)
        self.kept.class_of[:live] = classes

    def compact(self, limit: int) -> None:
        """Drop what no later event can reach, and all ends."""
        live = self.live[: self.graph.cursor[LIVE_COUNT]]
        is_fresh = self.graph.nodes[live, LATEST_START] > limit
        classes = self.kept.class_of[: live.size][is_fresh]
        super().compact(limit)
        self.kept.class_of[: classes.size] = classes


def _room_for(runs: int) -> KeptRuns:
    return KeptRuns._make(np.empty(runs, np.int64) for _ in KeptRuns._fields)


def _preference(task: MatchTask) -> Preference:
    program, ordered, columns = task.program, task.ordered, task.predicates.columns
    assert isinstance(program.output, MatchOutput)
    values = ranks_of_concurrent(program, ordered, task.columns, program.output.tie_columns or ())
    events = np.arange(ordered.row.size)
    steps = np.repeat(np.arange(ordered.arrays.step_offsets.size - 1), _step_sizes(ordered))
    directions = [_direction(each, columns) for each in program.runs.aggregate_slots]
    reading = [
        _of_last_events(program.runs, program.automaton, each)
        for each in range(len(program.automaton.follow))
    ]
    read = {operand.column for each in reading for operand in each}
    kinds = representatives(columns, tuple(sorted(read))) if read and NONE not in read else events
    return Preference(
        np.lexsort([values, steps]),
        np.array(directions, np.int64),
        int(np.count_nonzero(directions)),
        kinds,
        np.array([bool(each) for each in reading], np.int64),
    )


def _step_sizes(ordered: OrderedEvents) -> Int64s:
    return np.diff(ordered.arrays.step_offsets)


def _of_last_events(runs: RunProgram, automaton: PositionAutomaton, position: int) -> list[Operand]:
    """Return what tests on the edges out of a position read of the event there."""
    return [
        operand
        for (source, _), tests in zip(automaton.edges, runs.tests, strict=False)
        if source == position
        for test in tests
        for operand in test.operands
        if operand.function == NONE and operand.source == LAST_EVENT
    ]


def _direction(slot: AggregateSlot, columns: ColumnArrays) -> int:
    """Return which way an aggregate is better, 0 if not all values have a place in one order.

    A sum that leaves its range, or has infinities or NaN in it, does not follow what it is made of.
    """
    if slot.function == COUNT:
        return slot.direction
    values = columns.floats[slot.column] if slot.is_float else columns.integers[slot.column]
    values = values[columns.status[slot.column] == VALID].astype(np.float64)
    if slot.function == SUM:
        total = np.abs(values).sum()
        is_tame = bool(np.isfinite(total) if slot.is_float else total < LARGEST_SUM)
    else:
        is_tame = not np.isnan(values).any()
    return slot.direction if is_tame else 0
