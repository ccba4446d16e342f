"""Run sharing sets and write down what they did: bursts, decisions, counters, times."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.event_schema import TICKS_PER_SECOND
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.fold import Folding
from cepheid.engine.shared.fold_set import FoldedSet, fold_set, recorded_in_panes
from cepheid.engine.shared.make_machine import SetTask
from cepheid.engine.shared.merged_arrays import MergedArrays
from cepheid.engine.shared.policy import Policy
from cepheid.engine.shared.run_set import PreparedSet, SetOptions, prepare_set
from cepheid.engine.shared.shared_folds import Alone
from cepheid.kernels.shared import merged_machine as machine
from cepheid.kernels.shared import share_bursts as record
from cepheid.program.sharing.merged_program import Family, MergedProgram
from cepheid.program.sharing.run_report import (
    Burst,
    Counters,
    Decision,
    PartRun,
    SetRun,
    Snapshot,
)

Int64s = NDArray[np.int64]
MOST_RECORDS = 1 << 18  # bursts that are added up, per thread
MOST_BURSTS = 10_000  # that are listed
COMPARISONS = 3


class SetAnalysis:
    """Runs sets like `run_set` and keeps a report of each.

    `compare`: folds again, by turns with and without sharing, to see how long both take. Where
    queries are counted with plain numbers, nothing is decided either way: those are compared with
    a fold that shares every burst. Nothing is compared where each query is folded by itself.
    """

    def __init__(self, *, compare: bool = False) -> None:
        self.compare = compare
        self.sets: list[SetRun] = []

    def run_set(
        self,
        program: MergedProgram,
        columns: Mapping[str, Any],
        length: int,
        schema: pa.Schema,
        options: SetOptions,
    ) -> list[pa.Table] | Alone:
        """Return the result of every query, or that each is to be run alone."""
        folds, threads, policy, partially, _ = options
        extra = folds.unrecorded()
        start = time.perf_counter()
        with folds.record.stage("order"):
            prepared = prepare_set(program, columns, length, threads)
        ordering = time.perf_counter() - start
        folds.record.count("events that matter", prepared.ordered.row.size)
        task = replace(prepared.task, policy=policy)
        found, seconds = _timed(task, folds, threads)
        is_alone = isinstance(found, Alone)
        is_plain = isinstance(found, FoldedSet) and found.is_plain
        is_in_panes = isinstance(found, FoldedSet) and found.is_in_panes
        # Bursts are recorded once more: in panes if these were, but never with plain numbers.
        begin, recording = time.perf_counter(), replace(task, most_records=MOST_RECORDS)
        if is_in_panes:
            folded, program = recorded_in_panes(recording, threads)
        else:
            folded, program = _together(recording, extra, threads), task.program
        recorded = time.perf_counter() - begin
        warm = other = None
        if self.compare and not is_alone:
            policy_of_other = Policy.ALWAYS if is_plain else Policy.NEVER
            warm, other = _compared(task, replace(task, policy=policy_of_other), extra, threads)
        times = SetTimes(ordering, recorded if is_alone else seconds, warm, other)
        report = _Report(prepared, program, folded, is_in_panes=is_in_panes)
        self.sets.append(replace(report.run(times, is_plain=is_plain), is_alone=is_alone))
        if isinstance(found, Alone):
            return found
        with folds.record.stage("columns"):
            return prepared.tables(found, schema, partially)


def _timed(task: SetTask, folding: Folding, threads: int) -> tuple[FoldedSet | Alone, float]:
    start = time.perf_counter()
    folded = fold_set(task, folding, threads)
    return folded, time.perf_counter() - start


def _together(task: SetTask, folding: Folding, threads: int) -> FoldedSet:
    folded = fold_set(task, folding, threads)
    assert isinstance(folded, FoldedSet), "bursts that are recorded are folded together"
    return folded


def _compared(task: SetTask, other: SetTask, folding: Folding, threads: int) -> tuple[float, float]:
    """Return the shortest times of a fold and of another one, by turns."""
    both = (task, other)
    pairs = [[_timed(each, folding, threads)[1] for each in both] for _ in range(COMPARISONS)]
    return min(each for each, _ in pairs), min(each for _, each in pairs)


class SetTimes(NamedTuple):
    """Seconds; `other` is the fold that `warm` is compared with."""

    ordering: float
    folding: float
    warm: float | None
    other: float | None


class _Report:
    """Recorded bursts of a program in words and times of the events."""

    def __init__(
        self, prepared: PreparedSet, program: MergedProgram, folded: FoldedSet, *, is_in_panes: bool
    ) -> None:
        self.prepared = prepared
        self.program, self.is_in_panes = program, is_in_panes
        self.counters = folded.counters
        self.bursts = folded.recorded.bursts
        # In panes the runs are those of one that begins it, wherever that is.
        self.snapshots = {} if is_in_panes else folded.recorded.snapshots(MOST_BURSTS)
        self.members = [m for each in self.program.families for m in each.members]

    def run(self, times: SetTimes, *, is_plain: bool) -> SetRun:
        arrays, count = self.prepared.ordered.arrays, self.counters
        saved = self._saved()
        return SetRun(
            tuple(each.name for each in self.prepared.task.program.queries),
            int(arrays.fires.size),
            int(arrays.partition_offsets.size - 1),
            times.ordering,
            times.folding,
            is_plain,
            times.warm,
            None if is_plain else times.other,
            times.other if is_plain else None,
            Counters(
                bursts=int(count[machine.BURSTS]),
                shared_bursts=int(count[machine.SHARED_BURSTS]),
                logged=int(count[machine.LOGGED]),
                direct=int(count[machine.DIRECT]),
                caught_up=int(count[machine.CAUGHT_UP]),
                applied=int(count[machine.APPLIED]),
                blocks=int(count[machine.BLOCKS_BUILT]),
                snapshots=int(count[machine.SNAPSHOTS] + count[machine.SHARED_BURSTS]),
            ),
            self._ticks_per_second(),
            len(self.bursts),
            tuple(
                self._part(number, family, saved)
                for number, family in enumerate(self.program.families)
            ),
            self._listed(saved),
            is_in_panes=self.is_in_panes,
        )

    def _saved(self) -> list[int]:
        """Return what the costs say of every burst that was shared."""
        shared = self.bursts[:, record.SHARING] != 0
        return [int(each) for each in np.where(shared, self.bursts[:, record.SAVED], 0)]

    def _part(self, number: int, family: Family, saved: list[int]) -> PartRun:
        own = np.flatnonzero(self.bursts[:, record.FAMILY] == number)
        sharing, every = self.bursts[own, record.SHARING], _every(family)
        return PartRun(
            family.text,
            len(family.classes),
            own.size,
            int((sharing == every).sum()),
            int(((sharing != every) & (sharing != 0)).sum()),
            int(self.bursts[own, record.STEPS].sum()),
            int(self.bursts[own, record.LANES].max(initial=0)),
            int(self.bursts[own, record.GRAPHLETS].sum()),
            int(self.bursts[own, machine.BURST_SNAPSHOTS].sum() + (sharing != 0).sum()),
            int(self.bursts[own, machine.BURST_CAUGHT_UP].sum()),
            sum(saved[each] for each in own),
        )

    def _listed(self, saved: list[int]) -> tuple[Burst, ...]:
        bursts = self.bursts[:MOST_BURSTS]
        arrays, row = self.prepared.ordered.arrays, self.prepared.ordered.row
        first = row[arrays.step_offsets[bursts[:, record.FIRST_STEP]]]
        last = row[arrays.step_offsets[self._last_steps(bursts)]]
        some = self.program.programs[0]
        time_column = self.prepared.columns[some.time]
        begins, ends = self._ticks(first), self._ticks(last)
        texts = map(str, time_column.take(pa.array(first)).to_pylist())
        keys = [self._texts(name, first) for name in some.partition_by]
        partitions = list(zip(*keys, strict=True)) if keys else [()] * len(bursts)
        return tuple(
            self._burst(number, partition, (int(begin), int(end), text), gain)
            for number, partition, begin, end, text, gain in zip(
                range(len(bursts)), partitions, begins, ends, texts, saved, strict=False
            )
        )

    def _burst(
        self, number: int, partition: tuple[str, ...], times: tuple[int, int, str],
        saved: int,
    ) -> Burst:  # fmt: skip
        burst = self.bursts[number]
        family = self.program.families[int(burst[record.FAMILY])]
        sharing = int(burst[record.SHARING])
        if sharing == _every(family):
            decision = Decision.SHARED
        else:
            decision = Decision.PARTLY if sharing else Decision.APART
        return Burst(
            int(burst[record.FAMILY]),
            partition,
            *times,
            steps=int(burst[record.STEPS]),
            lanes=int(burst[record.LANES]),
            graphlets=int(burst[record.GRAPHLETS]),
            snapshots=int(burst[machine.BURST_SNAPSHOTS]) + (sharing != 0),
            caught_up=int(burst[machine.BURST_CAUGHT_UP]),
            sharing=tuple(each for each in range(len(family.classes)) if sharing >> each & 1),
            decision=decision,
            mixed_steps=bool(burst[record.DIFFERENT]),
            saved=saved,
            if_all_share=int(burst[record.IF_ALL]),
            values=tuple(self._snapshot(*each) for each in self.snapshots.get(number, ())),
        )

    def _snapshot(self, member: int, window: int, runs: int | None) -> Snapshot:
        positions = [self.program.positions[each] for each in self.members[member].positions]
        queries = sorted({query for each in positions for query in each.queries})
        group = self.program.groups[positions[0].group]
        names = tuple(self.program.queries[each].name for each in queries)
        begin = None if group.length is None else window * (group.slide or group.length)
        return Snapshot(names, begin, runs)

    def _last_steps(self, bursts: Int64s) -> Int64s:
        """Return the last step of every burst: it has so many steps of its part."""
        arrays, task = self.prepared.ordered.arrays, self.prepared.task
        kinds = arrays.fires.astype(np.int64) - 1
        step_of_event = np.repeat(np.arange(arrays.step_offsets.size - 1),
                                  np.diff(arrays.step_offsets))  # fmt: skip
        merged = MergedArrays(self.program, task.passes)
        last = np.empty(len(bursts), np.int64)
        for family in np.unique(bursts[:, record.FAMILY]):
            fires = merged.fires_family(int(family))
            steps = np.unique(step_of_event[fires[kinds]])
            own = bursts[:, record.FAMILY] == family
            begins = np.searchsorted(steps, bursts[own, record.FIRST_STEP])
            last[own] = steps[begins + bursts[own, record.STEPS] - 1]
        return last

    def _ticks(self, rows: Int64s) -> Int64s:
        name = self.program.programs[0].time
        return to_ticks(self.prepared.columns[name].take(pa.array(rows)), name)

    def _texts(self, name: str, rows: Int64s) -> list[str]:
        return list(map(str, self.prepared.columns[name].take(pa.array(rows)).to_pylist()))

    def _ticks_per_second(self) -> int | None:
        kind = self.prepared.columns[self.program.programs[0].time].type
        if pa.types.is_timestamp(kind):
            return TICKS_PER_SECOND[kind.unit]
        if pa.types.is_date(kind):
            return 1 if pa.types.is_date32(kind) else TICKS_PER_SECOND["ms"]
        return None


def _every(family: Family) -> int:
    return (1 << len(family.classes)) - 1
