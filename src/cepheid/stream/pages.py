"""Where the events of a key lie in a chunk, so that a step reads those of the keys that it touches.

A page index is a table with a row per event: a hash of its key, in order, and its place. It follows
from the rows of the chunk. Keys with the same hash are looked at together, which changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.key_hashes import Hashes, key_hashes
from cepheid.kernels.order.find_hashes import find_among, find_in_order, take_between
from cepheid.program.arrow_arrays import read_only, to_arrow, to_numpy
from cepheid.stream.stored_chunk import StoredChunk

Int64s = NDArray[np.int64]
HASH, PLACE = "hash", "place"
FLAGS = 2**16
FEW_ROWS = 4096  # of a chunk, which is soon joined with others: no index is kept of these


def hashes_of(events: pa.Table, keys: Sequence[str]) -> Hashes:
    """Return the hashes of some events, each once, in order."""
    return np.unique(key_hashes(events, keys))


def is_among(hashes: Hashes, wanted: Hashes) -> NDArray[np.bool_]:
    """Return which hashes are among the wanted ones, which are in order."""
    found = np.zeros(hashes.size, np.bool_)
    found[rows_among(hashes, wanted)] = True
    return found


def rows_among(hashes: Hashes, wanted: Hashes) -> Int64s:
    """Return the rows with a wanted hash."""
    found = np.empty(hashes.size, np.int64)
    if not wanted.size or not hashes.size:
        return found[:0]
    hashes, wanted = read_only(hashes), read_only(wanted)
    return found[: find_among(hashes, wanted, np.zeros(FLAGS, np.uint8), found)]


def places_of(
    chunk: StoredChunk, keys: Sequence[str], wanted: Hashes, low: int, high: int
) -> Int64s:
    """Return the places of events with one of the wanted hashes, from `low` to before `high`."""
    if is_small(chunk):
        return rows_among(row_hashes(chunk, keys)[low:high], wanted) + low
    if chunk.chunk is None or not chunk.chunk.is_kept:
        return rows_among(key_hashes(chunk.table.slice(low, high - low), keys), wanted) + low
    index = page_index(chunk, keys)
    wanted, (first, after) = read_only(wanted), np.empty((2, wanted.size), np.int64)
    hashes, places = read_only(to_numpy(index[HASH])), read_only(to_numpy(index[PLACE]))
    found = np.empty(find_in_order(hashes, wanted, first, after), np.int64)
    found = found[: take_between(places, first, after, low, high, found)]
    found.sort()
    return found


def is_small(chunk: StoredChunk) -> bool:
    """Whether a chunk has no index; then the hashes of its rows stay in memory."""
    return chunk.span.rows <= FEW_ROWS


def rows_of(hashes: Hashes, wanted: Hashes) -> Int64s:
    """Return where hashes that are in order equal any of the wanted ones."""
    first = np.searchsorted(hashes, wanted, "left")
    count = np.searchsorted(hashes, wanted, "right") - first
    before = np.cumsum(count) - count
    places: Int64s = np.repeat(first - before, count) + np.arange(int(count.sum()))
    return places


def row_hashes(chunk: StoredChunk, keys: Sequence[str]) -> Hashes:
    """Return the hash of every row of a small chunk of an earlier step."""
    assert chunk.chunk is not None
    return chunk.chunk.remembered(index_name(keys), lambda: key_hashes(chunk.table, keys))


def page_index(chunk: StoredChunk, keys: Sequence[str]) -> pa.Table:
    """Return the page index of a chunk of an earlier step."""

    def make() -> pa.Table:
        hashes = key_hashes(chunk.table, keys)
        order = np.argsort(hashes, kind="stable")
        columns = [to_arrow(hashes[order]), to_arrow(order.astype(np.uint32))]
        return pa.table(columns, names=[HASH, PLACE])

    assert chunk.chunk is not None
    return chunk.chunk.beside(index_name(keys), make)


def index_name(keys: Sequence[str]) -> str:
    """Return what an index by some columns is called."""
    return "pages-" + blake2b("\0".join(keys).encode(), digest_size=8).hexdigest()
