"""`P1 AND P2` in an aggregate whose sides are added up apart: no trend is built for being paired.

A pair is formed inside a partition. So with WITHIN alone, where the partitions of a group share its
moments, every partition gets moments of its own, as if it were a group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.fold import Facts, Folding
from cepheid.engine.trends.folds.pair_values import pair_values
from cepheid.engine.trends.measures import of_second_side
from cepheid.engine.trends.trend_events import TrendEvents
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.trends import Trends
from cepheid.engine.trends.windows.result_times import Moments
from cepheid.engine.trends.windows.stretches import recent_stretches
from cepheid.engine.trends.windows.wanted_windows import WantedWindows
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.program import FoldedSides

Int64s = NDArray[np.int64]


def sides_apart(task: TrendTask, facts: Facts) -> ValueRows:
    """Return the value of every partition and place that has a pair."""
    events, pair = task.events, task.group.program.pair
    assert isinstance(events, TrendEvents)
    assert pair is not None
    assert pair.folds is not None
    both = task.measures, of_second_side(events.output, task.measures)
    return FoldedPair(pair.folds, events, task.folding, task.group.sides).rows(both)


@dataclass(frozen=True)
class SideEvents:
    """The events as one side sees them; see PatternEvents."""

    columns: Mapping[str, Any]
    length: int
    threads: int
    ordered: OrderedEvents
    group: Int64s
    moments: Moments | None
    wanted: WantedWindows | None


@dataclass(frozen=True)
class FoldedPair:
    """Both sides, with the events as each sees them."""

    folds: FoldedSides
    events: TrendEvents
    folding: Folding
    sides: tuple[Trends, ...]

    def rows(self, measures: tuple[Measures, Measures]) -> ValueRows:
        """Return the value of every partition and place that has a pair; measures are by side."""
        one = self._rows(0, self._first, measures[0])
        other = self._rows(1, self._second, measures[1])
        common = None
        if self.folds.common is not None:
            counted = self._at_pairs_of_positions(measures[0])
            common = self._rows(2, self._seen_by_both(), counted)
        rows = pair_values(one, other, common, measures[0].moduli)
        moments = self.events.moments
        if moments is None:
            return rows
        moment = self._own_moments[1][rows.window]
        return rows._replace(owner=moments.group[moment], window=moment)

    @property
    def _first(self) -> OrderedEvents:
        return self.events.sides[0][1]

    @property
    def _second(self) -> OrderedEvents:
        return self.events.sides[1][1]

    def _rows(self, number: int, ordered: OrderedEvents, measures: Measures) -> ValueRows:
        events, own, group = self.events, None, ordered.partition_of_event
        if events.moments is not None:
            own = self._own_moments[0]
        side = SideEvents(
            events.columns, events.length, events.threads, ordered, group, own, events.wanted
        )
        task = TrendTask(self.sides[number], side, lambda: measures, self.folding)
        rows: ValueRows = self.folding.fold(task)
        return rows

    @cached_property
    def _own_moments(self) -> tuple[Moments, Int64s]:
        """The moments of every partition, and for each of them the group's moment that it is.

        A partition without events in the window has none.
        """
        events, moments = self.events, self.events.moments
        assert moments is not None
        found = recent_stretches(self.folds.first, self._first, events.group, moments)
        moment = found.moment
        own = Moments(
            found.partition,
            moments.time[moment],
            moments.rank[moment],
            moments.event[moment],
            moments.is_expiry[moment],
            moments.is_shown[moment],
        )
        return own, moment

    def _at_pairs_of_positions(self, measures: Measures) -> Measures:
        """Return what trends of both sides add up; their events count alike on either side.

        A minimum of pairs needs no other than those of the sides.
        """
        positions = np.zeros_like(measures.positions)
        for number, (first, _) in enumerate(self.folds.common_positions):
            counts = measures.positions & np.uint64(first) != 0
            positions |= counts.astype(np.uint64) << np.uint64(number)
        return measures._replace(
            positions=positions,
            least_positions=measures.least_positions[:0],
            least=measures.least[:0],
        )

    def _seen_by_both(self) -> OrderedEvents:
        """Return the events with the masks of pairs of positions."""
        one, other = self._first.arrays.fires, self._second.arrays.fires
        fires = np.zeros_like(one)
        for number, (first, second) in enumerate(self.folds.common_positions):
            fits = one & np.uint64(first) == np.uint64(first)
            fits &= other & np.uint64(second) == np.uint64(second)
            fires |= fits.astype(np.uint64) << np.uint64(number)
        return replace(
            self._first,
            arrays=self._first.arrays._replace(fires=fires),
            negative_fires=(
                *self._first.negative_fires[: len(self.folds.first.negative_tests)],
                *self._second.negative_fires,
            ),
        )
