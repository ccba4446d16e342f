"""What it costs to fold a set together, and each of its queries by itself: rough, from few facts.

Counted are events by kind, what every kind fires and touches, and how many windows are open: that
takes a moment, however many events there are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from cepheid.engine.shared.make_machine import SetTask
from cepheid.engine.shared.merged_arrays import MergedArrays
from cepheid.engine.trends.folds.panes import pane_length
from cepheid.kernels.position.fold_slots import LANE_STEPS, PANES, measure_windows
from cepheid.kernels.shared import merged_machine as machine
from cepheid.plan.sharing_costs import alone_costs, event_costs, part_costs
from cepheid.plan.window_costs import window_costs
from cepheid.program.program import Program
from cepheid.program.sharing.merged_program import WindowGroup
from cepheid.program.sharing.sharing_sets import only_counts, plain_test


class SetMeasures:
    """The costs of a set, in nanoseconds of one core."""

    def __init__(self, task: SetTask, arrays: MergedArrays) -> None:
        self.task, self.program = task, task.program
        self.lists, self.tables = arrays.lists, arrays.tables
        kinds = task.events.fires.view(np.int64) - 1
        self.counts = np.bincount(kinds, minlength=len(task.passes)).tolist()
        self.windows = [self._windows(each) for each in task.program.groups]

    def _windows(self, group: WindowGroup) -> tuple[float, float]:
        """Return how many windows a step is in, and how many panes there are."""
        events, length = self.task.events, group.length
        if length is None:
            return 1.0, 1.0
        slide, work = group.slide or length, np.zeros(PANES + 1, np.int64)
        measure_windows(events, length, slide, pane_length(length, slide), work)
        steps = max(1, events.step_offsets.size - 1)
        return max(1.0, work[LANE_STEPS] / steps), max(1.0, float(work[PANES]))

    def together(self) -> float:
        """Return what one fold costs that decides burst by burst."""
        is_counted, fired = self.program.is_count, 0.0
        touches: Counter[int] = Counter()
        steps: Counter[int] = Counter()
        taken: defaultdict[int, float] = defaultdict(float)
        for kind, count in enumerate(self.counts):
            for group, _ in self._fired(kind):
                fired += count * self.windows[group][0]
            for member in {each for _, some in self._fired(kind) for each in some}:
                touches[member] += count
            parts = self.lists[machine.PARTS][kind]
            for family, classes in zip(parts[::3], parts[2::3], strict=True):
                steps[family] += count
                taken[family] += count * self._lanes(family, classes)
        total = event_costs(sum(self.counts), fired, is_counted=is_counted)
        for number, part in enumerate(self.program.families):
            members = self.lists[machine.FAMILY_MEMBERS][number]
            touched = [(touches[each], self._open(each)) for each in members]
            cost = part_costs(steps[number], taken[number], touched, is_counted=is_counted)
            total += part.size * cost
        return total

    def _fired(self, kind: int) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield what an event does outside of parts: in which group, and the members around it."""
        for position in self.lists[machine.OWN][kind]:
            yield self.program.positions[position].group, self.lists[machine.TOUCHES][position]
        for query in self.lists[machine.NEGATIVE][kind][::2]:
            yield self.program.queries[query].group, self.lists[machine.GAP_TOUCHES][query]

    def _lanes(self, family: int, classes: int) -> float:
        """Return how many lanes the members of some classes have."""
        of_class = self.tables[machine.MEMBER_CLASS]
        members = self.lists[machine.FAMILY_MEMBERS][family]
        return sum(self._open(each) for each in members if classes >> of_class[each] & 1)

    def _open(self, member: int) -> float:
        return self.windows[self.tables[machine.MEMBER_GROUP][member]][0]

    def alone(self) -> float:
        """Return what a fold for each query costs."""
        groups = [each.group for each in self.program.queries]
        pairs = zip(self.program.programs, groups, strict=True)
        return sum(self._of_query(each, *self.windows[group]) for each, group in pairs)

    def _of_query(self, program: Program, opened: float, panes: float) -> float:
        own = {self.program.tests.index(plain_test(each)) for each in program.all_tests}
        passed = zip(self.counts, self.task.passes, strict=True)
        kept = sum(count for count, tests in passed if not own.isdisjoint(tests))
        if only_counts(program):
            return alone_costs(kept, opened, is_counted=True)
        assert program.slots is not None
        costs = window_costs(program.slots.size, opened, kept / panes)
        return alone_costs(kept, min(costs.vectors, costs.panes), is_counted=False)
