"""Fold the queries of a sharing set in one pass over the events."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.fold import Facts, Folding, TooLarge
from cepheid.engine.matches.match_chunks import split_partitions
from cepheid.engine.process.threads import side_by_side
from cepheid.engine.shared.count_set import SetCounter
from cepheid.engine.shared.make_machine import SetTask, make_machine, table_of
from cepheid.engine.shared.merged_arrays import MergedArrays
from cepheid.engine.shared.policy import Policy
from cepheid.engine.shared.recorded_bursts import (
    Recorded,
    joined_records,
    nothing_recorded,
    recorded_of,
)
from cepheid.engine.shared.set_costs import SetMeasures
from cepheid.engine.shared.set_windows import SetWindows, of_query
from cepheid.engine.shared.shared_folds import Alone, SharedSet
from cepheid.engine.trends.groups import taken
from cepheid.engine.trends.value_rows import counts_only, first_rows, joined_rows, make_rows
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.position.fold_slots import MOST_LANES, PANES, measure_windows
from cepheid.kernels.shared.fold_merged import fold_merged
from cepheid.kernels.shared.merged_machine import COUNTERS, SHARED_BURSTS, MergedEvents
from cepheid.kernels.shared.merged_windows import IS_OPEN, ROWS
from cepheid.kernels.values.value_arrays import Measures, ValueRows
from cepheid.plan.sharing_costs import CLEAR_GAIN, sharing_costs
from cepheid.program.sharing.merged_program import MergedProgram, WindowGroup
from cepheid.program.sharing.pane_program import (
    PaneProgram,
    common_pane,
    pane_program,
    why_no_panes,
)

Int64s = NDArray[np.int64]
ROWS_AT_ONCE, ROWS_OF_PANES = 1 << 14, 1 << 17
MANY_WINDOWS = 128  # that an event is in: then it is worth to count how many are open at once


@dataclass(frozen=True, slots=True)
class FoldedSet:
    """The rows of every query, what was counted, and the bursts if they were to be recorded.

    `is_plain`: they were counted with plain numbers, without decisions. `is_in_panes`: windows were
    put together from panes.
    """

    rows: tuple[ValueRows, ...]
    counters: Int64s
    recorded: Recorded
    is_plain: bool
    is_in_panes: bool = False


@dataclass(frozen=True)
class SetFolding:
    """A set that is to be folded, on some threads."""

    task: SetTask
    threads: int

    @property
    def group(self) -> SharedSet:
        """What folds are chosen by."""
        task = self.task
        return SharedSet(task.program, task.policy, bool(task.most_records), task.stays)

    @cached_property
    def lanes(self) -> list[int]:
        """How many vectors every window group needs at once, at most."""
        return [open_lanes(self.task.events, each) for each in self.task.program.groups]

    @cached_property
    def counter(self) -> SetCounter:
        """What counts with plain numbers."""
        task = self.task
        is_lazy = task.policy is not Policy.NEVER
        return SetCounter(task.program, task.passes, self.lanes, is_lazy=is_lazy)

    @cached_property
    def arrays(self) -> MergedArrays:
        """The set as lists and tables of numbers."""
        return MergedArrays(self.task.program, self.task.passes)

    @cached_property
    def costs(self) -> SetMeasures:
        """What it costs to fold them together, or each by itself."""
        return SetMeasures(self.task)

    @cached_property
    def panes(self) -> PaneProgram:
        """The set in panes."""
        return pane_program(self.task.program)

    @cached_property
    def pane_arrays(self) -> MergedArrays:
        """The set in panes as lists and tables of numbers."""
        return MergedArrays(self.panes.program, self.task.passes)

    @cached_property
    def together(self) -> float:
        """What it costs to fold them with a lane for every window, in nanoseconds."""
        return self.costs.together(self.arrays)

    def least_together(self) -> float:
        """Return what it costs at least to fold them together, in panes or not: quickly told."""
        least = self.costs.least_together()
        if why_no_panes(self.task.program) is not None:
            return least
        return min(least, self.costs.least_in_panes(common_pane(self.task.program)))

    def in_panes(self) -> float:
        """Return what it costs to fold them in panes, at least.

        To find out which lanes they need takes a while, which is not worth it if they cannot win.
        """
        task, other = self.task, self.together
        if task.policy is Policy.DYNAMIC and not task.stays:
            other = min(other, self.alone / CLEAR_GAIN)
        least = self.costs.least_in_panes(common_pane(task.program))
        return least if least > other else self.costs.in_panes(self.panes, self.pane_arrays)

    @cached_property
    def alone(self) -> float:
        """What it costs to fold each by itself, in nanoseconds."""
        return self.costs.alone()

    @property
    def parts(self) -> list[range]:
        """The partitions of every thread."""
        return split_partitions(self.task.events, self.threads)


def set_facts(folding: SetFolding) -> Facts:
    """Return what is known of the events of a set."""
    return Facts(
        measures={
            "repeated positions": lambda: folding.counter.repeated,
            "counted": lambda: round(folding.costs.counted(folding.arrays) / 1000),
            "least together": lambda: round(folding.least_together() / 1000),
            "together": lambda: round(folding.together / 1000),
            "in panes": lambda: round(folding.in_panes() / 1000),
            "alone": lambda: round(folding.alone / 1000),
        }
    )


def fold_set(task: SetTask, folding: Folding, threads: int = 1) -> FoldedSet | Alone:
    """Return what every query of the set has per partition and window; or to fold each alone."""
    found: FoldedSet | Alone = folding.fold(SetFolding(task, threads))
    return found


def counted_together(folding: SetFolding, facts: Facts) -> FoldedSet | TooLarge:
    """Count with plain numbers.

    That takes a few nanoseconds for a step of a lane, so that to share it would not pay.
    """
    task, count = folding.task, folding.counter.rows
    found = side_by_side(
        [functools.partial(count, task.events, each, task.measures) for each in folding.parts]
    )
    nothing = np.zeros(SHARED_BURSTS + 1, np.int64), nothing_recorded()
    counted = [(*each, *nothing) for each in found if not isinstance(each, TooLarge)]
    return _joined(task, counted, is_plain=True) if len(counted) == len(found) else TooLarge()


def bursts_together(folding: SetFolding, facts: Facts) -> FoldedSet:
    """Fold with values of any size, and decide for every burst who shares it."""
    task = folding.task
    fold = functools.partial(_fold_part, task, folding.arrays, folding.lanes)
    found = side_by_side([functools.partial(fold, each) for each in folding.parts])
    return _joined(task, found, is_plain=False)


def panes_together(folding: SetFolding, facts: Facts) -> FoldedSet:
    """Fold panes, and put the windows of every query together from them."""
    panes = folding.panes
    task = replace(folding.task, program=panes.program)
    arrays, lanes = folding.pane_arrays, [1] * len(panes.program.groups)
    windows = SetWindows(folding.task.program, panes, task.events)

    def fold(part: range) -> tuple[list[ValueRows], Int64s, Recorded]:
        matrices = windows.of_part(part)
        machine = _Machine(task, arrays, lanes, part)
        for rows, queries in machine.rows(ROWS_OF_PANES):
            matrices.take(rows, queries)
        return matrices.rows_at_end(), machine.counters, machine.recorded

    found = side_by_side([functools.partial(fold, each) for each in folding.parts])
    return FoldedSet(
        tuple(joined_rows(list(each)) for each in zip(*(e[0] for e in found), strict=True)),
        np.sum([each[1] for each in found], axis=0),
        joined_records([each[2] for each in found]),
        is_plain=False,
        is_in_panes=True,
    )


def recorded_in_panes(task: SetTask, threads: int) -> tuple[FoldedSet, MergedProgram]:
    """Fold panes and write down their bursts, which are those of the program that is returned."""
    folding = SetFolding(task, threads)
    return panes_together(folding, Facts({})), folding.panes.program


FoldedPart = tuple[ValueRows, Int64s, Int64s, Recorded]  # rows, their queries, counters, bursts


def _joined(task: SetTask, parts: Sequence[FoldedPart], *, is_plain: bool) -> FoldedSet:
    queries = np.concatenate([each[1] for each in parts])
    order = np.argsort(queries.astype(np.int32), kind="stable")
    rows = taken(joined_rows([each[0] for each in parts]), order)
    ends = np.cumsum(np.bincount(queries, minlength=len(task.program.queries))).tolist()
    return FoldedSet(
        tuple(
            of_query(ValueRows._make(each[begin:end] for each in rows), query)
            for query, (begin, end) in zip(task.program.queries, pairwise([0, *ends]), strict=True)
        ),
        np.sum([each[2] for each in parts], axis=0),
        joined_records([each[3] for each in parts]),
        is_plain,
    )


def open_lanes(events: EventArrays, group: WindowGroup) -> int:
    """Return how many vectors a window group needs at once, at most."""
    if group.length is None:
        return 1
    slide = group.slide or group.length
    lanes = -(-group.length // slide)
    if lanes > MANY_WINDOWS:
        work = np.zeros(PANES + 1, np.int64)
        measure_windows(events, group.length, slide, slide, work)
        lanes = max(1, int(work[MOST_LANES]))
    return lanes


def _fold_part(
    task: SetTask, arrays: MergedArrays, lanes: Sequence[int], part: range
) -> FoldedPart:
    """Return the rows of some partitions, their queries, counters and bursts."""
    machine = _Machine(task, arrays, lanes, part)
    rows, queries = zip(*machine.rows(ROWS_AT_ONCE), strict=True)
    return joined_rows(list(rows)), np.concatenate(queries), machine.counters, machine.recorded


class _Machine:
    """The kernel with the events of some partitions."""

    def __init__(
        self, task: SetTask, arrays: MergedArrays, lanes: Sequence[int], part: range
    ) -> None:
        program, measures = task.program, task.measures
        self.events, self.first = merged_events(task, part), part.start
        self.tables, self.cells = make_machine(task, arrays, self.events, lanes)
        self.shape = Measures(
            np.zeros(program.number_count, np.int64),
            *measures[1:5],
            np.zeros(program.minimum_count, np.uint64),
            measures.least,
        )
        self.costs = np.array(sharing_costs(is_counted=counts_only(self.shape)))

    def rows(self, at_once: int) -> Iterator[tuple[ValueRows, Int64s]]:
        """Yield some rows at a time, and their queries."""
        cursor, is_done = np.zeros(IS_OPEN + 1, np.int64), False
        while not is_done:
            rows, queries = make_rows(at_once, self.shape), np.empty(at_once, np.int64)
            cursor[ROWS] = 0
            is_done = fold_merged(
                self.tables, self.events, self.cells, self.costs, rows, queries, cursor
            )
            count = int(cursor[ROWS])
            found = first_rows(rows, count)
            yield found._replace(owner=found.owner + self.first), queries[:count]

    @property
    def counters(self) -> Int64s:
        """What was counted."""
        return table_of(self.tables, COUNTERS, SHARED_BURSTS + 1)

    @property
    def recorded(self) -> Recorded:
        """What was written down of bursts."""
        return recorded_of(self.tables, self.cells)


def merged_events(task: SetTask, part: range) -> MergedEvents:
    """Return the events of some partitions for the kernel."""
    program, events, measures = task.program, task.events, task.measures
    return MergedEvents(
        events.fires.view(np.int64) - 1,
        events.clock,
        events.step_offsets,
        events.partition_offsets[part.start : part.stop + 1],
        _table([each.numbers for each in program.positions]),
        _table([each.minima for each in program.positions]),
        measures.mantissa,
        measures.tier,
        measures.low,
        measures.least,
    )


def _table(rows: Sequence[Sequence[int]]) -> Int64s:
    return np.array(rows, np.int64).reshape(len(rows), -1)
