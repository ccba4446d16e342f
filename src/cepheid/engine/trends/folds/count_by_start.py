"""WITHIN alone, where trends are counted by the events that they begin with."""

from __future__ import annotations

import functools
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.fold import Facts, TooLarge
from cepheid.engine.matches.match_chunks import split_partitions
from cepheid.engine.process.threads import side_by_side
from cepheid.engine.trends.folds.slot_task import SlotTask
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.value_rows import make_rows
from cepheid.engine.trends.windows.result_times import MomentStretches
from cepheid.kernels.arrays import SKIP_TILL_ANY
from cepheid.kernels.position.count_starts import (
    MOST_STARTS,
    STARTS_OF_STEPS,
    TOO_MANY,
    StartLanes,
    StartRules,
    StepCounts,
    count_starts,
    measure_starts,
)
from cepheid.kernels.position.slot_machine import SlotMachine, make_step
from cepheid.kernels.values.double_counts import ALL_EXACT, Counts
from cepheid.kernels.values.value_arrays import ValueRows

Int64s = NDArray[np.int64]
SAMPLED_STEPS = 2**14


def counts_by_start(task: TrendTask, facts: Facts) -> ValueRows | TooLarge:
    """Return a row for every moment: what has ended so far, less what began too long ago.

    All whole numbers up to the number of all trends are exact, so nothing is lost by subtracting.
    """
    program, ordered, moments = task.group.program, task.ordered, task.events.moments
    assert moments is not None
    whole, length, most = task.slot_task, _length(task), facts["first events in a window"]
    steps = ordered.arrays.step_offsets.size - 1
    counts = StepCounts(np.zeros(steps), np.zeros(steps))
    parts = split_partitions(whole.events, task.events.threads)
    offsets = [whole.events.partition_offsets[each.start : each.stop + 1] for each in parts]
    count = functools.partial(_count_part, whole, length, most, counts)
    found = side_by_side([functools.partial(count, each) for each in offsets])
    if TOO_MANY in found or counts.completed.sum() >= ALL_EXACT:
        return TooLarge()
    ends, starts = np.flatnonzero(counts.completed != 0), np.flatnonzero(counts.started != 0)
    stretches = MomentStretches(program, ordered, task.events.group, moments)
    event, size = ordered.arrays.step_offsets, moments.group.size
    begin, end = stretches.begin(event[ends]), stretches.end(event[starts])
    changes = np.bincount(begin, counts.completed[ends], size + 1)
    changes -= np.bincount(end, counts.started[starts], size + 1)
    rows = make_rows(size, task.measures)
    rows.owner[:], rows.window[:] = moments.group, np.arange(size)
    rows.mantissa[:, 0], rows.tier[:] = np.cumsum(changes)[:size], 0
    rows.low[:] = rows.mantissa.astype(np.int64)
    return rows


def _count_part(task: SlotTask, length: int, most: int, counts: StepCounts, offsets: Int64s) -> int:
    """Count the trends of some partitions; return how many vectors took a step, or TOO_MANY."""
    machine, lanes = task.machine, 2 * max(1, most)
    room = StartLanes(
        Counts(np.zeros((machine.owner.size, lanes))),
        Counts(np.zeros((machine.follow.size + 1, lanes))),
        np.zeros(lanes, np.int64),
        np.zeros(lanes),
        np.zeros(2, np.int64),
    )
    return count_starts(
        machine, task.measures, task.events._replace(partition_offsets=offsets), task.codes,
        start_rules(machine), length, room, make_step(machine, task.measures), counts,
    )  # fmt: skip


def _length(task: TrendTask) -> int:
    length = task.group.program.window_length
    assert length is not None
    return length


def start_rules(machine: SlotMachine) -> StartRules:
    """Return which positions begin runs, which only do that, and which complete them."""
    first, only_first, last = 0, 0, 0
    initial, finals = machine.initial.tolist(), set(machine.finals.tolist())
    sources, entries = (
        [each[begin:end].tolist() for begin, end in pairwise(offsets)]
        for each, offsets in (
            (machine.sources, machine.source_offsets),
            (machine.entries, machine.entry_offsets),
        )
    )
    for position in range(machine.follow.size):
        is_initial = [initial[each] for each in sources[position]]
        first |= any(is_initial) << position
        only_first |= all(is_initial) << position
        last |= (not finals.isdisjoint(entries[position])) << position
    return StartRules(*map(np.uint64, (first, only_first, last)))


class StartFacts:
    """How many steps of a window begin runs."""

    def __init__(self, task: TrendTask) -> None:
        self.task, self.whole = task, task.slot_task

    @cached_property
    def measured(self) -> Int64s:
        """What there is in the windows of all steps."""
        found = np.zeros(STARTS_OF_STEPS + 1, np.int64)
        first, length = start_rules(self.whole.machine).first, _length(self.task)
        measure_starts(self.whole.events, first, length, found)
        return found

    @property
    def most(self) -> int:
        """In a window, at most."""
        return int(self.measured[MOST_STARTS])

    @property
    def mean(self) -> int:
        """With runs that are alive, on average; under most strategies that is sampled."""
        offsets, steps = (
            self.whole.events.partition_offsets,
            self.whole.events.step_offsets.size - 1,
        )
        if self.whole.machine.strategy == SKIP_TILL_ANY:
            return round(int(self.measured[STARTS_OF_STEPS]) / max(1, steps))
        sample = np.unique(np.minimum(offsets, SAMPLED_STEPS))
        counts = StepCounts(np.zeros(steps), np.zeros(steps))
        work = _count_part(self.whole, _length(self.task), self.most, counts, sample)
        return round(work / max(1, int(sample[-1])))
