"""Contiguous trends whose edges make at most one comparison each."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.kernel_arrays import automaton_arrays, widest_step
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.fold import Facts, TooLarge
from cepheid.engine.matches.match_chunks import reject_overflow
from cepheid.engine.process.threads import cut, side_by_side
from cepheid.engine.trends.contiguous_slots import contiguous_rules, linear_trends, with_variants
from cepheid.engine.trends.folds.fold_moving_window import values_at_moments
from cepheid.engine.trends.trend_events import PatternEvents
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.windows.result_times import Moments
from cepheid.kernels.last_event.adjacent_contiguous import (
    INTEGER,
    MAGNITUDE,
    NUMBER,
    ONE,
    TOO_LARGE,
    ContiguousNodes,
    ContiguousNumbers,
    aggregate_contiguous,
)
from cepheid.kernels.last_event.adjacent_rules import Segments
from cepheid.kernels.predicates.predicate_machine import VALID, ColumnArrays
from cepheid.kernels.values.value_algebra import make_values
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values
from cepheid.program.aggregate_output import AggregateOutput, Content
from cepheid.program.program import Program
from cepheid.program.run_program import ColumnKind

Int64s = NDArray[np.int64]
LEAST_EVENTS = 2**16  # that are worth a thread
CONTENTS = {Content.SUM: INTEGER, Content.MAGNITUDE: MAGNITUDE}  # the others add 1


def contiguous_comparisons(task: TrendTask, facts: Facts) -> ValueRows | TooLarge:
    """Return a row for every partition, or for every partition and window that has trends.

    Raises:
        DataError: a test left 64 bits.
    """
    program, ordered, columns = task.group.program, task.ordered, task.predicates.columns
    rules, segments, threads = (
        contiguous_rules(program),
        task.segments.segments,
        task.events.threads,
    )
    measures = None
    if task.group.reads_numbers:
        measures = numbers_of_columns(program, columns)
    if measures is None:
        measures = numbers_of_measures(task.measures)
    events, count = ordered.arrays, segments.begin.size
    result = make_values(1, count, measures.positions.size, measures.least_positions.size)
    automaton = automaton_arrays(program.automaton, program.strategy)
    widest = widest_step(events) * len(program.automaton.follow) + 1

    def fold(part: range) -> int:
        chosen = slice(part.start, part.stop)
        own = Segments._make(each[chosen] for each in segments)
        values = Values._make(each[:, chosen] for each in result)
        nodes = _nodes(widest, measures)
        return aggregate_contiguous(automaton, events, own, rules, columns, measures, nodes, values)

    parts = cut(count, max(1, min(threads, count, events.fires.size // LEAST_EVENTS)))
    failed = max(side_by_side([functools.partial(fold, each) for each in parts]), key=_gravity)
    if failed == TOO_LARGE:
        return TooLarge()
    if failed >= 0:
        reject_overflow(program.runs.may_overflow, int(ordered.row[failed]))
    return task.rows_of_segments(result)


@dataclass(frozen=True)
class WithVariants:
    """The events of a pattern, which fit variants of positions."""

    given: PatternEvents
    ordered: OrderedEvents

    @property
    def group(self) -> Int64s:
        """The number of every event's group."""
        return self.given.group

    @property
    def moments(self) -> Moments | None:
        """The moments of WITHIN alone."""
        return self.given.moments


def contiguous_in_queue(task: TrendTask, facts: Facts) -> ValueRows | TooLarge:
    """Return a row for every moment."""
    program = task.group.program
    ordered = with_variants(program, task.ordered, task.predicates.columns)
    if ordered is None:
        return TooLarge("several events at once, or a test that leaves 64 bits")
    trends = linear_trends(program)
    given = WithVariants(task.events, ordered)
    return values_at_moments(trends.program, given, trends.measures(task.measures))


def _gravity(outcome: int) -> tuple[bool, int]:
    """A value that is too large is tried again; an overflow counts if there is nothing else."""
    return outcome == TOO_LARGE, outcome


def numbers_of_measures(measures: Measures) -> ContiguousNumbers:
    """Return what events add."""
    count = measures.positions.size
    return ContiguousNumbers(
        measures.positions,
        np.full(count, NUMBER),
        np.arange(count),
        measures.mantissa,
        measures.low,
        measures.least_positions,
        measures.least,
    )


def numbers_of_columns(program: Program, columns: ColumnArrays) -> ContiguousNumbers | None:
    """Return what events add, if it is in the columns that predicates read, without NULL."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    if output.minima:
        return None
    places = {
        each.attribute: number
        for number, each in enumerate(program.runs.columns)
        if each.kind is ColumnKind.INTEGER and not (columns.status[number] != VALID).any()
    }
    count = len(output.numbers) + 1
    positions, content, source = (
        np.zeros(count, np.uint64),
        np.full(count, ONE),
        np.zeros(count, np.int64),
    )
    for number, measure in enumerate(output.numbers, start=1):
        positions[number] = measure.positions
        if measure.attribute not in (None, *places):
            return None
        if measure.attribute is not None and measure.content in CONTENTS:
            content[number] = CONTENTS[measure.content]
            source[number] = places[measure.attribute]
    none = np.empty((0, 0))
    return ContiguousNumbers(
        positions,
        content,
        source,
        none,
        columns.integers,
        np.empty(0, np.uint64),
        np.empty((0, 0), np.int64),
    )


def _nodes(size: int, measures: ContiguousNumbers) -> ContiguousNodes:
    numbers, minima = measures.positions.size, measures.least_positions.size
    return ContiguousNodes(
        np.empty((2, size), np.int64),
        np.empty((2, size), np.int64),
        np.empty((2, size, numbers)),
        np.empty((2, size, numbers), np.int64),
        np.empty((2, size, minima), np.int64),
    )
