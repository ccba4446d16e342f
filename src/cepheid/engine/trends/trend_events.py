"""The events of an aggregate query, and what is asked of them; each made when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents, order_events
from cepheid.engine.events.partition_codes import partition_codes
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.matches.match_pairs import seen_by_second
from cepheid.engine.trends.measures import EventMeasures
from cepheid.engine.trends.windows.result_times import Moments, find_moments
from cepheid.engine.trends.windows.wanted_windows import (
    WantedWindows,
    kept_events,
    needed_events,
    wanted_windows,
)
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.position_masks import TakenColumns
from cepheid.program.program import Clock, Program
from cepheid.program.run_record import RunRecord

Int64s = NDArray[np.int64]


class PatternEvents(Protocol):
    """The events as one pattern sees them.

    `moments` are those of WITHIN alone; then `group` has the group of every event. `wanted` are the
    windows to report, None for all.
    """

    @property
    def columns(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def length(self) -> int: ...  # noqa: D102
    @property
    def threads(self) -> int: ...  # noqa: D102
    @property
    def ordered(self) -> OrderedEvents: ...  # noqa: D102
    @property
    def group(self) -> Int64s: ...  # noqa: D102
    @property
    def moments(self) -> Moments | None: ...  # noqa: D102
    @property
    def wanted(self) -> WantedWindows | None: ...  # noqa: D102


@dataclass(frozen=True)
class TrendEvents:
    """So many events, given by their columns.

    With `report` they are those of a stream that still matter; those that are not settled do not
    count, and rows are those that became final in its last step.
    """

    program: Program
    output: AggregateOutput
    columns: Mapping[str, Any]
    length: int
    threads: int = 1
    report: ReportRange | None = None
    record: RunRecord | None = None

    @cached_property
    def ordered(self) -> OrderedEvents:
        """The events as the kernels see them."""
        if self.record is None:
            return self._ordered()
        with self.record.stage("order"):
            ordered = self._ordered()
        self.record.count("events that matter", ordered.row.size)
        self.record.count("partitions", ordered.arrays.partition_offsets.size - 1)
        return ordered

    def _ordered(self) -> OrderedEvents:
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
        if self.report is None or self.program.slide is None:
            return None
        if self.ordered.horizons is None:
            return None
        return wanted_windows(self.program, self.ordered.horizons)

    @property
    def dropped(self) -> int:
        """How many events belong to no partition."""
        return self.ordered.dropped if self.program.partition_by else 0

    @cached_property
    def measures(self) -> EventMeasures:
        """What events contribute."""
        return EventMeasures(self.output, self.columns, self.ordered.row, threads=self.threads)

    @cached_property
    def group(self) -> Int64s:
        """The number of every event's group."""
        return group_of_event(self.output, self.columns, self.length, self.ordered.row)

    @cached_property
    def partition_row(self) -> Int64s:
        """The row of an event of every partition; without partitions no row is looked at."""
        if not self.program.partition_by and not self.output.groups:
            return np.zeros(1, np.int64)
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


def group_of_event(
    output: AggregateOutput, columns: Mapping[str, Any], length: int, row: Int64s
) -> Int64s:
    """Return the number of the group of every event, of which each is a row of so many."""
    attributes = [column for column, _ in output.groups]
    if not attributes:
        return np.zeros(row.size, np.int64)
    return partition_codes(columns, attributes, length).code[row]
