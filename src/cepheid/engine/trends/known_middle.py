"""WITHIN alone where the middle of the window is known as matrices: only both ends are folded.

A step of a stream has moments at new events. Of the events before, the oldest leave the window from
moment to moment. All others are in every window of the step. Most of these, the *middle*, are a
product of matrices (range_table.py), however many they are. The folded events are those before the
middle, which may leave, and those after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.partition_codes import partition_codes
from cepheid.engine.trends.aggregation import Aggregation
from cepheid.engine.trends.folds.fold_moving_window import values_at_moments
from cepheid.engine.trends.folds.panes import ready_panes
from cepheid.engine.trends.groups import GroupRows, add_rows
from cepheid.engine.trends.neighbour_events import NeedsAllEventsError
from cepheid.engine.trends.range_table import RangePanes, largest_of, merged_panes, read_panes
from cepheid.engine.trends.trends import Trends
from cepheid.engine.trends.windows.result_times import Moments
from cepheid.kernels.position.moving_window import NO_MIDDLE, Middles
from cepheid.kernels.position.pane_matrices import PaneMatrices
from cepheid.kernels.values.value_algebra import make_values
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values
from cepheid.program.arrow_arrays import take, to_arrow

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class KnownMiddle(Aggregation):
    """The aggregation of events at both ends, with the matrices of all between.

    The middle begins at tick `cut`; what comes first has the smaller RANGE. `schema` is that of the
    events.
    """

    middle: pa.Table
    cut: int
    schema: pa.Schema

    def groups(self, make_measures: Callable[[], Measures], trends: Trends) -> GroupRows:
        """Return the values per moment."""
        moments = self.events.moments
        assert moments is not None
        if not moments.group.size:
            return super().groups(make_measures, trends)
        if any(each.is_ranked for each in self.events.measures.sortables):
            raise NeedsAllEventsError
        moduli = np.zeros(trends.numbers + 1, np.int64)
        middles = self._middles(moments)
        rows = values_at_moments(self.events.program, self.events, make_measures(), middles)
        return self._by_moment(rows, moments, moduli)

    def _modular(self, measures: Measures) -> GroupRows:
        raise NeedsAllEventsError

    def _largest_sizes(self) -> list[float]:
        of_middle = largest_of(self.middle, self.events.output)
        return [max(each) for each in zip(super()._largest_sizes(), of_middle, strict=True)]

    def _middles(self, moments: Moments) -> Middles:
        """Return the matrices of partitions with events; and what others amount to, by group."""
        events, output = self.events, self.events.output
        program, slots, ordered = events.program, events.program.slots, events.ordered
        assert slots is not None
        found = read_panes(program, slots, output, self.schema, self.middle)
        panes, begins = merged_panes(found)
        panes = ready_panes(panes)
        first = found.order[begins]  # a row of every partition in the middle
        own = ordered.row[ordered.arrays.step_offsets[ordered.arrays.partition_offsets[:-1]]]
        place = self._places(program.partition_by, own, found, first)
        matrix = np.full(own.size, NO_MIDDLE)
        matrix[place[place >= 0]] = np.flatnonzero(place >= 0)
        count, alone = np.unique(moments.group).size, np.flatnonzero(place < 0)
        numbers, minima = panes.values.mantissa.shape[2], panes.values.least.shape[2]
        others = make_values(1, count, numbers, minima)
        if alone.size:
            shown = moments.event[np.unique(moments.group, return_index=True)[1]]
            attributes = [column for column, _ in output.groups]
            group = self._places(attributes, ordered.row[shown], found, first[alone])
            others = _totals(found, panes, alone, group, count)
        return Middles(self.cut, matrix, panes.values, others)

    def _places(
        self,
        attributes: list[str] | tuple[str, ...],
        rows: Int64s,
        found: RangePanes,
        wanted: Int64s,
    ) -> Int64s:
        """Return by wanted row of the middle the place of one of some events with its attributes.

        It is -1 where there is none.
        """
        columns = {
            name: pa.chunked_array(
                [
                    *_chunks(take(self.events.columns[name], to_arrow(rows)), kind.type),
                    *_chunks(take(found.columns[name], to_arrow(wanted)), kind.type),
                ]
            )
            for name in attributes
            for kind in [found.columns[name]]
        }
        codes = partition_codes(columns, attributes, rows.size + wanted.size)
        place = np.full(codes.size, -1)
        place[codes.code[: rows.size]] = np.arange(rows.size)
        result: Int64s = place[codes.code[rows.size :]]
        return result


def _totals(
    found: RangePanes, panes: PaneMatrices, chosen: Int64s, group: Int64s, count: int
) -> Values:
    """Return by group what the trends of some matrices amount to."""
    machine, moduli = found.machine, found.measures.moduli
    chosen, group = chosen[group >= 0], group[group >= 0]
    starts = np.flatnonzero(machine.initial)
    row = (chosen[:, None] * machine.owner.size + starts).repeat(machine.finals.size)
    slot = np.tile(machine.finals, chosen.size * starts.size)
    none = np.zeros(row.size, np.int64)
    rows = ValueRows(none, none, *(each[row, slot] for each in panes.values))
    keys = group.repeat(starts.size * machine.finals.size)
    return Values._make(each[None] for each in add_rows(rows, keys, count, moduli)[2:])


def _chunks(column: pa.Array | pa.ChunkedArray, kind: pa.DataType) -> list[pa.Array]:
    """Return a column as arrays of a type."""
    column = column.cast(kind)
    return column.chunks if isinstance(column, pa.ChunkedArray) else [column]
