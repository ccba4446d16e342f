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
from cepheid.engine.trends.folds.pair_values import pair_values
from cepheid.engine.trends.pattern_fold import PatternFold
from cepheid.engine.trends.windows.result_times import Moments
from cepheid.engine.trends.windows.stretches import recent_stretches
from cepheid.engine.trends.windows.wanted_windows import WantedWindows
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.program import FoldedSides, Program

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class FoldedPair:
    """Both sides, with the events as each sees them; the rest is as in PatternFold."""

    folds: FoldedSides
    first: OrderedEvents
    second: OrderedEvents
    columns: Mapping[str, Any]
    group: Int64s | None
    moments: Moments | None
    wanted: WantedWindows | None
    threads: int

    def rows(self, measures: tuple[Measures, Measures]) -> ValueRows:
        """Return the value of every partition and place that has a pair; measures are by side."""
        one, other = (side.rows(each) for side, each in zip(self._sides, measures, strict=True))
        common = None
        if self._common is not None:
            common = self._common.rows(self._at_pairs_of_positions(measures[0]))
        rows = pair_values(one, other, common, measures[0].moduli)
        if self.moments is None:
            return rows
        moment = self._own_moments[1][rows.window]
        return rows._replace(owner=self.moments.group[moment], window=moment)

    @cached_property
    def _sides(self) -> tuple[PatternFold, PatternFold]:
        return (
            self._fold(self.folds.first, self.first),
            self._fold(self.folds.second, self.second),
        )

    @cached_property
    def _common(self) -> PatternFold | None:
        program = self.folds.common
        return None if program is None else self._fold(program, self._seen_by_both())

    def _fold(self, program: Program, ordered: OrderedEvents) -> PatternFold:
        own, group = None, None
        if self.moments is not None:
            own, group = self._own_moments[0], ordered.partition_of_event
        return PatternFold(program, ordered, self.columns, group, own, self.wanted, self.threads)

    @cached_property
    def _own_moments(self) -> tuple[Moments, Int64s]:
        """The moments of every partition, and for each of them the group's moment that it is.

        A partition without events in the window has none.
        """
        assert self.moments is not None
        assert self.group is not None
        found = recent_stretches(self.folds.first, self.first, self.group, self.moments)
        moment = found.moment
        own = Moments(
            found.partition,
            self.moments.time[moment],
            self.moments.rank[moment],
            self.moments.event[moment],
            self.moments.is_expiry[moment],
            self.moments.is_shown[moment],
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
        one, other = self.first.arrays.fires, self.second.arrays.fires
        fires = np.zeros_like(one)
        for number, (first, second) in enumerate(self.folds.common_positions):
            fits = one & np.uint64(first) == np.uint64(first)
            fits &= other & np.uint64(second) == np.uint64(second)
            fires |= fits.astype(np.uint64) << np.uint64(number)
        return replace(
            self.first,
            arrays=self.first.arrays._replace(fires=fires),
            negative_fires=(
                *self.first.negative_fires[: len(self.folds.first.negative_tests)],
                *self.second.negative_fires,
            ),
        )
