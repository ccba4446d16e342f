"""The events that a stream keeps: those of a step, and what stays of them.

Where nothing else is known of them, events lie in the chunks in which they arrived, whether they
are settled or not: a chunk is written once and dropped when its last event is too old. Otherwise
settled events are moved to a chunk of their own, or into panes, and only the others wait like that.

When there are many small chunks, a few neighbours are written as one, those with the fewest events.
So an event is written again as often as the logarithm of its window says, and no step writes more
than `AT_ONCE` chunks, which are not full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.ticks import to_ticks
from cepheid.program.program import Program
from cepheid.stream.admit_events import in_order
from cepheid.stream.stored_chunk import StoredChunk, span_of
from cepheid.stream.stream_state import Chunk, ChunkKind

Int64s = NDArray[np.int64]
MOST_CHUNKS = 16  # that are not full
AT_ONCE = 8  # chunks that a step joins
FULL_ROWS = 2**17
FEW_ROWS = 1024


@dataclass(slots=True)
class ChunkWriter:
    """Makes chunks and gives them their numbers."""

    next_number: int
    chunks: list[Chunk] = field(default_factory=list)
    kind: ChunkKind = ChunkKind.EVENTS  # of what lies in order of time

    def add(self, kind: ChunkKind, latest: int, table: pa.Table) -> None:
        """Keep rows in a new chunk."""
        self.chunks.append(Chunk(self._number(), kind, latest, table.combine_chunks))

    def add_events(self, table: pa.Table, ticks: Int64s) -> None:
        """Keep events, whose times rise, in a new chunk."""
        read, span = table.combine_chunks, span_of(ticks)
        self.chunks.append(Chunk(self._number(), self.kind, int(ticks[-1]), read, span))

    def take(self, other: ChunkWriter) -> None:
        """Add the chunks of a writer that went on with the numbers of this one."""
        self.chunks += other.chunks
        self.next_number = other.next_number

    def _number(self) -> int:
        self.next_number += 1
        return self.next_number - 1


def write_stored(
    program: Program, stored: Sequence[StoredChunk], begin: int | None, writer: ChunkWriter
) -> None:
    """Keep the events that are not before a tick.

    Chunks are left as they are, unless there are many, or most of one is too old and the rest stays
    long.
    """
    needed = [each for each in stored if begin is None or each.latest >= begin]
    first, last = _joined(needed)
    for place, each in enumerate(needed):
        if first <= place < last:
            if place == first:
                _write_in_one(program, needed[first:last], begin, writer)
        elif each.chunk is None or (begin is not None and _is_mostly_old(each, begin)):
            low, high = each.places(begin, None)
            if low < high:
                writer.add_events(each.table.slice(low, high - low), each.ticks[low:high])
        else:
            writer.chunks.append(each.chunk)


def _joined(stored: Sequence[StoredChunk]) -> tuple[int, int]:
    """Return the first chunk that is to be joined with others, and the one after the last."""
    rows = np.array([each.span.rows for each in stored], np.int64)
    small = rows < FULL_ROWS
    if np.count_nonzero(small) <= MOST_CHUNKS:
        return 0, 0
    upto, full_upto = (np.append(0, np.cumsum(each)) for each in (rows, ~small))
    for length in (AT_ONCE, 2):
        begins = np.flatnonzero(full_upto[length:] == full_upto[:-length])
        if begins.size:
            best = int(begins[np.argmin(upto[begins + length] - upto[begins])])
            return best, best + length
    return 0, 0


def _is_mostly_old(stored: StoredChunk, begin: int) -> bool:
    """Whether half of a chunk is too old, and the rest will stay much longer than that half did."""
    rows, earliest, middle = stored.span
    return rows > FEW_ROWS and middle < begin and stored.latest - begin > 2 * (middle - earliest)


def write_waiting(
    program: Program, stored: list[StoredChunk], horizon: int | None, writer: ChunkWriter
) -> None:
    """Keep the events that are not settled, and no others."""
    waiting = [each for each in stored if each.count_from(horizon)]
    if len(waiting) > MOST_CHUNKS:
        _write_in_one(program, waiting, horizon, writer)
        return
    for each in waiting:
        low, high = each.places(horizon, None)
        if each.chunk is not None and not low:
            writer.chunks.append(each.chunk)
        else:
            writer.add_events(each.table.slice(low, high - low), each.ticks[low:high])


def _write_in_one(
    program: Program, stored: Sequence[StoredChunk], begin: int | None, writer: ChunkWriter
) -> None:
    table = pa.concat_tables([each.between(begin, None) for each in stored])
    ticks = to_ticks(table[program.time], program.time)
    if ticks.size:
        writer.add_events(in_order(table, ticks, program.order), np.sort(ticks))


def earliest_from(stored: list[StoredChunk], begin: int | None) -> int | None:
    """Return the tick of the first event that is not before a tick."""
    firsts = (each.first_from(begin) for each in stored)
    return min((each for each in firsts if each is not None), default=None)
