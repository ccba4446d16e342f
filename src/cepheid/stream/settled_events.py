"""The settled events that can still matter: those known before a step, and those it settles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from cepheid.engine.events.report_range import ReportRange
from cepheid.program.compute_columns import with_computed
from cepheid.program.program import Clock, Program
from cepheid.stream.kept_events import ChunkWriter, StoredChunk, write_waiting
from cepheid.stream.needed_events import with_indexes
from cepheid.stream.stream_bundle import StreamBundle
from cepheid.stream.stream_state import Chunk, ChunkKind, StreamState


@dataclass(frozen=True, slots=True)
class Move:
    """How a step moves the horizon: what there was before, all stored events, and how far it gets.

    `schema` is that of the events, with what programs compute of them. `ends`: no event comes.
    """

    bundle: StreamBundle
    state: StreamState
    stored: list[StoredChunk]
    horizon: int | None
    schema: pa.Schema
    ordered: bool
    ends: bool = False

    @property
    def lead(self) -> Program:
        """The program with the longest window."""
        return self.bundle.admission.lead

    def since(self, tick: int | None) -> Move:
        """Return the same without events before a tick."""
        if tick is None:
            return self
        return replace(self, stored=[_from(each, tick) for each in self.stored])

    def united(self, parts: list[pa.Table]) -> pa.Table:
        """Return tables of events as one, with the columns that programs compute of them."""
        tables = [with_computed(each, self.bundle.computed) for each in parts]
        return pa.concat_tables([self.schema.empty_table(), *tables], promote_options="default")

    def settled_now(self, before: int | None) -> pa.Table:
        """Return the events that the step settles, of those that are not before a tick."""
        if self.horizon is None:
            return self.schema.empty_table()
        if self.ordered:
            return self.united([each.table for each in self.stored if each.chunk is None])
        return self.united([each.between(before, self.horizon) for each in self.stored])

    def write_unsettled(self, writer: ChunkWriter) -> None:
        """Keep the events that still wait, and no others."""
        if not self.ordered:
            write_waiting(self.lead, self.stored, self.horizon, writer)


def _from(chunk: StoredChunk, tick: int) -> StoredChunk:
    if chunk.ticks[0] >= tick:
        return chunk
    place = int(np.searchsorted(chunk.ticks, tick))
    return StoredChunk(chunk.table.slice(place), chunk.ticks[place:], chunk.chunk)


@dataclass(frozen=True)
class SettledEvents:
    """Events in the chunks in which they came; `reach` is how far back they matter, None: all."""

    move: Move
    reach: int | None = None

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before."""
        move, before = self.move, self.move.state.horizon
        if before is None:
            return move.schema.empty_table()
        oldest = None if self.reach is None else before - self.reach
        until = None if move.ordered else before
        chunks = [each for each in move.stored if each.chunk is not None]
        return move.united([each.between(oldest, until) for each in chunks])

    @cached_property
    def new(self) -> pa.Table:
        """The events that this step settles."""
        return self.move.settled_now(self.move.state.horizon)

    @cached_property
    def events(self) -> pa.Table:
        """All settled events that can matter, the new ones last."""
        return self.move.united([self.known, self.new])

    @cached_property
    def report(self) -> ReportRange:
        """Which results the step reports."""
        move = self.move
        assert move.horizon is not None
        return ReportRange(move.state.horizon, move.horizon, self.known.num_rows, move.ends)


class EventsApart(SettledEvents):
    """Settled events that are kept apart from others; hidden columns tell what happened to them."""

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """What was kept of them."""
        return self.move.state.of_kind(ChunkKind.KNOWN)

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before."""
        return self.move.united([each.table for each in self.chunks])

    @cached_property
    def new(self) -> pa.Table:
        """The events that this step settles."""
        return self.move.settled_now(None)

    @cached_property
    def events(self) -> pa.Table:
        """All settled events that can matter, with their indexes where events are counted."""
        events = self.move.united([self.known, self.new])
        is_counted = self.move.lead.clock is Clock.EVENTS
        return with_indexes(self.move.lead, events) if is_counted else events
