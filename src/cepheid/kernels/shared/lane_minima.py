"""The minima of lanes: what fold_lanes.py does with sums, with the least value in their place.

Minima have vectors of their own, so that queries which only count or add up pay nothing for them.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import in_place, inlined
from cepheid.kernels.last_event.adjacent_rules import EQUAL_SUMS, TOTAL, Indexes
from cepheid.kernels.values.value_arrays import NOTHING


class LeastTables(NamedTuple):
    """As in `LaneTables`, of vectors of minima.

    `adds` has triples of a minimum, the number of its runs in the vector of numbers, and a measure.
    """

    widths: Int64s
    totals: Int64s
    element_offsets: Int64s
    from_source: Int64s
    to_target: Int64s
    last_offsets: Int64s
    lasts: Int64s
    add_offsets: Int64s
    adds: Int64s
    cuts: Int64s
    result_offsets: Int64s


class LeastRoom(NamedTuple):
    """As in `LaneRoom`."""

    found: Int64s
    base: Int64s
    totals: Int64s
    fresh: Int64s
    vector: Int64s
    results: Int64s


@in_place
def begin_minima(
    tables: LeastTables, indexes: Indexes, sources: Int64s, partition: int, room: LeastRoom
) -> None:
    """Forget the partition before."""
    for edge in range(sources.size):
        width = tables.element_offsets[edge + 1] - tables.element_offsets[edge]
        for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
            base = room.base[row]
            for at in range(base, base + indexes.size[row, partition] * width):
                room.found[at] = NOTHING
    for at in range(room.totals.size):
        room.totals[at] = NOTHING
    for at in range(room.results.size):
        room.results[at] = NOTHING


@inlined
def clear_minima(room: LeastRoom, base: int, begin: int, end: int) -> None:
    """Clear a part of a vector that waits at an index row."""
    for at in range(base + begin, base + end):
        room.found[at] = NOTHING


@inlined
def extend_minima(
    tables: LeastTables,
    indexes: Indexes,
    structure: Int64s,
    in_edges: Int64s,
    contributions: Int64s,
    event: int,
    position: int,
    numbers: Float64s,
    fresh: int,
    room: LeastRoom,
) -> None:
    """Write the minima of the runs that end with an event, whose `numbers` are written already."""
    for element in range(tables.widths[position]):
        room.fresh[fresh, element] = NOTHING
    for edge in in_edges:
        begin = tables.element_offsets[edge]
        width = tables.element_offsets[edge + 1] - begin
        if structure[edge] == TOTAL:
            _take(tables, room.totals, tables.totals[edge], begin, width, fresh, room)
            continue
        for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
            base, high = room.base[row], indexes.high[row, event]
            if structure[edge] == EQUAL_SUMS:
                low = indexes.low[row, event]
                if low < high:
                    _take(tables, room.found, base + low * width, begin, width, fresh, room)
                continue
            while high > 0:
                _take(tables, room.found, base + (high - 1) * width, begin, width, fresh, room)
                high &= high - 1
    for at in range(tables.add_offsets[position], tables.add_offsets[position + 1], 3):
        if numbers[tables.adds[at + 1]] != 0.0:
            element = tables.adds[at]
            own = contributions[tables.adds[at + 2], event]
            room.fresh[fresh, element] = min(room.fresh[fresh, element], own)


@inlined
def _take(
    tables: LeastTables,
    given: Int64s,
    at: int,
    begin: int,
    width: int,
    fresh: int,
    room: LeastRoom,
) -> None:
    for element in range(width):
        target = tables.to_target[begin + element]
        room.fresh[fresh, target] = min(room.fresh[fresh, target], given[at + element])


@inlined
def let_minima_wait(
    tables: LeastTables,
    indexes: Indexes,
    structure: Int64s,
    out_edges: Int64s,
    partition: int,
    event: int,
    position: int,
    fresh: int,
    room: LeastRoom,
) -> None:
    """Put fresh minima where the edges out of their position look for them, and into results."""
    for edge in out_edges:
        begin = tables.element_offsets[edge]
        width = tables.element_offsets[edge + 1] - begin
        for element in range(width):
            room.vector[element] = room.fresh[fresh, tables.from_source[begin + element]]
        if structure[edge] == TOTAL:
            _put(room.totals, tables.totals[edge], width, room)
            continue
        for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
            place = indexes.place[row, event]
            if place < 0:
                continue
            size, at_place = indexes.size[row, partition], place + 1
            while at_place <= size:
                _put(room.found, room.base[row] + (at_place - 1) * width, width, room)
                if structure[edge] == EQUAL_SUMS:
                    break
                at_place += at_place & -at_place
    for at in range(tables.last_offsets[position], tables.last_offsets[position + 1], 2):
        result = tables.lasts[at + 1]
        room.results[result] = min(room.results[result], room.fresh[fresh, tables.lasts[at]])


@inlined
def _put(target: Int64s, at: int, width: int, room: LeastRoom) -> None:
    for element in range(width):
        target[at + element] = min(target[at + element], room.vector[element])
