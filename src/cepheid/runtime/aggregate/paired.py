"""`P1 AND P2` in an aggregate whose trends must be built: GRETA's formula per partition and place.

A side may match one sequence of events in several ways, or both sides have sequences in common that
cannot be counted otherwise (see folded_pair.py).

A trend is its sequence of events. With `a` the trends of the first side only, `b` those of the
second only and `c` those of both, there are a·b + a·c + b·c + c·(c - 1) / 2 pairs. A trend of `a`
is in b + c of them, one of `b` in a + c, one of `c` in a + b + c - 1: so often its sums count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.aggregate_matches import add_matches
from cepheid.kernels.graph import MatchArrays
from cepheid.kernels.values import NOTHING, Measures, ValueRows, Values
from cepheid.program.program import Program
from cepheid.runtime.aggregate.enumerated import empty_values, leaves, placed_matches
from cepheid.runtime.aggregate.places import Places
from cepheid.runtime.match_chunks import joined, picked
from cepheid.runtime.order_events import OrderedEvents, starts_of_runs
from cepheid.runtime.sequence_ranks import sequence_ranks

Int64s = NDArray[np.int64]


def paired_rows(
    sides: tuple[tuple[Program, OrderedEvents], ...],
    columns: Mapping[str, Any],
    measures: Measures,
    places: Places,
) -> ValueRows:
    """Return the value of every partition and place that has a pair."""
    found = [_copies(program, ordered, columns, places) for program, ordered in sides]
    matches, place = joined(each for each, _ in found), np.concatenate([each for _, each in found])
    side = np.repeat([0, 1], [each.size for _, each in found])
    partition = sides[0][1].partition_of_event[matches.event[matches.offsets[:-1]]]
    trend = sequence_ranks(matches.offsets, matches.event)
    order = np.lexsort([side, trend, place, partition])
    partition, place, side = partition[order], place[order], side[order]
    starts_place = starts_of_runs(partition) | starts_of_runs(place)
    starts_trend = starts_place | starts_of_runs(trend[order])
    chosen = np.flatnonzero(starts_trend)
    # Of a trend with several paths the first and the last copy tell which sides it is of.
    last = np.append(chosen[1:], order.size)[: chosen.size] - 1  # no trend at all: no last copy
    kind = np.where(side[chosen] == side[last], side[chosen], 2)
    where = (np.cumsum(starts_place) - 1)[chosen]
    count = int(starts_place.sum())
    values = [
        _added(picked(matches, order[chosen[kind == each]]), where[kind == each], count, measures)
        for each in range(3)
    ]
    return _combined(values, measures, places, place[starts_place])


def _copies(
    program: Program, ordered: OrderedEvents, columns: Mapping[str, Any], places: Places
) -> tuple[MatchArrays, Int64s]:
    """Return a copy of every trend of a side for each of its places."""
    matches, where = [], [np.empty(0, np.int64)]
    for found, begin, end in placed_matches(program, ordered, columns, places):
        counts = np.maximum(end - begin, 0)
        number = np.repeat(np.arange(counts.size), counts)
        before = np.repeat(np.cumsum(counts) - counts, counts)
        where.append(begin[number] + np.arange(number.size) - before)
        matches.append(picked(found, number))
    return joined(matches), np.concatenate(where)


def _added(matches: MatchArrays, where: Int64s, count: int, measures: Measures) -> Values:
    """Return the values of trends, added up by where they are."""
    tree = empty_values(2 * count, measures)
    add_matches(matches, where, where + 1, measures, tree)
    return leaves(tree)


def _combined(values: list[Values], measures: Measures, places: Places, place: Int64s) -> ValueRows:
    """Return the values of pairs; several partitions of a group can have a moment in common."""
    a, b, c = (each.low[:, 0] for each in values)  # enumerated, so they fit 64 bits
    partners = (b + c, a + c, np.maximum(a + b + c - 1, 0))
    mantissa, low = np.zeros_like(values[0].mantissa), np.zeros_like(values[0].low)
    least = np.full_like(values[0].least, NOTHING)
    tier = np.maximum.reduce([each.tier for each in values])
    one, other = _halved(c)
    low[:, 0] = a * b + a * c + b * c + one * other
    x, y, z = (each.astype(np.float64) for each in (a, b, c))
    mantissa[:, 0] = x * y + x * z + y * z + z * (z - 1) / 2
    for each, others in zip(values, partners, strict=True):
        scale = np.ldexp(1.0, np.maximum(512 * (each.tier - tier), -1074).astype(np.int32))
        mantissa[:, 1:] += (each.mantissa * scale)[:, 1:] * others[:, None]
        low[:, 1:] += each.low[:, 1:] * others[:, None]
        least = np.minimum(least, np.where(others[:, None] > 0, each.least, NOTHING))
    tier[:, 0] = 0
    for number in np.flatnonzero(measures.moduli):
        low[:, number] = _pairs_modulo(a, b, c, int(measures.moduli[number]))
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
