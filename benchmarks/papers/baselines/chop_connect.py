"""A-Seq's Chop-Connect: a substring that queries share, connected to what is before it (4.2).

| paper | here |
|---|---|
| sub_1, what a query has before the substring | `counts[query]`, a prefix counter per START event |
| sub_2, the shared substring, and what follows it | a PreTree, see prefix_tree.py |
| CNET event, START of sub_2 | an event of node 0 |
| SnapShot of sub_1 at a CNET event | `attached[query]`: a row per active START of sub_1 |
| expiration of rows | the row of the oldest START of sub_1 that is active now is read |

A row of a snapshot is the sum of the counts from its START on, so that a TRIG event reads one row
of every snapshot. The paper adds the rows up: the same, but slower. There is space for twice as
many counters as a window can have; the active ones move to the front when it is used up.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.baselines.compiled import Ints, compiled
from benchmarks.papers.baselines.prefix_tree import NO_NODE, result_rows


@compiled
def chop_connect(
    code: Ints,
    time: Ints,
    place_of_type: Ints,
    node_of_type: Ints,
    parent: Ints,
    ends: Ints,
    window: int,
) -> tuple[Ints, Ints, Ints]:
    """Return query, time and count at every TRIG event.

    `place_of_type[query, type]` is the place of a type in what the query has before the substring;
    its greatest one is the last. The other arguments are those of `prefix_tree`.
    """
    count_of_queries, types = place_of_type.shape
    last_place = np.empty(count_of_queries, np.int64)
    is_before = np.zeros(types, np.bool_)
    for query in range(count_of_queries):
        last_place[query] = place_of_type[query].max()
        is_before |= place_of_type[query] >= 0
    size = most_in_a_window(code, time, window, types)
    counts = np.zeros((count_of_queries, last_place.max() + 1, 2 * size), np.int64)
    started = np.empty((count_of_queries, 2 * size), np.int64)
    # The active counters of a query are oldest .. newest; the first of all was number -moved.
    oldest, newest = np.zeros(count_of_queries, np.int64), np.zeros(count_of_queries, np.int64)
    moved = np.zeros(count_of_queries, np.int64)
    trees, tree_started = np.zeros((parent.size, 2 * size), np.int64), np.empty(2 * size, np.int64)
    attached = np.empty((count_of_queries, 2 * size, size), np.int64)
    attached_to = np.empty((count_of_queries, 2 * size), np.int64)
    oldest_tree = newest_tree = row = 0
    queries, times, results = result_rows(code, node_of_type, ends)
    for event in range(code.size):
        own, limit = code[event], time[event] - window
        if is_before[own]:
            for query in range(count_of_queries):
                place = place_of_type[query, own]
                if place < 0:
                    continue
                expire(started[query], oldest, newest, query, limit)
                first, end = oldest[query], newest[query]
                if place == 0:
                    if end == 2 * size:
                        counts[query, :, : end - first] = counts[query, :, first:end].copy()
                        started[query, : end - first] = started[query, first:end].copy()
                        moved[query] += first
                        oldest[query], end = 0, end - first
                    counts[query, :, end] = 0
                    counts[query, 0, end] = 1
                    started[query, end] = time[event]
                    newest[query] = end + 1
                else:
                    for each in range(first, end):
                        counts[query, place, each] += counts[query, place - 1, each]
        node = node_of_type[own]
        if node == NO_NODE:
            continue
        while oldest_tree < newest_tree and tree_started[oldest_tree] <= limit:
            oldest_tree += 1
        if node == 0:
            if newest_tree == 2 * size:
                active = newest_tree - oldest_tree
                trees[:, :active] = trees[:, oldest_tree:].copy()
                tree_started[:active] = tree_started[oldest_tree:].copy()
                attached[:, :active] = attached[:, oldest_tree:].copy()
                attached_to[:, :active] = attached_to[:, oldest_tree:].copy()
                oldest_tree, newest_tree = 0, active
            trees[:, newest_tree] = 0
            trees[0, newest_tree] = 1
            tree_started[newest_tree] = time[event]
            for query in range(count_of_queries):
                total = 0
                for each in range(newest[query] - 1, oldest[query] - 1, -1):
                    total += counts[query, last_place[query], each]
                    attached[query, newest_tree, (each + moved[query]) % size] = total
                attached_to[query, newest_tree] = newest[query] + moved[query]
            newest_tree += 1
        else:
            for tree in range(oldest_tree, newest_tree):
                trees[node, tree] += trees[parent[node], tree]
        for query in range(count_of_queries):
            if ends[query] != node:
                continue
            expire(started[query], oldest, newest, query, limit)
            now = oldest[query] + moved[query]
            total = 0
            for tree in range(oldest_tree, newest_tree):
                if now < attached_to[query, tree]:
                    total += trees[node, tree] * attached[query, tree, now % size]
            queries[row], times[row], results[row] = query, time[event], total
            row += 1
    return queries, times, results


@compiled
def expire(started: Ints, oldest: Ints, newest: Ints, query: int, limit: int) -> None:
    """Leave the counters of a query behind that have begun up to a time."""
    while oldest[query] < newest[query] and started[oldest[query]] <= limit:
        oldest[query] += 1


@compiled
def most_in_a_window(code: Ints, time: Ints, window: int, types: int) -> int:
    """Return how many events of one type are in a window at most."""
    inside = np.zeros(types, np.int64)
    most, first = 1, 0
    for event in range(code.size):
        while time[first] <= time[event] - window:
            inside[code[first]] -= 1
            first += 1
        inside[code[event]] += 1
        most = max(most, inside[code[event]])
    return most
