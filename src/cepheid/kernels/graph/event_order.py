"""The order of matches with the same ends, by their events."""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.kernels.jit import inner_in_place

MOST_POSITIONS = 64


class EventOrder(NamedTuple):
    """By event: rank of its order key, clock, whose matches are compared, rank of its values.

    `boundary` has by owner the rank after which matches start.
    """

    rank: Int64s
    clock: Int64s
    owner: Int64s
    values: Int64s
    boundary: Int64s


@inner_in_place
def path_is_before(out: MatchArrays, begin: int, middle: int, end: int, order: EventOrder) -> bool:
    """Whether the path from `middle` to `end` comes before the one from `begin` to `middle`."""
    for at in range(min(middle - begin, end - middle)):
        left, right = out.event[middle + at], out.event[begin + at]
        if order.rank[left] != order.rank[right]:
            return bool(order.rank[left] < order.rank[right])
        if out.position[middle + at] != out.position[begin + at]:
            return bool(out.position[middle + at] < out.position[begin + at])
    if middle - begin != end - middle:
        return end - middle < middle - begin
    for at in range(middle - begin):
        left, right = order.values[out.event[middle + at]], order.values[out.event[begin + at]]
        if left != right:
            return bool(left < right)
    return False
