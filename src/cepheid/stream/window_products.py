"""Products of matrices over stretches of the window, so that a step multiplies a few of them.

A product is a table with a matrix for every partition that has settled events in a stretch of time.
They are a queue of two stacks, for all partitions together. The window begins on the left, events
come on the right:

    |---|-|-|-|  SUFFIX products to the end of the oldest stretch
              |---------|
              |-------------------|  SUFFIX products to the end of the front
                                  |-------------|  TOTAL: the product of the back
                                  |-----|-----|-|  STRETCHES of the back, which may be in the front

So three products cover the middle of a window, however long it is. New events are multiplied into
the total and the last stretch. When the oldest stretch is entered, its events are folded again.
When no stretch of the front is left, those of the back become the front.

A product is a file of the local cache. It is named after its bytes, and a list of them is kept as
`marks` of StreamState. What is missing is made again from events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from math import isqrt
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from cepheid.engine.events.key_hashes import Hashes, key_hashes
from cepheid.engine.trends.neighbour_events import NeighbourEvents, matrix_parts
from cepheid.engine.trends.range_table import (
    PANE,
    RANGE,
    fold_stretches,
    merge_ranges,
    products_to_end,
)
from cepheid.engine.trends.trend_events import TrendEvents
from cepheid.program.arrow_arrays import to_arrow, to_numpy
from cepheid.stream.local_cache import LocalCache
from cepheid.stream.pages import rows_of
from cepheid.stream.settled_events import Move
from cepheid.stream.step_sizes import StepSizes
from cepheid.stream.stream_state import digest_of

HASH = "hash"
BEFORE_ALL = -(2**63)
FEWEST_PIECES = 4  # of a window


class LostError(Exception):
    """A product is not in the cache."""


class Kind(StrEnum):
    """What a product is for."""

    SUFFIX = "suffix"
    TOTAL = "total"
    STRETCH = "stretch"
    LAST = "last events"  # before the end of all products, where trends compare neighbours
    NONE = "none"  # up to a tick none is made: it has been tried


class Product(NamedTuple):
    """The product of a stretch of time: how many events and partitions it has, and its file."""

    kind: Kind
    begin: int
    end: int
    events: int
    partitions: int
    name: str


SCHEMA = pa.schema(
    [
        ("kind", pa.string()),
        ("begin", pa.int64()),
        ("end", pa.int64()),
        ("events", pa.int64()),
        ("partitions", pa.int64()),
        ("name", pa.string()),
    ]
)


class Stretches(Protocol):
    """The settled events from one tick to before another."""

    def read(self, begin: int, end: int) -> pa.Table:
        """Return them."""

    def count(self, begin: int, end: int) -> int:
        """Return how many they are."""

    def cuts(self, begin: int, end: int, length: int) -> list[int]:
        """Return ticks after the first, in order; from each to the next are about so many."""


def listed(marks: pa.Table) -> list[Product]:
    """Return the products of a list that was kept."""
    rows = marks.to_pylist()
    return [Product(**{**row, "kind": Kind(row["kind"])}) for row in rows]


def chain(products: Sequence[Product], since: int) -> list[Product] | None:
    """Return products that follow each other, the first from a tick on, to the end of all."""
    products = [each for each in products if each.kind not in (Kind.LAST, Kind.NONE)]
    end = max((each.end for each in products), default=since)
    place = min((each.begin for each in products if each.begin >= since), default=end)
    found = list[Product]()
    while place < end:
        following = [each for each in products if each.begin == place]
        if not following:
            return None
        found.append(max(following, key=lambda each: each.end))
        place = found[-1].end
    return found or None


class Folded(NamedTuple):
    """Matrices of stretches; and where neighbours are compared, the last events of partitions."""

    matrices: pa.Table
    last: pa.Table | None


@dataclass(frozen=True, slots=True)
class Matrices:
    """Makes matrices of events, and puts them together; `keys` are hashed."""

    move: Move
    cache: LocalCache
    keys: tuple[str, ...]

    def folded(self, events: pa.Table, begins: Sequence[int]) -> Folded:
        """Return a matrix for every partition of some events, and stretch that begins at a tick.

        Events before the first stretch are there to be compared. The same matrices follow whatever
        else comes.

        Raises:
            DataError: a MIN or MAX of a value that has no key.
            NeedsAllEventsError: neighbours are compared, and some events are concurrent.
        """
        lead = self.move.lead
        program, _, output = matrix_parts(lead)
        columns, last = dict(zip(events.column_names, events.columns, strict=True)), None
        if lead.adjacent is None:
            given = TrendEvents(program, output, columns, events.num_rows)
        else:
            compared, outside = replace(lead, cuts_time=True), (BEFORE_ALL, begins[0])
            given = NeighbourEvents(
                program, output, columns, events.num_rows, compared=compared, outside=outside
            )
            last = self._hashed(events.take(to_arrow(given.last_rows)), self.keys)
        return Folded(self._sorted(fold_stretches(given, events.schema, np.array(begins))), last)

    def multiplied(self, first: Sequence[pa.Table], second: pa.Table) -> list[pa.Table]:
        """Return the products of each of some matrices and those that follow them."""
        if not first:
            return []
        program, slots, output = matrix_parts(self.move.lead)
        parts = [_in_ranges([each, second], pane) for pane, each in enumerate(first)]
        table = pa.concat_tables(parts)
        merged = merge_ranges(program, slots, output, self.move.schema, table)
        panes = to_numpy(merged[PANE])
        return [
            self._sorted(merged.filter(to_arrow(panes == pane)) if len(first) > 1 else merged)
            for pane in range(len(first))
        ]

    def to_the_end(self, stretches: pa.Table) -> list[tuple[int, pa.Table]]:
        """Return by stretch the products of it and all later ones, from the last stretch on."""
        program, slots, output = matrix_parts(self.move.lead)
        table = stretches.drop_columns([HASH])
        found = products_to_end(program, slots, output, self.move.schema, table)
        return [(begin, self._sorted(each)) for begin, each in found]

    def _sorted(self, table: pa.Table) -> pa.Table:
        partition_by = self.move.lead.partition_by
        return self._hashed(table, [str(partition_by.index(each)) for each in self.keys])

    def _hashed(self, table: pa.Table, keys: Sequence[str]) -> pa.Table:
        """Return rows in the order of the hashes of their keys, with these."""
        hashes = key_hashes(table, keys)
        order = np.argsort(hashes, kind="stable")
        return table.append_column(HASH, to_arrow(hashes)).take(to_arrow(order))

    def neighbours(self, products: Sequence[Product], wanted: Hashes | None) -> pa.Table | None:
        """Return the last events before the end of all products; None if they are lost."""
        (last,) = [each for each in products if each.kind is Kind.LAST]
        table = self.read(last, wanted)
        return None if table is None else table.drop_columns([HASH])

    def kept(self, kind: Kind, begin: int, end: int, events: int, table: pa.Table) -> Product:
        """Keep a product.

        Raises:
            LostError: the cache cannot be written.
        """
        table = table.combine_chunks()
        name = f"{_digest(table)}-product"
        self.cache.put(name, table)
        if not self.cache.has(name):
            raise LostError
        return Product(kind, begin, end, events, table.num_rows, name)

    def read(self, product: Product, wanted: Hashes | None = None) -> pa.Table | None:
        """Return the matrices of a product, of some keys or of all; None if they are lost."""
        table = self.cache.find(product.name, again=True)
        if table is None or wanted is None:
            return table
        return table.take(to_arrow(rows_of(to_numpy(table[HASH]), wanted)))

    def middle(self, products: Sequence[Product], wanted: Hashes | None) -> pa.Table | None:
        """Return the matrices of products that follow each other; None if any are lost."""
        tables = [self.read(each, wanted) for each in products]
        known = [each for each in tables if each is not None]
        return _in_ranges(known) if len(known) == len(tables) else None


def _begun(table: pa.Table, begin: int) -> pa.Table:
    """Return matrices as those of a stretch that begins at a tick."""
    column = to_arrow(np.full(table.num_rows, begin))
    for name in (RANGE, PANE):
        table = table.set_column(table.column_names.index(name), table.schema.field(name), column)
    return table


def _in_ranges(tables: Sequence[pa.Table], pane: int = 0) -> pa.Table:
    """Return matrices as those of one pane, from ranges that follow each other."""
    parts = []
    for number, each in enumerate(tables):
        names = [name for name in each.column_names if name != HASH]
        part = each.select(names)
        for name, value in ((RANGE, number), (PANE, pane)):
            column = to_arrow(np.full(each.num_rows, value))
            part = part.set_column(names.index(name), part.schema.field(name), column)
        parts.append(part)
    return pa.concat_tables(parts)


def _digest(table: pa.Table) -> str:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return digest_of(sink.getvalue()).hex()


@dataclass(frozen=True, slots=True)
class NextProducts:
    """Makes the products that the next step needs of those before.

    The window begins at `begin`; events before `end` are settled.
    """

    matrices: Matrices
    events: Stretches
    begin: int
    end: int
    sizes: StepSizes

    def after(self, products: Sequence[Product]) -> list[Product]:
        """Return the products after a step; none if all of them are too old.

        Raises:
            DataError, LostError, NeedsAllEventsError: there are none.
        """
        grown = self._grown(products)
        last = [each for each in grown if each.kind is Kind.LAST]
        others = [each for each in grown if each.kind is not Kind.LAST]
        found = [each for each in others if self.begin <= each.begin]
        if Kind.TOTAL in {each.kind for each in others} - {each.kind for each in found}:
            found = self._turned(found)
        return [*self._refined(found), *last] if found else []

    def first(self, partitions: int) -> list[Product]:
        """Return products of all events that can still matter; none if these are few."""
        count, piece = self.events.count(self.begin, self.end), self._piece(partitions)
        if count < FEWEST_PIECES * piece:
            return []
        begins = self.events.cuts(self.begin, self.end, isqrt(count * piece))
        tables, last = list[pa.Table](), None
        if self._compares:
            begins = [self.begin, *begins]
        for begin, end in pairwise([*begins, self.end]):
            table, last = self._folded(last, begin, end)
            tables.append(table)
        found = self._refined(self._to_the_end(tables[self._compares :], self.end))
        return [*found, *self._last(last, self.end)] if found else []

    @property
    def _compares(self) -> bool:
        """Whether trends compare neighbours."""
        return self.matrices.move.lead.adjacent is not None

    def _folded(self, last: pa.Table | None, begin: int, end: int) -> Folded:
        """Return the matrices of a stretch of time; `last` are the last events before it."""
        events = self.events.read(begin, end)
        if last is not None:
            events = self.matrices.move.united([last.drop_columns([HASH]), events])
        return self.matrices.folded(events, [begin])

    def _last(self, last: pa.Table | None, end: int) -> list[Product]:
        """Keep the last events before the end of all products."""
        return [] if last is None else [self.matrices.kept(Kind.LAST, end, end, 0, last)]

    def _piece(self, partitions: int) -> int:
        """Return how many events may be left to be run at either end: more than matrices."""
        return max(self.sizes.piece, self.sizes.per_partition * partitions)

    def _grown(self, products: Sequence[Product]) -> list[Product]:
        """Return products that also have the events that were settled since, if these are many."""
        end = max(each.end for each in products)
        piece = self._piece(max(each.partitions for each in products))
        count = self.events.count(end, self.end)
        if count < piece:
            return [*products]
        before = [self._table(each) for each in products if each.kind is Kind.LAST]
        new, last = self._folded(before[0] if before else None, end, self.end)
        length = isqrt(self.events.count(self.begin, self.end) * piece)
        stays, grows = list[Product](), list[Product]()
        for each in products:
            if each.kind is Kind.LAST:
                continue
            is_open = each.kind is Kind.TOTAL or each.events < length
            is_back = each.kind is not Kind.SUFFIX and each.end == end
            (grows if is_back and is_open else stays).append(each)
        begins = {Kind.TOTAL, Kind.STRETCH} - {each.kind for each in grows}
        tables = self.matrices.multiplied([self._table(each) for each in grows], new)
        kept = self.matrices.kept
        return [
            *stays,
            *(
                kept(each.kind, each.begin, self.end, each.events + count, table)
                for each, table in zip(grows, tables, strict=True)
            ),
            *(kept(each, end, self.end, count, new) for each in sorted(begins)),
            *self._last(last, self.end),
        ]

    def _turned(self, products: Sequence[Product]) -> list[Product]:
        """Return the products of stretches to the end of all: they are the front now."""
        stretches = sorted(each for each in products if each.kind is Kind.STRETCH)
        tables = [_begun(self._table(each), each.begin) for each in stretches]
        return self._to_the_end(tables, stretches[-1].end) if stretches else []

    def _refined(self, products: list[Product]) -> list[Product]:
        """Return products with parts of the oldest stretch, if that is large."""
        if not products:
            return products
        first = min(each.begin for each in products)
        piece = self._piece(max(each.partitions for each in products))
        if self.events.count(self.begin, first) <= piece:
            return products
        cuts = self.events.cuts(self.begin, first, piece)
        if not cuts:
            return products
        events = self.events.read(self.begin if self._compares else cuts[0], first)
        return products + self._to_the_end([self.matrices.folded(events, cuts).matrices], first)

    def _to_the_end(self, tables: Sequence[pa.Table], end: int) -> list[Product]:
        """Return the products from the beginning of every stretch to the end of the last."""
        if not tables:
            return []
        found = self.matrices.to_the_end(pa.concat_tables(tables))
        count, kept = self.events.count, self.matrices.kept
        return [kept(Kind.SUFFIX, begin, end, count(begin, end), table) for begin, table in found]

    def _table(self, product: Product) -> pa.Table:
        table = self.matrices.read(product)
        if table is None:
            raise LostError
        return table
