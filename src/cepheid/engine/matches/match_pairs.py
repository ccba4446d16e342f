"""`P1 AND P2`: pairs of trends, one of each side, in one partition and window.

A trend is its sequence of events here. Both sides see the same ordered events, so equal trends have
equal event numbers. Two trends lie in one window exactly if the one that starts first is in reach
of the last event of the other; so for every trend its partners that start earlier (or later) are a
stretch of the other side's trends by start, and finding all pairs costs no more than writing them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.analysis.derived_types import StreamTime
from cepheid.engine.events.order_events import OrderedEvents, order_events, starts_of_runs
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.take_rows import RowTaker
from cepheid.engine.events.ticks import later
from cepheid.engine.fold import Facts
from cepheid.engine.matches.find_matches import Found
from cepheid.engine.matches.forms.taken_matches import owners, taken_before
from cepheid.engine.matches.key_columns import key_columns, key_fields
from cepheid.engine.matches.listed_values import (
    array_columns,
    most_values,
    too_many_values,
    values_in_arrays,
)
from cepheid.engine.matches.match_chunks import fold_in_parts, joined, picked
from cepheid.engine.matches.match_folds import Pairs, matches_of
from cepheid.engine.matches.match_rows import FIRST_TIME, LAST_TIME, MatchRows, match_schema
from cepheid.engine.matches.match_task import MatchTask, SearchMode, task_of
from cepheid.engine.matches.order_trends import TrendOrder
from cepheid.engine.matches.sequence_ranks import sequence_ranks
from cepheid.engine.matches.walk_matches import MatchLimit, MatchWalker
from cepheid.errors import DataError, MatchLimitError
from cepheid.kernels.graph.choose_apart import choose_apart
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.kernels.order.pair_reach import find_reach
from cepheid.program.program import MatchOutput, Pair, Program
from cepheid.program.when_final import WhenFinal, when_final

Int64s = NDArray[np.int64]
LARGEST_OFFSET = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Side:
    """One side's trends, without repeated event sequences."""

    program: Program
    ordered: OrderedEvents
    rows: MatchRows
    trends: MatchArrays

    def only(self, numbers: Int64s) -> _Side:
        """Return the side with some of its trends."""
        return replace(self, trends=picked(self.trends, numbers))

    @property
    def first(self) -> Int64s:
        return self.trends.event[self.trends.offsets[:-1]]

    @property
    def last(self) -> Int64s:
        return self.trends.event[self.trends.offsets[1:] - 1]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Numbers of trends of the first and of the second side."""

    left: Int64s
    right: Int64s

    def chosen(self, which: NDArray[Any]) -> _Pairs:
        return _Pairs(self.left[which], self.right[which])


def pair_schema(program: Program, pair: Pair, events: pa.Schema) -> pa.Schema:
    """Return the schema of the result."""
    fields: dict[str, pa.Field] = {}
    for side in (program, pair.second):
        schema = match_schema(side, _of_side(side), events)
        fields |= {field.name: field for field in schema}
    ordered = [fields[name] for name in pair.returned]
    if pair.has_default_columns:
        time = events.field(program.time).type
        ordered += [pa.field(FIRST_TIME, time), pa.field(LAST_TIME, time)]
    when = _stream_time(program)
    if when is not None:
        ordered += key_fields(program, when, events)
    return pa.schema(ordered)


def _of_side(program: Program) -> MatchOutput:
    """Return the output of one side; the times of a pair belong to both."""
    assert isinstance(program.output, MatchOutput)
    return replace(program.output, has_default_columns=False, stream_time=None)


def _stream_time(program: Program) -> StreamTime | None:
    assert isinstance(program.output, MatchOutput)
    return program.output.stream_time


def find_pairs(
    program: Program,
    pair: Pair,
    table: pa.Table,
    events: pa.Schema,
    mode: SearchMode,
    columns: Mapping[str, Any] | None = None,
) -> Found:
    """Return all pairs, or those that become final in a step of a stream.

    `events` has the types that columns of the result are to have. `columns` are those of the table,
    if their order is found for several programs at once.
    """
    if columns is None:
        columns = dict(zip(table.column_names, table.columns, strict=True))
    report, record = mode.report_range, mode.folding.record
    with record.stage("order"):
        ordered = order_events(program, columns, table.num_rows, report=report)
    one, other = matches_of(program)
    with record.stage("fold and walk"):
        left = _side(task_of(one, ordered, columns, mode), events)
        seen = seen_by_second(program, ordered)
        right = _side(task_of(other, seen, columns, mode), events)
    pairs: _Pairs = mode.folding.fold(PairTask(program, left, right, report))
    pairs = _unordered(pairs, left, right, columns, pair.tie_columns)
    if pair.is_non_overlapping:
        pairs = _without_overlaps(pairs, left, right, columns, pair.tie_columns)
    if program.limit is not None:
        pairs = pairs.chosen(np.arange(min(program.limit, pairs.left.size)))
    else:
        _reject_long_arrays(program, ((left, pairs.left), (right, pairs.right)))
    found: dict[str, Any] = {}
    for side, numbers in ((left, pairs.left), (right, pairs.right)):
        rows = side.rows.batch(side.trends)
        found |= {
            name: _taken(array, numbers)
            for name, array in zip(rows.schema.names, rows.columns, strict=True)
        }
    arrays = [found[name] for name in pair.returned]
    first = np.minimum(left.first[pairs.left], right.first[pairs.right])
    last = np.maximum(left.last[pairs.left], right.last[pairs.right])
    if pair.has_default_columns:
        times = RowTaker(table[program.time], events.field(program.time).type, ordered.row)
        arrays += [times.take(each) for each in (first, last)]
    when = _stream_time(program)
    if when is not None:
        rows = [pa.array(ordered.row[each]) for each in (first, last)]
        arrays += key_columns(program, when, columns, *rows)
    result = pa.Table.from_arrays(arrays, schema=pair_schema(program, pair, events))
    taken = last if pair.is_non_overlapping else last[:0]
    return Found(result, ordered.dropped, ordered.row[taken])


def _reject_long_arrays(program: Program, sides: Iterable[tuple[_Side, Int64s]]) -> None:
    """Raise a MatchLimitError if the arrays of so many pairs hold too much."""
    count = 0
    for side, numbers in sides:
        of_trends = values_in_arrays(array_columns(side.program), side.trends)
        count += int(of_trends[numbers].sum())
    if count > most_values(program.max_matches):
        raise too_many_values(program, " (pairs)", count)


@dataclass(frozen=True, slots=True)
class PairTask:
    """The trends of both sides, which are to be paired; `report` is that of a step."""

    program: Program
    left: _Side
    right: _Side
    report: ReportRange | None

    @property
    def group(self) -> Pairs:
        """What folds are chosen by."""
        waits = when_final(self.program) is not WhenFinal.LAST_EVENT
        return Pairs(self.program, self.report is not None, waits)


def pairs_of_windows(task: PairTask, facts: Facts) -> _Pairs:
    """Return all pairs."""
    return _in_one_window(task.left, task.right)


def pairs_with_new(task: PairTask, facts: Facts) -> _Pairs:
    """Return the pairs of a trend that ends in a step; those of two known before are not made."""
    left, right, report = task.left, task.right, task.report
    assert report is not None
    is_new = report.is_new(left.ordered.arrays.clock, left.ordered.row)
    new, old = (np.flatnonzero(each) for each in (is_new[left.last], ~is_new[left.last]))
    new_right = np.flatnonzero(is_new[right.last])
    with_new = _in_one_window(left.only(new), right)
    with_old = _in_one_window(left.only(old), right.only(new_right))
    return _Pairs(
        np.concatenate((new[with_new.left], old[with_old.left])),
        np.concatenate((with_new.right, new_right[with_old.right])),
    )


def pairs_of_spans(task: PairTask, facts: Facts) -> _Pairs:
    """Return the pairs that become final in a step with the end of a window.

    With an end negation a pair waits until both trends are known to stay, on whichever side they
    are: which of two trends is shown on the left depends on that.
    """
    program, left, right, ordered = task.program, task.left, task.right, task.left.ordered
    assert ordered.horizons is not None
    pairs = _in_one_window(left, right)
    if when_final(program) is WhenFinal.FIRST_SPAN:
        event = np.maximum(left.first[pairs.left], right.first[pairs.right])
    else:
        event = np.maximum(left.last[pairs.left], right.last[pairs.right])
    partition, window = ordered.partition_of_event[event], program.window_length or 0
    before, until = (each[partition] for each in ordered.horizons)
    end = later(ordered.arrays.clock[event], window)
    return pairs.chosen((before < end) & (end <= until))


def seen_by_second(program: Program, ordered: OrderedEvents) -> OrderedEvents:
    """Return the same events with the masks of the second side."""
    fires, *negative = ordered.negative_fires[len(program.negative_tests) :]
    arrays = ordered.arrays._replace(fires=fires)
    return replace(ordered, arrays=arrays, negative_fires=tuple(negative))


def _side(task: MatchTask, events: pa.Schema) -> _Side:
    program, ordered, columns = task.program, task.ordered, task.columns
    walker = MatchWalker(program, _of_side(program), ordered, task.predicates, columns, events)
    walker.limit = MatchLimit(replace(program, limit=None), ordered, columns)
    walkables = fold_in_parts(task)
    matches = joined(chain.from_iterable(map(walker.matches, walkables)))
    if matches.event.size > LARGEST_OFFSET:
        raise DataError(
            f"trends of one side of AND have {matches.event.size:,} events, too many at once",
            hint="add WITHIN, or predicates",
        )
    return _Side(program, ordered, walker.rows, _without_repeats(matches))


def _without_repeats(matches: MatchArrays) -> MatchArrays:
    """Return every event sequence once, with its lowest positions."""
    sequences = sequence_ranks(matches.offsets, matches.event)
    order = np.lexsort([sequence_ranks(matches.offsets, matches.position), sequences])
    is_lowest = starts_of_runs(sequences[order])
    return picked(matches, np.sort(order[is_lowest]))


def _in_one_window(left: _Side, right: _Side) -> _Pairs:
    """Return all pairs of one partition that lie in one span shorter than the window."""
    reach = find_reach(
        left.ordered.arrays.clock,
        left.ordered.partition_of_event,
        left.program.window_length or 0,
    )
    # Partners that start with a trend or before it, then those of the other side that start before.
    program = left.program
    left_numbers, right_numbers = _stretches(program, reach[left.last], left.first + 1, right.first)
    right_later, left_earlier = _stretches(program, reach[right.last], right.first, left.first)
    return _Pairs(
        np.concatenate((left_numbers, left_earlier)), np.concatenate((right_numbers, right_later))
    )


def _stretches(
    program: Program, begin: Int64s, end: Int64s, starts: Int64s
) -> tuple[Int64s, Int64s]:
    """Return the numbers i, j of all pairs with `begin[i] <= starts[j] < end[i]`."""
    order = np.argsort(starts, kind="stable")
    low, high = (np.searchsorted(starts[order], each) for each in (begin, end))
    counts = high - low
    total = int(counts.sum())
    if program.max_matches is not None and total > program.max_matches:
        raise MatchLimitError(program.name, " (pairs)", total, program.max_matches)
    if total > LARGEST_OFFSET:
        raise DataError(
            f"AND gives {total:,} pairs, too many for one result",
            hint="add WITHIN or a partition such as [attribute]",
        )
    before = np.cumsum(counts) - counts
    places = np.repeat(low - before, counts) + np.arange(total)
    return np.repeat(np.arange(begin.size), counts), order[places]


def _unordered(
    pairs: _Pairs,
    left: _Side,
    right: _Side,
    columns: Mapping[str, Any],
    tie_columns: tuple[str, ...],
) -> _Pairs:
    """Drop pairs of equal trends; of two pairs that differ in their order only, keep one.

    That is the one with the lower trend on the left.
    """
    count = left.first.size
    both = MatchArrays(
        np.concatenate((left.trends.offsets, right.trends.offsets[1:] + left.trends.event.size)),
        np.concatenate((left.trends.event, right.trends.event)),
        np.concatenate((left.trends.position, right.trends.position)),
    )
    sequences = sequence_ranks(both.offsets, both.event)
    shared, on_left, on_right = np.intersect1d(
        sequences[:count], sequences[count:], assume_unique=True, return_indices=True
    )
    if shared.size == 0:
        return pairs
    places = TrendOrder(picked(left.trends, on_left), left.ordered, columns, tie_columns).places()
    place_of_left, place_of_right = np.full(count, -1), np.full(right.first.size, -1)
    place_of_left[on_left], place_of_right[on_right] = places, places
    one, other = place_of_left[pairs.left], place_of_right[pairs.right]
    return pairs.chosen((one < 0) | (other < 0) | (one < other))


def _without_overlaps(
    pairs: _Pairs,
    left: _Side,
    right: _Side,
    columns: Mapping[str, Any],
    tie_columns: tuple[str, ...],
) -> _Pairs:
    """Return the pairs that OUTPUT NON OVERLAPPING takes."""
    one = TrendOrder(left.trends, left.ordered, columns, tie_columns)
    other = TrendOrder(right.trends, right.ordered, columns, tie_columns)
    owner_of_event = owners(left.program, left.ordered)
    owner = owner_of_event[left.first[pairs.left]]
    first = np.minimum(one.first[pairs.left], other.first[pairs.right])
    last = np.maximum(one.last[pairs.left], other.last[pairs.right])
    is_after = first > taken_before(owner_of_event, left.ordered, columns)[owner]
    pairs, owner = pairs.chosen(is_after), owner[is_after]
    first, last = first[is_after], last[is_after]
    order = np.lexsort(
        [
            other.values[pairs.right],
            one.values[pairs.left],
            other.steps[pairs.right],
            one.steps[pairs.left],
            first,
            last,
            owner,
        ]
    )
    return pairs.chosen(order[choose_apart(owner[order], first[order], last[order])])


def _taken(array: Any, numbers: Int64s) -> Any:
    """Return the values of a side's trends for the pairs."""
    if pa.types.is_list(array.type):
        size = pc.sum(pc.list_value_length(array).take(pa.array(numbers))).as_py() or 0
        if size > LARGEST_OFFSET:
            raise DataError(
                f"the pairs have {size:,} events of one variable, too many for one result",
                hint="return fewer columns of repeated variables, or add WITHIN",
            )
    return array.take(pa.array(numbers))
