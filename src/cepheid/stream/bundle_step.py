"""One step of several queries on the same stream: events are kept once, for all of them.

Sets of queries, and those with lanes, are folded in one pass over the events of those windows that
close. Windows are reported by the step that settles their end, as for queries by themselves
(decision 14). For all others the settled events are ordered once, and sequences of one window
that moves with every event have common segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.engine.events.ticks import from_ticks
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.trends.result_table import WINDOW_START
from cepheid.errors import DataError, LiveStateError, MatchLimitError, StateLimitError
from cepheid.stream.admit_events import admit_events
from cepheid.stream.closed_windows import next_ends, windows_of_lanes, windows_of_set
from cepheid.stream.kept_events import (
    ChunkWriter,
    earliest_from,
    read_stored,
    write_stored,
)
from cepheid.stream.needed_events import how_far_back
from cepheid.stream.replay_together import Chains, replay_together
from cepheid.stream.retention import Move
from cepheid.stream.stream_bundle import StreamBundle, StreamedQuery, stream_bundle
from cepheid.stream.stream_state import ChunkKind, StreamState
from cepheid.stream.stream_step import (
    end_of_time,
    finished,
    keep_last_key,
    later,
    newly_waiting,
    next_horizon,
)

__all__ = ["BundleStep", "StreamBundle", "StreamedQuery", "bundle_step", "stream_bundle"]


@dataclass(frozen=True, slots=True)
class BundleStep:
    """What a step gives; see `Step`. Queries without new results have none.

    `failed` says of queries that have no results, because their data is at fault, why.
    """

    state: StreamState
    results: dict[str, pa.Table]
    late: pa.Table
    next_timer: int | None
    failed: dict[str, str] = field(default_factory=dict)
    waiting: int = 0


def bundle_step(  # noqa: PLR0913 - the options of a stream, all by name
    bundle: StreamBundle,
    state: StreamState,
    arrived: pa.Table | None,
    until: int | None,
    *,
    ordered: bool = False,
    late_before: int | None = None,
    state_limit: int | None = None,
    isolates: bool = False,
    ends: bool = False,
) -> BundleStep:
    """Settle all events before tick `until`, or all of a stream in order; see `step`.

    With `isolates` a query whose data is at fault has no results in this step, and the others do.
    """
    nothing = pa.table({})
    if not bundle.queries or (arrived is None and state.events is None):
        after = StreamState(later(state.horizon, until), (), None, state.next_number)
        return BundleStep(after, {}, nothing, None)
    if arrived is None:
        assert state.events is not None
        arrived = state.events.empty_table()
    lead = max(bundle.programs, key=lambda each: each.window_length or 0)
    admitted = admit_events(
        lead,
        state,
        arrived,
        ordered=ordered,
        late_before=late_before,
        kept=replace(bundle.kept, is_lenient=isolates),
    )
    stored = read_stored(lead, state.of_kind(ChunkKind.EVENTS), admitted.events)
    horizon = next_horizon(lead, state, admitted, until, ordered=ordered)
    if ends:
        horizon = end_of_time(stored, horizon, lead.window_length or 0)
    move = Move(lead, state, stored, horizon, admitted.events.schema, ordered, ends)
    found = _advance(bundle, move, isolates=isolates)
    results = {name: each for name, each in found.results.items() if each.num_rows}
    if ends:
        fewer = newly_waiting(move)
        return BundleStep(finished(move), results, admitted.late, None, found.failed, fewer)
    writer = ChunkWriter(state.next_number)
    write_stored(lead, move.stored, _oldest(bundle, move.horizon), writer)
    keep_last_key(state, admitted, writer)
    after = StreamState(move.horizon, tuple(writer.chunks), move.schema, writer.next_number)
    if state_limit is not None and after.size > state_limit:
        raise StateLimitError(lead.name, after.size, state_limit)
    waiting = None if ordered else earliest_from(move.stored, move.horizon)
    ticks = [each for each in (waiting, *found.closings) if each is not None]
    next_timer, more = min(ticks, default=None), newly_waiting(move)
    return BundleStep(after, results, admitted.late, next_timer, found.failed, more)


@dataclass(frozen=True, slots=True)
class _Found:
    """Results, why there are none, and the ticks at which more may become final."""

    results: dict[str, pa.Table] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    closings: list[int | None] = field(default_factory=list)


def _advance(bundle: StreamBundle, move: Move, *, isolates: bool) -> _Found:
    if move.horizon is None:
        return _Found()
    try:
        return _together(bundle, move)
    except (DataError, LiveStateError, MatchLimitError):  # one by one, it can be told whose it is
        return _one_by_one(bundle, move, isolates=isolates)


def _one_by_one(bundle: StreamBundle, move: Move, *, isolates: bool) -> _Found:
    found = _Found()
    for query in bundle.queries:
        try:
            with errors_of(query.name):
                _replay([query], [], move, found)
        except (DataError, LiveStateError, MatchLimitError) as error:
            if not isolates:
                raise
            found.failed[query.name] = str(error)
    return found


def _together(bundle: StreamBundle, move: Move) -> _Found:
    found = _Found()
    results, closings = found.results, found.closings
    latest, alone = _latest_settled(move), bundle.alone
    for numbers, merged in bundle.sets:
        queries = bundle.of(numbers)
        results |= windows_of_set(queries, merged, move, bundle.policy)
        closings += next_ends(queries, latest, move)
    for numbers, lanes in bundle.lanes:
        queries = bundle.of(numbers)
        tables = windows_of_lanes(queries, lanes, move)
        if tables is None:
            alone += queries
        else:
            results |= tables
            closings += next_ends(queries, latest, move)
    chains = [(bundle.of(numbers), program) for numbers, program in bundle.chains]
    _replay(alone, chains, move, found)
    return found


def _replay(alone: Sequence[StreamedQuery], chains: Chains, move: Move, found: _Found) -> None:
    by_name = {each.name: each for each in alone}
    for name, table, closing in replay_together(alone, chains, move):
        if table is not None:
            query = by_name.get(name)
            found.results[name] = table if query is None else _begun_since(query, table, move)
        found.closings.append(closing)


def _begun_since(query: StreamedQuery, result: pa.Table, move: Move) -> pa.Table:
    """Return the rows of windows that a query saw from their beginning on."""
    program = query.program
    if query.since is None or program.slide is None or not result.num_rows:
        return result
    first = from_ticks(np.array([query.since]), move.schema.field(program.time).type)[0]
    begin = result.column("0" if query.partially else WINDOW_START)  # see `partial_schema`
    return result.filter(pc.greater_equal(begin, first))


def _latest_settled(move: Move) -> int | None:
    """Return the tick of the last settled event; in a stream in order all are."""
    until = None if move.ordered else move.horizon
    counts = [each.between(None, until).num_rows for each in move.stored]
    lasts = [int(each.ticks[n - 1]) for each, n in zip(move.stored, counts, strict=True) if n]
    return max(lasts, default=None)


def _oldest(bundle: StreamBundle, horizon: int | None) -> int | None:
    """Return the first tick that matters to any query; None: all do."""
    reaches = [how_far_back(each) for each in bundle.programs]
    if horizon is None or None in reaches:
        return None
    return horizon - max(each for each in reaches if each is not None)
