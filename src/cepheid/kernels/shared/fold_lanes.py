"""Aggregate queries with the same adjacent predicates in one pass over the events.

Queries, and the windows that are open at once, have a *lane* each. What waits at an edge is a
vector of numbers, one or more for every lane; so an event looks up its place once for all of them.
Numbers are plain floats: whoever calls this must see whether they became too large.

A vector of a position or an edge is in *blocks*: a block is an open window of a window group, and
has the lanes of all queries of the group that have the position or the edge.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import EventArrays, Float64s, Int64s
from cepheid.kernels.jit import in_place, inlined, kernel_in_place
from cepheid.kernels.last_event.adjacent_rules import EQUAL_SUMS, TOTAL, Indexes
from cepheid.kernels.position.fold_slots import AFTER_ALL
from cepheid.kernels.position.slot_machine import BEFORE_ALL
from cepheid.kernels.shared.lane_minima import (
    LeastRoom,
    LeastTables,
    begin_minima,
    clear_minima,
    extend_minima,
    let_minima_wait,
)
from cepheid.kernels.values.value_arrays import NOTHING


class LaneTables(NamedTuple):
    """What vectors are made of; lists of x are `list[offsets[x]:offsets[x + 1]]`.

    `widths` are by position. By edge: its target, structure, the place of its totals, and lists of
    elements that say where each element of its vector comes from (in the vector of the source) and
    goes to (in that of the target). `in_edges` and `out_edges` are by position.

    By position: `firsts` are pairs of an element and a block, in which runs begin; `lasts` pairs of
    an element and one of the results; `adds` triples of a number, its count and a measure.
    By edge and block, `cuts` says where the block begins and ends in the edge's vector.
    By window group: length and slide (0: none), the first of its blocks. By block where its results
    begin, and lists of queries.
    """

    widths: Int64s
    sources: Int64s
    structure: Int64s
    totals: Int64s
    element_offsets: Int64s
    from_source: Int64s
    to_target: Int64s
    in_offsets: Int64s
    in_edges: Int64s
    out_offsets: Int64s
    out_edges: Int64s
    first_offsets: Int64s
    firsts: Int64s
    last_offsets: Int64s
    lasts: Int64s
    add_offsets: Int64s
    adds: Int64s
    cuts: Int64s
    lengths: Int64s
    slides: Int64s
    blocks: Int64s
    result_offsets: Int64s
    query_offsets: Int64s
    queries: Int64s
    minima: LeastTables


class LaneRoom(NamedTuple):
    """State and room to work in.

    `sums[base[row]:]` has the vectors of an index row, by place. `fresh` are vectors of the current
    step, `fresh_about` their events and positions. By block: windows, and the first event. By
    window group: the oldest block in use, how many are, and the newest window.
    """

    sums: Float64s
    base: Int64s
    totals: Float64s
    fresh: Float64s
    fresh_about: Int64s
    vector: Float64s
    results: Float64s
    is_open: Int64s
    first_window: Int64s
    last_window: Int64s
    first_event: Int64s
    oldest: Int64s
    open_blocks: Int64s
    newest: Int64s
    minima: LeastRoom


class LaneRows(NamedTuple):
    """A row for every query, partition and window that has trends.

    Numbers are `[row, number]`, minima `[row, minimum]`.
    """

    query: Int64s
    owner: Int64s
    window: Int64s
    numbers: Float64s
    least: Int64s


@kernel_in_place
def fold_lanes(
    tables: LaneTables,
    events: EventArrays,
    indexes: Indexes,
    contributions: Float64s,
    least: Int64s,
    first: int,
    last: int,
    room: LaneRoom,
    rows: LaneRows,
) -> int:
    """Write the rows of partitions `first:last`; return how many there are.

    Cost per event: O(log n) for every edge that compares, each with the lanes of the edge.
    """
    count, groups = 0, tables.lengths.size
    for partition in range(first, last):
        begin, end = events.partition_offsets[partition], events.partition_offsets[partition + 1]
        _begin_partition(tables, indexes, partition, room)
        for step in range(begin, end + 1):
            event, clock = events.step_offsets[step], AFTER_ALL
            if step < end:
                clock = events.clock[event]
            for group in range(groups):
                count = _close(tables, events, indexes, partition, event, group, clock, room,
                               rows, count)  # fmt: skip
                if step < end:
                    _open(tables, event, group, clock, room)
            if step < end:
                _advance(tables, events, indexes, contributions, least, partition, step, room)
    return count


@in_place
def _begin_partition(tables: LaneTables, indexes: Indexes, partition: int, room: LaneRoom) -> None:
    for edge in range(tables.sources.size):
        width = tables.element_offsets[edge + 1] - tables.element_offsets[edge]
        for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
            base = room.base[row]
            for at in range(base, base + indexes.size[row, partition] * width):
                room.sums[at] = 0.0
    for at in range(room.totals.size):
        room.totals[at] = 0.0
    for at in range(room.results.size):
        room.results[at] = 0.0
    begin_minima(tables.minima, indexes, tables.sources, partition, room.minima)
    for block in range(room.is_open.size):
        room.is_open[block] = 0
    for group in range(tables.lengths.size):
        room.oldest[group] = tables.blocks[group]
        room.open_blocks[group], room.newest[group] = 0, BEFORE_ALL


@in_place
def _open(tables: LaneTables, event: int, group: int, clock: int, room: LaneRoom) -> None:
    """Take a block for the windows that begin with a time; they have the same events so far."""
    length, slide = tables.lengths[group], tables.slides[group]
    first, newest = np.int64(0), np.int64(0)
    if length != 0:
        first, newest = (clock - length) // slide + 1, clock // slide
    first = max(first, room.newest[group] + 1)
    if first > newest:
        return
    block = room.oldest[group] + room.open_blocks[group]
    if block >= tables.blocks[group + 1]:
        block -= tables.blocks[group + 1] - tables.blocks[group]
    room.first_window[block], room.last_window[block] = first, newest
    room.first_event[block], room.is_open[block] = event, 1
    room.open_blocks[group] += 1
    room.newest[group] = newest


@in_place
def _close(
    tables: LaneTables,
    events: EventArrays,
    indexes: Indexes,
    partition: int,
    event: int,
    group: int,
    clock: int,
    room: LaneRoom,
    rows: LaneRows,
    count: int,
) -> int:
    """Write the windows that end before a time, and clear their blocks."""
    length, first_open = tables.lengths[group], np.int64(AFTER_ALL)
    if clock != AFTER_ALL:
        first_open = np.int64(0)
        if length != 0:
            first_open = (clock - length) // tables.slides[group] + 1
    while room.open_blocks[group] > 0:
        block = room.oldest[group]
        if room.first_window[block] >= first_open:
            break
        last = min(room.last_window[block], first_open - 1)
        count = _write(tables, partition, block, last, room, rows, count)
        room.first_window[block] = last + 1
        if last < room.last_window[block]:
            break
        room.is_open[block] = 0
        room.open_blocks[group] -= 1
        room.oldest[group] += 1
        if room.oldest[group] == tables.blocks[group + 1]:
            room.oldest[group] = tables.blocks[group]
        if clock != AFTER_ALL:
            _clear_block(tables, events, indexes, partition, event, block, room)
    return count


@in_place
def _write(
    tables: LaneTables,
    partition: int,
    block: int,
    last: int,
    room: LaneRoom,
    rows: LaneRows,
    count: int,
) -> int:
    numbers, minima = rows.numbers.shape[1], rows.least.shape[1]
    result, least = tables.result_offsets[block], tables.minima.result_offsets[block]
    for at in range(tables.query_offsets[block], tables.query_offsets[block + 1]):
        if room.results[result] != 0.0:
            for window in range(room.first_window[block], last + 1):
                rows.query[count], rows.owner[count] = tables.queries[at], partition
                rows.window[count] = window
                for number in range(numbers):
                    rows.numbers[count, number] = room.results[result + number]
                for number in range(minima):
                    rows.least[count, number] = room.minima.results[least + number]
                count += 1
        result += numbers
        least += minima
    return count


@in_place
def _clear_block(
    tables: LaneTables,
    events: EventArrays,
    indexes: Indexes,
    partition: int,
    event: int,
    block: int,
    room: LaneRoom,
) -> None:
    """Clear what the events of a block's windows, up to one, can have put there."""
    minima = tables.minima
    for at in range(tables.result_offsets[block], tables.result_offsets[block + 1]):
        room.results[at] = 0.0
    for at in range(minima.result_offsets[block], minima.result_offsets[block + 1]):
        room.minima.results[at] = NOTHING
    for edge in range(tables.sources.size):
        begin, end = tables.cuts[edge, block], tables.cuts[edge, block + 1]
        if begin == end:
            continue
        least_begin, least_end = minima.cuts[edge, block], minima.cuts[edge, block + 1]
        if tables.structure[edge] == TOTAL:
            for at in range(tables.totals[edge] + begin, tables.totals[edge] + end):
                room.totals[at] = 0.0
            for at in range(minima.totals[edge] + least_begin, minima.totals[edge] + least_end):
                room.minima.totals[at] = NOTHING
            continue
        width = tables.element_offsets[edge + 1] - tables.element_offsets[edge]
        least_width = minima.element_offsets[edge + 1] - minima.element_offsets[edge]
        bit = np.uint64(1) << np.uint64(tables.sources[edge])
        for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
            size = indexes.size[row, partition]
            for other in range(room.first_event[block], event):
                place = indexes.place[row, other]
                if place < 0 or events.fires[other] & bit == 0:
                    continue
                at = place + 1
                while at <= size:
                    slot = room.base[row] + (at - 1) * width
                    for element in range(slot + begin, slot + end):
                        room.sums[element] = 0.0
                    least = room.minima.base[row] + (at - 1) * least_width
                    clear_minima(room.minima, least, least_begin, least_end)
                    if tables.structure[edge] == EQUAL_SUMS:
                        break
                    at += at & -at


