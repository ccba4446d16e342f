"""Run an aggregate query on one table: measures, a method, sums per group, columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents, order_events
from cepheid.engine.events.partition_codes import partition_codes
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.matches.match_pairs import seen_by_second
from cepheid.engine.trends.exact import exact_counts, exact_sums, residues, sum_residues
from cepheid.engine.trends.folds.count_in_order import count_stream_rows
from cepheid.engine.trends.folds.folded_pair import FoldedPair
from cepheid.engine.trends.folds.paired import paired_rows
from cepheid.engine.trends.groups import GroupRows, add_groups, add_rows
from cepheid.engine.trends.integer_sums import (
    Bounds,
    as_double,
    bounds_by_largest,
    is_determined,
    largest_sizes,
    rounded_sums,
    signed_sums,
)
from cepheid.engine.trends.measures import EventMeasures, of_second_side
from cepheid.engine.trends.pattern_fold import PatternFold
from cepheid.engine.trends.result_table import (
    Finished,
    PlaceColumns,
    aggregate_schema,
    finish,
)
from cepheid.engine.trends.windows.result_times import Moments, find_moments
from cepheid.engine.trends.windows.wanted_windows import (
    WantedWindows,
    kept_events,
    needed_events,
    wanted_windows,
)
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.position_masks import TakenColumns
from cepheid.program.program import Clock, Program, StrategyCode

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class Aggregation:
    """The aggregation of so many events, given by their columns.

    With `report` they are those of a stream that still matter; those that are not settled do not
    count, and rows are those that became final in its last step.
    """

    program: Program
    output: AggregateOutput
    columns: Mapping[str, Any]
    length: int
    threads: int = 1
    report: ReportRange | None = None

    @cached_property
    def ordered(self) -> OrderedEvents:
        """The events as the kernels see them."""
        ordered = order_events(
            self.program, self.columns, self.length, threads=self.threads, report=self.report
        )
        if self.report is None:
            return ordered
        needed = needed_events(self.program, ordered)
        if self.report.known_rows is not None:  # a step may end within a tick: all are settled
            return needed
        return kept_events(needed, self._ticks(needed) < self.report.until)

    def _ticks(self, ordered: OrderedEvents) -> Int64s:
        """Return the time of every event."""
        if self.program.clock is Clock.TIME:
            return ordered.arrays.clock
        return to_ticks(self.columns[self.program.time], self.program.time)[ordered.row]

    @cached_property
    def wanted(self) -> WantedWindows | None:
        """The windows to report; None for all."""
        if self.ordered.horizons is None or self.program.slide is None:
            return None
        return wanted_windows(self.program, self.ordered.horizons)

    @cached_property
    def stream(self) -> GroupRows | None:
        """The result of a plain count over a stream in order, which needs no ordered events."""
        program, output = self.program, self.output
        if program.slots is None or self.report is not None:
            return None
        if output.numbers or output.minima:
            return None
        rows = count_stream_rows(
            program,
            program.slots,
            self.columns,
            self.length,
            wants_low=output.wants_low,
        )
        if rows is None:
            return None
        none = np.zeros(rows.owner.size, np.int64)
        return add_groups(rows, none, none, np.zeros(1, np.int64))

    @property
    def dropped(self) -> int:
        """How many events belong to no partition."""
        return self.ordered.dropped if self.stream is None else 0

    @cached_property
    def measures(self) -> EventMeasures:
        """What events contribute."""
        return EventMeasures(self.output, self.columns, self.ordered.row, threads=self.threads)

    @cached_property
    def group(self) -> Int64s:
        """The number of every event's group."""
        attributes = [column for column, _ in self.output.groups]
        if not attributes:
            return np.zeros(self.ordered.row.size, np.int64)
        codes = partition_codes(self.columns, attributes, self.length).code
        return codes[self.ordered.row]

    @cached_property
    def partition_row(self) -> Int64s:
        """The row of an event of every partition."""
        arrays = self.ordered.arrays
        return self.ordered.row[arrays.step_offsets[arrays.partition_offsets[:-1]]]

    @cached_property
    def group_of_partition(self) -> Int64s:
        """The number of every partition's group; groups are whole partitions."""
        attributes, rows = [column for column, _ in self.output.groups], self.partition_row
        return partition_codes(TakenColumns(self.columns, rows), attributes, rows.size).code

    @cached_property
    def sides(self) -> tuple[tuple[Program, OrderedEvents], ...]:
        """The program, or both of AND, each with the events as it sees them."""
        if self.program.pair is None:
            return ((self.program, self.ordered),)
        second = seen_by_second(self.program, self.ordered)
        return ((self.program, self.ordered), (self.program.pair.second, second))

    @cached_property
    def moments(self) -> Moments | None:
        """The moments of WITHIN alone."""
        if self.program.window_length is None or self.program.slide is not None:
            return None
        ends = np.zeros(self.ordered.row.size, np.bool_)
        starts = np.zeros(self.ordered.row.size, np.bool_)
        for program, ordered in self.sides:
            ends |= (ordered.arrays.fires & np.uint64(program.automaton.last)) != 0
            starts |= (ordered.arrays.fires & np.uint64(program.automaton.first)) != 0
        if self.report is not None:
            ticks = self._ticks(self.ordered)
            is_new = self.report.is_new(ticks, self.ordered.row)
            was_known, ends = ends & ~is_new, ends & is_new
            starts &= self.report.reports(ticks + self.program.window_length)
            starts &= ~self._meets(ticks + self.program.window_length, ticks, was_known)
        wanted = starts if self.output.shows_expiry else None
        return find_moments(self.program, self.ordered, self.group, ends, wanted)

    def _meets(
        self, leaves: Int64s, ticks: Int64s, was_known: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return which events leave the window at a moment that was reported before.

        A step of a stream in order may end within a tick.
        """
        assert self.report is not None
        if self.report.before is None or not self.output.shows_expiry:
            return np.zeros(ticks.size, np.bool_)
        reported = self.group[was_known & (ticks == self.report.before)]
        meets: NDArray[np.bool_] = np.isin(self.group, reported) & (leaves == self.report.before)
        return meets

    def table(self, schema: pa.Schema) -> pa.Table:
        """Return one row per group and window; `schema` has the types of group attributes."""
        result = aggregate_schema(self.program, self.output, schema)
        return finish(self.output, result, self.finished(schema))

    def finished(self, schema: pa.Schema) -> Finished:
        """Return everything that the columns of the result are made of."""
        groups = self._group_rows()
        exact = None
        if self.output.has_exact:
            exact = exact_counts(groups.values, lambda primes: self._residues(primes).values)
        sums = {
            number: self._exact_sums(groups.values, number, magnitude)
            for number, magnitude in signed_sums(self.output).items()
            if self.program.pair is None
            and not is_determined(as_double(groups.values, magnitude)).all()
        }
        bounds: Bounds = {}
        if rounded_sums(self.output):
            largest = largest_sizes(self.output, self.measures)
            bounds = bounds_by_largest(groups.values, self.output, largest)
        places = PlaceColumns(self.program, self.output, self.columns, schema)
        extremes = [
            each.values(groups.values.least[:, number])
            for number, each in enumerate(self.measures.sortables if self.output.minima else ())
        ]
        return Finished(
            places.table(groups), groups.values, exact, extremes, groups.is_expiry, sums, bounds
        )

    def _group_rows(self) -> GroupRows:
        """Return the values by the fastest way that there is."""
        if self.stream is not None:
            return self.stream
        is_contiguous = self.program.strategy is StrategyCode.CONTIGUOUS
        if self.program.adjacent is not None and is_contiguous and self.moments is None:
            rows = self._fold.plain_contiguous_rows()
            if rows is not None:
                return self._by_group(rows, np.zeros(rows.mantissa.shape[1], np.int64))
        return self.groups(self.measures.arrays())

    def _residues(self, primes: Sequence[int]) -> GroupRows:
        """Return the same rows with counts modulo primes as their numbers."""
        return self.groups(residues(primes, self.ordered.row.size))

    def _exact_sums(self, values: ValueRows, number: int, magnitude: int) -> list[int]:
        measures = self.measures.arrays()
        return exact_sums(
            values,
            magnitude,
            lambda primes: self.groups(sum_residues(primes, measures, number)).values,
        )

    def groups(self, measures: Measures) -> GroupRows:
        """Return the values per group and window, or per moment."""
        rows = self.rows(measures)
        if self.moments is not None:
            return self._by_moment(rows, self.moments, measures.moduli)
        return self._by_group(rows, measures.moduli)

    def _by_group(self, rows: ValueRows, moduli: Int64s) -> GroupRows:
        group, row = self.group_of_partition[rows.owner], self.partition_row[rows.owner]
        return add_groups(rows, group, row, moduli)

    @cached_property
    def _fold(self) -> PatternFold:
        """The pattern, or the first side of AND."""
        group = None if self.moments is None else self.group
        return PatternFold(
            self.program, self.ordered, self.columns, group, self.moments, self.wanted, self.threads
        )

    @cached_property
    def _folded_pair(self) -> FoldedPair | None:
        """Both sides of AND, if pairs need not be enumerated."""
        if self.program.pair is None or self.program.pair.folds is None:
            return None
        (_, first), (_, second) = self.sides
        group = None if self.moments is None else self.group
        return FoldedPair(
            self.program.pair.folds, first, second, self.columns, group, self.moments, self.wanted,
            self.threads,
        )  # fmt: skip

    def rows(self, measures: Measures) -> ValueRows:
        """Return the values per partition and window, or per moment."""
        if self.program.pair is None:
            return self._fold.rows(measures)
        both = measures, of_second_side(self.output, measures)
        if self._folded_pair is not None:
            return self._folded_pair.rows(both)
        tie_columns = self.program.pair.tie_columns
        return paired_rows(self.sides, self.columns, both, self._fold.places, tie_columns)

    def _by_moment(self, rows: ValueRows, moments: Moments, moduli: Int64s) -> GroupRows:
        """Return a row for every moment."""
        values = add_rows(rows, rows.window, moments.group.size, moduli)
        return GroupRows(self.ordered.row[moments.event], values, moments.is_expiry)
