"""One step of several queries on the same stream: events are kept once, for all of them.

Sets of queries, and those with lanes, are folded in one pass over the events of those windows that
close. Windows are reported by the step that settles their end, as for queries by themselves
(decision 14). For all others the settled events are ordered once, and matches have one graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from cepheid.errors import StateLimitError
from cepheid.runtime.stream.arrivals import receive
from cepheid.runtime.stream.carried import Carried, ChunkKind
from cepheid.runtime.stream.closed_windows import next_ends, windows_of_lanes, windows_of_set
from cepheid.runtime.stream.keep import how_far_back
from cepheid.runtime.stream.keepers import Move
from cepheid.runtime.stream.replay_together import replay_together
from cepheid.runtime.stream.step import keep_last_key, later, next_horizon
from cepheid.runtime.stream.stored_events import (
    ChunkWriter,
    earliest_from,
    read_stored,
    write_stored,
)
from cepheid.runtime.stream.stream_bundle import StreamBundle, StreamedQuery, stream_bundle

__all__ = ["BundleStep", "StreamBundle", "StreamedQuery", "bundle_step", "stream_bundle"]


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
    latest, alone = _latest_settled(move), bundle.alone
    for numbers, merged in bundle.sets:
        queries = bundle.of(numbers)
        results |= windows_of_set(queries, merged, move, bundle.policy)
        closings += next_ends(queries, latest, move)
    for numbers, lanes in bundle.lanes:
        queries = bundle.of(numbers)
        found = windows_of_lanes(queries, lanes, move)
        if found is None:
            alone += queries
        else:
            results |= found
            closings += next_ends(queries, latest, move)
    graphs = [(bundle.of(numbers), program) for numbers, program in bundle.matches]
    for name, table, closing in replay_together(alone, graphs, move):
        if table is not None:
            results[name] = table
        closings.append(closing)
    return {name: each for name, each in results.items() if each.num_rows}, closings


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