@in_place
def _advance(
    tables: LaneTables,
    events: EventArrays,
    indexes: Indexes,
    contributions: Float64s,
    least: Int64s,
    partition: int,
    step: int,
    room: LaneRoom,
) -> None:
    """Take one step: all its events read what waits before any of them is added."""
    fresh = 0
    for event in range(events.step_offsets[step], events.step_offsets[step + 1]):
        fires, position = events.fires[event], -1
        while fires:
            position += 1
            bit = fires & np.uint64(1)
            fires >>= np.uint64(1)
            if bit and _extend(tables, indexes, contributions, event, position, fresh, room):
                first, last = tables.in_offsets[position], tables.in_offsets[position + 1]
                extend_minima(
                    tables.minima, indexes, tables.structure, tables.in_edges[first:last], least,
                    event, position, room.fresh[fresh], fresh, room.minima,
                )  # fmt: skip
                room.fresh_about[fresh, 0], room.fresh_about[fresh, 1] = event, position
                fresh += 1
    for at in range(fresh):
        _let_wait(tables, indexes, partition, at, room)


@inlined
def _extend(
    tables: LaneTables,
    indexes: Indexes,
    contributions: Float64s,
    event: int,
    position: int,
    fresh: int,
    room: LaneRoom,
) -> bool:
    """Write the runs that end with an event at a position; return whether there are any."""
    for element in range(tables.widths[position]):
        room.fresh[fresh, element] = 0.0
    for at in range(tables.first_offsets[position], tables.first_offsets[position + 1], 2):
        if room.is_open[tables.firsts[at + 1]]:
            room.fresh[fresh, tables.firsts[at]] = 1.0
    for at in range(tables.in_offsets[position], tables.in_offsets[position + 1]):
        edge = tables.in_edges[at]
        begin = tables.element_offsets[edge]
        width = tables.element_offsets[edge + 1] - begin
        if tables.structure[edge] == TOTAL:
            total = tables.totals[edge]
            for element in range(width):
                room.fresh[fresh, tables.to_target[begin + element]] += room.totals[total + element]
            continue
        for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
            base, high = room.base[row], indexes.high[row, event]
            if tables.structure[edge] == EQUAL_SUMS:
                low = indexes.low[row, event]
                if low < high:
                    for element in range(width):
                        room.fresh[fresh, tables.to_target[begin + element]] += room.sums[
                            base + low * width + element
                        ]
                continue
            if high == 0:
                continue
            for element in range(width):
                room.vector[element] = 0.0
            while high > 0:
                slot = base + (high - 1) * width
                for element in range(width):
                    room.vector[element] += room.sums[slot + element]
                high &= high - 1
            for element in range(width):
                room.fresh[fresh, tables.to_target[begin + element]] += room.vector[element]
    for at in range(tables.add_offsets[position], tables.add_offsets[position + 1], 3):
        runs = room.fresh[fresh, tables.adds[at + 1]]
        if runs != 0.0:
            room.fresh[fresh, tables.adds[at]] += runs * contributions[tables.adds[at + 2], event]
    has_runs = False
    for element in range(tables.widths[position]):
        has_runs = has_runs or room.fresh[fresh, element] != 0.0
    return has_runs


