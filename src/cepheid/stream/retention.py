"""Three ways to keep what is settled: events where they are, events apart, or panes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import pyarrow as pa

from cepheid.engine.events.partition_codes import partition_codes
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.trends.folds.panes import pane_length
from cepheid.program.program import Program
from cepheid.stream import pane_state
from cepheid.stream.fold_settled import Final, farthest_back, fold_settled
from cepheid.stream.kept_events import MOST_CHUNKS, ChunkWriter, write_stored
from cepheid.stream.needed_events import how_far_back, keeps_apart, still_needed
from cepheid.stream.replay import Replay
from cepheid.stream.settled_events import EventsApart, Move, SettledEvents
from cepheid.stream.stream_bundle import StreamedQuery
from cepheid.stream.stream_state import Chunk, ChunkKind

FEW_EVENTS = 4096  # that are kept as they are
SAMPLE = 2**16  # rows that show how many partitions there are


class Retention(Protocol):
    """Folds what a step settles, and keeps what the next one needs."""

    def fold(self, *, isolates: bool) -> Final:
        """Return what becomes final."""

    def write(self, final: Final, writer: ChunkWriter) -> None:
        """Keep what can still matter."""


def retention_of(move: Move) -> Retention:
    """Return the way that a bundle takes: once a query keeps panes, it keeps to that.

    Only events can be kept for several queries.
    """
    query = move.bundle.lasting
    if query is None:
        return PlainRetention(move)
    if move.state.of_kind(ChunkKind.PANES):
        return PaneRetention(move, query)
    if keeps_apart(query.program):
        return ApartRetention(move, query)
    if pane_state.keeps_panes(query.program, move.schema):
        events = SettledEvents(move, how_far_back(query.program)).events
        if panes_pay(query.program, events):
            return PaneRetention(move, query)
    return PlainRetention(move)


def panes_pay(program: Program, events: pa.Table) -> bool:
    """Whether a pane of a partition has so many events that a matrix is smaller, by estimate."""
    if events.num_rows <= FEW_EVENTS or program.slots is None:
        return False
    some = events.slice(0, SAMPLE)
    columns = dict(zip(some.column_names, some.columns, strict=True))
    codes = partition_codes(columns, program.partition_by, some.num_rows).code
    ticks = to_ticks(events[program.time], program.time)
    length = pane_length(program.window_length or 0, program.slide or 1)
    panes = int(ticks.max()) // length - int(ticks.min()) // length + 1
    return bool(events.num_rows >= panes * np.unique(codes).size * program.slots.size**2)


@dataclass(frozen=True, slots=True)
class PlainRetention:
    """Keeps events in the chunks in which they came, as long as any query needs them."""

    move: Move

    def fold(self, *, isolates: bool) -> Final:
        """Return what becomes final."""
        return fold_settled(self.move, isolates=isolates)

    def write(self, final: Final, writer: ChunkWriter) -> None:
        """Keep what can still matter."""
        horizon, reach = self.move.horizon, farthest_back(self.move.bundle.programs)
        oldest = None if horizon is None or reach is None else horizon - reach
        write_stored(self.move.lead, self.move.stored, oldest, writer)


@dataclass(frozen=True)
class ApartRetention:
    """Keeps settled events apart: hidden columns tell what happened to them."""

    move: Move
    query: StreamedQuery

    @cached_property
    def settled(self) -> EventsApart:
        """All settled events."""
        return EventsApart(self.move)

    def fold(self, *, isolates: bool) -> Final:
        """Return what becomes final."""
        final = Final()
        if self.move.horizon is not None:
            (replayed,) = Replay([self.query], self.settled).results()
            final.add(replayed, self.move)
        return final

    def write(self, final: Final, writer: ChunkWriter) -> None:
        """Keep what can still matter."""
        move, settled = self.move, self.settled
        move.write_unsettled(writer)
        if move.horizon is None or not settled.events.num_rows:
            return
        needed = still_needed(self.query.program, settled.events, move.horizon, final.taken)
        is_same = not settled.new.num_rows and not final.taken.size
        if is_same and needed.num_rows == settled.known.num_rows:
            writer.chunks += settled.chunks
        elif needed.num_rows:
            computed = {each.name for each in move.bundle.computed}
            names = [name for name in needed.column_names if name not in computed]
            writer.add(ChunkKind.KNOWN, move.horizon, needed.select(names))


@dataclass(frozen=True)
class PaneRetention:
    """Keeps matrices: those of each step by themselves, until windows close or they are many."""

    move: Move
    query: StreamedQuery

    @property
    def program(self) -> Program:
        """The program of the query."""
        return self.query.program

    @cached_property
    def rows(self) -> list[pa.Table]:
        """All matrices, in the order of time; the last are those of this step.

        In the first step with panes, these are made of all settled events.
        """
        kept = [each.table for each in self._chunks]
        if kept:
            new = self.move.settled_now(None)
        else:
            new = SettledEvents(self.move, how_far_back(self.program)).events
        return [*kept, pane_state.fold(self.program, new)] if new.num_rows else kept

    @cached_property
    def merged(self) -> pa.Table:
        """One matrix for every partition and pane."""
        return pane_state.merge(self.program, self.move.schema, self.rows)

    def fold(self, *, isolates: bool) -> Final:
        """Return the windows that close, and the last tick of the first open one with events."""
        final, move, program = Final(), self.move, self.program
        if move.horizon is None:
            return final
        if self._closes:
            final.results[self.query.name], final.panes = pane_state.close(
                program,
                move.schema,
                self.merged,
                move.state.horizon,
                move.horizon,
                partially=self.query.partially,
            )
        rows = self.rows if final.panes is None else [final.panes]
        ends = [pane_state.next_close(program, each, move.horizon) for each in rows]
        final.closings += [each - 1 for each in ends if each is not None]
        return final

    def write(self, final: Final, writer: ChunkWriter) -> None:
        """Keep the matrices of open windows."""
        move = self.move
        move.write_unsettled(writer)
        if final.panes is None and len(self.rows) <= MOST_CHUNKS:
            writer.chunks += self._chunks
            for table in self.rows[len(self._chunks) :]:
                writer.add(ChunkKind.PANES, move.horizon or 0, table)
            return
        needed = self.merged if final.panes is None else final.panes
        if needed.num_rows:
            writer.add(ChunkKind.PANES, move.horizon or 0, needed)

    @cached_property
    def _closes(self) -> bool:
        """Whether a window closes that may have events."""
        move, before = self.move, self.move.state.horizon
        if move.horizon is None or not self.rows:
            return False
        length, slide = self.program.window_length or 0, self.program.slide or 1
        last = (move.horizon - length) // slide
        return before is None or (before - length) // slide < last

    @property
    def _chunks(self) -> tuple[Chunk, ...]:
        return self.move.state.of_kind(ChunkKind.PANES)
