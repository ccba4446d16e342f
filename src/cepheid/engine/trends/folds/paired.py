"""`P1 AND P2` in an aggregate whose trends must be built: every pair counts what its trends do.

A side may match one sequence of events in several ways, or both sides have sequences in common that
cannot be counted otherwise (see folded_pair.py).

A trend is its sequence of events, with its lowest positions. With `a` the trends of the first side
only, `b` those of the second only and `c` those of both, there are a·b + a·c + b·c + c·(c - 1) / 2
pairs (GRETA). A trend of `a` is on the left of b + c of them, one of `b` on the right of a + c. One
of `c` is on the left of those with `b` and with later ones of `c`, on the right of the others: so
often its sums count, those of the events that it has on that side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents, starts_of_runs
from cepheid.engine.fold import Facts
from cepheid.engine.matches.match_chunks import joined, picked
from cepheid.engine.matches.match_task import MatchTask, SearchMode, task_of
from cepheid.engine.matches.order_trends import TrendOrder
from cepheid.engine.matches.sequence_ranks import sequence_ranks
from cepheid.engine.trends.folds.fold_matches import empty_values, leaves, placed_matches
from cepheid.engine.trends.measures import of_second_side
from cepheid.engine.trends.trend_events import TrendEvents
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.engine.trends.windows.windows_of_match import Places
from cepheid.kernels.graph.aggregate_matches import add_matches, no_own_measures
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.kernels.values.value_arrays import NOTHING, Measures, ValueRows, Values

Int64s = NDArray[np.int64]
NO_TIER = -(2**40)


@dataclass(frozen=True, slots=True)
class _Trends:
    """Trends with the number of the place that each is in; `both` are in the same order."""

    first_only: MatchArrays
    second_only: MatchArrays
    both_on_first: MatchArrays
    both_on_second: MatchArrays
    where_first: Int64s
    where_second: Int64s
    where_both: Int64s
    place: Int64s

    def counts(self) -> tuple[Int64s, Int64s, Int64s]:
        """Return a, b and c by place."""
        a, b, c = (
            np.bincount(each, minlength=self.place.size).astype(np.int64)
            for each in (self.where_first, self.where_second, self.where_both)
        )
        return a, b, c


class _Share(NamedTuple):
    """Values, how many pairs they count in, and the number of their place."""

    values: Values
    times: Int64s
    where: Int64s

    def counted(self) -> _Share:
        """Return those that are in a pair."""
        kept = self.times > 0
        mantissa, tier, low, least = self.values
        values = Values(mantissa[kept], tier[kept], low[kept], least[kept])
        return _Share(values, self.times[kept], self.where[kept])


def pairs_added_up(task: TrendTask, facts: Facts) -> ValueRows:
    """Return the value of every partition and place that has a pair.

    Without tie-break columns it makes no difference which of two trends of both sides is on the
    left.
    """
    events, pair, places = task.events, task.group.program.pair, task.places
    assert isinstance(events, TrendEvents)
    assert pair is not None
    sides, columns, tie_columns = events.sides, events.columns, pair.tie_columns
    measures = task.measures, of_second_side(events.output, task.measures)
    mode = SearchMode(task.folding, events.threads)
    found = [
        _copies(task_of(group, ordered, columns, mode), places)
        for group, (_, ordered) in zip(task.group.added_up, sides, strict=True)
    ]
    trends = _lowest(found, sides[0][1])
    a, b, c = trends.counts()
    before = _before(trends, sides[0][1], columns, tie_columns)
    every, each_one = np.arange(trends.place.size), np.arange(trends.where_both.size)
    first, second = measures
    shares = [
        _Share(_added(trends.first_only, trends.where_first, a.size, first), b + c, every),
        _Share(_added(trends.second_only, trends.where_second, a.size, second), a + c, every),
    ]
    if each_one.size:
        after = c[trends.where_both] - 1 - before
        shares += [
            _Share(
                _added(trends.both_on_first, each_one, each_one.size, first),
                b[trends.where_both] + after,
                trends.where_both,
            ),
            _Share(
                _added(trends.both_on_second, each_one, each_one.size, second),
                a[trends.where_both] + before,
                trends.where_both,
            ),
        ]
    return _combined((a, b, c), shares, measures[0].moduli, places, trends.place)


def _lowest(found: list[tuple[MatchArrays, Int64s]], ordered: OrderedEvents) -> _Trends:
    """Return every trend of a place once for each side, with its lowest positions."""
    matches, place = joined(each for each, _ in found), np.concatenate([each for _, each in found])
    side = np.repeat([0, 1], [each.size for _, each in found])
    partition = ordered.partition_of_event[matches.event[matches.offsets[:-1]]]
    trend = sequence_ranks(matches.offsets, matches.event)
    positions = sequence_ranks(matches.offsets, matches.position)
    order = np.lexsort([positions, side, trend, place, partition])
    starts_place = starts_of_runs(partition[order]) | starts_of_runs(place[order])
    starts_trend = starts_place | starts_of_runs(trend[order])
    is_lowest = starts_trend | starts_of_runs(side[order])
    where = (np.cumsum(starts_place) - 1)[is_lowest]
    number = (np.cumsum(starts_trend) - 1)[is_lowest]
    lowest = order[is_lowest]
    is_second, is_both = side[lowest] == 1, np.bincount(number)[number] == 2
    kinds = (~is_second & ~is_both, is_second & ~is_both, ~is_second & is_both, is_second & is_both)
    first, second, on_first, on_second = (picked(matches, lowest[each]) for each in kinds)
    wheres = where[kinds[0]], where[kinds[1]], where[kinds[2]]
    return _Trends(first, second, on_first, on_second, *wheres, place[order][starts_place])


def _before(
    trends: _Trends, ordered: OrderedEvents, columns: Mapping[str, Any], tie_columns: Sequence[str]
) -> Int64s:
    """Return how many trends of both sides come before each one in its place."""
    where = trends.where_both
    ranks = np.arange(where.size)
    if tie_columns and where.size:
        ranks = TrendOrder(trends.both_on_first, ordered, columns, tie_columns).places()
    order = np.lexsort([ranks, where])
    starts = starts_of_runs(where[order])
    index = np.arange(where.size)
    before = np.empty_like(index)
    before[order] = index - np.maximum.accumulate(np.where(starts, index, 0))
    return before


def _copies(task: MatchTask, places: Places) -> tuple[MatchArrays, Int64s]:
    """Return a copy of every trend of a side for each of its places."""
    matches, where = [], [np.empty(0, np.int64)]
    for found, begin, end in placed_matches(task, places):
        counts = np.maximum(end - begin, 0)
        number = np.repeat(np.arange(counts.size), counts)
        before = np.repeat(np.cumsum(counts) - counts, counts)
        where.append(begin[number] + np.arange(number.size) - before)
        matches.append(picked(found, number))
    return joined(matches), np.concatenate(where)


def _added(matches: MatchArrays, where: Int64s, count: int, measures: Measures) -> Values:
    """Return the values of trends, added up by where they are."""
    tree = empty_values(2 * count, measures)
    add_matches(matches, where, where + 1, measures, no_own_measures(), tree)
    return leaves(tree)


def _combined(
    counts: tuple[Int64s, Int64s, Int64s],
    shares: Sequence[_Share],
    moduli: Int64s,
    places: Places,
    place: Int64s,
) -> ValueRows:
    """Return the values of pairs; several partitions of a group can have a moment in common."""
    a, b, c = counts  # enumerated, so they fit 64 bits
    mantissa, low = np.zeros((a.size, moduli.size)), np.zeros((a.size, moduli.size), np.int64)
    least = np.full((a.size, shares[0].values.least.shape[1]), NOTHING)
    tier = np.full((a.size, moduli.size), NO_TIER)
    counted = [each.counted() for each in shares]
    for values, _, where in counted:
        np.maximum.at(tier, where, np.where(values.mantissa == 0, NO_TIER, values.tier))
    tier[tier == NO_TIER] = 0
    for values, times, where in counted:
        lower = np.clip(512 * (values.tier - tier[where]), -1074, 0)
        scale = np.ldexp(1.0, lower.astype(np.int32))
        np.add.at(mantissa, where, values.mantissa * scale * times[:, None])
        np.add.at(low, where, values.low * times[:, None])
        np.minimum.at(least, where, values.least)
    one, other = _halved(c)
    low[:, 0] = a * b + a * c + b * c + one * other
    x, y, z = (each.astype(np.float64) for each in (a, b, c))
    mantissa[:, 0], tier[:, 0] = x * y + x * z + y * z + z * (z - 1) / 2, 0
    for number in np.flatnonzero(moduli):
        low[:, number] = _pairs_modulo(a, b, c, int(moduli[number]))
    kept = mantissa[:, 0] > 0
    return ValueRows(
        places.owner[place[kept]],
        places.window[place[kept]],
        mantissa[kept],
        tier[kept],
        low[kept],
        least[kept],
    )


def _halved(c: Int64s) -> tuple[Int64s, Int64s]:
    """Return two factors of c (c - 1) / 2."""
    is_even = c % 2 == 0
    return np.where(is_even, c // 2, c), np.where(is_even, c - 1, (c - 1) // 2)


def _pairs_modulo(a: Int64s, b: Int64s, c: Int64s, prime: int) -> Int64s:
    """Return the number of pairs modulo a prime, which may be more than fits 64 bits."""
    x, y, z, one, other = (each % prime for each in (a, b, c, *_halved(c)))
    total: Int64s = x * y % prime + x * z % prime + y * z % prime + one * other % prime
    return total % prime
