"""One step of a stream: settle events, report what became final, keep what can still matter.

The settled events that can still matter are run again together with the new ones by the engine of
bounded inputs, which reports only what is new (decision 14).
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from cepheid.engine.events.ticks import LARGEST
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.trends.windows.wanted_windows import shares_windows_of_events
from cepheid.errors import Diagnostic, StateLimitError, UnsupportedQueryError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.stream.admit_events import AdmittedEvents, admit_events
from cepheid.stream.kept_events import (
    ChunkWriter,
    StoredChunk,
    earliest_from,
    read_stored,
)
from cepheid.stream.retention import Move, retention_of
from cepheid.stream.stream_state import ChunkKind, StreamState

LAST_TICK = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Step:
    """What a step gives.

    `result` has what became final, `late` the events that came too late, as they were given.
    `next_timer` is the earliest tick such that a step with a later horizon may settle or report
    something, even if no event arrives; None if nothing waits. `waiting` is how many more events
    wait for a later horizon than before.
    """

    state: StreamState
    result: pa.Table
    late: pa.Table
    next_timer: int | None
    waiting: int = 0


def step(  # noqa: PLR0913 - the options of a stream, all by name
    program: Program,
    state: StreamState,
    arrived: pa.Table | None,
    until: int | None,
    *,
    ordered: bool = False,
    late_before: int | None = None,
    partially: bool = False,
    state_limit: int | None = None,
    ends: bool = False,
) -> Step:
    """Settle all events before tick `until`, or all of a stream in order.

    An event is late if it is before `late_before`, or settled already. In a stream in order that is
    one whose order key does not come after those of the steps before. `partially`: rows of groups
    are to be combined with those of other buckets. `state_limit` is in bytes. `ends`: no event
    comes after these, so that everything is final, and nothing is kept.

    Raises:
        DataError, StateError: nothing is lost; the same step can be tried again.
    """
    with errors_of(program.name):
        reject_unbounded(program)
        if arrived is None:
            if state.events is None:  # nothing has ever arrived
                nothing = pa.table({})
                return Step(StreamState(later(state.horizon, until)), nothing, nothing, None)
            arrived = state.events.empty_table()
        admitted = admit_events(program, state, arrived, ordered=ordered, late_before=late_before)
        stored = read_stored(program, state.of_kind(ChunkKind.EVENTS), admitted.events)
        horizon = next_horizon(program, state, admitted, until, ordered=ordered)
        if ends:
            horizon = end_of_time(stored, horizon, program.window_length or 0)
        move = Move(program, state, stored, horizon, admitted.events.schema, ordered, ends)
        retention = retention_of(move)
        replayed = retention.run(partially=partially)
        if ends:
            return Step(finished(move), replayed.result, admitted.late, None, newly_waiting(move))
        writer = ChunkWriter(state.next_number)
        retention.write(replayed, writer)
        keep_last_key(state, admitted, writer)
        after = StreamState(move.horizon, tuple(writer.chunks), move.schema, writer.next_number)
        if state_limit is not None and after.size > state_limit:
            raise StateLimitError(program.name, after.size, state_limit)
        waiting = None if ordered else earliest_from(move.stored, move.horizon)
        ticks = [each for each in (waiting, retention.closing(replayed)) if each is not None]
        next_timer = min(ticks, default=None)
        return Step(after, replayed.result, admitted.late, next_timer, newly_waiting(move))


def reject_unbounded(program: Program) -> None:
    """Raise an UnsupportedQueryError if a result is never final."""
    problem = None
    if isinstance(program.output, AggregateOutput) and program.window_length is None:
        problem = Diagnostic(
            "stream-without-window",
            f"'{program.name}' adds up the whole input, and a stream has no end",
            hint="add WITHIN, or WITHIN … SLIDE",
        )
    elif shares_windows_of_events(program):
        problem = Diagnostic(
            "stream-of-shared-windows",
            f"'{program.name}' adds up windows of EVENTS of several partitions; on a stream a new "
            "partition can always come, and its first window would change a result",
            hint="group by all partition attributes, or measure the window in time",
        )
    if problem is not None:
        raise UnsupportedQueryError([problem])


def later(one: int | None, other: int | None) -> int | None:
    """Return the later of two ticks, of which any may be missing."""
    return max((each for each in (one, other) if each is not None), default=None)


def next_horizon(
    program: Program,
    state: StreamState,
    admitted: AdmittedEvents,
    until: int | None,
    *,
    ordered: bool,
) -> int | None:
    """Return the tick before which all is settled; it never goes back.

    In a stream in order no event comes after the last one at the same time, unless order columns
    tell them apart.
    """
    horizon = later(state.horizon, until)
    if ordered and admitted.latest is not None:
        after = admitted.latest + (0 if program.order else 1)
        return later(horizon, min(after, LAST_TICK))
    return horizon


def end_of_time(stored: list[StoredChunk], horizon: int | None, window: int) -> int | None:
    """Return a horizon at which everything is final that events of the past can be part of.

    What is settled already came before the horizon, and no window that it is in, or whose end is
    awaited, lasts longer than one more. It is not later than that: windows up to it are looked at.
    """
    latest = max((int(each.ticks[-1]) for each in stored), default=None)
    last = later(horizon, latest)
    return None if last is None else min(last + window + 1, LARGEST)


def newly_waiting(move: Move) -> int:
    """Return how many more events are not settled than before."""
    if move.ordered:
        return 0
    before = [each for each in move.stored if each.chunk is not None]
    return sum(each.count_from(move.horizon) for each in move.stored) - sum(
        each.count_from(move.state.horizon) for each in before
    )


def finished(move: Move) -> StreamState:
    """Return what is kept at the end: nothing but how far it came."""
    return StreamState(move.horizon, (), move.schema, move.state.next_number)


def keep_last_key(state: StreamState, admitted: AdmittedEvents, writer: ChunkWriter) -> None:
    """Keep the order key after which events of a stream in order come."""
    if admitted.last_key is None:
        writer.chunks += state.of_kind(ChunkKind.LAST_KEY)
    else:
        writer.add(ChunkKind.LAST_KEY, admitted.latest or 0, admitted.last_key)
