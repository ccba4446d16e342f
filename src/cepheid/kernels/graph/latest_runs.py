"""The fold in which a position keeps one run, and a newer one replaces it (semantics, section 3).

Of the runs of a partition that wait at a position the one stays that starts last; of those with the
same start the one that took an event last, then the one with the smallest sequence of steps (order
keys and positions), then of values. A run that is replaced when it comes was never there. So a
partition keeps as many runs as the pattern has positions, whatever comes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.graph.best_runs import add_node
from cepheid.kernels.graph.build_run_graph import (
    Room,
    RunRules,
    RunState,
    binding_holds,
    node_before,
    room_needed,
)
from cepheid.kernels.graph.match_nodes import (
    CELL_COUNT,
    DONE,
    END_COUNT,
    EVENT,
    FAILED_EVENT,
    HAS_OVERFLOW,
    HEAD_COUNT,
    IS_FULL,
    LATEST_START,
    LIVE_COUNT,
    NEVER,
    NEXT_STEP,
    NODE_COUNT,
    NONE,
    PARTITION,
    POSITION,
    REMOVED,
    Graph,
    add_end,
    start_limit,
)
from cepheid.kernels.graph.run_graph import Nodes, write_slots
from cepheid.kernels.jit import inner_in_place, kernel_in_place
from cepheid.kernels.predicates.predicate_machine import OVERFLOW, ColumnArrays
from cepheid.kernels.step import fired_by


class Waiting(NamedTuple):
    """By position: the run that waits there, and the rank of its start; and those of this step.

    NONE where there is no run. `rank` and `values` are by event.
    """

    node: Int64s
    start: Int64s
    new_node: Int64s
    new_start: Int64s
    rank: Int64s
    values: Int64s


@inner_in_place
def _length(graph: Graph, node: int) -> int:
    """Return how many events a run has."""
    length = 0
    while node != NONE:
        length, node = length + 1, node_before(graph, node)
    return length


@inner_in_place
def _is_before(graph: Graph, waiting: Waiting, one: int, other: int) -> bool:
    """Whether a run comes before another one with the same start and the same last order key.

    Runs are known from their ends, so the last difference that is found is the first of them.
    """
    more = _length(graph, one) - _length(graph, other)
    steps, values = more, 0  # a prefix comes before its extensions
    left, right = one, other
    for _ in range(more):
        left = node_before(graph, left)
    for _ in range(-more):
        right = node_before(graph, right)
    while left != NONE:
        event, other_event = graph.nodes[left, EVENT], graph.nodes[right, EVENT]
        if waiting.rank[event] != waiting.rank[other_event]:
            steps = waiting.rank[event] - waiting.rank[other_event]
        elif graph.nodes[left, POSITION] != graph.nodes[right, POSITION]:
            steps = graph.nodes[left, POSITION] - graph.nodes[right, POSITION]
        if waiting.values[event] != waiting.values[other_event]:
            values = waiting.values[event] - waiting.values[other_event]
        left, right = node_before(graph, left), node_before(graph, right)
    return bool(steps < 0 or (steps == 0 and values < 0))


@inner_in_place
def _offer(graph: Graph, waiting: Waiting, node: int, start: int) -> None:
    """Keep a new run unless another one of this step is better."""
    position = graph.nodes[node, POSITION]
    other = waiting.new_node[position]
    if other != NONE and (
        start < waiting.new_start[position]
        or (start == waiting.new_start[position] and not _is_before(graph, waiting, node, other))
    ):
        graph.nodes[node, REMOVED] = NEVER
        return
    if other != NONE:
        graph.nodes[other, REMOVED] = NEVER
    waiting.new_node[position], waiting.new_start[position] = node, start


@inner_in_place
def _list_waiting(state: RunState, waiting: Waiting) -> None:
    """Write down which nodes are alive."""
    count = 0
    for position in range(waiting.node.size):
        if waiting.node[position] != NONE:
            state.live[count] = waiting.node[position]
            count += 1
    state.graph.cursor[LIVE_COUNT] = count


@kernel_in_place
def fold_latest_runs(
    state: RunState,
    waiting: Waiting,
    automaton: AutomatonArrays,
    rules: RunRules,
    events: EventArrays,
    columns: ColumnArrays,
    window_length: int,
    apart: bool,
    most_nodes: int,
    room: Room,
) -> int:
    """Fold steps until all are done or the graph is full; return why it stopped.

    Cost per event: the edges out of positions at which runs wait. `apart`: matches are not to
    overlap, and the first one that ends is taken.
    """
    positions, edges = automaton.follow.size, rules.edge_targets.size
    graph, cursor = state.graph, state.graph.cursor
    rows = Nodes(graph.nodes, state.floats)
    waiting.node[:] = NONE
    for place in range(cursor[LIVE_COUNT]):  # whose numbers may have changed
        waiting.node[graph.nodes[state.live[place], POSITION]] = state.live[place]
    while cursor[NEXT_STEP] < events.step_offsets.size - 1:
        step = int(cursor[NEXT_STEP])
        more = room_needed(cursor, rules, events)
        if (
            cursor[NODE_COUNT] >= most_nodes
            or cursor[NODE_COUNT] + more + 1 > graph.nodes.shape[0]
            or cursor[HEAD_COUNT] + more + 1 > graph.heads.size
            or cursor[CELL_COUNT] + more > graph.cells.shape[0]
            or cursor[END_COUNT] + more > graph.ends.shape[0]
            or cursor[LIVE_COUNT] + more > state.live.size
        ):
            return IS_FULL
        if step == events.partition_offsets[cursor[PARTITION] + 1]:
            cursor[PARTITION] += 1
            waiting.node[:] = NONE
        begin, end = events.step_offsets[step], events.step_offsets[step + 1]
        clock = int(events.clock[begin])
        fired = fired_by(events.fires, begin, end)
        limit = start_limit(clock, window_length)
        first_end = cursor[END_COUNT]
        waiting.new_node[:] = NONE
        # Runs that wait, and last the run that starts here.
        for index in range(positions + 1):
            before, is_taken = NONE, False
            reach, first_binding, end_binding = automaton.first, edges, edges + positions
            start = waiting.rank[begin]
            if index < positions:
                before = int(waiting.node[index])
                if before == NONE:
                    continue
                if graph.nodes[before, LATEST_START] <= limit:
                    waiting.node[index] = NONE
                    continue
                reach, start = automaton.follow[index], waiting.start[index]
                first_binding = int(rules.edge_offsets[index])
                end_binding = int(rules.edge_offsets[index + 1])
            for binding in range(first_binding, end_binding if reach & fired else 0):
                target = binding - edges if before == NONE else int(rules.edge_targets[binding])
                bit = np.uint64(1) << np.uint64(target)
                for event in range(begin, end if reach & fired & bit else begin):
                    if events.fires[event] & bit == 0:
                        continue
                    holds = binding_holds(
                        state, rules, columns, binding, before, event, target, room
                    )
                    if holds == OVERFLOW:
                        cursor[FAILED_EVENT] = event
                        return HAS_OVERFLOW
                    if holds:
                        is_taken = True
                        node = int(cursor[NODE_COUNT])
                        graph.nodes[node, EVENT], graph.nodes[node, POSITION] = event, target
                        write_slots(rows, node, before, binding, rules.slots, columns, event)
                        add_node(graph, node, before, clock)
                        _offer(graph, waiting, node, start)
            if is_taken and before != NONE:
                graph.nodes[before, REMOVED] = clock
                waiting.node[index] = NONE
        for position in range(positions):
            node, other = int(waiting.new_node[position]), int(waiting.node[position])
            if node == NONE:
                continue
            if other != NONE and waiting.start[position] > waiting.new_start[position]:
                graph.nodes[node, REMOVED] = NEVER
                continue
            if other != NONE:
                graph.nodes[other, REMOVED] = clock
            waiting.node[position] = node if automaton.follow[position] else NONE
            waiting.start[position] = waiting.new_start[position]
            if automaton.last & (np.uint64(1) << np.uint64(position)):
                ending, event = edges + positions + position, int(graph.nodes[node, EVENT])
                holds = binding_holds(state, rules, columns, ending, node, event, NONE, room)
                if holds == OVERFLOW:
                    cursor[FAILED_EVENT] = event
                    return HAS_OVERFLOW
                if holds:
                    add_end(graph, node)
        if apart and cursor[END_COUNT] > first_end:
            waiting.node[:] = NONE  # one of these matches is taken, and all runs overlap with it
        _list_waiting(state, waiting)
        cursor[NEXT_STEP] += 1
    return DONE
