"""Matches as row numbers of their events: all of them counted, some of them kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

MOST_KEPT = 3_000_000  # events of the matches that are kept
SEED = 2026  # the same picture for the same matches


@dataclass(frozen=True, slots=True)
class MatchEvents:
    """Events of matches, those of a match together and in order.

    `match` numbers the matches, `variable` the columns that the events come from.
    """

    match: NDArray[np.int64]
    variable: NDArray[np.int64]
    event: NDArray[np.int64]

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where a match begins."""
        return np.flatnonzero(np.diff(self.match, prepend=-1))

    @property
    def ends(self) -> NDArray[np.int64]:
        """Where the match after it begins."""
        starts = self.starts
        return np.append(starts[1:], self.event.size)[: starts.size]


@dataclass(frozen=True, slots=True)
class FoundMatches:
    """First and last event of every match, and all events of those that are kept.

    These are all of them or, if they have too many events, some that are chosen by chance.
    """

    variables: tuple[str, ...]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    kept: MatchEvents

    @property
    def count(self) -> int:
        """How many matches there are."""
        return int(self.first.size)


def sample_matches(
    batches: Iterable[pa.RecordBatch],
    variables: Sequence[str],
    ticks: NDArray[np.int64],
    *,
    most: int = MOST_KEPT,
) -> FoundMatches:
    """Read matches, one column of row numbers for each variable, one row for each match."""
    generator = np.random.default_rng(SEED)
    firsts, lasts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    kept, share, size = list[pa.Table](), 1.0, 0
    for batch in batches:
        events = match_events(batch, ticks)
        firsts.append(events.event[events.starts])
        lasts.append(events.event[events.ends - 1])
        table = pa.Table.from_batches([batch])
        kept.append(_chosen(table, share, generator))
        size += int(events.event.size * share)
        while size > most:
            share, size = share / 2, size // 2
            kept = [_chosen(pa.concat_tables(kept), 0.5, generator)]
    table = pa.concat_tables(kept) if kept else pa.table({})
    return FoundMatches(
        tuple(variables), np.concatenate(firsts), np.concatenate(lasts), match_events(table, ticks)
    )


def _chosen(table: pa.Table, share: float, generator: np.random.Generator) -> pa.Table:
    """Return about this share of the rows, each with the same chance."""
    if share >= 1.0:
        return table
    return table.filter(pa.array(generator.random(table.num_rows) < share))


def match_events(table: Any, ticks: NDArray[np.int64]) -> MatchEvents:
    """Return the events of every match, in order of time."""
    parts = [np.empty((3, 0), np.int64)]
    for variable, column in enumerate(table.columns):
        match, event = _pairs(column)
        parts.append(np.stack([match, np.full(match.size, variable), event]))
    match, variables, event = np.concatenate(parts, axis=1)
    order = np.lexsort((variables, event, ticks[event], match))
    return MatchEvents(match[order], variables[order], event[order])


def _pairs(column: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of matches with those of their events; an array has several."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        parents = pc.list_parent_indices(column)
        values = pc.list_flatten(column)
    else:
        present = pc.is_valid(column)
        parents = pa.array(np.flatnonzero(present.to_numpy(zero_copy_only=False)))
        values = pc.drop_null(column)
    return (
        parents.to_numpy(zero_copy_only=False).astype(np.int64),
        values.to_numpy(zero_copy_only=False).astype(np.int64),
    )
