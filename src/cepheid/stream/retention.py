"""Three ways to keep what is settled: events where they are, events apart, or panes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import pyarrow as pa

from cepheid.engine.events.partition_codes import partition_codes
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.trends.folds.panes import pane_length
from cepheid.program.program import Clock, Program
from cepheid.stream import pane_state
from cepheid.stream.kept_events import (
    MOST_CHUNKS,
    ChunkWriter,
    StoredChunk,
    write_stored,
    write_waiting,
)
from cepheid.stream.needed_events import how_far_back, keeps_apart, still_needed, with_indexes
from cepheid.stream.next_timer import closes_later, next_closing
from cepheid.stream.replay import Replayed, empty_result, replay
from cepheid.stream.stream_state import Chunk, ChunkKind, StreamState

FEW_EVENTS = 4096  # that are kept as they are
SAMPLE = 2**16  # rows that show how many partitions there are


@dataclass(frozen=True, slots=True)
class Move:
    """A step of a stream: what there was before, all events that are stored, the new horizon.

    `schema` is that of the events. `ends`: no event comes any more.
    """

    program: Program
    state: StreamState
    stored: list[StoredChunk]
    horizon: int | None
    schema: pa.Schema
    ordered: bool
    ends: bool = False

    def united(self, parts: list[pa.Table]) -> pa.Table:
        """Return tables of events as one."""
        return pa.concat_tables([self.schema.empty_table(), *parts], promote_options="default")

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
            write_waiting(self.program, self.stored, self.horizon, writer)


class Retention(Protocol):
    """Does a step and keeps what the next one needs."""

    def run(self, *, partially: bool) -> Replayed:
        """Return what becomes final."""

    def write(self, replayed: Replayed, writer: ChunkWriter) -> None:
        """Keep what can still matter."""

    def closing(self, replayed: Replayed) -> int | None:
        """Return the first tick at which what is settled may become final."""


def retention_of(move: Move) -> Retention:
    """Return the way that a program takes: once it keeps panes, it keeps to that."""
    if move.state.of_kind(ChunkKind.PANES):
        return PaneRetention(move)
    if keeps_apart(move.program):
        return ApartRetention(move)
    plain = PlainRetention(move)
    if pane_state.keeps_panes(move.program, move.schema) and panes_pay(plain):
        return PaneRetention(move)
    return plain


def panes_pay(plain: PlainRetention) -> bool:
    """Whether a pane of a partition has so many events that a matrix is smaller, by estimate."""
    program, events = plain.move.program, plain.events
    if events.num_rows <= FEW_EVENTS or program.slots is None:
        return False
    some = events.slice(0, SAMPLE)
    columns = dict(zip(some.column_names, some.columns, strict=True))
    codes = partition_codes(columns, program.partition_by, some.num_rows).code
    ticks = to_ticks(events[program.time], program.time)
    length = pane_length(program.window_length or 0, program.slide or 1)
    panes = int(ticks.max()) // length - int(ticks.min()) // length + 1
    return bool(events.num_rows >= panes * np.unique(codes).size * program.slots.size**2)


@dataclass(frozen=True)
class PlainRetention:
    """Keeps events in the chunks in which they came."""

    move: Move

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before."""
        move, before = self.move, self.move.state.horizon
        if before is None:
            return move.schema.empty_table()
        chunks = [each for each in move.stored if each.chunk is not None]
        until, oldest = None if move.ordered else before, self._oldest(before)
        return move.united([each.between(oldest, until) for each in chunks])

    @cached_property
    def new(self) -> pa.Table:
        """The events that this step settles."""
        return self.move.settled_now(self.move.state.horizon)

    @cached_property
    def events(self) -> pa.Table:
        """All settled events that can matter, the new ones last."""
        return self.move.united([self.known, self.new])

    def run(self, *, partially: bool) -> Replayed:
        """Return what becomes final: run the events again, if any can be new."""
        move = self.move
        is_later = move.horizon != move.state.horizon and closes_later(move.program)
        is_later |= move.ends
        if move.horizon is None or not (self.new.num_rows or (is_later and self.known.num_rows)):
            result = empty_result(move.program, move.schema, partially=partially)
            return Replayed(result, np.empty(0, np.int64))
        known = self.known.num_rows
        report = ReportRange(move.state.horizon, move.horizon, known, move.ends)
        return replay(move.program, self.events, move.schema, report, partially=partially)

    def write(self, replayed: Replayed, writer: ChunkWriter) -> None:
        """Keep what can still matter."""
        horizon = self.move.horizon
        oldest = None if horizon is None else self._oldest(horizon)
        write_stored(self.move.program, self.move.stored, oldest, writer)

    def closing(self, replayed: Replayed) -> int | None:
        """Return the first tick at which what is settled may become final."""
        if self.move.horizon is None:
            return None
        return next_closing(self.move.program, self.events, self.move.horizon)

    def _oldest(self, horizon: int) -> int | None:
        """Return the first tick that matters; None: all do."""
        reach = how_far_back(self.move.program)
        return None if reach is None else horizon - reach


