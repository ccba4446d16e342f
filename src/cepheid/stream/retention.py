"""Four ways to keep what is settled: events where they are, also with ends, or apart; or panes."""

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
from cepheid.stream.admit_events import in_order
from cepheid.stream.fold_settled import Final, farthest_back, fold_settled
from cepheid.stream.kept_events import MOST_CHUNKS, ChunkWriter, write_stored
from cepheid.stream.needed_events import still_needed
from cepheid.stream.replay import Replay
from cepheid.stream.settled_events import EventsApart, Move, SettledEvents
from cepheid.stream.step_rules import how_far_back, keeps_apart
from cepheid.stream.stream_bundle import StreamedQuery
from cepheid.stream.stream_state import Chunk, ChunkKind
from cepheid.stream.taken_ends import MANY_EVENTS, EventsAfterEnds, can_keep_ends, events_after_ends

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
    if move.state.of_kind(ChunkKind.TAKEN):
        return EndRetention(move, query)
    if keeps_apart(query.program):
        return ApartRetention(move, query)
    if pane_state.keeps_panes(query.program, move.schema) and panes_pay(query.program, move):
        return PaneRetention(move, query)
    return PlainRetention(move)


def panes_pay(program: Program, move: Move) -> bool:
    """Whether a pane of a partition has so many events that a matrix is smaller, by estimate."""
    if program.slots is None or move.horizon is None:
        return False
    reach, before = how_far_back(program), move.state.horizon
    begin = None if before is None or reach is None else before - reach
    parts = move.settled_parts(move.stored, begin, move.horizon)
    rows = sum(high - low for _, low, high in parts)
    if rows <= FEW_EVENTS:
        return False
    few = max(1, SAMPLE // len(parts))
    some = move.united([each.table.slice(low, min(few, high - low)) for each, low, high in parts])
    columns = dict(zip(some.column_names, some.columns, strict=True))
    codes = partition_codes(columns, program.partition_by, some.num_rows).code
    length = pane_length(program.window_length or 0, program.slide or 1)
    first = min(max(each.span.earliest, begin or each.span.earliest) for each, _, _ in parts)
    panes = min(max(each.latest for each, _, _ in parts), move.horizon) // length - first // length
    return bool(rows >= (panes + 1) * np.unique(codes).size * program.slots.size**2)


@dataclass(frozen=True, slots=True)
class PlainRetention:
    """Keeps events in the chunks in which they came, as long as any query needs them."""

    move: Move

    def fold(self, *, isolates: bool) -> Final:
        """Return what becomes final."""
        return fold_settled(self.move, isolates=isolates)

    def write(self, final: Final, writer: ChunkWriter) -> None:
        """Keep what can still matter."""
        write_stored(self.move.lead, self.move.stored, oldest_needed(self.move), writer)


def oldest_needed(move: Move) -> int | None:
    """Return the tick before which no settled event matters after a step; None: all may."""
    horizon, reach = move.horizon, farthest_back(move.bundle.programs)
    return None if horizon is None or reach is None else horizon - reach


def replayed(move: Move, query: StreamedQuery, settled: SettledEvents) -> Final:
    """Return what becomes final of a query by itself."""
    final = Final()
    if move.horizon is not None:
        (found,) = Replay([query], settled).results()
        final.add(found, move)
        settled.add_to(final.work)
    return final


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
        return replayed(self.move, self.query, self.settled)

    def write(self, final: Final, writer: ChunkWriter) -> None:
        """Keep what can still matter; once many events do, they are kept where they are."""
        move, settled = self.move, self.settled
        move.write_unsettled(writer)
        if move.horizon is None or not settled.events.num_rows:
            return
        needed = still_needed(self.query.program, settled.events, move.horizon, final.taken)
        is_same = not settled.new.num_rows and not final.taken.size
        if is_same and needed.num_rows == settled.known.num_rows:
            writer.chunks += settled.chunks
            return
        computed = {each.name for each in move.bundle.computed}
        names = [name for name in needed.column_names if name not in computed]
        program, needed = self.query.program, needed.select(names)
        if needed.num_rows > MANY_EVENTS and can_keep_ends(program, move.schema):
            ticks = to_ticks(needed[program.time], program.time)
            writer.add_events(in_order(needed, ticks, program.order), np.sort(ticks))
            writer.add(ChunkKind.TAKEN, move.horizon, events_after_ends(move, program).no_ends)
        elif needed.num_rows:
            writer.add(ChunkKind.KNOWN, move.horizon, needed)


@dataclass(frozen=True)
class EndRetention:
    """Keeps events in the chunks in which they came, and the ends of matches that were taken."""

    move: Move
    query: StreamedQuery

    @cached_property
    def settled(self) -> EventsAfterEnds:
        """The settled events that new ones can be taken with."""
        return events_after_ends(self.move, self.query.program)

    def fold(self, *, isolates: bool) -> Final:
        """Return what becomes final."""
        return replayed(self.move, self.query, self.settled)

    def write(self, final: Final, writer: ChunkWriter) -> None:
        """Keep what can still matter; chunks of ends say that ends are kept, even without rows."""
        move, program = self.move, self.query.program
        PlainRetention(move).write(final, writer)
        ends = ChunkWriter(writer.next_number, kind=ChunkKind.TAKEN)
        new = self.settled.new_ends(final.taken) if final.taken.size else self.settled.no_ends
        oldest = oldest_needed(move)
        write_stored(program, self.settled.stored_ends(new), oldest, ends)
        if not ends.chunks:
            ends.add(ChunkKind.TAKEN, move.horizon or 0, self.settled.no_ends)
        writer.take(ends)


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
        return bool(self.rows) and self.move.ends_window(self.program)

    @property
    def _chunks(self) -> tuple[Chunk, ...]:
        return self.move.state.of_kind(ChunkKind.PANES)
