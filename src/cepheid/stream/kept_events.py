"""The events that a stream keeps: those of a step, and what stays of them.

Where nothing else is known of them, events lie in the chunks in which they arrived, whether they
are settled or not: a chunk is written once and dropped when its last event is too old. Otherwise
settled events are moved to a chunk of their own, or into panes, and only the others wait like that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.ticks import to_ticks
from cepheid.program.program import Program
from cepheid.stream.admit_events import in_order
from cepheid.stream.stream_state import Chunk, ChunkKind

Int64s = NDArray[np.int64]
MOST_CHUNKS = 16
FEW_ROWS = 1024


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """Events in order of time: a chunk of an earlier step, or what has just arrived."""

    table: pa.Table
    ticks: Int64s
    chunk: Chunk | None = None

    def between(self, begin: int | None, end: int | None) -> pa.Table:
        """Return the events of a stretch of time; None is without bound."""
        low = 0 if begin is None else int(np.searchsorted(self.ticks, begin))
        high = self.ticks.size if end is None else int(np.searchsorted(self.ticks, end))
        return self.table.slice(low, max(0, high - low))

    def count_from(self, begin: int | None) -> int:
        """Return how many events are not before a tick."""
        return self.ticks.size - (0 if begin is None else int(np.searchsorted(self.ticks, begin)))


@dataclass(slots=True)
class ChunkWriter:
    """Makes chunks and gives them their numbers."""

    next_number: int
    chunks: list[Chunk] = field(default_factory=list)

    def add(self, kind: ChunkKind, latest: int, table: pa.Table) -> None:
        """Keep rows in a new chunk."""
        self.chunks.append(Chunk(self.next_number, kind, latest, table.combine_chunks()))
        self.next_number += 1


def read_stored(
    program: Program, chunks: tuple[Chunk, ...], arrived: pa.Table
) -> list[StoredChunk]:
    """Return all events in chunks, those that arrived last."""
    tables: list[tuple[pa.Table, Chunk | None]] = [(each.table, each) for each in chunks]
    tables.append((arrived, None))
    return [
        StoredChunk(table, to_ticks(table[program.time], program.time), chunk)
        for table, chunk in tables
        if table.num_rows
    ]


def write_stored(
    program: Program, stored: list[StoredChunk], begin: int | None, writer: ChunkWriter
) -> None:
    """Keep the events that are not before a tick.

    Chunks are left as they are, until there are many or half of what they hold is too old.
    """
    needed = [each for each in stored if each.count_from(begin)]
    count = sum(each.ticks.size for each in needed)
    live = sum(each.count_from(begin) for each in needed)
    if len(needed) > MOST_CHUNKS or count > 2 * live + FEW_ROWS:
        _write_in_one(program, needed, begin, writer)
        return
    for each in needed:
        if each.chunk is not None:
            writer.chunks.append(each.chunk)
        else:
            writer.add(ChunkKind.EVENTS, int(each.ticks[-1]), each.between(begin, None))


def write_waiting(
    program: Program, stored: list[StoredChunk], horizon: int | None, writer: ChunkWriter
) -> None:
    """Keep the events that are not settled, and no others."""
    waiting = [each for each in stored if each.count_from(horizon)]
    if len(waiting) > MOST_CHUNKS:
        _write_in_one(program, waiting, horizon, writer)
        return
    for each in waiting:
        if each.chunk is not None and each.count_from(horizon) == each.ticks.size:
            writer.chunks.append(each.chunk)
        else:
            writer.add(ChunkKind.EVENTS, int(each.ticks[-1]), each.between(horizon, None))


def _write_in_one(
    program: Program, stored: list[StoredChunk], begin: int | None, writer: ChunkWriter
) -> None:
    table = pa.concat_tables([each.between(begin, None) for each in stored])
    ticks = to_ticks(table[program.time], program.time)
    writer.add(ChunkKind.EVENTS, int(ticks.max()), in_order(table, ticks, program.order))


def earliest_from(stored: list[StoredChunk], begin: int | None) -> int | None:
    """Return the tick of the first event that is not before a tick."""
    return min(_firsts(stored, begin), default=None)


def _firsts(stored: list[StoredChunk], begin: int | None) -> Iterator[int]:
    for each in stored:
        count = each.count_from(begin)
        if count:
            yield int(each.ticks[each.ticks.size - count])
