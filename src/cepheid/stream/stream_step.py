"""One step of a stream: settle events, report what became final, keep what can still matter.

The settled events that can still matter are run again together with the new ones by the engine of
bounded inputs, which reports only what is new (decision 14).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from cepheid.engine.events.ticks import LARGEST, too_far
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.trends.windows.wanted_windows import shares_windows_of_events
from cepheid.errors import Diagnostic, StateLimitError, UnsupportedQueryError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program
from cepheid.stream.admit_events import Arrival, receive
from cepheid.stream.kept_events import (
    ChunkWriter,
    StoredChunk,
    earliest_from,
    read_stored,
)
from cepheid.stream.next_timer import closes_later
from cepheid.stream.retention import Move, keeper_of
from cepheid.stream.stream_state import Carried, ChunkKind


@dataclass(frozen=True, slots=True)
class Step:
    """What a step gives.

    `result` has what became final, `late` the events that came too late, as they were given. `wake`
    is the earliest tick such that a step with a later horizon may settle or report something, even
    if no event arrives; None if nothing waits. `waiting` is how many more events wait for a later
    horizon than before.
    """

    carried: Carried
    result: pa.Table
    late: pa.Table
    wake: int | None
    waiting: int = 0


def step(  # noqa: PLR0913 - the options of a stream, all by name
    program: Program,
    carried: Carried,
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
            if carried.events is None:  # nothing has ever arrived
                nothing = pa.table({})
                return Step(Carried(later(carried.horizon, until)), nothing, nothing, None)
            arrived = carried.events.empty_table()
        arrival = receive(program, carried, arrived, ordered=ordered, late_before=late_before)
        stored = read_stored(program, carried.of_kind(ChunkKind.EVENTS), arrival.events)
        horizon = next_horizon(program, carried, arrival, until, ordered=ordered)
        if ends:
            horizon = end_of_time([program], carried, stored, horizon, ordered=ordered)
        move = Move(program, carried, stored, horizon, arrival.events.schema, ordered, ends)
        keeper = keeper_of(move)
        replayed = keeper.run(partially=partially)
        if ends:
            return Step(finished(move), replayed.result, arrival.late, None, newly_waiting(move))
        writer = ChunkWriter(carried.next_number)
        keeper.write(replayed, writer)
        keep_last_key(carried, arrival, writer)
        after = Carried(move.horizon, tuple(writer.chunks), move.schema, writer.next_number)
        if state_limit is not None and after.size > state_limit:
            raise StateLimitError(program.name, after.size, state_limit)
        waiting = None if ordered else earliest_from(move.stored, move.horizon)
        ticks = [each for each in (waiting, keeper.closing(replayed)) if each is not None]
        wake = min(ticks, default=None)
        return Step(after, replayed.result, arrival.late, wake, newly_waiting(move))


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
    program: Program, carried: Carried, arrival: Arrival, until: int | None, *, ordered: bool
) -> int | None:
    """Return the tick before which all is settled; it never goes back.

    In a stream in order no event comes after the last one at the same time, unless order columns
    tell them apart.
    """
    horizon = later(carried.horizon, until)
    if ordered and arrival.latest is not None:
        after = arrival.latest + (0 if program.order else 1)
        return later(horizon, min(after, LARGEST))
    return horizon


def end_of_time(
    programs: Sequence[Program],
    carried: Carried,
    stored: list[StoredChunk],
    horizon: int | None,
    *,
    ordered: bool,
) -> int | None:
    """Return a horizon at which everything is final that events of the past can be part of.

    What is settled already came before the horizon, and no window that it is in, or whose end is
    awaited, lasts longer than one more. It is not later than that: windows up to it are looked at.

    Raises:
        DataError: an event is so late that 64 bits have no such horizon; a result would be lost.
    """
    latest = max((int(each.ticks[-1]) for each in stored), default=None)
    last = later(horizon, latest)
    if last is None:
        return None
    if carried.of_kind(ChunkKind.KNOWN):
        latest = later(latest, carried.horizon)
    windows = [each.window_length or 0 for each in programs]
    awaited = max((each.window_length or 0 for each in programs if closes_later(each)), default=0)
    if latest is not None and latest + awaited + (not ordered or awaited > 0) > LARGEST:
        raise too_far(latest, programs[0].time, awaited)
    return min(last + max(windows) + 1, LARGEST)


def newly_waiting(move: Move) -> int:
    """Return how many more events are not settled than before."""
    if move.ordered:
        return 0
    before = [each for each in move.stored if each.chunk is not None]
    return sum(each.count_from(move.horizon) for each in move.stored) - sum(
        each.count_from(move.carried.horizon) for each in before
    )


def finished(move: Move) -> Carried:
    """Return what is carried on at the end: nothing but how far it came."""
    return Carried(move.horizon, (), move.schema, move.carried.next_number)


def keep_last_key(carried: Carried, arrival: Arrival, writer: ChunkWriter) -> None:
    """Keep the order key after which events of a stream in order come."""
    if arrival.last_key is None:
        writer.chunks += carried.of_kind(ChunkKind.LAST_KEY)
    else:
        writer.add(ChunkKind.LAST_KEY, arrival.latest or 0, arrival.last_key)
