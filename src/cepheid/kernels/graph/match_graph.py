"""The fold without predicates over several events: nodes that wait at a position form one chain.

The chain of a position, newest first, stands for all runs that wait there. A node keeps, for every
edge into its position, where the source's chain began when the node came: its predecessors are that
node and everything behind it. When runs do not survive, the chain is started anew (the old one
stays reachable from older nodes). Here cell i belongs to node i.

Why a walk gives each match once: (1) a path backwards through the graph picks, per event, one edge
and one predecessor node; (2) two paths differ in an event or a position; (3) every run of the
semantics appends its event to the chain of its position, and survives there exactly as long as the
chain is not started anew.
"""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, SKIP_TILL_ANY, AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    CELL_COUNT,
    DONE,
    END_COUNT,
    EVENT,
    HEAD_COUNT,
    HEADS,
    HEADS_END,
    IS_FULL,
    LATEST,
    LATEST_START,
    NEVER,
    NEXT,
    NEXT_STEP,
    NODE,
    NODE_COUNT,
    NONE,
    PARTITION,
    POSITION,
    RANK_BEFORE,
    REMOVED,
    ROOT,
    START,
    Graph,
    add_end,
    start_limit,
)
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.step import fired_by, survives


@inlined
def _end_chain(nodes: Int64s, chain: Int64s, position: int, clock: int) -> None:
    """Start the chain of a position anew; its runs end here."""
    if chain[position] != NONE:
        nodes[nodes[chain[position], ROOT], REMOVED] = clock
        chain[position] = NONE


@kernel_in_place
def fold_matches(
    graph: Graph,
    chain: Int64s,
    automaton: AutomatonArrays,
    events: EventArrays,
    window_length: int,
    apart: bool,
    most_nodes: int,
) -> int:
    """Fold steps until all are done or the graph has `most_nodes`; return why it stopped.

    Cost per event: the edges into the positions it fires. `window_length` 0 means no window.
    `apart`: matches are not to overlap, and the first one that ends is taken.
    """
    nodes, heads, cells, _, cursor = graph
    positions, edges = automaton.follow.size, automaton.sources.size
    count, head_count = cursor[NODE_COUNT], cursor[HEAD_COUNT]
    step, steps, outcome = cursor[NEXT_STEP], events.step_offsets.size - 1, DONE
    while step < steps:
        begin, end = events.step_offsets[step], events.step_offsets[step + 1]
        if (
            count >= most_nodes
            or count + (end - begin) * positions > nodes.shape[0]
            or head_count + (end - begin) * edges > heads.size
        ):
            outcome = IS_FULL
            break
        if step == events.partition_offsets[cursor[PARTITION] + 1]:
            cursor[PARTITION] += 1
            cursor[RANK_BEFORE] = NEVER
            chain[:] = NONE
        clock = events.clock[begin]
        if automaton.strategy == CONTIGUOUS:
            if events.rank[begin] != cursor[RANK_BEFORE] + 1:
                for position in range(positions):
                    _end_chain(nodes, chain, position, clock)
            cursor[RANK_BEFORE] = events.rank[begin]
        limit = start_limit(clock, window_length)
        first_new, first_end = count, cursor[END_COUNT]
        for event in range(begin, end):
            fires, position = events.fires[event], -1
            while fires:
                position += 1
                bit = fires & np.uint64(1)
                fires >>= np.uint64(1)
                if bit == 0:
                    continue
                is_first = (automaton.first >> np.uint64(position)) & np.uint64(1)
                start = clock if is_first else np.int64(NEVER)
                latest, at = start, head_count
                for edge in range(
                    automaton.source_offsets[position], automaton.source_offsets[position + 1]
                ):
                    head = chain[automaton.sources[edge]]
                    if head != NONE:
                        reach = cells[head, LATEST]
                        if reach <= limit:
                            head = NONE
                        elif reach > latest:
                            latest = reach
                    heads[at] = head
                    at += 1
                if latest <= limit:
                    continue  # every run through it started too early
                nodes[count, EVENT], nodes[count, POSITION] = event, position
                nodes[count, START], nodes[count, LATEST_START] = start, latest
                nodes[count, HEADS], nodes[count, HEADS_END] = head_count, at
                nodes[count, ROOT], nodes[count, REMOVED] = count, ALWAYS
                if (automaton.last >> np.uint64(position)) & np.uint64(1):
                    add_end(graph, count)
                head_count = at
                count += 1
        if automaton.strategy != SKIP_TILL_ANY:
            fired = fired_by(events.fires, begin, end)
            for position in range(positions):
                if not survives(automaton, position, fired):
                    _end_chain(nodes, chain, position, clock)
        for node in range(first_new, count):
            position = nodes[node, POSITION]
            before, latest = chain[position], nodes[node, LATEST_START]
            if before != NONE:
                latest = max(latest, cells[before, LATEST])
                nodes[node, ROOT] = nodes[before, ROOT]
            cells[node, NODE], cells[node, NEXT], cells[node, LATEST] = node, before, latest
            if automaton.follow[position]:  # nothing waits at a position that nothing follows
                chain[position] = node
        if apart and cursor[END_COUNT] > first_end:
            chain[:] = NONE  # one of these matches is taken, and all runs overlap with it
        step += 1
    cursor[NODE_COUNT], cursor[CELL_COUNT], cursor[HEAD_COUNT] = count, count, head_count
    cursor[NEXT_STEP] = step
    return outcome
