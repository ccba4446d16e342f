"""OUTPUT NON OVERLAPPING (semantics, section 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.kernels.choose_apart import choose_apart
from cepheid.kernels.graph import MatchArrays
from cepheid.program.arrow_arrays import to_numpy, to_scalar
from cepheid.program.program import Program, Ranking
from cepheid.runtime.order_events import OrderedEvents
from cepheid.runtime.order_trends import sort_key
from cepheid.runtime.stream.hidden_columns import TAKEN

Int64s = NDArray[np.int64]


def without_overlaps(
    program: Program,
    ordered: OrderedEvents,
    columns: Mapping[str, Any],
    matches: MatchArrays,
    tie_columns: Sequence[str],
) -> MatchArrays:
    """Return the matches to report; under strict contiguity the whole stream is one partition.

    Ties of first and last order key are broken by the sequence of order keys and positions, then by
    the values of the events in `tie_columns`.
    """
    first, last = matches.event[matches.offsets[:-1]], matches.event[matches.offsets[1:] - 1]
    owner = ordered.partition_of_event[first]
    if program.ranking is Ranking.STREAM:
        owner = np.zeros_like(owner)
    starts, ends = ordered.key_rank[first], ordered.key_rank[last]
    boundary = taken_before(program, ordered, columns)
    if boundary is not None:
        is_after = starts > boundary[owner]
        matches = picked(matches, np.flatnonzero(is_after))
        owner, starts, ends = owner[is_after], starts[is_after], ends[is_after]
    order = np.lexsort([starts, ends, owner])
    owner, starts, ends = owner[order], starts[order], ends[order]
    chosen = []
    for place in choose_apart(owner, starts, ends).tolist():
        tied = place + 1
        while (
            tied < order.size
            and owner[tied] == owner[place]
            and starts[tied] == starts[place]
            and ends[tied] == ends[place]
        ):
            tied += 1
        candidates = order[place:tied].tolist()
        if len(candidates) > 1:
            values = _Ties(matches, ordered, columns, tie_columns)
            candidates.sort(key=values.key)
        chosen.append(candidates[0])
    return picked(matches, np.array(chosen, np.int64))


def taken_before(
    program: Program, ordered: OrderedEvents, columns: Mapping[str, Any]
) -> Int64s | None:
    """Return by partition the order key after which matches start, given those taken before.

    None if no match was taken in an earlier step of a stream, or it is too long ago to matter.
    """
    if TAKEN not in columns:
        return None
    is_taken = to_numpy(pc.fill_null(columns[TAKEN], to_scalar(False)))[ordered.row]
    owner = ordered.partition_of_event[is_taken]
    if program.ranking is Ranking.STREAM:
        owner = np.zeros_like(owner)
    boundary = np.zeros(max(1, ordered.arrays.partition_offsets.size - 1), np.int64)
    np.maximum.at(boundary, owner, ordered.key_rank[is_taken])
    return boundary


class _Ties:
    """Sort keys of matches."""

    def __init__(
        self,
        matches: MatchArrays,
        ordered: OrderedEvents,
        columns: Mapping[str, Any],
        names: Sequence[str],
    ) -> None:
        self.matches = matches
        self.ordered = ordered
        self.columns = [columns[name] for name in names]

    def key(self, match: int) -> tuple[list[tuple[int, int]], list[list[tuple[int, Any]]]]:
        begin, end = self.matches.offsets[match], self.matches.offsets[match + 1]
        events = self.matches.event[begin:end]
        steps = zip(
            self.ordered.key_rank[events].tolist(),
            self.matches.position[begin:end].tolist(),
            strict=True,
        )
        return list(steps), [self._values(int(self.ordered.row[each])) for each in events]

    def _values(self, row: int) -> list[tuple[int, Any]]:
        return [sort_key(column[row].as_py()) for column in self.columns]


def picked(matches: MatchArrays, chosen: Int64s) -> MatchArrays:
    """Return some matches, in the order of their numbers in `chosen`."""
    begins, ends = matches.offsets[chosen], matches.offsets[chosen + 1]
    sizes = ends - begins
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    places = np.repeat(begins - offsets[:-1], sizes) + np.arange(int(sizes.sum()))
    return MatchArrays(offsets, matches.event[places], matches.position[places])
