"""What makes a run better than another: what later tests read of the events that runs carry.

Of an event that a run carries (in a slot, or as its last one) a later test reads some columns. If
more of a column, or less, never hurts any test, runs are compared by it; what else is read has to
be the same. A test that reads nothing of the next event is settled as soon as a run has its last
one: then only the outcome matters, and not what it was made from. So of

    SEQ(A+ a, B b) WHERE a[a.LEN].x > a[1].x + 2

a run needs `a[1].x`, of which less is better, and whether the edge to B is open to it now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.matches.match_folds import choice_of, drops_overlaps
from cepheid.engine.matches.match_task import MatchTask
from cepheid.engine.matches.order_trends import ranks_of_concurrent
from cepheid.engine.matches.run_arrays import representatives, tables_of_tests
from cepheid.kernels.graph.compare_runs import CarriedEvents, Preference
from cepheid.kernels.graph.match_nodes import NONE
from cepheid.kernels.graph.run_graph import AVERAGE, CLOSE, COUNT, CURRENT_EVENT, SET, SUM
from cepheid.kernels.graph.run_graph import LAST_EVENT as LAST
from cepheid.kernels.predicates.predicate_machine import VALID, ColumnArrays
from cepheid.plan.helpful_directions import TAME, agreed
from cepheid.program.program import Program
from cepheid.program.run_program import AggregateSlot, Operand, Test

Int64s = NDArray[np.int64]
LARGEST_SUM = 2.0**62  # of integers that never leave 64 bits


def run_preference(task: MatchTask) -> Preference:
    """Return which runs make others superfluous, of a query and its events."""
    program, ordered, columns = task.program, task.ordered, task.predicates.columns
    choice = choice_of(program)
    assert choice is not None
    values = ranks_of_concurrent(program, ordered, task.columns, choice.tie_columns)
    sizes = np.diff(ordered.arrays.step_offsets)
    directions = [_direction(each, columns) for each in program.runs.aggregate_slots]
    events = _carried_events(program, columns)
    return Preference(
        np.lexsort([values, np.repeat(np.arange(sizes.size), sizes)]),
        np.array(directions, np.int64),
        _directed(program, directions, events),
        events,
        tables_of_tests(_settled(program)),
        drops_overlaps(program),
        program.window_length is not None or choice.is_per_start,
    )


def _directed(program: Program, directions: list[int], events: CarriedEvents) -> Int64s:
    """Count for every position the values by which runs that wait there are compared."""
    carried = events.is_read @ np.diff(events.rank_offsets)
    slots = zip(program.runs.aggregate_slots, directions, strict=True)
    return carried + sum(
        (np.array(slot.is_live, np.int64) for slot, direction in slots if direction != 0),
        np.zeros_like(carried),
    )


# --- events that are carried --------------------------------------------------------------------


@dataclass(slots=True)
class _Reading:
    """What is read of an event that runs carry: the directions of columns, and which are floats."""

    directions: dict[int, int] = field(default_factory=dict)
    floats: set[int] = field(default_factory=set)

    def add(self, operand: Operand) -> None:
        known = self.directions.get(operand.column, operand.direction)
        self.directions[operand.column] = agreed(known, operand.direction)
        if operand.is_float:
            self.floats.add(operand.column)


def _carried_events(program: Program, columns: ColumnArrays) -> CarriedEvents:
    runs, positions = program.runs, len(program.automaton.follow)
    readings = [_Reading() for _ in runs.event_slots]
    for operand in _event_operands(test for tests in runs.tests for test in tests):
        if operand.source >= 0:
            readings[operand.source].add(operand)
    slots = range(len(runs.event_slots))
    is_read = [[_matters(program, slot, at) for slot in slots] for at in range(positions)]
    for position in range(positions):
        last = _Reading()
        for operand in _event_operands(_open_tests(program, position)):
            if operand.source == LAST:
                last.add(operand)
        readings.append(last)
        for at, row in enumerate(is_read):
            row.append(at == position and bool(last.directions))
    ranks = [
        [_ranks(columns, column, direction, is_float=column in each.floats)
         for column, direction in each.directions.items() if direction != 0]
        for each in readings
    ]  # fmt: skip
    size = columns.status.shape[1]
    return CarriedEvents(
        np.array(is_read, np.int64).reshape(positions, len(readings)),
        _stacked([_kinds(columns, each) for each in readings], size),
        np.cumsum([0, *(len(each) for each in ranks)]).astype(np.int64),
        _stacked([each for group in ranks for each in group], size),
    )


def _stacked(rows: Sequence[Int64s], size: int) -> Int64s:
    return np.stack(rows) if rows else np.empty((0, size), np.int64)


def _event_operands(tests: Iterable[Test]) -> Iterable[Operand]:
    return (each for test in tests for each in test.operands if each.function == NONE)


def _reads_next(test: Test) -> bool:
    return any(each.source == CURRENT_EVENT for each in _event_operands([test]))


def _tests_of_edges(program: Program) -> Iterable[tuple[int, int, tuple[Test, ...]]]:
    """Give the source, the number and the tests of every edge."""
    for number, (source, _) in enumerate(program.automaton.edges):
        yield source, number, program.runs.tests[number]


def _open_tests(program: Program, position: int) -> list[Test]:
    """Return the tests on edges out of a position that read the next event, too."""
    return [
        test
        for source, _, tests in _tests_of_edges(program)
        if source == position
        for test in tests
        if _reads_next(test)
    ]


def _settled(program: Program) -> list[tuple[Test, ...]]:
    """Return for every edge the tests of events that are known before it is taken."""
    return [
        tuple(each for each in tests if not _reads_next(each) and any(_event_operands([each])))
        for _, _, tests in _tests_of_edges(program)
    ]


def _matters(program: Program, number: int, position: int) -> bool:
    """Whether the event in a slot of a run that waits at a position is read with a later one."""
    slot = program.runs.event_slots[number]
    ends = (CLOSE,) if CLOSE in slot.changes else (SET,)
    goes_on = any(
        source == position and slot.changes[edge] not in ends and slot.is_live[target]
        for edge, (source, target) in enumerate(program.automaton.edges)
    )
    operands = _event_operands(_open_tests(program, position))
    return goes_on or any(each.source == number for each in operands)


def _kinds(columns: ColumnArrays, reading: _Reading) -> Int64s:
    """Number events of which the same is read, but for values that have a direction."""
    keys = []
    for column, direction in reading.directions.items():
        if direction == 0:
            keys.append(representatives(columns, (column,)))
            continue
        keys.append(columns.status[column].astype(np.int64))
        if column in reading.floats:
            values = columns.floats[column]
            is_wild = ~(np.abs(values) < TAME) & (columns.status[column] == VALID)
            keys.append(np.where(is_wild, values, 0.0).view(np.int64))
    if not keys:
        return np.zeros(columns.status.shape[1], np.int64)
    _, kinds = np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)
    return kinds.reshape(-1).astype(np.int64)


def _ranks(columns: ColumnArrays, column: int, direction: int, *, is_float: bool) -> Int64s:
    """Number events by the value of a column: those with a better one have a larger number."""
    values = columns.floats[column] if is_float else columns.integers[column]
    _, ranks = np.unique(values, return_inverse=True)
    return direction * ranks.reshape(-1).astype(np.int64)


# --- aggregates ---------------------------------------------------------------------------------


def _direction(slot: AggregateSlot, columns: ColumnArrays) -> int:
    """Return which way an aggregate is better, 0 if not all values have a place in one order.

    A sum that leaves its range, or has infinities or NaN in it, does not follow what it is made of.
    """
    if slot.function == COUNT:
        return slot.direction
    values = columns.floats[slot.column] if slot.is_float else columns.integers[slot.column]
    values = values[columns.status[slot.column] == VALID].astype(np.float64)
    if slot.function in (SUM, AVERAGE):
        total = np.abs(values).sum()
        is_tame = bool(np.isfinite(total) if slot.is_float else total < LARGEST_SUM)
    else:
        is_tame = not np.isnan(values).any()
    return slot.direction if is_tame else 0
