"""Run queries with the same adjacent predicates in one pass over the events."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.kernel_arrays import widest_step
from cepheid.engine.events.order_events import OrderedEvents, order_events
from cepheid.engine.events.predicate_inputs import read_columns
from cepheid.engine.events.warn_of_events import warn_of_dropped
from cepheid.engine.fold import Facts, Folding, TooLarge
from cepheid.engine.matches.match_chunks import split_partitions
from cepheid.engine.process.threads import side_by_side
from cepheid.engine.shared.lane_tables import lane_tables
from cepheid.engine.shared.set_results import SetResults
from cepheid.engine.shared.shared_folds import Alone, SharedLanes
from cepheid.engine.trends.folds.last_event_indexes import IndexBuilder
from cepheid.engine.trends.integer_sums import (
    bounds_by_largest,
    is_determined,
    largest_sizes,
)
from cepheid.engine.trends.measures import EventMeasures
from cepheid.engine.trends.windows.stretches import windows_of
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.last_event.adjacent_rules import Indexes
from cepheid.kernels.position.fold_slots import LANE_STEPS, PANES, measure_windows
from cepheid.kernels.shared.fold_lanes import LaneRoom, LaneRows, LaneTables, fold_lanes
from cepheid.kernels.shared.lane_minima import LeastRoom
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.plan.sharing_costs import LANE_WINDOW, OWN_LOOKUP, OWN_WINDOW
from cepheid.program.adjacent_program import LOOKED_UP
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.arrow_arrays import empty
from cepheid.program.sharing.lane_program import LaneProgram

Int64s = NDArray[np.int64]
Finish = Callable[[SetResults, list[ValueRows]], list[pa.Table]]
LARGEST = 2.0**200  # beyond that numbers need exponents of their own
LARGEST_EXACT = 2.0**53


@dataclass(frozen=True)
class LaneTask:
    """Queries with the same adjacent predicates, and their events.

    `finish` makes tables of the rows of every query, if not all of them are wanted as they are.
    """

    program: LaneProgram
    columns: Mapping[str, Any]
    length: int
    schema: pa.Schema
    folding: Folding
    threads: int = 1
    finish: Finish | None = None

    @property
    def group(self) -> SharedLanes:
        """What folds are chosen by."""
        return SharedLanes(self.program)

    @cached_property
    def ordered(self) -> OrderedEvents:
        """The events of all queries."""
        with self.folding.record.stage("order"):
            return order_events(
                self.program.united, self.columns, self.length, threads=self.threads
            )

    @cached_property
    def builder(self) -> IndexBuilder:
        """Where edges look up what they extend."""
        program, ordered = self.program, self.ordered
        predicates = read_columns(program.united, ordered, self.columns, threads=self.threads)
        return IndexBuilder(
            [each.lookup for each in program.edges],
            [(each.source, each.target) for each in program.edges],
            program.united.strategy,
            ordered,
            predicates.columns,
        )

    @cached_property
    def measures(self) -> EventMeasures:
        """What events contribute."""
        measured = self.program.measures
        return EventMeasures(measured, self.columns, self.ordered.row, threads=self.threads)

    @cached_property
    def contributions(self) -> Measures:
        """What events contribute, as arrays."""
        return self.measures.arrays()

    @cached_property
    def fold(self) -> _Fold:
        """The fold and its room."""
        tables = lane_tables(self.program, [each.structure for each in self.builder.edges])
        indexes = self.builder.indexes()[0]
        return _Fold(self.program, tables, self.ordered.arrays, indexes, self.contributions)

    def costs(self) -> tuple[float, float]:
        """Return what windows cost in lanes, and in a fold for each query, in nanoseconds."""
        events, lanes, alone = self.ordered.arrays, 0.0, 0.0
        steps = events.step_offsets.size - 1
        work = np.zeros(PANES + 1, np.int64)
        for group, window in enumerate(self.program.windows):
            queries = sum(each.group == group for each in self.program.queries)
            most, opened = 1, steps
            if window is not None:
                measure_windows(events, *window, window[1], work)
                most, opened = -(-window[0] // window[1]), int(work[LANE_STEPS])
            lanes += queries * steps * most * LANE_WINDOW
            alone += queries * (steps * OWN_LOOKUP + opened * OWN_WINDOW)
        return lanes, alone


def lane_facts(task: LaneTask) -> Facts:
    """Return what is known of the events of queries with the same adjacent predicates."""
    return Facts(
        measures={
            "looked up": lambda: all(e.structure in LOOKED_UP for e in task.builder.edges),
            "huge numbers": lambda: bool(task.contributions.tier.any()),
            "numbers kept": lambda: task.fold.room_needed,
            "together": lambda: round(task.costs()[0] / 1000),
            "alone": lambda: round(task.costs()[1] / 1000),
        }
    )


def run_lanes(task: LaneTask) -> list[pa.Table] | Alone:
    """Return the result of every query, or that the data needs a fold of its own for each."""
    found: list[pa.Table] | Alone = task.folding.fold(task)
    return found


def lanes_together(task: LaneTask, facts: Facts) -> list[pa.Table] | TooLarge:
    """Return the result of every query."""
    program, ordered, measures = task.program, task.ordered, task.measures
    rows = task.fold.rows(task.threads)
    if not _are_exact(program, rows):
        return TooLarge()
    of_queries = [
        _of_query(rows, number, each.output) for number, each in enumerate(program.programs)
    ]
    outputs = (each.output for each in program.programs)
    if any(map(cancels, of_queries, outputs, itertools.repeat(measures))):
        return TooLarge("a sum that may need digits beyond 2^53")
    warn_of_dropped(program.united.partition_by, ordered.dropped)
    results = SetResults(task.columns, ordered, task.schema, measures)
    with task.folding.record.stage("columns"):
        if task.finish is not None:
            return task.finish(results, of_queries)
        return results.tables(program.programs, of_queries)


class _Fold:
    def __init__(
        self,
        program: LaneProgram,
        tables: LaneTables,
        events: EventArrays,
        indexes: Indexes,
        contributions: Measures,
    ) -> None:
        self.program = program
        self.tables = tables
        self.events = events
        self.indexes = indexes
        self.contributions = contributions
        self.sizes = self._sizes(tables.element_offsets)
        self.least_sizes = self._sizes(tables.minima.element_offsets)

    def _sizes(self, element_offsets: Int64s) -> Int64s:
        """Return by index row how many elements its vectors have."""
        widths = np.repeat(np.diff(element_offsets), np.diff(self.indexes.offsets))
        sizes: Int64s = self.indexes.size.max(axis=1, initial=0) * widths
        return sizes

    @property
    def room_needed(self) -> int:
        """How many numbers and minima the structures of edges hold."""
        return int(self.sizes.sum() + self.least_sizes.sum())

    def rows(self, threads: int) -> LaneRows:
        """Return the rows of all partitions."""
        parts = split_partitions(self.events, threads)
        owners = self._owners()
        found = side_by_side([functools.partial(self._part, owners, each) for each in parts])
        return LaneRows._make(np.concatenate(each) for each in zip(*found, strict=True))

    def _owners(self) -> list[Int64s]:
        """Return by window group the partition of every window that has events."""
        partitions = np.arange(self.events.partition_offsets.size - 1)
        return [
            partitions if each is None else windows_of(self.events, *each)[0]
            for each in self.program.windows
        ]

    def _part(self, owners: Sequence[Int64s], part: range) -> LaneRows:
        most = 0
        for group, owner in enumerate(owners):
            begin, end = np.searchsorted(owner, [part.start, part.stop])
            queries = sum(each.group == group for each in self.program.queries)
            most += int(end - begin) * queries
        rows = LaneRows(
            empty(most),
            empty(most),
            empty(most),
            np.empty((most, self.program.number_count)),
            np.empty((most, self.program.minimum_count), np.int64),
        )
        count = fold_lanes(
            self.tables,
            self.events,
            self.indexes,
            self.contributions.mantissa,
            self.contributions.least,
            part.start,
            part.stop,
            self._room(),
            rows,
        )
        return LaneRows._make(each[:count] for each in rows)

    def _room(self) -> LaneRoom:
        blocks, groups = self.tables.query_offsets.size - 1, self.tables.lengths.size
        fresh = widest_step(self.events) * self.tables.widths.size + 1
        widest = _widest(self.tables.element_offsets, self.tables.widths)
        return LaneRoom(
            np.empty(int(self.sizes.sum())),
            np.cumsum(self.sizes) - self.sizes,
            np.empty(int(self.tables.element_offsets[-1])),
            np.empty((fresh, widest)),
            np.empty((fresh, 2), np.int64),
            np.empty(widest),
            np.empty(int(self.tables.result_offsets[-1])),
            np.zeros(blocks, np.int64),
            np.zeros(blocks, np.int64),
            np.zeros(blocks, np.int64),
            np.zeros(blocks, np.int64),
            np.zeros(groups, np.int64),
            np.zeros(groups, np.int64),
            np.zeros(groups, np.int64),
            self._least_room(fresh),
        )

    def _least_room(self, fresh: int) -> LeastRoom:
        minima = self.tables.minima
        widest = _widest(minima.element_offsets, minima.widths)
        return LeastRoom(
            empty(int(self.least_sizes.sum())),
            np.cumsum(self.least_sizes) - self.least_sizes,
            empty(int(minima.element_offsets[-1])),
            np.empty((fresh, widest), np.int64),
            empty(widest),
            empty(int(minima.result_offsets[-1])),
        )


def _widest(element_offsets: Int64s, widths: Int64s) -> int:
    """Return how many elements the widest vector has, of an edge or a position."""
    return max(int(np.diff(element_offsets).max(initial=0)), int(widths.max(initial=0)), 1)


def _are_exact(program: LaneProgram, rows: LaneRows) -> bool:
    """Whether numbers are such as values with exponents of their own would give."""
    largest = np.abs(rows.numbers).max(axis=1, initial=0.0)
    if not (largest < LARGEST).all():  # NaN is not less
        return False
    for number, each in enumerate(program.programs):
        assert isinstance(each.output, AggregateOutput)
        if each.output.wants_low and not (largest[rows.query == number] < LARGEST_EXACT).all():
            return False
    return True


def cancels(rows: ValueRows, output: object, measures: EventMeasures) -> bool:
    """Whether a sum of integers may have digits that only a low word tells, which lanes lack."""
    assert isinstance(output, AggregateOutput)
    bounds = bounds_by_largest(rows, output, largest_sizes(output, measures)).values()
    return any(bool(((e >= LARGEST_EXACT) & is_determined(e)).any()) for e in bounds)


def _of_query(rows: LaneRows, query: int, output: object) -> ValueRows:
    """Return the rows of one query, with the numbers that it asks for."""
    assert isinstance(output, AggregateOutput)
    own = rows.query == query
    mantissa = rows.numbers[own, : len(output.numbers) + 1]
    low = np.where(np.abs(mantissa) < LARGEST_EXACT, mantissa, 0.0).astype(np.int64)
    least = rows.least[own, : len(output.minima)]
    return ValueRows(rows.owner[own], rows.window[own], mantissa, np.zeros_like(low), low, least)
