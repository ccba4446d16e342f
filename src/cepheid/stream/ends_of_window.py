"""WITHIN alone: a step runs the events at both ends of the window; what is between is a product.

Of a settled event it matters only whether it leaves the window during the step, or after it. Those
between the ones that leave and the last few are products of matrices (window_products.py), of the
partitions that are touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.key_hashes import Hashes
from cepheid.engine.events.partition_codes import partition_codes
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.trends.neighbour_events import NeedsAllEventsError
from cepheid.errors import DataError
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import Program
from cepheid.stream.pages import places_of
from cepheid.stream.pane_state import has_lasting_keys
from cepheid.stream.settled_events import Move, SettledEvents
from cepheid.stream.step_rules import why_all_events
from cepheid.stream.stored_chunk import StoredChunk
from cepheid.stream.touched_events import TouchedEvents
from cepheid.stream.window_products import (
    SCHEMA,
    Kind,
    LostError,
    Matrices,
    NextProducts,
    Product,
    chain,
    listed,
)

Int64s = NDArray[np.int64]
TICKS_PER_CUT = 64  # that are looked at


def keeps_products(program: Program, events: pa.Schema) -> bool:
    """Whether the middle of a window that moves with every event can be known as matrices."""
    is_moving = program.slide is None and program.window_length is not None
    return is_moving and why_all_events(program) is None and has_lasting_keys(program, events)


def is_summed(move: Move) -> bool:
    """Whether the query of a step can keep products."""
    query, cache = move.bundle.lasting, move.state.cache
    if query is None or query.since is not None or cache is None or cache.folder is None:
        return False
    return keeps_products(query.program, move.schema)


@dataclass(frozen=True)
class EndsOfWindow(TouchedEvents):
    """The events at both ends of a window, and the matrices of those between.

    Where there are none, these are all events of partitions that are touched.
    """

    @cached_property
    def known(self) -> pa.Table:
        """The events that were settled before, but for those in the middle."""
        if self.middle is None:
            return self._without_products.known
        begin, end = self.outside
        return self._some([*self.known_parts(None, begin), *self.known_parts(end, None)])

    def _some(self, parts: Sequence[tuple[StoredChunk, int, int]]) -> pa.Table:
        """Return events of the partitions that are touched, as far as it pays to look for them."""
        rows = sum(high - low for _, low, high in parts)
        tables = [] if self._neighbours is None else [self._neighbours]
        for chunk, low, high in parts:
            if not self.keys or rows <= self.move.sizes.many:
                tables.append(chunk.table.slice(low, high - low))
                continue
            places = places_of(chunk, self.keys, self._wanted, low, high)
            tables.append(chunk.table.take(to_arrow(places)))
        return self.move.united(tables)

    @cached_property
    def middle(self) -> pa.Table | None:
        """The matrices of events that are in the window throughout the step; None: there are none.

        Then all events are known one by one.
        """
        products = self._products
        if not products or not self.new.num_rows:
            return None
        is_lost = self._compares and self._neighbours is None
        return None if is_lost else self._matrices.middle(products, self._looked_for)

    @cached_property
    def _neighbours(self) -> pa.Table | None:
        """The last events of the middle, where trends compare neighbours."""
        if not self._compares or not self._products:
            return None
        assert self.move.state.marks is not None
        every = listed(self.move.state.marks)
        last = self._matrices.neighbours(every, self._looked_for)
        if last is None:
            return None
        ticks = to_ticks(last[self.move.lead.time], self.move.lead.time)
        return last.filter(to_arrow(ticks >= self.cut))

    @property
    def _compares(self) -> bool:
        return self.move.lead.adjacent is not None

    @property
    def _looked_for(self) -> Hashes | None:
        """The hashes of keys whose matrices are read, None: those of all."""
        most = max(each.partitions for each in self._products)
        return None if most <= self.new.num_rows else self._wanted

    @property
    def cut(self) -> int:
        """The tick at which the middle begins."""
        return self._products[0].begin

    @property
    def outside(self) -> tuple[int, int]:
        """The ticks at which the middle begins and ends."""
        return self.cut, self._products[-1].end

    @cached_property
    def whole(self) -> SettledEvents:
        """The same without matrices."""
        return self._without_products

    @cached_property
    def _without_products(self) -> TouchedEvents:
        state = replace(self.move.state, marks=None)
        move = replace(self.move, state=state)
        return TouchedEvents(move, self.reach, self.keys, self.programs)

    @cached_property
    def _products(self) -> list[Product]:
        """The products that are in the window throughout the step."""
        move, window = self.move, self.move.lead.window_length
        assert move.horizon is not None
        assert window is not None
        if move.state.marks is None:
            return []
        latest = to_ticks(self.new[move.lead.time], move.lead.time).max(initial=move.horizon - 1)
        return chain(listed(move.state.marks), int(latest) + 1 - window) or []

    @cached_property
    def _matrices(self) -> Matrices:
        assert self.move.state.cache is not None
        return Matrices(self.move, self.move.state.cache, self.keys)

    def marks(self) -> pa.Table | None:
        """Return the products after this step, as a list; None if there are none."""
        move, window = self.move, self.move.lead.window_length
        assert move.horizon is not None
        assert move.state.cache is not None
        assert window is not None
        before = [] if move.state.marks is None else listed(move.state.marks)
        following = NextProducts(
            self._matrices, Settled(self), move.horizon - window, move.horizon, move.sizes
        )
        found = list[Product]()
        if before and before[0].kind is Kind.NONE:
            if move.horizon < before[0].end:
                return move.state.marks
            before = []
        try:
            if before and (self.middle is not None or not self.new.num_rows):
                found = following.after(before)
            elif "known" in vars(self) and self.known.num_rows > move.sizes.many:
                found = following.first(self._partitions)
        except LostError:
            found = []
        except (DataError, NeedsAllEventsError):
            found = [Product(Kind.NONE, move.horizon, move.horizon + window // 2, 0, 0, "")]
        gone = {each.name for each in before} - {each.name for each in found}
        move.state.cache.forget(gone - {""})
        if not found:
            return None
        return pa.Table.from_pylist([each._asdict() for each in found], SCHEMA)

    @property
    def _partitions(self) -> int:
        """About how many partitions have events; it is told by those that were looked up."""
        settled = self._without_products
        if self.keys and not settled.is_whole:
            every: int = sum(high - low for _, low, high in self.known_chunks)
            rows: int = max(1, self.known.num_rows)
            return every * int(self._wanted.size) // rows
        columns = dict(zip(self.known.column_names, self.known.columns, strict=True))
        codes = partition_codes(columns, self.move.lead.partition_by, self.known.num_rows)
        return int(np.unique(codes.code).size)


@dataclass(frozen=True)
class Settled:
    """All settled events of a step, those before and the new ones, by time."""

    ends: EndsOfWindow

    def read(self, begin: int, end: int) -> pa.Table:
        """Return the events from one tick to before another."""
        parts = [chunk.table.slice(low, high - low) for chunk, low, high in self._known(begin, end)]
        is_there = (self._ticks >= begin) & (self._ticks < end)
        new = self.ends.new.filter(to_arrow(is_there))
        return self.ends.move.united([*parts, new]).combine_chunks()

    def count(self, begin: int, end: int) -> int:
        """Return how many they are."""
        is_there = (self._ticks >= begin) & (self._ticks < end)
        return sum(high - low for _, low, high in self._known(begin, end)) + int(is_there.sum())

    def cuts(self, begin: int, end: int, length: int) -> list[int]:
        """Return ticks after the first, in order; from each to the next are about so many."""
        apart = max(1, length // TICKS_PER_CUT)
        parts = [chunk.ticks[low:high:apart] for chunk, low, high in self._known(begin, end)]
        new = self._ticks[(self._ticks >= begin) & (self._ticks < end)]
        ticks = np.sort(np.concatenate([*parts, new[::apart]]))
        cuts = np.unique(ticks[::-1][length // apart :: max(1, length // apart)])
        return [int(each) for each in cuts if begin < each < end]

    def _known(self, begin: int, end: int) -> Sequence[tuple[StoredChunk, int, int]]:
        return self.ends.known_parts(begin, end)

    @cached_property
    def _ticks(self) -> Int64s:
        time = self.ends.move.lead.time
        return to_ticks(self.ends.new[time], time)
