"""One step of a stream: settle events, report what became final, keep what can still matter.

The settled events that can still matter are run again together with the new ones by the engine of
bounded inputs, which reports only what is new (decision 14).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from cepheid.errors import Diagnostic, StateLimitError, UnsupportedQueryError
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Clock, Program
from cepheid.runtime.settled import Settled
from cepheid.runtime.stream.arrivals import Arrival, plain_events, receive
from cepheid.runtime.stream.carried import Carried, ChunkKind
from cepheid.runtime.stream.keep import how_far_back, keeps_apart, still_needed, with_indexes
from cepheid.runtime.stream.replay import Replayed, empty_result, replay
from cepheid.runtime.stream.stored_events import (
    ChunkWriter,
    StoredChunk,
    earliest_from,
    read_stored,
    write_stored,
    write_waiting,
)
from cepheid.runtime.stream.wake import closes_later, next_closing


@dataclass(frozen=True, slots=True)
class Step:
    """What a step gives.

    `result` has what became final, `late` the events that came too late, as they were given. `wake`
    is the earliest tick such that a step with a later horizon may settle or report something, even
    if no event arrives; None if nothing waits.
    """

    carried: Carried
    result: pa.Table
    late: pa.Table
    wake: int | None


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
) -> Step:
    """Settle all events before tick `until`, or all of a stream in order.

    An event is late if it is before `late_before`, or settled already. In a stream in order that is
    one whose order key does not come after those of the steps before. `partially`: rows of groups
    are to be combined with those of other buckets. `state_limit` is in bytes.

    Raises:
        DataError, StateError: nothing is lost; the same step can be tried again.
    """
    reject_unbounded(program)
    if arrived is None:
        if carried.events is None:  # nothing has ever arrived
            nothing = pa.table({})
            return Step(Carried(_latest(carried.horizon, until)), nothing, nothing, None)
        arrived = carried.events.empty_table()
    arrival = receive(program, carried, arrived, ordered=ordered, late_before=late_before)
    stream = _Stream(
        program,
        carried,
        read_stored(program, carried.of_kind(ChunkKind.EVENTS), arrival.events),
        _horizon(program, carried, arrival, until, ordered=ordered),
        plain_events(program, arrived.slice(0, 0)).schema,
        ordered,
    )
    replayed = stream.replayed(partially=partially)
    after = stream.kept(replayed, arrival)
    if state_limit is not None and after.size > state_limit:
        raise StateLimitError(program.name, after.size, state_limit)
    return Step(after, replayed.result, arrival.late, stream.wake)


def reject_unbounded(program: Program) -> None:
    """Raise an UnsupportedQueryError if a result is never final."""
    if isinstance(program.output, AggregateOutput) and program.window_length is None:
        raise UnsupportedQueryError(
            [
                Diagnostic(
                    "stream-without-window",
                    f"'{program.name}' adds up the whole input, and a stream has no end",
                    hint="add WITHIN, or WITHIN … SLIDE",
                )
            ]
        )


def _latest(one: int | None, other: int | None) -> int | None:
    return max((each for each in (one, other) if each is not None), default=None)


def _horizon(
    program: Program, carried: Carried, arrival: Arrival, until: int | None, *, ordered: bool
) -> int | None:
    """Return the tick before which all is settled; it never goes back.

    In a stream in order no event comes after the last one at the same time, unless order columns
    tell them apart.
    """
    horizon = _latest(carried.horizon, until)
    if ordered and arrival.latest is not None:
        return _latest(horizon, arrival.latest + (0 if program.order else 1))
    return horizon


@dataclass(frozen=True)
class _Stream:
    """A step on its way."""

    program: Program
    carried: Carried
    stored: list[StoredChunk]
    horizon: int | None
    schema: pa.Schema
    ordered: bool

    @cached_property
    def oldest(self) -> int | None:
        """The earliest tick that can still matter before this step; None for all."""
        return _back(self.program, self.carried.horizon)

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before."""
        if keeps_apart(self.program):
            kept = [each.table for each in self.carried.of_kind(ChunkKind.KNOWN)]
            return kept[0] if kept else self.schema.empty_table()
        before = self.carried.horizon
        parts = []
        for each in self.stored:
            if each.chunk is not None and (self.ordered or before is not None):
                parts.append(each.between(self.oldest, None if self.ordered else before))
        return pa.concat_tables(parts) if parts else self.schema.empty_table()

    @cached_property
    def new(self) -> pa.Table:
        """The events that this step settles."""
        if self.horizon is None:
            return self.schema.empty_table()
        before = None if keeps_apart(self.program) else self.carried.horizon
        parts = []
        for each in self.stored:
            if not self.ordered:
                parts.append(each.between(before, self.horizon))
            elif each.chunk is None:
                parts.append(each.table)
        return pa.concat_tables(parts) if parts else self.schema.empty_table()

    @cached_property
    def events(self) -> pa.Table:
        """All settled events that can matter, the new ones last."""
        events = pa.concat_tables([self.known, self.new], promote_options="default")
        return with_indexes(self.program, events) if self.program.clock is Clock.EVENTS else events

    def replayed(self, *, partially: bool) -> Replayed:
        """Return what becomes final."""
        moves = self.horizon != self.carried.horizon and self.known.num_rows
        if self.horizon is None or not (
            self.new.num_rows or (moves and closes_later(self.program))
        ):
            result = empty_result(self.program, self.schema, partially=partially)
            return Replayed(result, np.empty(0, np.int64))
        settled = Settled(self.carried.horizon, self.horizon, self.known.num_rows)
        return replay(self.program, self.events, self.schema, settled, partially=partially)

    def kept(self, replayed: Replayed, arrival: Arrival) -> Carried:
        """Return what the next step needs."""
        writer = ChunkWriter(self.carried.next_number)
        if keeps_apart(self.program):
            write_waiting(self.stored, self._settled_until, writer)
            self._write_known(replayed, writer)
        else:
            write_stored(self.program, self.stored, _back(self.program, self.horizon), writer)
        if arrival.last_key is not None:
            writer.add(ChunkKind.LAST_KEY, arrival.latest or 0, arrival.last_key)
        else:
            writer.chunks += self.carried.of_kind(ChunkKind.LAST_KEY)
        return Carried(self.horizon, tuple(writer.chunks), self.schema, writer.next_number)

    def _write_known(self, replayed: Replayed, writer: ChunkWriter) -> None:
        assert self.horizon is not None or not self.events.num_rows
        needed = self.events
        if self.horizon is not None:
            needed = still_needed(self.program, needed, self.horizon, replayed.taken)
        before = self.carried.of_kind(ChunkKind.KNOWN)
        if not self.new.num_rows and needed.num_rows == self.known.num_rows:
            writer.chunks += before
        elif needed.num_rows:
            writer.add(ChunkKind.KNOWN, self.horizon or 0, needed)

    @property
    def _settled_until(self) -> int | None:
        """The tick from which on events wait."""
        return None if self.ordered or self.horizon is None else self.horizon

    @property
    def wake(self) -> int | None:
        """The tick at which something may be final without a new event."""
        waiting = None
        if not self.ordered:
            waiting = earliest_from(self.stored, self.horizon)
        closing = None
        if self.horizon is not None:
            closing = next_closing(self.program, self.events, self.horizon)
        return min((each for each in (waiting, closing) if each is not None), default=None)


def _back(program: Program, horizon: int | None) -> int | None:
    """Return the earliest tick that still matters."""
    reach = how_far_back(program)
    return None if reach is None or horizon is None else horizon - reach
