"""One step of several queries on the same stream: events are kept once, for all of them.

A set of queries is folded in one pass over the events of those windows that close. Windows are
reported by the step that settles their end, as for queries by themselves (decision 14).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from cepheid.errors import StateLimitError
from cepheid.program.program import Clock, Program
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.runtime.aggregate.group_rows import taken
from cepheid.runtime.sharing.policy import Policy, Sharing
from cepheid.runtime.sharing.run_set import fold_prepared, prepare_set
from cepheid.runtime.stream.arrivals import KeptEvents, kept_events, receive
from cepheid.runtime.stream.carried import Carried, ChunkKind
from cepheid.runtime.stream.keep import how_far_back
from cepheid.runtime.stream.keepers import Move, PlainKeeper
from cepheid.runtime.stream.step import keep_last_key, later, next_horizon
from cepheid.runtime.stream.stored_events import (
    ChunkWriter,
    StoredChunk,
    earliest_from,
    read_stored,
    write_stored,
)
from cepheid.runtime.stream.wake import next_window_end


@dataclass(frozen=True, slots=True)
class StreamedQuery:
    """A query of a bundle; `partially`: its rows are combined with those of other buckets.

    `since` is the first tick that it takes: it does not see earlier events, and does not report
    windows that began before. None: it takes all.
    """

    name: str
    program: Program
    partially: bool = False
    since: int | None = None


@dataclass(frozen=True)
class StreamBundle:
    """Queries on the same stream; sets have the numbers of their queries, and these merged.

    `columns` are kept of events in any case.
    """

    queries: tuple[StreamedQuery, ...]
    sets: tuple[tuple[tuple[int, ...], MergedProgram], ...] = ()
    policy: Policy = Policy.DYNAMIC
    columns: tuple[str, ...] = ()

    @property
    def alone(self) -> list[StreamedQuery]:
        """The queries that are in no set."""
        together = {number for numbers, _ in self.sets for number in numbers}
        return [each for number, each in enumerate(self.queries) if number not in together]

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """The programs of all queries."""
        return tuple(each.program for each in self.queries)

    @cached_property
    def kept(self) -> KeptEvents:
        """What is kept of events."""
        return kept_events(self.programs, self.columns)


def stream_bundle(
    queries: Sequence[StreamedQuery], sharing: Sharing, columns: Sequence[str] = ()
) -> StreamBundle:
    """Put queries together; those that add up windows of time can share work."""
    places = [
        place
        for place, each in enumerate(queries)
        if each.program.slide is not None and each.program.clock is Clock.TIME
    ]
    merged = sharing.merged.of([queries[place].program for place in places])
    sets = tuple(
        (tuple(places[each] for each in shared.places), program) for shared, program in merged
    )
    return StreamBundle(tuple(queries), sets, sharing.policy, tuple(columns))


@dataclass(frozen=True, slots=True)
class BundleStep:
    """What a step gives; see `Step`. Queries without new results have none."""

    carried: Carried
    results: dict[str, pa.Table]
    late: pa.Table
    wake: int | None


def bundle_step(  # noqa: PLR0913 - the options of a stream, all by name
    bundle: StreamBundle,
    carried: Carried,
    arrived: pa.Table | None,
    until: int | None,
    *,
    ordered: bool = False,
    late_before: int | None = None,
    state_limit: int | None = None,
) -> BundleStep:
    """Settle all events before tick `until`, or all of a stream in order; see `step`."""
    nothing = pa.table({})
    if not bundle.queries or (arrived is None and carried.events is None):
        after = Carried(later(carried.horizon, until), (), None, carried.next_number)
        return BundleStep(after, {}, nothing, None)
    if arrived is None:
        assert carried.events is not None
        arrived = carried.events.empty_table()
    lead = max(bundle.programs, key=lambda each: each.window_length or 0)
    arrival = receive(
        lead, carried, arrived, ordered=ordered, late_before=late_before, kept=bundle.kept
    )
    move = Move(
        lead,
        carried,
        read_stored(lead, carried.of_kind(ChunkKind.EVENTS), arrival.events),
        next_horizon(lead, carried, arrival, until, ordered=ordered),
        arrival.events.schema,
        ordered,
    )
    results, closings = _advance(bundle, move)
    writer = ChunkWriter(carried.next_number)
    write_stored(lead, move.stored, _oldest(bundle, move.horizon), writer)
    keep_last_key(carried, arrival, writer)
    after = Carried(move.horizon, tuple(writer.chunks), move.schema, writer.next_number)
    if state_limit is not None and after.size > state_limit:
        raise StateLimitError(lead.name, after.size, state_limit)
    waiting = None if ordered else earliest_from(move.stored, move.horizon)
    ticks = [each for each in (waiting, *closings) if each is not None]
    return BundleStep(after, results, arrival.late, min(ticks, default=None))


def _advance(bundle: StreamBundle, move: Move) -> tuple[dict[str, pa.Table], list[int | None]]:
    """Return the results of all queries, and the ticks at which more may become final."""
    results: dict[str, pa.Table] = {}
    closings: list[int | None] = []
    if move.horizon is None:
        return results, closings
    for each in bundle.alone:
        stored = [_from(chunk, each.since) for chunk in move.stored]
        keeper = PlainKeeper(replace(move, program=each.program, stored=stored))
        replayed = keeper.run(partially=each.partially)
        results[each.name] = replayed.result
        closings.append(keeper.closing(replayed))
    latest = _latest_settled(move)
    for numbers, merged in bundle.sets:
        queries = [bundle.queries[each] for each in numbers]
        results |= _closed_windows(queries, merged, move, bundle.policy)
        if latest is not None:
            windows = {(e.program.window_length, e.program.slide): e.program for e in queries}
            closings += [next_window_end(e, latest, move.horizon) for e in windows.values()]
    return {name: each for name, each in results.items() if each.num_rows}, closings


def _latest_settled(move: Move) -> int | None:
    """Return the tick of the last settled event; in a stream in order all are."""
    until = None if move.ordered else move.horizon
    counts = [each.between(None, until).num_rows for each in move.stored]
    lasts = [int(each.ticks[n - 1]) for each, n in zip(move.stored, counts, strict=True) if n]
    return max(lasts, default=None)


def _from(chunk: StoredChunk, since: int | None) -> StoredChunk:
    if since is None or chunk.ticks[0] >= since:
        return chunk
    place = int(np.searchsorted(chunk.ticks, since))
    return StoredChunk(chunk.table.slice(place), chunk.ticks[place:], chunk.chunk)


def _oldest(bundle: StreamBundle, horizon: int | None) -> int | None:
    """Return the first tick that matters to any query; None: all do."""
    reaches = [how_far_back(each) for each in bundle.programs]
    if horizon is None or None in reaches:
        return None
    return horizon - max(each for each in reaches if each is not None)


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


def _wanted(query: StreamedQuery, move: Move) -> _Wanted:
    program, before, until = query.program, move.carried.horizon, move.horizon
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


def _closed_windows(
    queries: Sequence[StreamedQuery], merged: MergedProgram, move: Move, policy: Policy
) -> dict[str, pa.Table]:
    """Fold the events of the windows that close, and return what is in those."""
    wanted = [_wanted(each, move) for each in queries]
    ranges = _joined([(each.begin, each.end) for each in wanted if not each.is_empty])
    parts = [chunk.between(begin, end) for begin, end in ranges for chunk in move.stored]
    events = move.united(parts)
    if not events.num_rows:
        return {}
    columns = dict(zip(events.column_names, events.columns, strict=True))
    prepared = prepare_set(merged, columns, events.num_rows, 1)
    folded = fold_prepared(prepared, policy)
    chosen = []
    for rows, each in zip(folded.rows, wanted, strict=True):
        is_wanted = rows.window <= each.last
        if each.first is not None:
            is_wanted &= rows.window >= each.first
        chosen.append(taken(rows, np.flatnonzero(is_wanted)))
    partially = [number for number, each in enumerate(queries) if each.partially]
    tables = prepared.tables(replace(folded, rows=tuple(chosen)), move.schema, partially)
    return {query.name: each for query, each in zip(queries, tables, strict=True)}


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