class ApartRetention(PlainRetention):
    """Keeps settled events apart: hidden columns tell what happened to them."""

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before."""
        return self.move.united([each.table for each in self._chunks])

    @cached_property
    def new(self) -> pa.Table:
        """The events that this step settles."""
        return self.move.settled_now(None)

    @cached_property
    def events(self) -> pa.Table:
        """All settled events that can matter, with their indexes where events are counted."""
        events = self.move.united([self.known, self.new])
        is_counted = self.move.program.clock is Clock.EVENTS
        return with_indexes(self.move.program, events) if is_counted else events

    def write(self, replayed: Replayed, writer: ChunkWriter) -> None:
        """Keep what can still matter."""
        move = self.move
        move.write_unsettled(writer)
        if move.horizon is None or not self.events.num_rows:
            return
        needed = still_needed(move.program, self.events, move.horizon, replayed.taken)
        is_same = not self.new.num_rows and not replayed.taken.size
        if is_same and needed.num_rows == self.known.num_rows:
            writer.chunks += self._chunks
        elif needed.num_rows:
            writer.add(ChunkKind.KNOWN, move.horizon, needed)

    @property
    def _chunks(self) -> tuple[Chunk, ...]:
        return self.move.state.of_kind(ChunkKind.KNOWN)


@dataclass(frozen=True)
class PaneRetention:
    """Keeps matrices: those of each step by themselves, until windows close or they are many."""

    move: Move

    @cached_property
    def rows(self) -> list[pa.Table]:
        """All matrices, in the order of time; the last are those of this step.

        In the first step with panes, these are made of all settled events.
        """
        kept = [each.table for each in self._chunks]
        new = self.move.settled_now(None) if kept else PlainRetention(self.move).events
        if not new.num_rows:
            return kept
        return [*kept, pane_state.fold(self.move.program, new)]

    @cached_property
    def merged(self) -> pa.Table:
        """One matrix for every partition and pane."""
        return pane_state.merge(self.move.program, self.move.schema, self.rows)

    def run(self, *, partially: bool) -> Replayed:
        """Return the windows that close."""
        move = self.move
        if not self._closes:
            result = empty_result(move.program, move.schema, partially=partially)
            return Replayed(result, np.empty(0, np.int64))
        assert move.horizon is not None
        result, needed = pane_state.close(
            move.program,
            move.schema,
            self.merged,
            move.state.horizon,
            move.horizon,
            partially=partially,
        )
        return Replayed(result, np.empty(0, np.int64), needed)

    def write(self, replayed: Replayed, writer: ChunkWriter) -> None:
        """Keep the matrices of open windows."""
        move = self.move
        move.write_unsettled(writer)
        if replayed.panes is None and len(self.rows) <= MOST_CHUNKS:
            writer.chunks += self._chunks
            for table in self.rows[len(self._chunks) :]:
                writer.add(ChunkKind.PANES, move.horizon or 0, table)
            return
        needed = self.merged if replayed.panes is None else replayed.panes
        if needed.num_rows:
            writer.add(ChunkKind.PANES, move.horizon or 0, needed)

    def closing(self, replayed: Replayed) -> int | None:
        """Return the last tick of the first open window that has events."""
        until = self.move.horizon
        if until is None:
            return None
        rows = self.rows if replayed.panes is None else [replayed.panes]
        ends = [pane_state.next_close(self.move.program, each, until) for each in rows]
        return min((each - 1 for each in ends if each is not None), default=None)

    @cached_property
    def _closes(self) -> bool:
        """Whether a window closes that may have events."""
        move, before = self.move, self.move.state.horizon
        if move.horizon is None or not self.rows:
            return False
        length, slide = move.program.window_length or 0, move.program.slide or 1
        last = (move.horizon - length) // slide
        return before is None or (before - length) // slide < last

    @property
    def _chunks(self) -> tuple[Chunk, ...]:
        return self.move.state.of_kind(ChunkKind.PANES)
