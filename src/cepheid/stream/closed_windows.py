"""Fold the windows that a step closes, for several queries in one pass over their events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.shared.policy import Policy
from cepheid.engine.shared.run_lanes import LaneTask, run_lanes
from cepheid.engine.shared.run_set import SetOptions, fold_prepared, prepare_set
from cepheid.engine.shared.set_results import SetResults
from cepheid.engine.shared.shared_folds import Alone
from cepheid.engine.trends.groups import taken
from cepheid.kernels.values.value_arrays import ValueRows
from cepheid.program.sharing.lane_program import LaneProgram
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.stream.next_timer import next_window_end
from cepheid.stream.settled_events import Move
from cepheid.stream.stream_bundle import StreamedQuery

Results = dict[str, pa.Table]


def windows_of_set(
    queries: Sequence[StreamedQuery], merged: MergedProgram, move: Move, policy: Policy
) -> Results:
    """Return what the queries of a set have in the windows that close."""

    def fold(events: pa.Table, closing: _Closing) -> list[pa.Table]:
        columns = dict(zip(events.column_names, events.columns, strict=True))
        prepared = prepare_set(merged, columns, events.num_rows, 1)
        folded = fold_prepared(prepared, SetOptions(RankedFolds(), 1, policy, stays=True))
        assert not isinstance(folded, Alone)
        chosen = tuple(closing.chosen(folded.rows))
        return prepared.tables(replace(folded, rows=chosen), move.schema, closing.partially)

    return _folded(queries, move, fold) or {}


def windows_of_lanes(
    queries: Sequence[StreamedQuery], lanes: LaneProgram, move: Move
) -> Results | None:
    """Return what queries with lanes have in the windows that close; None if they are too large."""

    def fold(events: pa.Table, closing: _Closing) -> list[pa.Table] | None:
        columns = dict(zip(events.column_names, events.columns, strict=True))

        def finish(results: SetResults, rows: list[ValueRows]) -> list[pa.Table]:
            return results.tables(lanes.programs, closing.chosen(rows), closing.partially)

        task = LaneTask(lanes, columns, events.num_rows, move.schema, RankedFolds(), finish=finish)
        found = run_lanes(task)
        return None if isinstance(found, Alone) else found

    return _folded(queries, move, fold)


def next_ends(
    queries: Sequence[StreamedQuery], latest: int | None, move: Move
) -> Iterator[int | None]:
    """Yield when windows close next, if an event up to `latest` can be in them."""
    assert move.horizon is not None
    if latest is not None:
        windows = {(e.program.window_length, e.program.slide): e.program for e in queries}
        yield from (next_window_end(each, latest, move.horizon) for each in windows.values())


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The first and the last window that a query reports in a step; None: there is no first."""

    first: int | None
    last: int
    length: int
    slide: int

    @property
    def is_empty(self) -> bool:
        return self.first is not None and self.last < self.first

    @property
    def begin(self) -> int | None:
        return None if self.first is None else self.first * self.slide

    @property
    def end(self) -> int:
        return self.last * self.slide + self.length


@dataclass(frozen=True, slots=True)
class _Closing:
    """What every query reports: its windows, and whether others add to its rows."""

    wanted: list[_Wanted]
    partially: list[int]

    def chosen(self, rows: Sequence[ValueRows]) -> list[ValueRows]:
        """Return the rows of windows that close, by query."""
        found = []
        for own, each in zip(rows, self.wanted, strict=True):
            is_wanted = own.window <= each.last
            if each.first is not None:
                is_wanted &= own.window >= each.first
            found.append(taken(own, np.flatnonzero(is_wanted)))
        return found


def _folded(
    queries: Sequence[StreamedQuery],
    move: Move,
    fold: Callable[[pa.Table, _Closing], list[pa.Table] | None],
) -> Results | None:
    """Fold the events of the windows that close, if there are any."""
    wanted = [_wanted(each, move) for each in queries]
    ranges = _joined([(each.begin, each.end) for each in wanted if not each.is_empty])
    parts = [chunk.between(begin, end) for begin, end in ranges for chunk in move.stored]
    events = move.united(parts)
    if not events.num_rows:
        return {}
    partially = [number for number, each in enumerate(queries) if each.partially]
    tables = fold(events, _Closing(wanted, partially))
    if tables is None:
        return None
    return {query.name: each for query, each in zip(queries, tables, strict=True)}


def _wanted(query: StreamedQuery, move: Move) -> _Wanted:
    program, before, until = query.program, move.state.horizon, move.horizon
    assert program.window_length is not None
    assert program.slide is not None
    assert until is not None
    length, slide = program.window_length, program.slide
    firsts = []
    if before is not None:
        firsts.append((before - length) // slide + 1)
    if query.since is not None:
        firsts.append(-(-query.since // slide))
    return _Wanted(max(firsts, default=None), (until - length) // slide, length, slide)


def _joined(ranges: Sequence[tuple[int | None, int]]) -> Iterator[tuple[int | None, int]]:
    """Yield stretches of time that do not overlap and cover all that are given."""
    begin: int | None = None
    end: int | None = None
    for low, high in sorted(ranges, key=lambda each: (each[0] is not None, each[0] or 0)):
        if end is None:
            begin, end = low, high
        elif low is None or low <= end:
            end = max(end, high)
        else:
            yield begin, end
            begin, end = low, high
    if end is not None:
        yield begin, end
