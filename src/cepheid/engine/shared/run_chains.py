"""Run queries on sequences with WITHIN alone: segments that they have in common once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.scan import order_kinds
from cepheid.engine.events.warn_of_events import warn_of_dropped
from cepheid.engine.fold import Facts, Folding, TooLarge
from cepheid.engine.matches.match_chunks import split_partitions
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.process.threads import side_by_side
from cepheid.engine.shared.chain_values import ValueFold, most_asked, value_machine
from cepheid.engine.shared.flat_lists import flat_lists
from cepheid.engine.shared.run_lanes import cancels
from cepheid.engine.shared.shared_folds import Alone, SharedChains
from cepheid.engine.shared.values_of_groups import RowsOfQuery, rows_of_groups
from cepheid.engine.trends.groups import GroupRows
from cepheid.engine.trends.integer_sums import bounds_by_largest, largest_sizes, signed_sums
from cepheid.engine.trends.measures import EventMeasures
from cepheid.engine.trends.result_table import Finished, PlaceColumns, finish
from cepheid.engine.trends.trend_events import group_of_event
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
from cepheid.kernels.values.double_counts import ALL_EXACT
from cepheid.kernels.values.value_arrays import ValueRows
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.program.sharing.chain_program import ChainProgram, Segment

Int64s = NDArray[np.int64]
Rows = tuple[Int64s, NDArray[np.float64], Int64s]  # of a query: steps, numbers, and minima


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
    program, columns = task.program, task.columns
    with task.folding.record.stage("order"):
        ordered, passes = order_kinds(program, columns, task.length, task.threads)
    measures = EventMeasures(program.measures, columns, ordered.row, threads=task.threads)
    fold = _fold_of(program, passes, ordered.arrays, measures)
    if isinstance(fold, TooLarge):
        return fold
    parts = split_partitions(ordered.arrays, task.threads)
    found = side_by_side([functools.partial(fold, each) for each in parts])
    done = [each for each in found if each is not None]
    if len(done) < len(found):
        return TooLarge()
    folded = []
    for number, query in enumerate(program.programs):
        own = zip(*(rows[number] for rows in done), strict=True)
        steps, numbers, least = map(np.concatenate, own)
        moments = _moments(task, ordered, RowsOfQuery(steps, numbers, least))
        rows = _values(moments.numbers, moments.least, program.fits[number])
        if not _is_exact(rows, query.output) or cancels(rows, query.output, measures):
            return TooLarge("a sum that may need digits beyond 2^53")
        folded.append((moments.step, rows))
    warn_of_dropped(program.programs[0].partition_by, ordered.dropped)
    result = []
    for query, (steps, rows) in zip(program.programs, folded, strict=True):
        events = ordered.row[ordered.arrays.step_offsets[steps]]
        groups = GroupRows(events, rows, np.zeros(events.size, np.bool_))
        with errors_of(query.name):
            result.append(_table(query, groups, measures, columns, task.schema))
    return result


def _moments(task: ChainTask, ordered: OrderedEvents, rows: RowsOfQuery) -> RowsOfQuery:
    """Return the rows of groups that are reported."""
    program, report, arrays = task.program, task.report, ordered.arrays
    moments, step = rows, rows.step
    moment = np.arange(step.size)
    if program.adds_partitions:
        output, window = program.programs[0].output, program.programs[0].window_length
        assert isinstance(output, AggregateOutput)
        assert window is not None
        group = group_of_event(output, task.columns, task.length, ordered.row)
        moments, (moment, step) = rows_of_groups(rows, ordered, group, window)
    if report is None:
        return moments
    first = arrays.step_offsets[step]
    is_new = report.is_new(arrays.clock[first], ordered.row[first])
    shown = np.unique(moment[is_new])
    return RowsOfQuery._make(each[shown] for each in moments)


Folded = Callable[[range], list[Any] | None]  # of some partitions the rows of every query


def _fold_of(
    program: ChainProgram,
    passes: Sequence[tuple[int, ...]],
    events: EventArrays,
    measures: EventMeasures,
) -> Folded | TooLarge:
    """Return what folds some partitions."""
    window = program.programs[0].window_length
    assert window is not None
    if program.only_counts:
        machine = segment_machine(program, passes)
        return functools.partial(_fold, machine, events, window)
    contributions = measures.arrays()
    if contributions.tier.any():
        return TooLarge("a number beyond 2^256")
    return ValueFold(value_machine(program, passes), events, contributions, window).rows


def segment_machine(program: ChainProgram, passes: Sequence[tuple[int, ...]]) -> SegmentMachine:
    """Return the tables of the fold; `passes` has by kind of events the tests that it passes."""
    segments = program.segments
    prefixes: dict[Segment, int] = {}
    for each in program.chains:
        for end in range(1, len(each) + 1):
            prefixes.setdefault(each[:end], len(prefixes))
    empty = {(): len(segments)}
    terms = [_terms(each, segments | empty, prefixes) for each in program.chains]
    return SegmentMachine(
        *flat_lists(passes),
        *flat_lists(program.queries_by_kind(passes, at_end=True)),
        *flat_lists(program.leaving(passes)),
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
        np.zeros(2, np.int64),
    )
    most_rows = most_asked(machine, kind[begin:end])
    offsets = np.concatenate(([0], np.cumsum(most_rows)))
    rows = SegmentRows(offsets[:-1].copy(), np.empty(offsets[-1], np.int64), np.empty(offsets[-1]))
    arrays = KindArrays(kind, events.clock, events.step_offsets, partitions)
    if not fold_segments(machine, arrays, window, work, rows):
        return None
    spans = [slice(a, b) for a, b in zip(offsets[:-1], rows.next_row, strict=True)]
    none = np.zeros((rows.step.size, 0), np.int64)
    return [(rows.step[each], rows.trends[each].reshape(-1, 1), none[each]) for each in spans]


def _values(
    numbers: NDArray[np.float64], least: Int64s, fits: tuple[tuple[int, ...], tuple[int, ...]]
) -> ValueRows:
    """Return the values of a query: what it asks for of what all carry."""
    own, minima = fits
    mantissa = numbers[:, [0, *(1 + each for each in own)]]
    low = np.where(np.abs(mantissa) < ALL_EXACT, mantissa, 0.0).astype(np.int64)
    none = np.zeros(mantissa.shape[0], np.int64)
    return ValueRows(none, none, mantissa, np.zeros_like(low), low, least[:, list(minima)])


def _is_exact(rows: ValueRows, output: object) -> bool:
    """Whether all digits are there that a query shows."""
    assert isinstance(output, AggregateOutput)
    is_rounded = not output.wants_low and not signed_sums(output)
    return is_rounded or bool((np.abs(rows.mantissa) < ALL_EXACT).all())


def _table(
    program: Program,
    groups: GroupRows,
    measures: EventMeasures,
    columns: Mapping[str, Any],
    schema: pa.Schema,
) -> pa.Table:
    """Return the result of a query of which there is a row for every moment of a group."""
    output = program.output
    assert isinstance(output, AggregateOutput)
    places = PlaceColumns(program, output, columns, schema).table(groups)
    extremes = [
        measures.sortable(each).values(groups.values.least[:, number])
        for number, each in enumerate(output.minima)
    ]
    bounds = bounds_by_largest(groups.values, output, largest_sizes(output, measures))
    finished = Finished(places, groups.values, None, extremes, groups.is_expiry, bounds=bounds)
    return finish(program, output, schema, finished)
