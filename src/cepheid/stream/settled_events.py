"""The settled events that can still matter: those known before a step, and those it settles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from cepheid.engine.events.report_range import ReportRange
from cepheid.program.compute_columns import with_computed
from cepheid.program.program import Clock, Program
from cepheid.stream.kept_events import ChunkWriter, write_waiting
from cepheid.stream.needed_events import with_indexes
from cepheid.stream.next_timer import first_closing, next_closing
from cepheid.stream.step_sizes import SIZES, StepSizes
from cepheid.stream.stored_chunk import StoredChunk
from cepheid.stream.stream_bundle import StreamBundle
from cepheid.stream.stream_state import Chunk, ChunkKind, StreamState

FEW_ROWS = 2**16  # that take less time to be put in one piece than many pieces take to be read


@dataclass(frozen=True, slots=True)
class Move:
    """How a step moves the horizon: what there was before, all stored events, and how far it gets.

    `schema` is that of the events, with what programs compute of them. `ends`: no event comes.
    `sizes` say what many events are.
    """

    bundle: StreamBundle
    state: StreamState
    stored: list[StoredChunk]
    horizon: int | None
    schema: pa.Schema
    ordered: bool
    ends: bool = False
    sizes: StepSizes = SIZES

    @property
    def lead(self) -> Program:
        """The program with the longest window."""
        return self.bundle.admission.lead

    def since(self, tick: int | None) -> Move:
        """Return the same without events before a tick."""
        if tick is None:
            return self
        return replace(self, stored=[each.since(tick) for each in self.stored])

    def united(self, parts: list[pa.Table]) -> pa.Table:
        """Return tables of events as one, with the columns that programs compute of them."""
        tables = [with_computed(each, self.bundle.computed) for each in parts if each.num_rows]
        return pa.concat_tables([self.schema.empty_table(), *tables], promote_options="default")

    def settled_now(self, before: int | None) -> pa.Table:
        """Return the events that the step settles, of those that are not before a tick."""
        if self.horizon is None:
            return self.schema.empty_table()
        if self.ordered:
            return self.united([e.between(None, None) for e in self.stored if e.chunk is None])
        parts = [e for e in self.stored if before is None or e.latest >= before]
        return self.united([each.between(before, self.horizon) for each in parts])

    def ends_window(self, program: Program) -> bool:
        """Whether a window that slides ends in this step."""
        before, until = self.state.horizon, self.horizon
        length, slide = program.window_length or 0, program.slide or 1
        if until is None or before is None:
            return until is not None
        return (before - length) // slide < (until - length) // slide

    def settled_parts(
        self, chunks: Sequence[StoredChunk], begin: int | None, end: int
    ) -> list[tuple[StoredChunk, int, int]]:
        """Return chunks with the rows from one tick to before another; in order, to their end."""
        parts = ((each, *each.places(begin, None if self.ordered else end)) for each in chunks)
        return [(each, low, high) for each, low, high in parts if low < high]

    def write_unsettled(self, writer: ChunkWriter) -> None:
        """Keep the events that still wait, and no others."""
        if not self.ordered:
            write_waiting(self.lead, self.stored, self.horizon, writer)


@dataclass(slots=True)
class Work:
    """What a step had to do: events that it settled, events run again, partitions looked up.

    Where all partitions are looked at, none is looked up.
    """

    settled: int = 0
    replayed: int = 0
    touched: int = 0


@dataclass(frozen=True)
class SettledEvents:
    """Events in the chunks in which they came; `reach` is how far back they matter, None: all."""

    move: Move
    reach: int | None = None

    def marks(self) -> pa.Table | None:
        """Return what the next step can take in place of events, if anything is known of that."""
        return None

    def left(self, program: Program) -> SettledEvents | None:
        """Return the events by which a step tells what a query reports; None if that is nothing."""
        return self

    @property
    def has_known(self) -> bool:
        """Whether events that were settled before can matter."""
        return bool(self.known_chunks)

    def add_to(self, work: Work) -> None:
        """Tell what was done with the events, as far as they were looked at."""
        if "known" in vars(self):
            work.replayed += self.known.num_rows

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before."""
        parts = self.known_chunks
        return self.move.united([each.table.slice(low, high - low) for each, low, high in parts])

    def known_before(self, end: int) -> pa.Table:
        """Return those of the events that were settled before that are earlier than a tick."""
        parts = self.known_parts(None, end)
        return self.move.united([each.table.slice(low, high - low) for each, low, high in parts])

    def known_parts(self, begin: int | None, end: int | None) -> list[tuple[StoredChunk, int, int]]:
        """Return those of the known chunks that have events of a stretch of time, likewise."""
        parts = list[tuple[StoredChunk, int, int]]()
        for each, low, high in self.known_chunks:
            is_early = begin is not None and each.latest < begin
            if is_early or (end is not None and each.span.earliest >= end):
                continue
            first, last = each.places(begin, end)
            if max(first, low) < min(last, high):
                parts.append((each, max(first, low), min(last, high)))
        return parts

    @cached_property
    def known_chunks(self) -> list[tuple[StoredChunk, int, int]]:
        """The chunks of events that were settled before, with the first row and that after all."""
        before = self.move.state.horizon
        if before is None:
            return []
        oldest = None if self.reach is None else before - self.reach
        chunks = [each for each in self.move.stored if each.chunk is not None]
        return self.move.settled_parts(chunks, oldest, before)

    def closing(self, program: Program) -> int | None:
        """Return the first tick at which these events may make something final, if they can."""
        move = self.move
        assert move.horizon is not None
        parts = move.settled_parts(move.stored, None, move.horizon)
        return first_closing(program, parts, move.united, move.horizon)

    @cached_property
    def new(self) -> pa.Table:
        """The events that this step settles."""
        return self.move.settled_now(self.move.state.horizon)

    @cached_property
    def events(self) -> pa.Table:
        """All settled events that can matter, the new ones last."""
        events = self.move.united([self.known, self.new])
        return events.combine_chunks() if events.num_rows <= FEW_ROWS else events

    @cached_property
    def report(self) -> ReportRange:
        """Which results the step reports."""
        move = self.move
        assert move.horizon is not None
        return ReportRange(move.state.horizon, move.horizon, self.known.num_rows, move.ends)


class EventsApart(SettledEvents):
    """Settled events that are kept apart from others; hidden columns tell what happened to them."""

    @property
    def has_known(self) -> bool:
        """Whether events that were settled before can matter."""
        return bool(self.known.num_rows)

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

    def closing(self, program: Program) -> int | None:
        """Return the first tick at which these events may make something final, if they can."""
        assert self.move.horizon is not None
        return next_closing(program, self.events, self.move.horizon)

    @cached_property
    def events(self) -> pa.Table:
        """All settled events that can matter, with their indexes where events are counted."""
        events = self.move.united([self.known, self.new])
        is_counted = self.move.lead.clock is Clock.EVENTS
        return with_indexes(self.move.lead, events) if is_counted else events
