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
from cepheid.program.arrow_arrays import to_arrow, to_numpy
from cepheid.stream.stored_chunk import StoredChunk

Int64s = NDArray[np.int64]
HASH, PLACE = "hash", "place"
FEW_ROWS = 4096  # of a chunk, which is soon joined with others: no index is kept of these


def hashes_of(events: pa.Table, keys: Sequence[str]) -> Hashes:
    """Return the hashes of some events, each once, in order."""
    return np.unique(key_hashes(events, keys))


def is_among(hashes: Hashes, wanted: Hashes) -> NDArray[np.bool_]:
    """Return which hashes are among the wanted ones, which are in order."""
    if not wanted.size:
        return np.zeros(hashes.size, np.bool_)
    place = np.minimum(np.searchsorted(wanted, hashes), wanted.size - 1)
    found: NDArray[np.bool_] = wanted[place] == hashes
    return found


def places_of(
    chunk: StoredChunk, keys: Sequence[str], wanted: Hashes, low: int, high: int
) -> Int64s:
    """Return the places of events with one of the wanted hashes, from `low` to before `high`."""
    if chunk.span.rows <= FEW_ROWS:
        hashes = key_hashes(chunk.table.slice(low, high - low), keys)
        return np.flatnonzero(is_among(hashes, wanted)) + low
    index = page_index(chunk, keys)
    found = to_numpy(index[PLACE])[rows_of(to_numpy(index[HASH]), wanted)].astype(np.int64)
    return np.sort(found[(found >= low) & (found < high)])


def rows_of(hashes: Hashes, wanted: Hashes) -> Int64s:
    """Return where hashes that are in order equal any of the wanted ones."""
    first = np.searchsorted(hashes, wanted, "left")
    count = np.searchsorted(hashes, wanted, "right") - first
    before = np.cumsum(count) - count
    places: Int64s = np.repeat(first - before, count) + np.arange(int(count.sum()))
    return places


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
