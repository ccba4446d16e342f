"""The order of trends that does not depend on how rows arrive (semantics, section 7)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents, starts_of_runs
from cepheid.engine.matches.sequence_ranks import sequence_ranks
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.program.program import Program, Ranking

Int64s = NDArray[np.int64]
MOST_POSITIONS = 64


class TrendOrder:
    """Ranks of trends: by their steps, then by the values of their events' columns."""

    def __init__(
        self,
        trends: MatchArrays,
        ordered: OrderedEvents,
        columns: Mapping[str, Any],
        tie_columns: Sequence[str],
    ) -> None:
        self.first = ordered.key_rank[trends.event[trends.offsets[:-1]]]
        self.last = ordered.key_rank[trends.event[trends.offsets[1:] - 1]]
        steps = ordered.key_rank[trends.event] * MOST_POSITIONS + trends.position
        self.steps = sequence_ranks(trends.offsets, steps)
        self.values = np.zeros_like(self.steps)
        if np.unique(self.steps).size < self.steps.size:  # only concurrent events leave ties
            ranks = row_ranks([columns[name] for name in tie_columns], ordered.row)
            self.values = sequence_ranks(trends.offsets, ranks[trends.event])

    def places(self) -> Int64s:
        """Return the place of every trend in the order: last key, first key, steps, values."""
        order = np.lexsort([self.values, self.steps, self.first, self.last])
        places = np.empty_like(order)
        places[order] = np.arange(order.size)
        return places


def ranks_of_concurrent(
    program: Program,
    ordered: OrderedEvents,
    columns: Mapping[str, Any],
    tie_columns: Sequence[str],
) -> Int64s:
    """Number the events by the values of columns; only concurrent ones are ever compared."""
    ranks = np.zeros(ordered.row.size, np.int64)
    if program.ranking is Ranking.STREAM:
        sizes = np.bincount(ordered.key_rank)[ordered.key_rank]
    else:
        steps = np.diff(ordered.arrays.step_offsets)
        sizes = np.repeat(steps, steps)
    concurrent = np.flatnonzero(sizes > 1)
    if concurrent.size and tie_columns:
        ranks[concurrent] = row_ranks(
            [columns[name] for name in tie_columns], ordered.row[concurrent]
        )
    return ranks


def row_ranks(columns: list[Any], rows: Int64s) -> Int64s:
    """Number rows in the order of their values, NULL first; equal rows get the same number."""
    ranks = [value_ranks(column.take(pa.array(rows))) for column in columns]
    order = np.lexsort(ranks[::-1])
    begins = np.zeros(rows.size, np.bool_)
    for each in ranks:
        begins |= starts_of_runs(each[order])
    result = np.empty(rows.size, np.int64)
    result[order] = np.cumsum(begins)
    return result


def value_ranks(column: Any) -> Int64s:
    """Number the values of a column in their order, NULL first; equal ones get the same number."""
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    try:
        ranks = pc.rank(column, tiebreaker="dense").to_numpy(zero_copy_only=False)
    except pa.ArrowNotImplementedError:
        return _python_ranks(column.to_pylist())
    is_null = column.is_null().to_numpy(zero_copy_only=False).astype(np.bool_)
    return np.where(is_null, 0, ranks.astype(np.int64))


def sort_key(value: Any) -> tuple[int, Any]:
    """Return a key by which values of a column are sorted: NULL first, NaN last.

    A union has values of several types, which are sorted by their names first.

    >>> sorted([[2, None], [1], None, [float("nan")], [2]], key=sort_key)
    [None, [1], [2], [2, None], [nan]]
    """
    match value:
        case None:
            return 0, 0
        case list() | tuple():
            return 1, ("list", [sort_key(each) for each in value])
        case dict():
            return 1, ("dict", [sort_key(each) for each in value.values()])
        case float() if math.isnan(value):
            return 2, 0
        case _:
            return 1, (type(value).__name__, value)


def _python_ranks(values: list[Any]) -> Int64s:
    """Rank values that Arrow cannot, such as lists."""
    keys = [sort_key(value) for value in values]
    ranks = np.zeros(len(keys), np.int64)
    order = sorted(range(len(keys)), key=keys.__getitem__)
    for before, after in pairwise(order):
        ranks[after] = ranks[before] + (keys[before] != keys[after])
    return ranks
