"""Since when the events of a key matter: the earliest start among its runs that are still alive.

A match that is still to come goes on with a run that is alive, or begins with a new event. What
happens to a run follows from the events after its start. So what was settled before the earliest
start of all runs of a key need not be run again for it, however long the window is. It is so where
events take runs away: under skip-till-next and contiguity.

The last events of a key are often enough to tell. Let runs wait at every position before the first
of them. If later ones have taken all of these away, all runs that are alive began since.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.kernel_arrays import automaton_arrays
from cepheid.engine.events.key_hashes import Hashes, key_hashes
from cepheid.engine.events.order_events import OrderedEvents, order_events
from cepheid.kernels.graph.match_nodes import ALWAYS, NEVER
from cepheid.kernels.graph.oldest_starts import oldest_starts
from cepheid.program.arrow_arrays import to_arrow
from cepheid.program.program import Program

Int64s = NDArray[np.int64]


class Marks(NamedTuple):
    """Hashes of keys in order, each once, and since when their events matter."""

    hashes: Hashes
    since: Int64s


def marks_after(
    program: Program, ordered: OrderedEvents, events: pa.Table, keys: Sequence[str]
) -> Marks:
    """Return the marks of keys that have a run that is alive after all of some events."""
    oldest = _oldest(program, ordered, events.num_rows, ALWAYS)
    alive = oldest != ALWAYS
    return _marks(_hashes(ordered, events, keys)[alive], oldest[alive])


def marks_before_new(
    program: Program, events: pa.Table, keys: Sequence[str], known: int, *, are_all: bool
) -> Marks:
    """Return the marks of keys with new events: what follows the first `known` ones.

    Where no run is alive that is ALWAYS. Unless these are all events of their keys, it is NEVER of
    those whose runs may have begun before.
    """
    columns = dict(zip(events.column_names, events.columns, strict=True))
    ordered = order_events(program, columns, events.num_rows)
    arrays = ordered.arrays
    oldest = _oldest(program, ordered, known, ALWAYS if are_all else NEVER)
    last = ordered.row[arrays.step_offsets[arrays.partition_offsets[1:]] - 1]
    has_new = last >= known
    return _marks(_hashes(ordered, events, keys)[has_new], oldest[has_new])


def _oldest(program: Program, ordered: OrderedEvents, known: int, before_all: int) -> Int64s:
    """Return by partition the earliest start of runs that are alive before what is not known."""
    arrays = ordered.arrays
    automaton = automaton_arrays(program.automaton, program.strategy)
    room = np.empty((2, automaton.follow.size), np.int64)
    oldest = np.empty(arrays.partition_offsets.size - 1, np.int64)
    is_known = (ordered.row < known).view(np.int8)
    oldest_starts(automaton, arrays, is_known, before_all, room[0], room[1], oldest)
    return oldest


def _hashes(ordered: OrderedEvents, events: pa.Table, keys: Sequence[str]) -> Hashes:
    """Return the hash of every partition."""
    arrays = ordered.arrays
    first = ordered.row[arrays.step_offsets[arrays.partition_offsets[:-1]]]
    if not keys:
        return np.zeros(first.size, np.uint32)
    return key_hashes(events.select(list(keys)).take(to_arrow(first)), keys)


def _marks(hashes: Hashes, since: Int64s) -> Marks:
    """Return the earliest mark of every hash, in order."""
    order = np.lexsort((since, hashes))
    hashes, since = hashes[order], since[order]
    is_first = np.append(True, hashes[1:] != hashes[:-1])[: hashes.size]
    return Marks(hashes[is_first], since[is_first])
