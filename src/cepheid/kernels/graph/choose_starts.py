"""One match for every start: the longest or the shortest, by the best way on from every node.

Of the matches that start with one order key the one is wanted that ends last (or first), then has
the smallest sequence of steps (order key and position), then the smallest values.

1. Nodes are looked at from the last one backwards. The best way on from a node is to end there, or
   to go on with one of its successors: to the one that leads to the best end, of those to the one
   with the smallest step, of those to the one whose own way on is the smallest.
2. Only nodes with the same order key and position are compared beyond that, and they are numbered
   when the nodes of their step are known: by the sequences of steps ahead of them, then by values.
3. A node knows its predecessors, so it is offered to them. In a graph of positions they share a
   list, of which cell i belongs to node i: the offer is made to the first cell, and handed down
   the list as the nodes of its cells are looked at. So a pass costs O(nodes + heads).
4. Without a window, and of the shortest, one pass serves all starts of a partition. With one a pass
   looks at what lies in the window of a start, and serves the next starts until a new end is in
   theirs. A negated part at a border allows every start other ends, so each has its own pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph.choose_paths import OpenGaps
from cepheid.kernels.graph.event_order import MOST_POSITIONS, EventOrder, path_is_before
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    END_NODE,
    EVENT,
    HEADS,
    HEADS_END,
    NEVER,
    NEXT,
    NODE,
    NODE_COUNT,
    NONE,
    POSITION,
    START_AFTER,
    START_AT_MOST,
    Graph,
    MatchArrays,
)
from cepheid.kernels.jit import inner, inner_in_place, kernel

# Where the next match may begin.
TO_NEXT, PAST_LAST, TO_FIRST_OF, TO_LAST_OF = 0, 1, 2, 3
# Columns of `ways`: the best that was offered, what comes next, the rank at which the match ends
# (NEVER if no end is reached), the place of its steps ahead, and of its values.
OFFERED, NEXT_NODE, LAST, SEQUENCE, PLACE = 0, 1, 2, 3, 4
WAY_WIDTH = 5
NO_BORDER = -(2**63)


class StartRules(NamedTuple):
    """`longest`: the last end is wanted, else the first. `skip` says where the next match begins.

    `positions` is a mask for TO_FIRST_OF and TO_LAST_OF. `shares_lists`: cell i belongs to node i.
    `has_borders`: what ends are allowed depends on the start.
    """

    longest: bool
    skip: int
    positions: int
    window: int
    shares_lists: bool
    has_borders: bool


class Ways(NamedTuple):
    """The best way on from every node, and the row of its end or NONE."""

    ways: Int64s
    end_row: Int64s


@inner_in_place
def _better(graph: Graph, order: EventOrder, ways: Int64s, one: int, other: int, sign: int) -> int:
    """Return the node with the better way on; NONE has none."""
    if NONE in (one, other):
        return max(one, other)
    if ways[one, LAST] != ways[other, LAST]:
        return one if sign * ways[one, LAST] > sign * ways[other, LAST] else other
    left, right = order.rank[graph.nodes[one, EVENT]], order.rank[graph.nodes[other, EVENT]]
    if left != right:
        return one if left < right else other
    left, right = graph.nodes[one, POSITION], graph.nodes[other, POSITION]
    if left != right:
        return one if left < right else other
    if ways[one, SEQUENCE] != ways[other, SEQUENCE]:
        return one if ways[one, SEQUENCE] < ways[other, SEQUENCE] else other
    return one if ways[one, PLACE] <= ways[other, PLACE] else other


@inner
def _number(graph: Graph, order: EventOrder, ways: Int64s, begin: int, end: int) -> None:
    """Number the nodes of a step by what is ahead of them."""
    size = end - begin
    ways[begin:end, SEQUENCE], ways[begin:end, PLACE] = 0, 0
    if size == 1:
        return
    keys = np.zeros((6, size), np.int64)
    for at in range(size):
        node = begin + at
        following = ways[node, NEXT_NODE]
        keys[4, at], keys[5, at] = ways[node, LAST], graph.nodes[node, POSITION]
        keys[1, at] = order.values[graph.nodes[node, EVENT]]
        if following != NONE:
            rank = order.rank[graph.nodes[following, EVENT]]
            keys[3, at] = rank * MOST_POSITIONS + graph.nodes[following, POSITION] + 1
            keys[2, at], keys[0, at] = ways[following, SEQUENCE], ways[following, PLACE]
    places = np.arange(size)
    for key in range(6):
        places = places[np.argsort(keys[key, places], kind="mergesort")]
    sequence, place = 0, 0
    for at in range(size):
        here = places[at]
        if at > 0:
            before = places[at - 1]
            if (keys[2:, here] != keys[2:, before]).any():
                sequence, place = sequence + 1, 0
            elif (keys[:2, here] != keys[:2, before]).any():
                place += 1
        ways[begin + here, SEQUENCE], ways[begin + here, PLACE] = sequence, place


@inner_in_place
def _allows(
    graph: Graph, ends: Int64s, row: int, clock: Int64s, start: int, opens: int, window: int
) -> bool:
    """Whether a match that starts at a clock may end at an end."""
    if not ends[row, START_AFTER] < start <= ends[row, START_AT_MOST]:
        return False
    return opens == NO_BORDER or opens <= clock[graph.nodes[ends[row, END_NODE], EVENT]] - window


@inner
def _find_ways(
    graph: Graph,
    ends: Int64s,
    order: EventOrder,
    rules: StartRules,
    found: Ways,
    begin: int,
    end: int,
    start: int,
    opens: int,
) -> None:
    """Find the best way on from the nodes of a range; O(nodes, heads and unshared cells in it).

    `start` is NEVER if all ends are allowed; else it is the clock of the start, and `opens` that
    from which on no negated part before it blocks.
    """
    ways, sign = found.ways, 1 if rules.longest else -1
    ways[begin:end, OFFERED] = NONE
    after = end
    while after > begin:
        first = after - 1
        rank = order.rank[graph.nodes[first, EVENT]]
        while first > begin and order.rank[graph.nodes[first - 1, EVENT]] == rank:
            first -= 1
        for node in range(after - 1, first - 1, -1):
            best, row = ways[node, OFFERED], found.end_row[node]
            if rules.shares_lists and best != NONE:
                rest = graph.cells[node, NEXT]
                if rest >= begin:
                    other = ways[rest, OFFERED]
                    ways[rest, OFFERED] = _better(graph, order, ways, other, best, sign)
            can_end = row != NONE and (
                start == NEVER or _allows(graph, ends, row, order.clock, start, opens, rules.window)
            )
            if can_end and (best == NONE or not rules.longest):
                ways[node, NEXT_NODE], ways[node, LAST] = NONE, rank
            else:
                ways[node, NEXT_NODE] = best
                ways[node, LAST] = NEVER if best == NONE else ways[best, LAST]
        _number(graph, order, ways, first, after)
        for node in range(first, after):
            if ways[node, LAST] == NEVER:
                continue
            for head in range(graph.nodes[node, HEADS], graph.nodes[node, HEADS_END]):
                cell = graph.heads[head]
                while cell != NONE:
                    before = cell if rules.shares_lists else graph.cells[cell, NODE]
                    if before >= begin:
                        other = ways[before, OFFERED]
                        ways[before, OFFERED] = _better(graph, order, ways, other, node, sign)
                    cell = NONE if rules.shares_lists else graph.cells[cell, NEXT]
        after = first


@inner_in_place
def _is_before(
    order: EventOrder, out: MatchArrays, begin: int, middle: int, end: int, sign: int
) -> bool:
    """Whether the match from `middle` to `end` is better than the one from `begin` to `middle`."""
    left, right = order.rank[out.event[end - 1]], order.rank[out.event[middle - 1]]
    if left != right:
        return bool(sign * left > sign * right)
    return path_is_before(out, begin, middle, end, order)


@inner
def _with_room(out: MatchArrays, matches: int, written: int, more: int) -> MatchArrays:
    """Return the matches with room for one more of so many events."""
    if matches + 2 > out.offsets.size:
        offsets = np.empty(2 * out.offsets.size + 2, np.int64)
        offsets[: matches + 1] = out.offsets[: matches + 1]
        out = MatchArrays(offsets, out.event, out.position)
    if written + more > out.event.size:
        event = np.empty(2 * out.event.size + more, np.int64)
        position = np.empty(event.size, np.int8)
        event[:written], position[:written] = out.event[:written], out.position[:written]
        out = MatchArrays(out.offsets, event, position)
    return out


@inner_in_place
def _write_way(graph: Graph, ways: Int64s, start: int, at: int, out: MatchArrays) -> int:
    """Write the match that begins with a node; return where it ends."""
    node = start
    while node != NONE:
        out.event[at], out.position[at] = graph.nodes[node, EVENT], graph.nodes[node, POSITION]
        node = ways[node, NEXT_NODE]
        at += 1
    return at


@inner_in_place
def _begins_after(
    order: EventOrder, rules: StartRules, out: MatchArrays, begin: int, end: int
) -> int:
    """Return the rank after which the next match begins."""
    if rules.skip == PAST_LAST:
        return int(order.rank[out.event[end - 1]])
    found = NEVER
    for at in range(begin, end):
        is_bound = (rules.positions >> out.position[at]) & 1
        if is_bound and (found == NEVER or rules.skip == TO_LAST_OF):
            found = order.rank[out.event[at]] - 1
    return int(found)


@inner_in_place
def _reach(graph: Graph, clock: Int64s, begin: int, end: int, start: int, window: int) -> int:
    """Return the node up to which nodes lie in the window of a start."""
    if window == 0 or start > ALWAYS - window:
        return end
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if clock[graph.nodes[middle, EVENT]] < start + window:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def choose_starts(
    graph: Graph,
    ends: Int64s,
    starts: Int64s,
    order: EventOrder,
    gaps: OpenGaps,
    rules: StartRules,
) -> MatchArrays:
    """Return the match of every start that is not skipped; `starts` are nodes in their order.

    Moves the boundaries of owners, which are partitions.
    """
    nodes, count = graph.nodes, graph.cursor[NODE_COUNT]
    every = Ways(np.empty((count, WAY_WIDTH), np.int64), np.full(count, NONE, np.int64))
    for row in range(ends.shape[0]):
        every.end_row[ends[row, END_NODE]] = row
    ends_before = np.zeros(count + 1, np.int64)
    for node in range(count):
        ends_before[node + 1] = ends_before[node] + (every.end_row[node] != NONE)
    near = Ways(np.empty((count, WAY_WIDTH), np.int64), every.end_row)
    out = MatchArrays(np.zeros(2, np.int64), np.empty(16, np.int64), np.empty(16, np.int8))
    sign = 1 if rules.longest else -1
    matches, written, at = 0, 0, 0
    owner, begin, end, near_from, near_end, near_ends = NONE, 0, 0, 0, 0, NONE
    while at < starts.size:
        event = nodes[starts[at], EVENT]
        if order.owner[event] != owner:
            owner, begin, near_ends = order.owner[event], starts[at], NONE
            end = begin
            while end < count and order.owner[nodes[end, EVENT]] == owner:
                end += 1
            if not rules.has_borders:
                _find_ways(graph, ends, order, rules, every, begin, end, NEVER, NO_BORDER)
        rank, clock = order.rank[event], order.clock[event]
        first, filled = at, written
        while (
            at < starts.size
            and order.owner[nodes[starts[at], EVENT]] == owner
            and order.rank[nodes[starts[at], EVENT]] == rank
        ):
            at += 1
        if rank <= order.boundary[owner]:
            continue
        reach = _reach(graph, order.clock, begin, end, clock, rules.window)
        for place in range(first, at):
            start, ways = starts[place], every.ways
            if rules.has_borders:
                row, opens = gaps.entry_row[nodes[start, POSITION]], NO_BORDER
                if row != NONE:
                    opens = gaps.opens[row, nodes[start, EVENT]]
                _find_ways(graph, ends, order, rules, near, start, reach, clock, opens)
                ways = near.ways
            elif ways[start, LAST] == NEVER:
                continue
            elif ways[start, LAST] > order.rank[nodes[reach - 1, EVENT]]:
                if not rules.longest:
                    continue  # even the first end is too late
                if near_ends != ends_before[reach]:
                    near_from, near_end, near_ends = starts[first], reach, ends_before[reach]
                    _find_ways(graph, ends, order, rules, near, near_from, reach, NEVER, NO_BORDER)
                if start >= near_end:
                    continue  # there is no end between that and the end of its window
                ways = near.ways
            if ways[start, LAST] == NEVER:
                continue
            length, node = 0, start
            while node != NONE:
                length, node = length + 1, ways[node, NEXT_NODE]
            out = _with_room(out, matches, filled, length)
            stop = _write_way(graph, ways, start, filled, out)
            if filled == written:
                filled = stop
            elif _is_before(order, out, written, filled, stop, sign):
                for step in range(stop - filled):
                    out.event[written + step] = out.event[filled + step]
                    out.position[written + step] = out.position[filled + step]
                filled = written + stop - filled
        if filled > written:
            if rules.skip != TO_NEXT:
                after = _begins_after(order, rules, out, written, filled)
                order.boundary[owner] = max(order.boundary[owner], after)
            matches, written = matches + 1, filled
            out.offsets[matches] = written
    return MatchArrays(out.offsets[: matches + 1], out.event[:written], out.position[:written])
