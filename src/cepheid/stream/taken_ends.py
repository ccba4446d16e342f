"""NON OVERLAPPING of many keys: events stay where they are, and ends of taken matches beside them.

A match must start after the end of the last one that was taken in its partition. Where few events
are left after such ends, they are kept by themselves (retention.py). Where many are, they would be
read and written in every step. Then events lie in the chunks in which they came, and the ends of
matches in chunks of their own, with the key of their partition and their order key. Both are read
for the partitions that a step touches, and both are dropped when they are too old.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.key_hashes import Hashes, can_be_hashed, key_hashes
from cepheid.engine.events.ticks import to_ticks
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import Program
from cepheid.stream.admit_events import in_order
from cepheid.stream.needed_events import EventKeys
from cepheid.stream.pages import places_of
from cepheid.stream.settled_events import Move, SettledEvents
from cepheid.stream.step_rules import how_far_back, why_no_ends
from cepheid.stream.stored_chunk import StoredChunk, read_stored
from cepheid.stream.stream_state import ChunkKind
from cepheid.stream.touched_events import TouchedEvents

Int64s = NDArray[np.int64]
MANY_EVENTS = 2**14  # after the ends of taken matches


def can_keep_ends(program: Program, events: pa.Schema) -> bool:
    """Whether the end of the last taken match of a partition is all that earlier ones have done."""
    keys = (events.field(each).type for each in program.partition_by)
    return why_no_ends(program) is None and all(map(can_be_hashed, keys))


class EventsAfterEnds(TouchedEvents):
    """Events of touched partitions, but for those up to the end of a taken match."""

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before."""
        if self.is_whole:
            everything = SettledEvents(self.move, self.reach).known
            return self._after(everything, [each.table for each in self.ends])
        if not self._wanted.size:
            return self.move.schema.empty_table()
        ends = [each.table.take(to_arrow(self._places(each))) for each in self.ends]
        found = self._since_ends(ends) if self.touches_most else self._looked_up()
        return self._after(found, ends)

    @property
    def is_whole(self) -> bool:
        """Whether all events are looked at."""
        return self.are_few or self.move.ends

    @cached_property
    def ends(self) -> list[StoredChunk]:
        """The ends of matches that were taken before."""
        return self.stored_ends(self.no_ends)

    @property
    def no_ends(self) -> pa.Table:
        """A table without rows that has what is kept of the end of a match."""
        program = self.programs[0]
        names = dict.fromkeys((program.time, *program.order, *program.partition_by))
        return self.move.schema.empty_table().select(list(names))

    def stored_ends(self, new: pa.Table) -> list[StoredChunk]:
        """Return the ends of before, and new ones."""
        return read_stored(self.programs[0], self.move.state.of_kind(ChunkKind.TAKEN), new)

    def new_ends(self, taken: Int64s) -> pa.Table:
        """Return the last end of every partition, of rows of the events at which matches end."""
        program = self.programs[0]
        ends = self.events.take(to_arrow(taken)).select(self.no_ends.column_names)
        keys = EventKeys(program, ends)
        order = np.lexsort([keys.rank, keys.code])
        is_last = np.append(np.diff(keys.code[order]) != 0, True)[: order.size]
        last = ends.take(to_arrow(np.sort(order[is_last])))
        return in_order(last, to_ticks(last[program.time], program.time), program.order)

    def marks(self) -> pa.Table | None:
        """Return nothing: ends are durable."""
        return None

    def _places(self, ends: StoredChunk) -> Int64s:
        return places_of(ends, self.keys, self._wanted, 0, ends.span.rows)

    def _since_ends(self, ends: list[pa.Table]) -> pa.Table:
        """Return events since the last ends of most keys; of a few others, all of theirs."""
        wanted, time = self._wanted, self.programs[0].time
        since = np.full(wanted.size, -(2**63), np.int64)
        for each in ends:
            place = np.searchsorted(wanted, key_hashes(each, self.keys))
            np.maximum.at(since, place, to_ticks(each[time], time))
        return self._from(wanted, since)

    def _from(self, hashes: Hashes, since: Int64s) -> pa.Table:
        """Return events since the ticks of most keys; of a few keys far back, theirs."""
        if not hashes.size:
            return self.move.schema.empty_table()
        cut = int(np.sort(since)[since.size // 20])
        far_back = hashes[since < cut]
        parts = []
        for chunk, low, high in self.known_chunks:
            place = min(max(low, chunk.place(cut)), high)
            if far_back.size:
                begin = max(low, chunk.place(int(since.min())))
                places = places_of(chunk, self.keys, far_back, begin, place)
                parts.append(chunk.table.take(to_arrow(places)))
            parts.append(chunk.table.slice(place, high - place))
        return self.move.united(parts)

    def _after(self, events: pa.Table, ends: list[pa.Table]) -> pa.Table:
        """Return the events that come after the last end of their partition."""
        names = self.no_ends.column_names
        both = pa.concat_tables([self.no_ends, events.select(names), *ends])
        keys = EventKeys(self.programs[0], both)
        is_end = np.arange(both.num_rows) >= events.num_rows
        stays = keys.rank > keys.boundary(self.programs[0], is_end)
        return events.filter(to_arrow(stays[: events.num_rows]))


def events_after_ends(move: Move, program: Program) -> EventsAfterEnds:
    """Return the settled events that new ones can be taken with."""
    return EventsAfterEnds(move, how_far_back(program), program.partition_by, (program,))
