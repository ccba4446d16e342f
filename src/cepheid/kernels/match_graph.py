"""The match graph: all matches of a stream, sharing prefixes, built in one pass.

A node is an event at a position. Nodes at one position form a chain, newest first; the head of a
position's chain stands for all runs that wait there. A node keeps, for every edge into its
position, where the source's chain head was when the node came: its predecessors are that node and
everything behind it in the chain. When runs do not survive, the chain is started anew (the old one
stays reachable from older nodes). Every node knows the latest start among the runs that end in it,
and the latest along its chain, so that a walk backwards stops as soon as nothing in reach started
late enough for the window.

Why the walk gives each match once: (1) a path backwards through the graph picks, per event, one
edge and one predecessor node; (2) two paths differ in an event or a position; (3) every run of the
semantics appends its event to the chain of its position, and survives there exactly as long as the
chain is not started anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import (
    CONTIGUOUS,
    AutomatonArrays,
    Bytes,
    EventArrays,
    Int64s,
)
from cepheid.kernels.grow import grown
from cepheid.kernels.jit import inner, kernel
from cepheid.kernels.step import fired_by, survives

NONE = -1
NEVER = -(2**63)


class MatchGraph(NamedTuple):
    """Nodes in order of creation; `heads[head_offsets[node] + k]` belongs to the k-th edge in."""

    event: Int64s
    position: Bytes
    previous: Int64s
    latest_start: Int64s
    chain_latest_start: Int64s
    head_offsets: Int64s
    heads: Int64s
    final_nodes: Int64s


class MatchArrays(NamedTuple):
    """Match m is `event[offsets[m]:offsets[m + 1]]`, with the position of every event."""

    offsets: Int64s
    event: Int64s
    position: Bytes


@inner
def _count_nodes(automaton: AutomatonArrays, events: EventArrays) -> tuple[int, int]:
    """Return how many nodes and heads there can be at most."""
    positions = automaton.follow.size
    nodes, heads = 0, 0
    for event in range(events.fires.size):
        mask = events.fires[event]
        for position in range(positions):
            if (mask >> np.uint64(position)) & np.uint64(1):
                nodes += 1
                heads += automaton.source_offsets[position + 1] - automaton.source_offsets[position]
    return nodes, heads


@kernel
def build_match_graph(
    automaton: AutomatonArrays, events: EventArrays, window_length: int
) -> MatchGraph:
    """Fold the events into a match graph; O(edges into the fired positions) per event.

    `window_length` 0 means no window.
    """
    positions = automaton.follow.size
    most_nodes, most_heads = _count_nodes(automaton, events)
    node_event = np.empty(most_nodes, np.int64)
    node_position = np.empty(most_nodes, np.int8)
    previous = np.empty(most_nodes, np.int64)
    latest_start = np.empty(most_nodes, np.int64)
    chain_latest = np.empty(most_nodes, np.int64)
    head_offsets = np.empty(most_nodes + 1, np.int64)
    heads = np.empty(most_heads, np.int64)
    finals = np.empty(most_nodes, np.int64)
    nodes, head_count, final_count = 0, 0, 0
    chain = np.empty(positions, np.int64)
    for partition in range(events.partition_offsets.size - 1):
        chain[:] = NONE
        rank_before = np.int64(NEVER)
        for step in range(
            events.partition_offsets[partition], events.partition_offsets[partition + 1]
        ):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            fired = fired_by(events.fires, begin, end)
            if automaton.strategy == CONTIGUOUS:
                if events.rank[begin] != rank_before + 1:
                    chain[:] = NONE
                rank_before = events.rank[begin]
            clock = events.clock[begin]
            limit = clock - window_length if window_length > 0 else np.int64(NEVER)
            first_new = nodes
            for event in range(begin, end):
                for position in range(positions):
                    bit = np.uint64(1) << np.uint64(position)
                    if events.fires[event] & bit == 0:
                        continue
                    start = clock if automaton.first & bit else np.int64(NEVER)
                    head_offsets[nodes] = head_count
                    at = head_count
                    for edge in range(
                        automaton.source_offsets[position], automaton.source_offsets[position + 1]
                    ):
                        head = chain[automaton.sources[edge]]
                        if head != NONE:
                            if chain_latest[head] <= limit:
                                head = NONE
                            elif chain_latest[head] > start:
                                start = chain_latest[head]
                        heads[at] = head
                        at += 1
                    if start <= limit:
                        continue
                    head_count = at
                    node_event[nodes] = event
                    node_position[nodes] = position
                    latest_start[nodes] = start
                    if automaton.last & bit:
                        finals[final_count] = nodes
                        final_count += 1
                    nodes += 1
            for position in range(positions):
                if not survives(automaton, position, fired):
                    chain[position] = NONE
            for node in range(first_new, nodes):
                before = chain[node_position[node]]
                previous[node] = before
                chain_latest[node] = latest_start[node]
                if before != NONE and chain_latest[before] > latest_start[node]:
                    chain_latest[node] = chain_latest[before]
                chain[node_position[node]] = node
    head_offsets[nodes] = head_count
    return MatchGraph(
        node_event[:nodes],
        node_position[:nodes],
        previous[:nodes],
        latest_start[:nodes],
        chain_latest[:nodes],
        head_offsets[: nodes + 1],
        heads[:head_count],
        finals[:final_count],
    )


@kernel
def enumerate_matches(
    graph: MatchGraph, automaton: AutomatonArrays, clock: Int64s, window_length: int
) -> MatchArrays:
    """Walk the graph backwards from its final nodes; O(events of the matches), plus stale nodes.

    The walk is a depth-first search with an explicit stack: `path[d]` is the node at depth d,
    `edge[d]` the edge in that is being followed, `cursor[d]` the next node of its chain.
    """
    offsets = np.empty(1024, np.int64)
    out_event = np.empty(4096, np.int64)
    out_position = np.empty(4096, np.int8)
    offsets[0] = 0
    matches, written = 0, 0
    path = np.empty(64, np.int64)
    edge = np.empty(64, np.int64)
    cursor = np.empty(64, np.int64)
    for final in graph.final_nodes:
        last_clock = clock[graph.event[final]]
        limit = last_clock - window_length if window_length > 0 else np.int64(NEVER)
        depth = 0
        path[0] = final
        edge[0] = graph.head_offsets[final] - 1
        cursor[0] = NONE
        is_new = True
        while depth >= 0:
            node = path[depth]
            if is_new:
                is_new = False
                bit = np.uint64(1) << np.uint64(graph.position[node])
                if automaton.first & bit and clock[graph.event[node]] > limit:
                    if matches + 2 > offsets.size:
                        offsets = grown(offsets, 2 * offsets.size)
                    if written + depth + 1 > out_event.size:
                        size = 2 * (written + depth + 1)
                        out_event = grown(out_event, size)
                        out_position = grown(out_position, size)
                    for level in range(depth, -1, -1):
                        out_event[written] = graph.event[path[level]]
                        out_position[written] = graph.position[path[level]]
                        written += 1
                    matches += 1
                    offsets[matches] = written
            while cursor[depth] == NONE or graph.chain_latest_start[cursor[depth]] <= limit:
                edge[depth] += 1
                if edge[depth] >= graph.head_offsets[node + 1]:
                    break
                cursor[depth] = graph.heads[edge[depth]]
            if edge[depth] >= graph.head_offsets[node + 1]:
                depth -= 1
                continue
            below = cursor[depth]
            cursor[depth] = graph.previous[below]
            if graph.latest_start[below] <= limit:
                continue
            depth += 1
            if depth >= path.size:
                path = grown(path, 2 * path.size)
                edge = grown(edge, 2 * edge.size)
                cursor = grown(cursor, 2 * cursor.size)
            path[depth] = below
            edge[depth] = graph.head_offsets[below] - 1
            cursor[depth] = NONE
            is_new = True
    return MatchArrays(offsets[: matches + 1], out_event[:written], out_position[:written])
