"""Matches that do not overlap, or one a window: a path of the graph each, and no other is written.

Matches that end in one step form a group. Of a group the match is wanted that starts first, then
has the smallest sequence of steps (order key and position), then the smallest values.

1. The nodes that lead to an end of the group are marked, by edges that no negated part blocks.
2. In the order of their keys every marked node gets the best path that leads to it. Two paths to a
   node may be compared without what comes after it. A path that goes on before the next step is
   the smaller one, so a prefix comes *after* its extensions here.
3. Sequences of steps are nodes of a tree, which is deep: with links that skip ancestors two of them
   are compared in the logarithm of its depth. Nodes of one sequence differ in values only, and are
   numbered by them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Int64s
from cepheid.kernels.graph.event_order import MOST_POSITIONS, EventOrder, path_is_before
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    CELL_COUNT,
    END_NODE,
    EVENT,
    HEADS,
    HEADS_END,
    LATEST,
    LATEST_START,
    NEVER,
    NEXT,
    NODE,
    NODE_COUNT,
    NONE,
    POSITION,
    START,
    START_AFTER,
    START_AT_MOST,
    Graph,
    MatchArrays,
    start_limit,
)
from cepheid.kernels.jit import inner, inner_in_place, kernel

# How many of the edges into a position can be blocked.
NO_EDGE, EVERY_EDGE, SOME_EDGE = 0, 1, 2
# Columns of `Work.nodes`: for which group it is marked, what comes before it on its best path, the
# sequence of that path, and its place by values among the nodes with that sequence.
MARK, BEFORE, SEQUENCE, PLACE = 0, 1, 2, 3
# Columns of `Work.cells`: for which group it was passed, for which it has a best node, which.
PASSED, SOLVED, BEST = 0, 1, 2
# Columns of `Work.sequences`.
PARENT, SKIP, LENGTH, STEP = 0, 1, 2, 3
ROOT_SEQUENCE = 0


class OpenGaps(NamedTuple):
    """Where negated parts let a path through; a row of `opens` has a number for every event.

    `edge_row[p, q]`: event e at q follows events at p from rank `opens[row, e]` on. `entry_row[p]`:
    a match begins with e if that clock is not after the begin of the window. `exit_row[p]`: a match
    ends with e if its window ends at that clock or before. A row of NONE is always open.
    """

    edge_row: Int64s
    entry_row: Int64s
    exit_row: Int64s
    blocked: Int64s
    opens: Int64s


class Bounds(NamedTuple):
    """Which starts are allowed: after a clock and a rank, and at most at another clock."""

    after: int
    at_most: int
    after_rank: int


class Work(NamedTuple):
    """What is known of nodes, cells and sequences, and lists to work with."""

    nodes: Int64s
    cells: Int64s
    sequences: Int64s
    marked: Int64s
    waiting: Int64s


@kernel
def make_work(graph: Graph) -> Work:
    """Return room for a graph."""
    nodes, cells = graph.cursor[NODE_COUNT], graph.cursor[CELL_COUNT]
    return Work(
        np.full((nodes, 4), NONE, np.int64),
        np.full((cells, 3), NONE, np.int64),
        np.zeros((nodes + 1, 4), np.int64),
        np.empty(nodes, np.int64),
        np.empty(cells, np.int64),
    )


@inner_in_place
def is_open(graph: Graph, order: EventOrder, gaps: OpenGaps, before: int, node: int) -> bool:
    """Whether no negated part blocks the edge between two nodes."""
    row = gaps.edge_row[graph.nodes[before, POSITION], graph.nodes[node, POSITION]]
    if row == NONE:
        return True
    rank = order.rank[graph.nodes[before, EVENT]]
    return bool(rank >= gaps.opens[row, graph.nodes[node, EVENT]])


@inner_in_place
def _lowest_rank(graph: Graph, gaps: OpenGaps, node: int) -> int:
    """Return the rank before which nothing can precede a node."""
    position, event = graph.nodes[node, POSITION], graph.nodes[node, EVENT]
    if gaps.blocked[position] != EVERY_EDGE:
        return 0
    lowest = ALWAYS
    for source in range(gaps.edge_row.shape[0]):
        row = gaps.edge_row[source, position]
        if row != NONE:
            lowest = min(lowest, gaps.opens[row, event])
    return lowest


@inner_in_place
def mark_nodes(
    graph: Graph,
    ends: Int64s,
    order: EventOrder,
    gaps: OpenGaps,
    bounds: Bounds,
    mark: int,
    work: Work,
) -> int:
    """Mark what leads to the ends, and list it; O(what is marked, and blocked edges into it)."""
    nodes, cells, count = graph.nodes, graph.cells, 0
    for row in range(ends.shape[0]):
        node = ends[row, END_NODE]
        is_late = order.rank[nodes[node, EVENT]] > bounds.after_rank
        if is_late and nodes[node, LATEST_START] > bounds.after:
            work.nodes[node, MARK] = mark
            work.marked[count] = node
            count += 1
    at = 0
    while at < count:
        node = work.marked[at]
        at += 1
        is_blocked = gaps.blocked[nodes[node, POSITION]] != NO_EDGE
        lowest = max(bounds.after_rank + 1, _lowest_rank(graph, gaps, node))
        for head in range(nodes[node, HEADS], nodes[node, HEADS_END]):
            cell = graph.heads[head]
            while cell != NONE and cells[cell, LATEST] > bounds.after:
                before = cells[cell, NODE]
                # A list that may be left early cannot say that the rest of it was passed.
                if order.rank[nodes[before, EVENT]] < lowest:
                    break
                if not is_blocked:
                    if work.cells[cell, PASSED] == mark:
                        break
                    work.cells[cell, PASSED] = mark
                if (
                    work.nodes[before, MARK] != mark
                    and nodes[before, LATEST_START] > bounds.after
                    and (not is_blocked or is_open(graph, order, gaps, before, node))
                ):
                    work.nodes[before, MARK] = mark
                    work.marked[count] = before
                    count += 1
                cell = cells[cell, NEXT]
    return count


@inner_in_place
def _sequence_is_before(sequences: Int64s, one: int, other: int) -> bool:
    """Compare two different sequences: a prefix comes after its extensions."""
    left, right = one, other
    while sequences[left, LENGTH] > sequences[right, LENGTH]:
        far = sequences[left, SKIP]
        is_near = sequences[far, LENGTH] >= sequences[right, LENGTH]
        left = far if is_near else sequences[left, PARENT]
    while sequences[right, LENGTH] > sequences[left, LENGTH]:
        far = sequences[right, SKIP]
        is_near = sequences[far, LENGTH] >= sequences[left, LENGTH]
        right = far if is_near else sequences[right, PARENT]
    if left == right:
        return bool(sequences[one, LENGTH] > sequences[other, LENGTH])
    while sequences[left, PARENT] != sequences[right, PARENT]:
        link = SKIP if sequences[left, SKIP] != sequences[right, SKIP] else PARENT
        left, right = sequences[left, link], sequences[right, link]
    return bool(sequences[left, STEP] < sequences[right, STEP])


@inner_in_place
def _is_before(work: Work, one: int, other: int) -> bool:
    """Whether the best path to one node comes before that to another; NONE comes last."""
    if NONE in (one, other):
        return one != NONE
    left, right = work.nodes[one, SEQUENCE], work.nodes[other, SEQUENCE]
    if left == right:
        return bool(work.nodes[one, PLACE] < work.nodes[other, PLACE])
    return _sequence_is_before(work.sequences, left, right)


@inner_in_place
def _better(work: Work, mark: int, best: int, node: int) -> int:
    """Return the node with the better path; one that is not marked or has no path has none."""
    if work.nodes[node, MARK] != mark or work.nodes[node, SEQUENCE] == NONE:
        return best
    return node if _is_before(work, node, best) else best


@inner_in_place
def _best_of_list(
    graph: Graph, first: int, order: EventOrder, bounds: Bounds, mark: int, work: Work
) -> int:
    """Return the best node of a list; a cell that lists share is looked at once for a group."""
    size, cell, best = 0, first, NONE
    while cell != NONE and graph.cells[cell, LATEST] > bounds.after:
        if work.cells[cell, SOLVED] == mark:
            best = work.cells[cell, BEST]
            break
        if order.rank[graph.nodes[graph.cells[cell, NODE], EVENT]] <= bounds.after_rank:
            break
        work.waiting[size] = cell
        size += 1
        cell = graph.cells[cell, NEXT]
    for at in range(size - 1, -1, -1):
        cell = work.waiting[at]
        best = _better(work, mark, best, graph.cells[cell, NODE])
        work.cells[cell, SOLVED], work.cells[cell, BEST] = mark, best
    return best


@inner_in_place
def _best_before(
    graph: Graph,
    node: int,
    order: EventOrder,
    gaps: OpenGaps,
    bounds: Bounds,
    mark: int,
    work: Work,
) -> int:
    """Return the node before a node on its best path, NONE if nothing can precede it."""
    best = NONE
    is_blocked = gaps.blocked[graph.nodes[node, POSITION]] != NO_EDGE
    lowest = max(bounds.after_rank + 1, _lowest_rank(graph, gaps, node))
    for head in range(graph.nodes[node, HEADS], graph.nodes[node, HEADS_END]):
        cell = graph.heads[head]
        if not is_blocked:
            found = _best_of_list(graph, cell, order, bounds, mark, work)
            if _is_before(work, found, best):
                best = found
            continue
        while cell != NONE and graph.cells[cell, LATEST] > bounds.after:
            before = graph.cells[cell, NODE]
            if order.rank[graph.nodes[before, EVENT]] < lowest:
                break
            if is_open(graph, order, gaps, before, node):
                best = _better(work, mark, best, before)
            cell = graph.cells[cell, NEXT]
    return best


@inner_in_place
def can_start(graph: Graph, node: int, gaps: OpenGaps, bounds: Bounds) -> bool:
    """Whether matches may start with a node."""
    start = graph.nodes[node, START]
    if not bounds.after < start <= bounds.at_most:
        return False
    row = gaps.entry_row[graph.nodes[node, POSITION]]
    return bool(row == NONE or gaps.opens[row, graph.nodes[node, EVENT]] <= bounds.after)


@inner_in_place
def _add_sequence(sequences: Int64s, count: int, parent: int, step: int) -> None:
    """Write a sequence that goes on from another; its skip link makes paths logarithmic."""
    far = sequences[parent, SKIP]
    length = sequences[parent, LENGTH]
    is_even = length - sequences[far, LENGTH] == (
        sequences[far, LENGTH] - sequences[sequences[far, SKIP], LENGTH]
    )
    sequences[count, PARENT], sequences[count, LENGTH] = parent, length + 1
    sequences[count, SKIP] = sequences[far, SKIP] if is_even else parent
    sequences[count, STEP] = step


@inner
def _number_sequences(
    graph: Graph, found: Int64s, order: EventOrder, count: int, span: int, work: Work
) -> int:
    """Give the nodes of a step their sequences and places; return how many sequences there are.

    `span` is larger than all ranks of values.
    """
    step = np.empty(found.size, np.int64)
    value = np.empty(found.size, np.int64)
    for at in range(found.size):
        node, before = found[at], work.nodes[found[at], BEFORE]
        parent, place = np.int64(ROOT_SEQUENCE), np.int64(0)
        if before != NONE:
            parent, place = work.nodes[before, SEQUENCE], work.nodes[before, PLACE]
        step[at] = parent * MOST_POSITIONS + graph.nodes[node, POSITION]
        value[at] = place * span + order.values[graph.nodes[node, EVENT]]
    if found.size == 1:
        places = np.zeros(1, np.int64)
    else:
        places = np.argsort(value, kind="mergesort")
        places = places[np.argsort(step[places], kind="mergesort")]
    for at in range(found.size):
        here, node = places[at], found[places[at]]
        earlier = places[at - 1] if at > 0 else NONE
        if at == 0 or step[here] != step[earlier]:
            rank = order.rank[graph.nodes[node, EVENT]]
            key = rank * MOST_POSITIONS + graph.nodes[node, POSITION]
            _add_sequence(work.sequences, count, step[here] // MOST_POSITIONS, key)
            count += 1
            work.nodes[node, PLACE] = 0
        else:
            is_later = value[here] != value[earlier]
            work.nodes[node, PLACE] = work.nodes[found[earlier], PLACE] + is_later
        work.nodes[node, SEQUENCE] = count - 1
    return count


@inner
def find_paths(
    graph: Graph,
    ends: Int64s,
    order: EventOrder,
    gaps: OpenGaps,
    bounds: Bounds,
    mark: int,
    span: int,
    work: Work,
) -> tuple[int, int]:
    """Find the best paths to all that leads to the ends; return the best end, and what was marked.

    The marked nodes lie in `work.marked` in the order of their keys. NONE if no path is open.
    """
    total = graph.cursor[NODE_COUNT]
    size = mark_nodes(graph, ends, order, gaps, bounds, mark, work)
    for at in range(size):
        node = work.marked[at]
        work.marked[at] = order.rank[graph.nodes[node, EVENT]] * total + node
    work.marked[:size] = np.sort(work.marked[:size])
    found, sequences, at = np.empty(size, np.int64), 1, 0
    while at < size:
        rank, count = work.marked[at] // total, 0
        while at < size and work.marked[at] // total == rank:
            node = work.marked[at] % total
            work.marked[at] = node
            before = _best_before(graph, node, order, gaps, bounds, mark, work)
            work.nodes[node, BEFORE], work.nodes[node, SEQUENCE] = before, NONE
            if before != NONE or can_start(graph, node, gaps, bounds):
                found[count] = node
                count += 1
            at += 1
        if count:
            sequences = _number_sequences(graph, found[:count], order, sequences, span, work)
    best = NONE
    for row in range(ends.shape[0]):
        best = _better(work, mark, best, ends[row, END_NODE])
    return best, size


@inner_in_place
def _forget(graph: Graph, marked: Int64s, mark: int, work: Work) -> None:
    """Let no later end look at nodes that no path leads to: starts only become too old."""
    for node in marked:
        graph.nodes[node, LATEST_START] = NEVER
        for head in range(graph.nodes[node, HEADS], graph.nodes[node, HEADS_END]):
            cell = graph.heads[head]
            while cell != NONE and work.cells[cell, SOLVED] == mark:
                work.cells[cell, SOLVED] = NONE
                graph.cells[cell, LATEST] = NEVER
                cell = graph.cells[cell, NEXT]


@inner_in_place
def _write_path(graph: Graph, end: int, at: int, work: Work, out: MatchArrays) -> int:
    """Write the path to a node; return where it ends."""
    length, node = 0, end
    while node != NONE:
        length += 1
        node = work.nodes[node, BEFORE]
    node = end
    for place in range(at + length - 1, at - 1, -1):
        out.event[place] = graph.nodes[node, EVENT]
        out.position[place] = graph.nodes[node, POSITION]
        node = work.nodes[node, BEFORE]
    return at + length


@inner_in_place
def end_bounds(
    graph: Graph, end: Int64s, order: EventOrder, gaps: OpenGaps, window_length: int
) -> Bounds:
    """Return which starts an end allows."""
    event, position = graph.nodes[end[END_NODE], EVENT], graph.nodes[end[END_NODE], POSITION]
    after = max(start_limit(order.clock[event], window_length), end[START_AFTER])
    at_most, row = end[START_AT_MOST], gaps.exit_row[position]
    if row != NONE and gaps.opens[row, event] != ALWAYS:
        at_most = min(at_most, gaps.opens[row, event] - window_length)
    return Bounds(after, at_most, order.boundary[order.owner[event]])


@inner_in_place
def is_same_group(graph: Graph, one: Int64s, other: Int64s, order: EventOrder) -> bool:
    """Whether matches with these ends are compared by more than their last events."""
    left, right = graph.nodes[one[END_NODE], EVENT], graph.nodes[other[END_NODE], EVENT]
    return bool(order.rank[left] == order.rank[right] and order.owner[left] == order.owner[right])


@kernel
def choose_paths(
    graph: Graph,
    ends: Int64s,
    order: EventOrder,
    gaps: OpenGaps,
    window_length: int,
    one_each: bool,
    backwards: bool,
) -> MatchArrays:
    """Return the matches that are taken; ends are given by owner and rank of their events.

    `one_each`: an owner has one match, else they do not overlap. `backwards`: ranks fall.

    O(log n) for what lies between two taken matches and leads to an end, as long as no edge into
    it is blocked; blocked edges are looked at one by one. Moves the boundaries.
    """
    work, span = make_work(graph), order.values.max() + 1 if order.values.size else 1
    # Matches that do not overlap have no node in common; of those that end in different windows two
    # can. A candidate may stand beside them.
    most = (3 if one_each else 2) * graph.cursor[NODE_COUNT]
    out = MatchArrays(
        np.zeros(ends.shape[0] + 1, np.int64), np.empty(most, np.int64), np.empty(most, np.int8)
    )
    has_borders = (gaps.entry_row != NONE).any() or (gaps.exit_row != NONE).any()
    matches, written, at, mark = 0, 0, 0, 0
    while at < ends.shape[0]:
        first, filled = at, written
        while at < ends.shape[0] and is_same_group(graph, ends[first], ends[at], order):
            bounds = end_bounds(graph, ends[at], order, gaps, window_length)
            begin = at
            while (
                at < ends.shape[0]
                and is_same_group(graph, ends[begin], ends[at], order)
                and end_bounds(graph, ends[at], order, gaps, window_length) == bounds
            ):
                at += 1
            some = ends[begin:at]
            end, size = find_paths(graph, some, order, gaps, bounds, mark, span, work)
            if end != NONE:
                stop = _write_path(graph, end, filled, work, out)
                if filled == written or path_is_before(out, written, filled, stop, order):
                    for place in range(stop - filled):
                        out.event[written + place] = out.event[filled + place]
                        out.position[written + place] = out.position[filled + place]
                    filled = written + stop - filled
            elif not (backwards or has_borders):
                _forget(graph, work.marked[:size], mark, work)
            mark += 1
        if filled > written:
            event = graph.nodes[ends[first, END_NODE], EVENT]
            order.boundary[order.owner[event]] = ALWAYS if one_each else order.rank[event]
            matches, written = matches + 1, filled
            out.offsets[matches] = written
    return MatchArrays(out.offsets[: matches + 1], out.event[:written], out.position[:written])
