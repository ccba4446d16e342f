"""Which windows a step of a stream closes, partition by partition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.kernels.arrange_events import Arranged, Grouped
from cepheid.program.arrow_arrays import to_numpy, to_scalar
from cepheid.program.program import Clock, Program
from cepheid.runtime.settled import INDEX, NOTHING, Horizons, Settled

Int64s = NDArray[np.int64]


def find_horizons(
    program: Program,
    columns: Mapping[str, Any],
    grouped: Grouped,
    events: Arranged,
    code_of_event: Int64s,
    settled: Settled,
) -> Horizons:
    """Return the horizons of the partitions of `events`."""
    count = events.partition_offsets.size - 1
    if program.clock is Clock.TIME:
        first = NOTHING if settled.before is None else settled.before
        return Horizons(np.full(count, first, np.int64), np.full(count, settled.until, np.int64))
    is_known = grouped.event < settled.known_rows
    known = np.add.reduceat(np.append(is_known, False), grouped.begin[:-1], dtype=np.int64)
    known[np.diff(grouped.begin) == 0] = 0
    before = _last_index(grouped, known)
    until = _last_index(grouped, np.diff(grouped.begin))
    if INDEX in columns:
        offsets = index_offsets(columns[INDEX], grouped)
        until += offsets
        before[known > 0] += offsets[known > 0]
    code = code_of_event[events.event[events.step_offsets[events.partition_offsets[:-1]]]]
    return Horizons(before[code], until[code])


def _last_index(grouped: Grouped, size: Int64s) -> Int64s:
    """Return by code the index of the last of so many events; NOTHING if there is none."""
    begin = grouped.begin[:-1]
    result = np.full(begin.size, NOTHING)
    some = np.flatnonzero(size)
    last = begin[some] + size[some] - 1
    # Ranks rise within a code, so that events are sorted by both.
    span = int(grouped.key_rank.max(initial=0)) + 1
    code = np.repeat(np.arange(begin.size), np.diff(grouped.begin))
    step = np.searchsorted(code * span + grouped.key_rank, some * span + grouped.key_rank[last])
    result[some] = step - begin[some]
    return result


def index_offsets(column: Any, grouped: Grouped) -> Int64s:
    """Return by code how many events of the partition are gone: what its first event says."""
    index = to_numpy(pc.fill_null(column, to_scalar(0)))
    result = np.zeros(grouped.begin.size - 1, np.int64)
    some = np.flatnonzero(np.diff(grouped.begin))
    result[some] = index[grouped.event[grouped.begin[some]]]
    return result
