"""Add up the trends of one pattern, by the method that its program has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs, read_columns
from cepheid.engine.trends.folds.fold_last_events import adjacent_rows, plain_contiguous_rows
from cepheid.engine.trends.folds.fold_matches import enumerated_rows
from cepheid.engine.trends.folds.fold_moving_window import recent_rows
from cepheid.engine.trends.folds.fold_positions import linear_rows
from cepheid.engine.trends.windows.result_times import Moments
from cepheid.engine.trends.windows.stretches import (
    WindowedSegments,
    make_segments,
    recent_segments,
)
from cepheid.engine.trends.windows.wanted_windows import WantedWindows
from cepheid.engine.trends.windows.windows_of_match import (
    MomentPlaces,
    PartitionPlaces,
    Places,
    WindowPlaces,
)
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.program.program import Program

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class PatternFold:
    """A pattern, the events as it sees them, and where its trends are added up.

    `moments` are those of WITHIN alone; then `group` has the group of every event. `wanted` are the
    windows to report, None for all.
    """

    program: Program
    ordered: OrderedEvents
    columns: Mapping[str, Any]
    group: Int64s | None
    moments: Moments | None
    wanted: WantedWindows | None
    threads: int

    @cached_property
    def places(self) -> Places:
        """Where enumerated trends are added up."""
        if self.moments is not None:
            assert self.group is not None
            return MomentPlaces(self.program, self.ordered, self.group, self.moments)
        if self.program.slide is not None:
            return WindowPlaces(self.program, self.ordered, self.wanted)
        return PartitionPlaces(self.ordered)

    @cached_property
    def _predicates(self) -> PredicateInputs:
        """What predicates across events read."""
        return read_columns(self.program, self.ordered, self.columns, threads=self.threads)

    def rows(self, measures: Measures) -> ValueRows:
        """Return the values per partition and window, or per moment."""
        slots = self.program.slots
        if slots is not None and self.moments is not None:
            assert self.group is not None
            return recent_rows(
                self.program, slots, self.ordered, self.group, self.moments, measures
            )
        if slots is not None:
            return linear_rows(
                self.program, slots, self.ordered, measures, self.threads, self.wanted
            )
        if self.program.adjacent is not None:
            return adjacent_rows(
                self.program,
                self.ordered,
                self._predicates,
                measures,
                self._segments(),
                self.threads,
            )
        return enumerated_rows(self.program, self.ordered, self.columns, measures, self.places)

    def plain_contiguous_rows(self) -> ValueRows | None:
        """Return the same of contiguous trends without measures; None if that will not do."""
        return plain_contiguous_rows(
            self.program, self.ordered, self._predicates, self._segments(), self.threads
        )

    def _segments(self) -> WindowedSegments:
        if self.moments is None:
            return make_segments(self.program, self.ordered.arrays, self.wanted)
        assert self.group is not None
        return recent_segments(self.program, self.ordered, self.group, self.moments)
