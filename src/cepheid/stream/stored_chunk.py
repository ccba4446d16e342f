"""Events in order of time: a chunk of an earlier step, or what has just arrived.

What the header says of a chunk answers most questions. Its rows are read when one cannot be
answered without them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.ticks import to_ticks
from cepheid.program.program import Program
from cepheid.stream.stream_state import Chunk, Span

Int64s = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StoredChunk:
    """Events with the time in column `time`; `chunk` is None if they have just arrived.

    Events before tick `floor` are not seen; None: all are.
    """

    time: str
    schema: pa.Schema
    arrived: pa.Table | None = None
    chunk: Chunk | None = None
    floor: int | None = None

    @cached_property
    def table(self) -> pa.Table:
        """All events, also those before the floor."""
        if self.arrived is not None:
            return self.arrived
        assert self.chunk is not None
        return self.chunk.table

    @cached_property
    def ticks(self) -> Int64s:
        """The times of all events."""
        return to_ticks(self.table[self.time], self.time)

    @cached_property
    def span(self) -> Span:
        """How many events there are, and when; also before the floor."""
        if self.chunk is not None and self.chunk.span is not None:
            return self.chunk.span
        return span_of(self.ticks)

    @property
    def latest(self) -> int:
        """The tick of the last event."""
        return int(self.ticks[-1]) if self.chunk is None else self.chunk.latest

    def place(self, tick: int | None) -> int:
        """Return how many events are before a tick or the floor; None: before the floor."""
        if self.floor is not None and (tick is None or tick < self.floor):
            tick = self.floor
        if tick is None or tick <= self.span.earliest:
            return 0
        return self.span.rows if tick > self.latest else int(np.searchsorted(self.ticks, tick))

    def places(self, begin: int | None, end: int | None) -> tuple[int, int]:
        """Return the rows of a stretch of time, from the first to the one after the last."""
        low = self.place(begin)
        return low, self.span.rows if end is None else max(low, self.place(end))

    def between(self, begin: int | None, end: int | None) -> pa.Table:
        """Return the events of a stretch of time; None is without bound."""
        low, high = self.places(begin, end)
        return self.table.slice(low, high - low) if low < high else self.schema.empty_table()

    def count_from(self, begin: int | None) -> int:
        """Return how many events are not before a tick."""
        return self.span.rows - self.place(begin)

    def first_from(self, begin: int | None) -> int | None:
        """Return the tick of the first event that is not before a tick."""
        place = self.place(begin)
        if place == self.span.rows:
            return None
        return int(self.ticks[place]) if place else self.span.earliest

    def last_before(self, end: int | None) -> int | None:
        """Return the tick of the last event before a tick."""
        low, high = self.places(None, end)
        if low == high:
            return None
        return self.latest if high == self.span.rows else int(self.ticks[high - 1])

    def since(self, tick: int) -> StoredChunk:
        """Return the same without events before a tick."""
        return replace(self, floor=tick)


def span_of(ticks: Int64s) -> Span:
    """Return what a header says of events with these times, which rise."""
    if not ticks.size:
        return Span(0, 0, 0)
    return Span(int(ticks.size), int(ticks[0]), int(ticks[ticks.size // 2]))


def read_stored(
    program: Program, chunks: tuple[Chunk, ...], arrived: pa.Table
) -> list[StoredChunk]:
    """Return all events in chunks, those that arrived last."""
    time, schema = program.time, arrived.schema
    stored = [StoredChunk(time, schema, chunk=_with_span(each, time)) for each in chunks]
    stored.append(StoredChunk(time, schema, arrived))
    return [each for each in stored if each.span.rows]


def _with_span(chunk: Chunk, time: str) -> Chunk:
    """Return a chunk of an earlier release with what its header did not say."""
    if chunk.span is not None:
        return chunk
    return replace(chunk, span=span_of(to_ticks(chunk.table[time], time)))
