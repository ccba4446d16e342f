"""What it costs to fold a set together, and each of its queries by itself: rough, from few facts.

Counted are events by kind, what every kind fires and touches, and how many windows are open: that
takes a moment, however many events there are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from cepheid.engine.shared.make_machine import SetTask
from cepheid.engine.shared.merged_arrays import MergedArrays
from cepheid.engine.trends.folds.panes import pane_length
from cepheid.kernels.position.fold_slots import LANE_STEPS, PANES, measure_windows
from cepheid.kernels.shared import merged_machine as machine
from cepheid.plan.sharing_costs import (
    ALONE,
    COUNTED_UPDATE,
    IN_PANES,
    OWN_ROW,
    PANE_QUERY,
    PANE_UPDATE,
    PLAIN_EVENT,
    PLAIN_FIRED,
    PLAIN_LANE,
    QUERY_OF_SET,
    ROW,
    SET,
    Touched,
    alone_costs,
    occupied,
    pane_costs,
    part_costs,
    set_costs,
    update_costs,
)
from cepheid.plan.window_costs import window_costs
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.program.sharing.merged_program import MergedProgram, WindowGroup
from cepheid.program.sharing.pane_program import PaneProgram
from cepheid.program.sharing.sharing_sets import only_counts, plain_test

SAMPLES, SAMPLED = 8, 256  # stretches of steps in which panes are counted, and their length
LARGE_SAMPLE = 4096  # the length of stretches of whole partitions in which windows are measured


class SetMeasures:
    """The costs of a set, in nanoseconds of one core."""

    def __init__(self, task: SetTask) -> None:
        self.task, self.program = task, task.program
        kinds = task.events.fires.view(np.int64) - 1
        self.counts: list[int] = np.bincount(kinds, minlength=len(task.passes)).tolist()
        self.windows = [self._windows(each) for each in task.program.groups]

    def _windows(self, group: WindowGroup) -> tuple[float, float]:
        """Return how many windows a step is in, and how many panes there are."""
        if group.length is None:
            return 1.0, 1.0
        slide = group.slide or group.length
        lanes, panes = self._measured(group.length, slide, pane_length(group.length, slide))
        return lanes, panes

    def _measured(self, length: int, slide: int, pane: int) -> tuple[float, float]:
        events, work = self.task.events, np.zeros(PANES + 1, np.int64)
        lanes, panes, steps = 0, 0, 0
        for some in self._sample:
            offsets = events.partition_offsets[some.start : some.stop + 1]
            some_events = events._replace(partition_offsets=offsets)
            measure_windows(some_events, length, slide, pane, work)
            lanes, panes = lanes + int(work[LANE_STEPS]), panes + int(work[PANES])
            steps += int(offsets[-1] - offsets[0])
        every = max(1, events.step_offsets.size - 1)
        return max(1.0, lanes / max(1, steps)), max(1.0, panes * every / max(1, steps))

    @cached_property
    def _sample(self) -> list[range]:
        """The partitions in which windows are measured: some if there are many small ones."""
        offsets = self.task.events.partition_offsets
        count, steps = offsets.size - 1, int(offsets[-1])
        if steps < 2 * SAMPLES * LARGE_SAMPLE or int(np.diff(offsets).max()) > SAMPLED:
            return [range(count)]
        begins = np.arange(SAMPLES) * (steps // SAMPLES)
        firsts, lasts = np.searchsorted(offsets[:-1], [begins, begins + LARGE_SAMPLE])
        return [range(*each) for each in zip(firsts.tolist(), lasts.tolist(), strict=True)]

    def together(self, arrays: MergedArrays) -> float:
        """Return what one fold costs that keeps a lane for every window."""
        lanes = [lanes for lanes, _ in self.windows]
        filled = [self._filled(each) for each in self.program.groups]
        folded = _Folded(self.program, arrays, self.counts, lanes, filled).cost()
        return self._fixed + folded + self.rows * ROW

    def least_together(self) -> float:
        """Return what one fold costs at least that keeps a lane for every window.

        That is without parts, so that the set need not be made into lists and tables.
        """
        of_parts = {e for part in self.program.families for m in part.members for e in m.positions}
        lanes_of_test: defaultdict[int, float] = defaultdict(float)
        for number, each in enumerate(self.program.positions):
            if number not in of_parts:
                lanes_of_test[each.test] += self.windows[each.group][0]
        fired = sum(
            count * sum(lanes_of_test.get(test, 0.0) for test in tests)
            for count, tests in zip(self.counts, self.task.passes, strict=True)
        )
        costs = set_costs(is_counted=self.program.is_count)
        events = sum(self.counts) * costs.event
        return self._fixed + events + fired * costs.fired + self.rows * ROW

    def counted(self, arrays: MergedArrays) -> float:
        """Return what one fold with plain numbers costs: a vector of all windows of a group."""
        fired = 0.0
        for kind, count in enumerate(self.counts):
            for position in arrays.lists[machine.OWN][kind]:
                lanes, _ = self.windows[self.program.positions[position].group]
                fired += count * (PLAIN_FIRED + PLAIN_LANE * lanes)
        return self._fixed + sum(self.counts) * PLAIN_EVENT + fired + self.rows * OWN_ROW

    def _filled(self, group: WindowGroup) -> float:
        """Return the part of all events that a window of a partition has, about."""
        clock, partitions = self.task.events.clock, self.task.events.partition_offsets.size - 1
        if clock.size == 0 or group.length is None:
            return 1.0 / max(1, partitions)
        span = float(clock.max()) - float(clock.min()) + 1.0
        return min(1.0, group.length / span) / partitions

    def in_panes(self, panes: PaneProgram, arrays: MergedArrays) -> float:
        """Return what one fold costs that keeps panes of all windows."""
        _, count = self._measured(panes.pane, panes.pane, panes.pane)
        lanes = [1.0] * len(panes.program.groups)
        filled = [inf] * len(lanes)  # they begin with runs
        cost = _Folded(panes.program, arrays, self.counts, lanes, filled, count).cost()
        values = sum(map(len, panes.entries))
        return (
            self._fixed_in_panes
            + IN_PANES * cost
            + count * pane_costs(self._slots, values, self._width)
        )

    def least_in_panes(self, pane: int) -> float:
        """Return what one fold in panes costs at least: without what depends on the lanes.

        Panes are counted in a sample.
        """
        count = self._sampled_panes(pane)
        costs = set_costs(is_counted=self.program.is_count)
        events = IN_PANES * sum(self.counts) * costs.event
        of_panes = count * pane_costs(self._slots, sum(self._slots), self._width)
        return self._fixed_in_panes + events + of_panes

    def _sampled_panes(self, pane: int) -> float:
        """Return how many panes there are, about: of partitions in the same pane one may lack."""
        first_events, changes, compared = self.task.events.step_offsets[:-1], 0, 0
        for begin in range(0, first_events.size, max(SAMPLED, first_events.size // SAMPLES)):
            clock = self.task.events.clock[first_events[begin : begin + SAMPLED]]
            changes += int(np.count_nonzero(np.diff(clock // pane)))
            compared += max(0, clock.size - 1)
        return 1.0 + changes * max(0, first_events.size - 1) / max(1, compared)

    @property
    def _fixed(self) -> float:
        return SET + QUERY_OF_SET * len(self.program.queries)

    @property
    def _fixed_in_panes(self) -> float:
        return self._fixed + PANE_QUERY * len(self.program.queries) + self.rows * OWN_ROW

    @property
    def _width(self) -> int:
        return self.program.number_count + self.program.minimum_count

    @property
    def _slots(self) -> list[int]:
        return [len(each.slots) for each in self.program.queries]

    def alone(self) -> float:
        """Return what a fold for each query costs."""
        groups = [each.group for each in self.program.queries]
        pairs = zip(self.program.programs, groups, strict=True)
        folded = sum(self._of_query(each, *self.windows[group]) for each, group in pairs)
        return ALONE + folded + self.rows * OWN_ROW

    @cached_property
    def rows(self) -> float:
        """How many rows of partitions and windows all queries have, about."""
        groups = [each.group for each in self.program.queries]
        return sum(map(self._rows, self.program.programs, groups))

    def _rows(self, program: Program, group: int) -> float:
        """Return in how many windows an event ends a trend, where runs have begun.

        Windows in which a partition has the same events are several rows: those of a short ride
        are in as many as may be open at once.
        """
        length, slide = self.program.groups[group].length, self.program.groups[group].slide
        if length is None:
            return 0.0
        lanes, panes = self.windows[group]
        overlap = length / (slide or length)
        begins, ends = (
            self._passing(program, mask)
            for mask in (program.automaton.first, program.automaton.last)
        )
        return min(ends * overlap, panes * overlap / lanes) * occupied(begins * lanes / panes)

    def _passing(self, program: Program, positions: int) -> int:
        """Return how many events pass a test of some positions."""
        tests = {
            self.program.tests.index(plain_test(test))
            for position, test in enumerate(program.tests)
            if positions >> position & 1
        }
        passed = zip(self.counts, self.task.passes, strict=True)
        return sum(count for count, some in passed if not tests.isdisjoint(some))

    def _of_query(self, program: Program, opened: float, panes: float) -> float:
        own = {self.program.tests.index(plain_test(each)) for each in program.all_tests}
        passed = zip(self.counts, self.task.passes, strict=True)
        kept = sum(count for count, tests in passed if not own.isdisjoint(tests))
        assert program.slots is not None
        assert isinstance(program.output, AggregateOutput)
        is_plain = only_counts(program)
        partitions = self.task.events.partition_offsets.size - 1
        costs = window_costs(program.slots.size, opened, kept / panes, is_plain=is_plain)
        if is_plain:
            updates = min(COUNTED_UPDATE * opened, PANE_UPDATE * costs.panes)
        else:
            updates = update_costs(costs, has_numbers=bool(program.output.numbers))
        return alone_costs(kept, updates, partitions)


@dataclass(frozen=True)
class _Folded:
    """A program that decides burst by burst, how many events of a kind there are, and lanes.

    `filled` is by window group the part of all events that one lane of it has. Every member is
    touched in all lanes once more `closed` times.
    """

    program: MergedProgram
    arrays: MergedArrays
    counts: Sequence[int]
    open_lanes: Sequence[float]
    filled: Sequence[float]
    closed: float = 0.0

    def cost(self) -> float:
        """Return what the fold costs, beside what it costs for no events."""
        is_counted, fired = self.program.is_count, 0.0
        touches: Counter[int] = Counter()
        steps: Counter[int] = Counter()
        taken: defaultdict[int, float] = defaultdict(float)
        for kind, count in enumerate(self.counts):
            for group, _ in self._fired(kind):
                fired += count * self.open_lanes[group]
            for member in {each for _, some in self._fired(kind) for each in some}:
                touches[member] += count
            parts = self.arrays.lists[machine.PARTS][kind]
            for family, classes in zip(parts[::3], parts[2::3], strict=True):
                steps[family] += count
                taken[family] += count * self._lanes(family, classes)
        costs = set_costs(is_counted=is_counted)
        total = sum(self.counts) * costs.event + fired * costs.fired
        for number, part in enumerate(self.program.families):
            members = self.arrays.lists[machine.FAMILY_MEMBERS][number]
            touched = [self._touched(each, touches[each]) for each in members]
            cost = part_costs(steps[number], taken[number], touched, costs, is_counted=is_counted)
            total += part.size * cost
        return total

    def _touched(self, member: int, times: float) -> Touched:
        """Return what is known of a member; half of what touches it begins runs, about."""
        group = self.arrays.tables[machine.MEMBER_GROUP][member]
        begun = occupied(times / 2 * self.filled[group]) if self.filled[group] < inf else 1.0
        return Touched(times + self.closed, self._open(member), begun)

    def _fired(self, kind: int) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield what an event does outside of parts: in which group, and the members around it."""
        lists = self.arrays.lists
        for position in lists[machine.OWN][kind]:
            yield self.program.positions[position].group, lists[machine.TOUCHES][position]
        for query in lists[machine.NEGATIVE][kind][::2]:
            yield self.program.queries[query].group, lists[machine.GAP_TOUCHES][query]

    def _lanes(self, family: int, classes: int) -> float:
        """Return how many lanes the members of some classes have."""
        of_class = self.arrays.tables[machine.MEMBER_CLASS]
        members = self.arrays.lists[machine.FAMILY_MEMBERS][family]
        return sum(self._open(each) for each in members if classes >> of_class[each] & 1)

    def _open(self, member: int) -> float:
        return self.open_lanes[self.arrays.tables[machine.MEMBER_GROUP][member]]
