"""One step of a stream: admit events, settle them, fold what became final, retain, say when again.

A step is one of a bundle of queries, whose events are kept once for all of them; a single query is
a bundle of one. The settled events that can still matter are run again together with the new ones
by the engine of bounded inputs, which reports only what is new (decision 14).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pyarrow as pa

from cepheid.engine.process.name_errors import errors_of
from cepheid.errors import StateLimitError
from cepheid.program.compute_columns import computed_schema
from cepheid.stream.admit_events import AdmittedEvents, admit_events
from cepheid.stream.fold_settled import Final
from cepheid.stream.guards import NO_GUARDS, Guards
from cepheid.stream.kept_events import ChunkWriter, earliest_from
from cepheid.stream.next_horizon import end_of_time, later, next_horizon
from cepheid.stream.retention import Retention, retention_of
from cepheid.stream.settled_events import Move, Work
from cepheid.stream.step_sizes import SIZES, StepSizes
from cepheid.stream.stored_chunk import read_stored
from cepheid.stream.stream_bundle import StreamBundle
from cepheid.stream.stream_state import ChunkKind, StreamState


@dataclass(frozen=True, slots=True)
class Step:
    """What a step gives.

    `results` has by query what became final, if anything did; `late` the events that came too late,
    as they were given. `next_timer` is the earliest tick such that a step with a later horizon may
    settle or report something, even if no event arrives; None if nothing waits. `waiting` is how
    many more events wait for a later horizon than before. `failed` says of queries that have no
    results, because their data is at fault, why. `aside` has events without a place in time, as
    they were given, and their reasons. `work` is what the step had to do.
    """

    state: StreamState
    results: dict[str, pa.Table]
    late: pa.Table
    next_timer: int | None
    waiting: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    aside: pa.Table = field(default_factory=lambda: pa.table({}))
    work: Work = field(default_factory=Work)


def step(  # noqa: PLR0913 - the options of a stream, all by name
    bundle: StreamBundle,
    state: StreamState,
    arrived: pa.Table | None,
    until: int | None,
    *,
    ordered: bool = False,
    late_before: int | None = None,
    guards: Guards = NO_GUARDS,
    state_limit: int | None = None,
    isolates: bool = False,
    ends: bool = False,
    sizes: StepSizes = SIZES,
) -> Step:
    """Settle all events before tick `until`, or all of a stream in order.

    An event is late if it is before `late_before`, or settled already. In a stream in order that is
    one whose order key does not come after those of the steps before. `guards` say which events
    have no place in time and are set aside. `state_limit` is in bytes.
    With `isolates` a query whose data is at fault has no results in this step, and the others do.
    `ends`: no event comes after these, so that everything is final, and nothing is kept. `sizes`
    change how long it takes.

    Raises:
        DataError, StateError: nothing is lost; the same step can be tried again.
    """
    if not bundle.queries or (arrived is None and state.events is None):
        after = StreamState(later(state.horizon, until), (), None, state.next_number)
        return Step(after, {}, pa.table({}), None)
    with errors_of(bundle.name):
        if arrived is None:
            assert state.events is not None
            arrived = state.events.empty_table()
        admission = replace(bundle.admission, is_lenient=isolates)
        admitted = admit_events(
            admission, state, arrived, ordered=ordered, late_before=late_before, guards=guards
        )
        move = _settle(bundle, state, admitted, until, ordered=ordered, ends=ends)
        move = replace(move, sizes=sizes)
        retention = retention_of(move)
        final = retention.fold(isolates=isolates)
        after = _retain(move, admitted, retention, final)
        if state_limit is not None and after.size > state_limit:
            raise StateLimitError(move.lead.name, after.size, state_limit)
        results = {name: each for name, each in final.results.items() if each.num_rows}
        timer, waiting = _next_timer(move, final), _newly_waiting(move)
        final.work.settled = admitted.events.num_rows - waiting
        return Step(
            after,
            results,
            admitted.late,
            timer,
            waiting,
            final.failed,
            admitted.aside,
            final.work,
        )


def _settle(
    bundle: StreamBundle,
    state: StreamState,
    admitted: AdmittedEvents,
    until: int | None,
    *,
    ordered: bool,
    ends: bool,
) -> Move:
    """Put what was kept and what has come together, and move the horizon."""
    lead = bundle.admission.lead
    stored = read_stored(lead, state.of_kind(ChunkKind.EVENTS), admitted.events)
    horizon = next_horizon(lead, state, admitted, until, ordered=ordered)
    if ends:
        horizon = end_of_time(bundle.programs, state, stored, horizon, ordered=ordered)
    schema = computed_schema(admitted.events.schema, bundle.computed)
    return Move(bundle, state, stored, horizon, schema, ordered, ends)


def _retain(
    move: Move, admitted: AdmittedEvents, retention: Retention, final: Final
) -> StreamState:
    """Return what the next step needs; at the end that is nothing but how far it came."""
    writer = ChunkWriter(move.state.next_number)
    if not move.ends:
        retention.write(final, writer)
        # The order key after which events of a stream in order come.
        if admitted.last_key is None:
            writer.chunks += move.state.of_kind(ChunkKind.LAST_KEY)
        else:
            writer.add(ChunkKind.LAST_KEY, admitted.latest or 0, admitted.last_key)
    kept = admitted.events.schema
    chunks = tuple(writer.chunks)
    return StreamState(move.horizon, chunks, kept, writer.next_number, final.marks)


def _next_timer(move: Move, final: Final) -> int | None:
    """Return when the first event that waits is settled, or more becomes final."""
    if move.ends:
        return None
    waiting = None if move.ordered else earliest_from(move.stored, move.horizon)
    ticks = [each for each in (waiting, *final.closings) if each is not None]
    return min(ticks, default=None)


def _newly_waiting(move: Move) -> int:
    """Return how many more events are not settled than before."""
    if move.ordered:
        return 0
    before = [each for each in move.stored if each.chunk is not None]
    return sum(each.count_from(move.horizon) for each in move.stored) - sum(
        each.count_from(move.state.horizon) for each in before
    )
