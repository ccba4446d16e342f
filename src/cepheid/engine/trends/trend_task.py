"""The trends of one pattern that are to be added up: what the program says, and the events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs, read_columns
from cepheid.engine.fold import Folding
from cepheid.engine.trends.folds.last_event_indexes import EdgeIndexes, edge_indexes
from cepheid.engine.trends.folds.slot_task import SlotTask, slot_task
from cepheid.engine.trends.trend_events import PatternEvents
from cepheid.engine.trends.trends import Trends
from cepheid.engine.trends.windows.stretches import (
    WindowedSegments,
    make_segments,
    recent_segments,
)
from cepheid.engine.trends.windows.windows_of_match import (
    MomentPlaces,
    PartitionPlaces,
    Places,
    WindowPlaces,
)
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values


@dataclass(frozen=True)
class TrendTask:
    """Trends with the events of their pattern; `make_measures` gives what events contribute."""

    group: Trends
    events: PatternEvents
    make_measures: Callable[[], Measures]
    folding: Folding

    @property
    def ordered(self) -> OrderedEvents:
        """The events as the kernels see them."""
        return self.events.ordered

    @cached_property
    def measures(self) -> Measures:
        """What events contribute."""
        self.events.ordered  # noqa: B018  its time is its own
        with self.folding.record.stage("measures"):
            return self.make_measures()

    @cached_property
    def predicates(self) -> PredicateInputs:
        """What predicates across events read."""
        ordered, events = self.events.ordered, self.events
        with self.folding.record.stage("predicates"):
            return read_columns(self.group.program, ordered, events.columns, threads=events.threads)

    @cached_property
    def indexes(self) -> EdgeIndexes:
        """Where edges look up what they extend."""
        program, predicates = self.group.program, self.predicates
        with self.folding.record.stage("indexes"):
            return edge_indexes(program, self.ordered, predicates.columns)

    @cached_property
    def slot_task(self) -> SlotTask:
        """What folds of values per position read."""
        program = self.group.program
        assert program.slots is not None
        return slot_task(program, program.slots, self.ordered, self.measures)

    @cached_property
    def segments(self) -> WindowedSegments:
        """The stretches of steps that trends are added up in."""
        program, events = self.group.program, self.events
        if events.moments is None:
            return make_segments(program, events.ordered.arrays, events.wanted)
        return recent_segments(program, events.ordered, events.group, events.moments)

    @cached_property
    def places(self) -> Places:
        """Where enumerated trends are added up."""
        program, events = self.group.program, self.events
        if events.moments is not None:
            return MomentPlaces(program, events.ordered, events.group, events.moments)
        if program.slide is not None:
            return WindowPlaces(program, events.ordered, events.wanted)
        return PartitionPlaces(events.ordered)

    def rows_of_segments(self, values: Values) -> ValueRows:
        """Return a row for every partition, or for every window in which its segment has trends."""
        windows = self.segments
        kept, owner, window = windows.segment, windows.owner, windows.window
        if self.group.program.window_length is not None:
            has_runs = values.mantissa[0, kept, 0] != 0
            kept, owner, window = kept[has_runs], owner[has_runs], window[has_runs]
        return ValueRows(owner, window, *(each[0, kept] for each in values))
