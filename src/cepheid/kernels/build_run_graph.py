"""Fold events into a run graph, and walk it."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.jit import kernel
from cepheid.kernels.match_graph import MatchArrays, _grown, _grown_bytes
from cepheid.kernels.predicate_code import (
    OVERFLOW,
    ColumnArrays,
    PredicateCode,
    make_operands,
    make_stack,
)
from cepheid.kernels.run_graph import (
    DONE,
    HAS_OVERFLOW,
    HAS_TOO_MANY,
    NEVER,
    NONE,
    Links,
    RunGraph,
    SlotArrays,
    TestArrays,
    _grow_integers,
    _grow_nodes,
    _hash_node,
    _same_node,
    _write_slots,
    make_nodes,
    tests_hold,
)
from cepheid.kernels.step import fired_by, survives


@kernel
def build_run_graph(
    automaton: AutomatonArrays,
    edge_offsets: Int64s,
    edge_targets: Int64s,
    events: EventArrays,
    tests: TestArrays,
    slots: SlotArrays,
    code: PredicateCode,
    columns: ColumnArrays,
    window_length: int,
    live_limit: int,
) -> RunGraph:
    """Fold the events; edges out of p are `edge_offsets[p]:edge_offsets[p + 1]`.

    `window_length` 0 means no window, `live_limit` 0 no limit.
    """
    positions = automaton.follow.size
    edges = edge_targets.size
    nodes = make_nodes(1024, slots.event_change.shape[1], slots.aggregate_change.shape[1])
    link_node, link_next = np.empty(1024, np.int64), np.empty(1024, np.int64)
    finals = np.empty(256, np.int64)
    live = np.empty(256, np.int64)
    table = np.full(256, NONE, np.int64)
    table_step = np.full(256, NONE, np.int64)
    operands, stack = make_operands(64), make_stack()
    node_count, link_count, final_count, live_count = 0, 0, 0, 0
    outcome, failed_event = DONE, np.int64(NONE)
    for partition in range(events.partition_offsets.size - 1):
        live_count = 0
        rank_before = np.int64(NEVER)
        for step in range(
            events.partition_offsets[partition], events.partition_offsets[partition + 1]
        ):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            fired = fired_by(events.fires, begin, end)
            if automaton.strategy == CONTIGUOUS:
                if events.rank[begin] != rank_before + 1:
                    live_count = 0
                rank_before = events.rank[begin]
            clock = events.clock[begin]
            limit = clock - window_length if window_length > 0 else np.int64(NEVER)
            first_new = node_count
            survivors = 0
            # Runs that wait, then (at index live_count) the run that starts here.
            for index in range(live_count + 1):
                is_entry = index == live_count
                before = NONE if is_entry else live[index]
                if not is_entry and nodes.latest_start[before] <= limit:
                    continue
                source = positions if is_entry else nodes.position[before]
                reach = automaton.first if is_entry else automaton.follow[source]
                taken = np.uint64(0)
                if reach & fired:
                    edge_begin = edges if is_entry else edge_offsets[source]
                    edge_end = edges + positions if is_entry else edge_offsets[source + 1]
                    for event in range(begin, end):
                        useful = events.fires[event] & reach
                        if useful == 0:
                            continue
                        for binding in range(edge_begin, edge_end):
                            target = binding - edges if is_entry else edge_targets[binding]
                            bit = np.uint64(1) << np.uint64(target)
                            if useful & bit == 0:
                                continue
                            holds = tests_hold(
                                tests, binding, nodes, before, event, code, columns, operands, stack
                            )
                            if holds == OVERFLOW:
                                outcome, failed_event = HAS_OVERFLOW, event
                                break
                            if holds == 0:
                                continue
                            taken |= bit
                            # Write the node at the end, then look whether it is there already.
                            if node_count + 1 >= nodes.event.size:
                                nodes = _grow_nodes(nodes)
                            node = node_count
                            nodes.event[node] = event
                            nodes.position[node] = target
                            _write_slots(
                                nodes, node, before, binding, target, slots, columns, event
                            )
                            if 2 * (node_count - first_new + 1) > table.size:
                                table = np.full(2 * table.size, NONE, np.int64)
                                table_step = np.full(table.size, NONE, np.int64)
                                for other in range(first_new, node_count):
                                    place = _hash_node(nodes, other) & (table.size - 1)
                                    while table_step[place] == step:
                                        place = (place + 1) & (table.size - 1)
                                    table_step[place], table[place] = step, other
                            place = _hash_node(nodes, node) & (table.size - 1)
                            while table_step[place] == step and not _same_node(
                                nodes, table[place], node
                            ):
                                place = (place + 1) & (table.size - 1)
                            if table_step[place] == step:
                                node = table[place]
                            else:
                                table_step[place], table[place] = step, node
                                nodes.is_start[node] = 0
                                nodes.latest_start[node] = NEVER
                                nodes.link[node] = NONE
                                node_count += 1
                            if is_entry:
                                nodes.is_start[node] = 1
                                nodes.latest_start[node] = clock
                            else:
                                if link_count == link_node.size:
                                    link_node = _grow_integers(link_node)
                                    link_next = _grow_integers(link_next)
                                link_node[link_count] = before
                                link_next[link_count] = nodes.link[node]
                                nodes.link[node] = link_count
                                link_count += 1
                                nodes.latest_start[node] = max(
                                    nodes.latest_start[node], nodes.latest_start[before]
                                )
                        if outcome != DONE:
                            break
                if outcome != DONE:
                    break
                if not is_entry and _stays(automaton, source, fired, taken):
                    live[survivors] = before
                    survivors += 1
            if outcome != DONE:
                break
            live_count = survivors
            for node in range(first_new, node_count):
                bit = np.uint64(1) << np.uint64(nodes.position[node])
                if automaton.last & bit:
                    binding = edges + positions + nodes.position[node]
                    holds = tests_hold(
                        tests,
                        binding,
                        nodes,
                        node,
                        nodes.event[node],
                        code,
                        columns,
                        operands,
                        stack,
                    )
                    if holds == OVERFLOW:
                        outcome, failed_event = HAS_OVERFLOW, nodes.event[node]
                        break
                    if holds == 1:
                        if final_count == finals.size:
                            finals = _grow_integers(finals)
                        finals[final_count] = node
                        final_count += 1
                if automaton.follow[nodes.position[node]]:
                    if live_count == live.size:
                        live = _grow_integers(live)
                    live[live_count] = node
                    live_count += 1
            if live_limit > 0 and live_count > live_limit and outcome == DONE:
                outcome, failed_event = HAS_TOO_MANY, begin
            if outcome != DONE:
                break
        if outcome != DONE:
            break
    return RunGraph(nodes, Links(link_node, link_next), finals[:final_count], outcome, failed_event)


@kernel
def _stays(automaton: AutomatonArrays, position: int, fired: np.uint64, taken: np.uint64) -> bool:
    """Whether a run stays after a step of which it could use the positions in `taken`."""
    if automaton.strategy == CONTIGUOUS:
        return False
    return survives(automaton, position, taken)


@kernel
def enumerate_runs(graph: RunGraph, clock: Int64s, window_length: int) -> MatchArrays:
    """Walk the graph backwards from its final nodes; O(events of the matches), plus stale links."""
    nodes, links = graph.nodes, graph.links
    offsets = np.empty(1024, np.int64)
    out_event = np.empty(4096, np.int64)
    out_position = np.empty(4096, np.int8)
    offsets[0] = 0
    matches, written = 0, 0
    path, link = np.empty(64, np.int64), np.empty(64, np.int64)
    for final in graph.final_nodes:
        last_clock = clock[nodes.event[final]]
        limit = last_clock - window_length if window_length > 0 else np.int64(NEVER)
        depth = 0
        path[0], link[0] = final, nodes.link[final]
        is_new = True
        while depth >= 0:
            node = path[depth]
            if is_new:
                is_new = False
                if nodes.is_start[node] and clock[nodes.event[node]] > limit:
                    if matches + 2 > offsets.size:
                        offsets = _grown(offsets, 2 * offsets.size)
                    if written + depth + 1 > out_event.size:
                        size = 2 * (written + depth + 1)
                        out_event = _grown(out_event, size)
                        out_position = _grown_bytes(out_position, size)
                    for level in range(depth, -1, -1):
                        out_event[written] = nodes.event[path[level]]
                        out_position[written] = nodes.position[path[level]]
                        written += 1
                    matches += 1
                    offsets[matches] = written
            while link[depth] != NONE and nodes.latest_start[links.node[link[depth]]] <= limit:
                link[depth] = links.next[link[depth]]
            if link[depth] == NONE:
                depth -= 1
                continue
            below = links.node[link[depth]]
            link[depth] = links.next[link[depth]]
            depth += 1
            if depth >= path.size:
                path = _grown(path, 2 * path.size)
                link = _grown(link, 2 * link.size)
            path[depth], link[depth] = below, nodes.link[below]
            is_new = True
    return MatchArrays(offsets[: matches + 1], out_event[:written], out_position[:written])
