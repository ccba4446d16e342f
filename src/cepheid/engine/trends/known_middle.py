"""WITHIN alone where the middle of the window is known as matrices: only both ends are folded.

A step of a stream has moments at new events. Of the events before, the oldest leave the window from
moment to moment, and all others are in every window of the step. These others, the *middle*, are a
product of matrices (range_table.py), however many they are. Moments take the place of time. Moment
i is the window [i, i + W) of clocks, where W is larger than the number of moments:

    an old event                  the last moment at which it is in the window
    the middle                    the number of moments
    a new event                   W - 1 + the first moment that sees it

So every window has what it should have, and windows are put together from panes as others are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.partition_codes import partition_codes
from cepheid.engine.trends.aggregation import Aggregation
from cepheid.engine.trends.folds.panes import rows_of_panes
from cepheid.engine.trends.groups import GroupRows, taken
from cepheid.engine.trends.range_table import (
    PANE,
    RangePanes,
    largest_of,
    matrix_rows,
    read_panes,
    with_clock,
)
from cepheid.engine.trends.trends import Trends
from cepheid.engine.trends.windows.result_times import Moments, MomentStretches, PairIndex
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.arrow_arrays import take, to_arrow

Int64s = NDArray[np.int64]
FIRST_RANGE, LAST_RANGE = -(2**63), 2**63 - 1


class NeedsAllEventsError(Exception):
    """A result does not follow from matrices: sums that cancel beyond 64 bits, or ranks."""


@dataclass(frozen=True)
class KnownMiddle(Aggregation):
    """The aggregation of old and new events, with the matrices of all between.

    `schema` is that of the events.
    """

    middle: pa.Table
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
        return self._by_moment(self._values(moments), moments, moduli)

    def _modular(self, measures: Measures) -> GroupRows:
        raise NeedsAllEventsError

    def _largest_sizes(self) -> list[float]:
        of_middle = largest_of(self.middle, self.events.output)
        return [max(each) for each in zip(super()._largest_sizes(), of_middle, strict=True)]

    def _values(self, moments: Moments) -> ValueRows:
        """Return rows of partitions and moments that have trends."""
        events, output = self.events, self.events.output
        program, slots = events.program, events.program.slots
        assert slots is not None
        first = np.unique(moments.group, return_index=True)[1]
        count = np.diff(np.append(first, moments.group.size))
        most = int(count.max(initial=0))
        ends = matrix_rows(
            events, slots, with_clock(events.ordered, self._clock(moments, most)), 1, self.schema,
            lambda pane: np.where(pane < most, FIRST_RANGE, LAST_RANGE),
        )  # fmt: skip
        place = self.middle.column_names.index(PANE)
        here = to_arrow(np.full(self.middle.num_rows, most))
        middle = self.middle.set_column(place, ends.schema.field(PANE), here)
        table = pa.concat_tables([ends, middle])
        panes = read_panes(program, slots, output, self.schema, table)
        machine, measures = panes.machine, panes.measures
        windows = rows_of_panes(machine, measures, [panes.panes], most + 2, 1, (0, most - 1))
        group = self._group_of(panes, moments, first)[windows.owner]
        found = np.flatnonzero((group >= 0) & (windows.window < count[group]))
        rows = taken(windows, found)
        return rows._replace(window=first[group[found]] + rows.window)

    def _clock(self, moments: Moments, most: int) -> Int64s:
        """Return where every event is in the time of moments."""
        events, ordered, report = self.events, self.events.ordered, self.events.report
        assert report is not None
        group = events.group
        begins = np.searchsorted(moments.group, group)
        event = np.arange(group.size)
        leaves = MomentStretches(events.program, ordered, group, moments).end(event) - begins - 1
        is_known = report.is_known(ordered.arrays.clock, ordered.row)
        return np.where(is_known, leaves, most + 1 + self._seen(moments) - begins)

    def _seen(self, moments: Moments) -> Int64s:
        """Return the first moment that sees an event; one past the last of its group if none."""
        events, ordered = self.events, self.events.ordered
        times, clock = PairIndex(moments.group, moments.time), ordered.arrays.clock
        seen = times.first_from(events.group, clock)
        end = times.first_after(events.group, clock)
        ranks = np.append(moments.rank, 0)
        while True:  # moments of one tick are few
            is_earlier = (seen < end) & (ranks[seen] < ordered.key_rank)
            if not is_earlier.any():
                return seen
            seen = seen + is_earlier

    def _group_of(self, panes: RangePanes, moments: Moments, first: Int64s) -> Int64s:
        """Return by partition of the matrices the place of its group among those with moments."""
        attributes = [column for column, _ in self.events.output.groups]
        begins = np.flatnonzero(np.append(True, np.diff(panes.panes.owner) != 0))
        owners = panes.order[begins[: panes.panes.owner.size]]
        if not attributes:
            return np.zeros(owners.size, np.int64)
        rows = to_arrow(self.events.ordered.row[moments.event[first]])
        columns = {
            name: pa.chunked_array(
                [
                    *_chunks(take(self.events.columns[name], rows), panes.columns[name].type),
                    *_chunks(take(panes.columns[name], to_arrow(owners)), panes.columns[name].type),
                ]
            )
            for name in attributes
        }
        codes = partition_codes(columns, attributes, first.size + owners.size).code
        place = np.full(codes.max(initial=0) + 1, -1)
        place[codes[: first.size]] = np.arange(first.size)
        found: Int64s = place[codes[first.size :]]
        return found


def _chunks(column: pa.Array | pa.ChunkedArray, kind: pa.DataType) -> list[pa.Array]:
    """Return a column as arrays of a type."""
    column = column.cast(kind)
    return column.chunks if isinstance(column, pa.ChunkedArray) else [column]
