"""Run queries that count sequences with WITHIN alone: segments that they have in common once."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.scan import order_kinds
from cepheid.engine.events.warn_of_events import warn_of_dropped
from cepheid.engine.fold import Facts, Folding, TooLarge
from cepheid.engine.matches.match_chunks import split_partitions
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.process.threads import side_by_side
from cepheid.engine.shared.flat_lists import flat_lists
from cepheid.engine.shared.shared_folds import Alone, SharedChains
from cepheid.engine.trends.groups import GroupRows
from cepheid.engine.trends.result_table import Finished, PlaceColumns, finish
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.position.moving_window import most_steps
from cepheid.kernels.shared.count_merged import KindArrays
from cepheid.kernels.shared.fold_segments import (
    SegmentEnds,
    SegmentMachine,
    SegmentRows,
    SegmentWork,
    fold_segments,
)
from cepheid.kernels.values.value_arrays import ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.program.sharing.chain_program import ChainProgram, Segment

Int64s = NDArray[np.int64]
Rows = tuple[Int64s, NDArray[np.float64]]  # of a query: steps, and how many trends there are


@dataclass(frozen=True)
class ChainTask:
    """Queries that count sequences, and their events.

    With `report` it is what becomes final in a step of a stream, all of whose events are settled.
    """

    program: ChainProgram
    columns: Mapping[str, Any]
    length: int
    schema: pa.Schema
    folding: Folding
    threads: int = 1
    report: ReportRange | None = None

    @property
    def group(self) -> SharedChains:
        """What folds are chosen by."""
        return SharedChains(self.program)


def run_chains(task: ChainTask) -> list[pa.Table] | Alone:
    """Return the result of every query, or that each needs a fold of its own."""
    found: list[pa.Table] | Alone = task.folding.fold(task)
    return found


def segments_together(task: ChainTask, facts: Facts) -> list[pa.Table] | TooLarge:
    """Return the result of every query."""
    program, columns, report = task.program, task.columns, task.report
    with task.folding.record.stage("order"):
        ordered, kinds = order_kinds(program, columns, task.length, task.threads)
    machine = segment_machine(program, kinds.passes)
    window = program.programs[0].window_length
    assert window is not None
    fold = functools.partial(_fold, machine, ordered.arrays, window)
    found = side_by_side(
        [functools.partial(fold, each) for each in split_partitions(ordered.arrays, task.threads)]
    )
    done = [each for each in found if each is not None]
    if len(done) < len(found):
        return TooLarge()
    warn_of_dropped(program.programs[0].partition_by, ordered.dropped)
    result = []
    for number, each in enumerate(program.programs):
        steps, counts = map(np.concatenate, zip(*(rows[number] for rows in done), strict=True))
        first = ordered.arrays.step_offsets[steps]
        events = ordered.row[first]
        if report is not None:
            is_new = report.is_new(ordered.arrays.clock[first], events)
            events, counts = events[is_new], counts[is_new]
        groups = GroupRows(events, _values(counts), np.zeros(events.size, np.bool_))
        with errors_of(each.name):
            result.append(_table(each, groups, columns, task.schema))
    return result


def segment_machine(program: ChainProgram, passes: Sequence[tuple[int, ...]]) -> SegmentMachine:
    """Return the tables of the fold; `passes` has by kind of events the tests that it passes."""
    segments = program.segments
    prefixes: dict[Segment, int] = {}
    for each in program.chains:
        for end in range(1, len(each) + 1):
            prefixes.setdefault(each[:end], len(prefixes))
    empty = {(): len(segments)}
    terms = [_terms(each, segments | empty, prefixes) for each in program.chains]
    asking = [
        [query for query, each in enumerate(program.chains) if each[-1].test in tests]
        for tests in passes
    ]
    return SegmentMachine(
        *flat_lists(passes),
        *flat_lists(asking),
        _ends(program, segments | empty, at_end=True),
        _ends(program, segments | empty, at_end=False),
        np.array([segments[each] for each in prefixes], np.int64),
        *flat_lists([prefix for prefix, _ in each] for each in terms),
        flat_lists([segment for _, segment in each] for each in terms)[1],
        np.array([segments[each] for each in program.chains], np.int64),
    )


def _terms(
    whole: Segment, segments: Mapping[Segment, int], prefixes: Mapping[Segment, int]
) -> list[tuple[int, int]]:
    """Return what trends are in two stretches: a prefix in the first, the rest in the second."""
    terms = [(len(prefixes), segments[whole])]
    for end in range(1, len(whole) + 1):
        terms.append((prefixes[whole[:end]], segments[whole[end:]]))
        if whole[end - 1].repeats:
            terms.append((prefixes[whole[:end]], segments[whole[end - 1 :]]))
    return terms


def _ends(program: ChainProgram, segments: Mapping[Segment, int], *, at_end: bool) -> SegmentEnds:
    longest = max(map(len, program.chains))
    by_test: list[list[Segment]] = [[] for _ in program.tests]
    for each in sorted(program.segments, key=len, reverse=True):
        by_test[each[-1 if at_end else 0].test].append(each)
    offsets, begin = np.zeros((len(by_test), longest + 1), np.int64), 0
    for test, some in enumerate(by_test):
        sizes = np.array([len(each) for each in some], np.int64)
        offsets[test] = begin + np.searchsorted(-sizes, -np.arange(longest, -1, -1))
        begin += sizes.size
    every = list(chain.from_iterable(by_test))
    rests = [each[:-1] if at_end else each[1:] for each in every]
    return SegmentEnds(
        offsets,
        np.array([segments[each] for each in every], np.int64),
        np.array([segments[each] for each in rests], np.int64),
        np.array([each[-1 if at_end else 0].repeats for each in every], np.float64),
    )


def _fold(
    machine: SegmentMachine, events: EventArrays, window: int, part: range
) -> list[Rows] | None:
    """Return the rows of every query in some partitions; None if a count is too large."""
    partitions = events.partition_offsets[part.start : part.stop + 1]
    kind = events.fires.view(np.int64) - 1
    begin, end = events.step_offsets[partitions[[0, -1]]]
    most = np.zeros(events.partition_offsets.size - 1, np.int64)
    most_steps(events, window, most)
    queries, tests = machine.whole.size, machine.endings.offsets.shape[0]
    segments = machine.endings.segment.size + 1
    front = np.empty((int(most[part.start : part.stop].max(initial=0)), machine.prefixes.size + 1))
    front[:, -1] = 1.0
    work = SegmentWork(
        np.zeros(segments),
        np.zeros(segments),
        front,
        np.zeros(tests, np.int64),
        np.zeros(tests),
        np.zeros(queries, np.int64),
    )
    most_rows = _most_rows(machine, kind[begin:end])
    offsets = np.concatenate(([0], np.cumsum(most_rows)))
    rows = SegmentRows(offsets[:-1].copy(), np.empty(offsets[-1], np.int64), np.empty(offsets[-1]))
    arrays = KindArrays(kind, events.clock, events.step_offsets, partitions)
    if not fold_segments(machine, arrays, window, work, rows):
        return None
    spans = [slice(a, b) for a, b in zip(offsets[:-1], rows.next_row, strict=True)]
    return [(rows.step[each], rows.trends[each]) for each in spans]


def _most_rows(machine: SegmentMachine, kind: Int64s) -> Int64s:
    """Return by query how many rows it has at most: one for every event that completes it."""
    kinds = machine.asking_offsets.size - 1
    of_kind = np.bincount(kind, minlength=kinds)
    owner = np.repeat(np.arange(kinds), np.diff(machine.asking_offsets))
    found = np.zeros(machine.whole.size, np.int64)
    np.add.at(found, machine.asking, of_kind[owner])
    return found


def _values(counts: NDArray[np.float64]) -> ValueRows:
    none = np.zeros(counts.size, np.int64)
    low = counts.astype(np.int64).reshape(-1, 1)
    return ValueRows(
        none,
        none,
        counts.reshape(-1, 1),
        np.zeros((counts.size, 1), np.int64),
        low,
        np.zeros((counts.size, 0), np.int64),
    )


def _table(
    program: Program, groups: GroupRows, columns: Mapping[str, Any], schema: pa.Schema
) -> pa.Table:
    """Return the result of a query of which there is a row for every moment of a group."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    places = PlaceColumns(program, output, columns, schema).table(groups)
    finished = Finished(places, groups.values, None, [], groups.is_expiry)
    return finish(program, output, schema, finished)