@inlined
def _let_wait(
    tables: LaneTables, indexes: Indexes, partition: int, fresh: int, room: LaneRoom
) -> None:
    """Put fresh runs where the edges out of their position look for them, and into results."""
    event, position = room.fresh_about[fresh, 0], room.fresh_about[fresh, 1]
    for at in range(tables.out_offsets[position], tables.out_offsets[position + 1]):
        edge = tables.out_edges[at]
        begin = tables.element_offsets[edge]
        width = tables.element_offsets[edge + 1] - begin
        if tables.structure[edge] == TOTAL:
            total = tables.totals[edge]
            for element in range(width):
                room.totals[total + element] += room.fresh[
                    fresh, tables.from_source[begin + element]
                ]
            continue
        for element in range(width):
            room.vector[element] = room.fresh[fresh, tables.from_source[begin + element]]
        for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
            place = indexes.place[row, event]
            if place < 0:
                continue
            size, at_place = indexes.size[row, partition], place + 1
            while at_place <= size:
                slot = room.base[row] + (at_place - 1) * width
                for element in range(width):
                    room.sums[slot + element] += room.vector[element]
                if tables.structure[edge] == EQUAL_SUMS:
                    break
                at_place += at_place & -at_place
    for at in range(tables.last_offsets[position], tables.last_offsets[position + 1], 2):
        room.results[tables.lasts[at + 1]] += room.fresh[fresh, tables.lasts[at]]
    out_edges = tables.out_edges[tables.out_offsets[position] : tables.out_offsets[position + 1]]
    let_minima_wait(
        tables.minima, indexes, tables.structure, out_edges, partition, event, position, fresh,
        room.minima,
    )  # fmt: skip
