"""Since when the events of a key matter: the earliest start among its runs that are still alive.

A match that is still to come goes on with a run that is alive, or begins with a new event. What
happens to a run follows from the events after its start. So what was settled before the earliest
start of all runs of a key need not be run again for it, however long the window is. It is so where
events take runs away: under skip-till-next and contiguity.

Marks are a table with a hash of the key and a tick. They follow from a durable state, and are kept
in the local cache under the digest of its header; where they are missing, all events are run again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.kernel_arrays import automaton_arrays
from cepheid.engine.events.key_hashes import Hashes, key_hashes
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.kernels.graph.match_nodes import ALWAYS
from cepheid.kernels.graph.oldest_starts import oldest_starts
from cepheid.program.arrow_arrays import to_arrow, to_numpy
from cepheid.program.program import Program
from cepheid.stream.pages import is_among

Int64s = NDArray[np.int64]
HASH, SINCE = "hash", "since"
MOST_KEYS = 2**14


def marks_after(
    program: Program, ordered: OrderedEvents, events: pa.Table, keys: Sequence[str]
) -> pa.Table:
    """Return the marks of all keys with events; those without a run that is alive have none."""
    arrays = ordered.arrays
    automaton = automaton_arrays(program.automaton, program.strategy)
    room = np.empty((2, automaton.follow.size), np.int64)
    oldest = np.empty(arrays.partition_offsets.size - 1, np.int64)
    oldest_starts(automaton, arrays, room[0], room[1], oldest)
    first = ordered.row[arrays.step_offsets[arrays.partition_offsets[:-1]]]
    hashes = key_hashes(events.take(to_arrow(first)), keys)
    return _table(hashes, oldest)


def united(before: pa.Table, now: pa.Table, looked_at: Hashes) -> pa.Table:
    """Return the marks of a step, and those of before of all keys that it did not look at."""
    others = ~is_among(to_numpy(before[HASH]), looked_at)
    own = is_among(to_numpy(now[HASH]), looked_at)
    parts = [before.filter(to_arrow(others)), now.filter(to_arrow(own))]
    return pa.concat_tables(parts).sort_by(HASH)


def marks_of(marks: pa.Table, hashes: Hashes) -> tuple[Hashes, Int64s]:
    """Return those of some hashes that have a mark, and their marks."""
    known, since = to_numpy(marks[HASH]), to_numpy(marks[SINCE])
    has = is_among(known, hashes)
    return known[has], since[has]


def _table(hashes: Hashes, since: Int64s) -> pa.Table:
    """Return the earliest mark of every hash, in order."""
    alive = since != ALWAYS
    hashes, since = hashes[alive], since[alive]
    order = np.lexsort((since, hashes))
    hashes, since = hashes[order], since[order]
    is_first = np.append(True, hashes[1:] != hashes[:-1])[: hashes.size]
    return pa.table([to_arrow(hashes[is_first]), to_arrow(since[is_first])], names=[HASH, SINCE])
