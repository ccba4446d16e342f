"""The fold with predicates over several events.

Nodes wait in a list of live nodes until their strategy, a contiguity break or the window removes
them; a node has one list of predecessors. Cost per event: the live nodes of its partition times the
edges out of them that it fires.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, AutomatonArrays, EventArrays, Float64s, Int64s
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    CELL_COUNT,
    DONE,
    END_COUNT,
    EVENT,
    FAILED_EVENT,
    HAS_OVERFLOW,
    HEAD_COUNT,
    HEADS,
    HEADS_END,
    IS_FULL,
    LATEST,
    LATEST_START,
    LIVE_COUNT,
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
from cepheid.kernels.graph.path_clauses import (
    BINDING,
    ENDING,
    MOST_VARIABLES,
    Path,
    PathTables,
    path_clause_holds,
)
from cepheid.kernels.graph.run_graph import (
    Nodes,
    SlotTables,
    TestTables,
    hash_node,
    is_same_node,
    tests_hold,
    write_slots,
)
from cepheid.kernels.jit import inlined, inner_in_place, kernel, kernel_in_place
from cepheid.kernels.predicates.predicate_machine import (
    OVERFLOW,
    ColumnArrays,
    Operands,
    PredicateCode,
    Stack,
    make_operands,
    make_stack,
)
from cepheid.kernels.step import fired_by, survives

FEW_NODES = 8


class RunState(NamedTuple):
    """Everything between two calls; arrays have room to spare and are grown by the caller.

    `floats` are those of aggregates, a row per node. `table` is a hash table of the nodes of the
    current step: rows (step, node); its size is a power of two.
    """

    graph: Graph
    floats: Float64s
    live: Int64s
    table: Int64s


class RunRules(NamedTuple):
    """The query: edges out of p are `edge_offsets[p]:edge_offsets[p + 1]` of `edge_targets`.

    Runs are merged unless `paths` has clauses: those need to know the one path of a run.
    """

    edge_offsets: Int64s
    edge_targets: Int64s
    tests: TestTables
    slots: SlotTables
    paths: PathTables
    code: PredicateCode


class Room(NamedTuple):
    """Arrays to work in: operands and stack of a test, the path of a run, a scratch table."""

    operands: Operands
    stack: Stack
    path: Path
    scratch: Int64s


@kernel
def make_room(longest_path: int, instructions: int) -> Room:
    """Return room for tests on paths of at most that many events, and of so much code.

    Every instruction reads one operand at most, and adds one value to the stack at most.
    """
    return Room(
        make_operands(instructions),
        make_stack(instructions),
        Path(np.empty(longest_path, np.int64), np.empty(longest_path, np.int64)),
        np.empty((4, MOST_VARIABLES), np.int64),
    )


@inner_in_place
def node_before(graph: Graph, node: int) -> int:
    """Return the one predecessor of a node of an unmerged run, or NONE."""
    first = graph.nodes[node, HEADS]
    if first == graph.nodes[node, HEADS_END] or graph.heads[first] == NONE:
        return NONE
    return int(graph.cells[graph.heads[first], NODE])


@inner_in_place
def _write_path(graph: Graph, node: int, path: Path) -> int:
    """Write the events of an unmerged run, oldest first; return how many there are."""
    length, at = 0, node
    while at != NONE:
        length += 1
        at = node_before(graph, at)
    at = node
    for place in range(length - 1, -1, -1):
        path.event[place] = graph.nodes[at, EVENT]
        path.position[place] = graph.nodes[at, POSITION]
        at = node_before(graph, at)
    return length


@inlined
def binding_holds(
    state: RunState,
    rules: RunRules,
    columns: ColumnArrays,
    binding: int,
    node: int,
    event: int,
    target: int,
    room: Room,
) -> int:
    """Whether all clauses that a binding tests hold; an end has target NONE."""
    holds = tests_hold(
        rules.tests,
        binding,
        Nodes(state.graph.nodes, state.floats),
        node,
        event,
        rules.slots,
        rules.code,
        columns,
        room.operands,
        room.stack,
    )
    first, last = rules.paths.offsets[binding], rules.paths.offsets[binding + 1]
    if holds != 1 or first == last:
        return holds
    path = room.path
    length = _write_path(state.graph, node, path) if node != NONE else 0
    mode = ENDING
    if target != NONE:
        path.event[length], path.position[length] = event, target
        length, mode = length + 1, BINDING
    for clause in range(first, last):
        holds = path_clause_holds(
            rules.paths,
            clause,
            path,
            length,
            path,
            0,
            mode,
            rules.code,
            columns,
            room.operands,
            room.stack,
            room.scratch,
        )
        if holds != 1:
            return holds
    return 1


@inlined
def _room_needed(cursor: Int64s, rules: RunRules, events: EventArrays) -> int:
    size = events.step_offsets[cursor[NEXT_STEP] + 1] - events.step_offsets[cursor[NEXT_STEP]]
    bindings = rules.edge_targets.size + rules.edge_offsets.size
    return int((cursor[LIVE_COUNT] + 1) * size * bindings)


@kernel_in_place
def room_needed(cursor: Int64s, rules: RunRules, events: EventArrays) -> int:
    """Return how many nodes the next step can create at most."""
    return _room_needed(cursor, rules, events)


@inner_in_place
def _hashed(rows: Nodes, table: Int64s, node: int, step: int) -> int:
    """Return the node in the hash table that equals one; if there is none, add that one."""
    place = hash_node(rows, node) & (table.shape[0] - 1)
    while table[place, 0] == step:
        if is_same_node(rows, table[place, 1], node):
            return int(table[place, 1])
        place = (place + 1) & (table.shape[0] - 1)
    table[place, 0], table[place, 1] = step, node
    return node


@inlined
def _same_node(state: RunState, node: int, first_new: int, step: int) -> int:
    """Return the node of this step that equals the one at the end of the table, or that one.

    Few nodes are compared one by one: most steps have few, and a hash table is far away in memory.
    """
    rows = Nodes(state.graph.nodes, state.floats)
    if node > first_new + FEW_NODES:
        return _hashed(rows, state.table, node, step)
    for other in range(first_new, node):
        if is_same_node(rows, other, node):
            return other
    if node == first_new + FEW_NODES:
        for each in range(first_new, node + 1):
            _hashed(rows, state.table, each, step)
    return node


@inlined
def _find_or_add(
    state: RunState, node: int, first_new: int, step: int, merges: bool, has_sources: bool
) -> int:
    """Return the node of this step that equals the one at the end of the table, or that one."""
    cursor = state.graph.cursor
    if merges:
        same = _same_node(state, node, first_new, step)
        if same != node:
            return same
    nodes, head = state.graph.nodes, cursor[HEAD_COUNT]
    nodes[node, START], nodes[node, LATEST_START] = NEVER, NEVER
    nodes[node, ROOT], nodes[node, REMOVED] = node, ALWAYS
    nodes[node, HEADS], nodes[node, HEADS_END] = head, head + has_sources
    state.graph.heads[head] = NONE
    cursor[HEAD_COUNT] += has_sources
    cursor[NODE_COUNT] += 1
    return node


@inlined
def _bind(
    state: RunState,
    rules: RunRules,
    columns: ColumnArrays,
    before: int,
    binding: int,
    target: int,
    event: int,
    clock: int,
    first_new: int,
    step: int,
    has_sources: bool,
) -> None:
    """Move runs along a binding: make or find the node, and link it."""
    graph = state.graph
    node = int(graph.cursor[NODE_COUNT])
    graph.nodes[node, EVENT] = event
    graph.nodes[node, POSITION] = target
    rows = Nodes(graph.nodes, state.floats)
    write_slots(rows, node, before, binding, rules.slots, columns, event)
    merges = rules.paths.clauses.shape[0] == 0
    nodes = graph.nodes
    node = _find_or_add(state, node, first_new, step, merges, has_sources)
    if before == NONE:
        nodes[node, START] = clock
        nodes[node, LATEST_START] = max(nodes[node, LATEST_START], clock)
        return
    head, cell = nodes[node, HEADS], graph.cursor[CELL_COUNT]
    rest, latest = graph.heads[head], nodes[before, LATEST_START]
    nodes[node, LATEST_START] = max(nodes[node, LATEST_START], latest)
    graph.cells[cell, NODE], graph.cells[cell, NEXT] = before, rest
    graph.cells[cell, LATEST] = latest if rest == NONE else max(latest, graph.cells[rest, LATEST])
    graph.heads[head] = cell
    graph.cursor[CELL_COUNT] += 1


@kernel_in_place
def fold_runs(
    state: RunState,
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

    `window_length` 0 means no window. The graph is full when the next step could need more room
    than the arrays have, or has `most_nodes`. `apart`: matches are not to overlap, and the first
    one that ends is taken.
    """
    positions, edges = automaton.follow.size, rules.edge_targets.size
    graph, live, cursor = state.graph, state.live, state.graph.cursor
    while cursor[NEXT_STEP] < events.step_offsets.size - 1:
        step = int(cursor[NEXT_STEP])
        more = _room_needed(cursor, rules, events)
        if (
            cursor[NODE_COUNT] >= most_nodes
            or cursor[NODE_COUNT] + more + 1 > graph.nodes.shape[0]
            or cursor[HEAD_COUNT] + more + 1 > graph.heads.size
            or cursor[CELL_COUNT] + more > graph.cells.shape[0]
            or cursor[END_COUNT] + more > graph.ends.shape[0]
            or cursor[LIVE_COUNT] + more > live.size
            or 2 * more > state.table.shape[0]
        ):
            return IS_FULL
        if step == events.partition_offsets[cursor[PARTITION] + 1]:
            cursor[PARTITION] += 1
            cursor[LIVE_COUNT], cursor[RANK_BEFORE] = 0, NEVER
        begin, end = events.step_offsets[step], events.step_offsets[step + 1]
        clock = int(events.clock[begin])
        if automaton.strategy == CONTIGUOUS:
            if events.rank[begin] != cursor[RANK_BEFORE] + 1:
                cursor[LIVE_COUNT] = 0
            cursor[RANK_BEFORE] = events.rank[begin]
        fired = fired_by(events.fires, begin, end)
        limit = start_limit(clock, window_length)
        first_new, first_end = int(cursor[NODE_COUNT]), cursor[END_COUNT]
        survivors = 0
        # Runs that wait, and last the run that starts here.
        for index in range(cursor[LIVE_COUNT] + 1):
            before = NONE
            reach, first_binding, end_binding = automaton.first, edges, edges + positions
            if index < cursor[LIVE_COUNT]:
                before = int(live[index])
                if graph.nodes[before, LATEST_START] <= limit:
                    continue
                position = graph.nodes[before, POSITION]
                reach = automaton.follow[position]
                first_binding = int(rules.edge_offsets[position])
                end_binding = int(rules.edge_offsets[position + 1])
            taken = np.uint64(0)
            if reach & fired:
                for event in range(begin, end):
                    useful = events.fires[event] & reach
                    for binding in range(first_binding, end_binding if useful else 0):
                        target = (
                            binding - edges if before == NONE else int(rules.edge_targets[binding])
                        )
                        bit = np.uint64(1) << np.uint64(target)
                        if useful & bit == 0:
                            continue
                        holds = binding_holds(
                            state, rules, columns, binding, before, event, target, room
                        )
                        if holds == OVERFLOW:
                            cursor[FAILED_EVENT] = event
                            return HAS_OVERFLOW
                        if holds:
                            taken |= bit
                            sources = automaton.source_offsets
                            has_sources = sources[target] < sources[target + 1]
                            _bind(
                                state,
                                rules,
                                columns,
                                before,
                                binding,
                                target,
                                event,
                                clock,
                                first_new,
                                step,
                                has_sources,
                            )
            if before == NONE:
                continue
            if survives(automaton, graph.nodes[before, POSITION], taken):
                live[survivors] = before
                survivors += 1
            else:
                graph.nodes[before, REMOVED] = clock
        cursor[LIVE_COUNT] = survivors
        for node in range(first_new, cursor[NODE_COUNT]):
            position = int(graph.nodes[node, POSITION])
            if automaton.last & (np.uint64(1) << np.uint64(position)):
                ending, event = edges + positions + position, int(graph.nodes[node, EVENT])
                holds = binding_holds(state, rules, columns, ending, node, event, NONE, room)
                if holds == OVERFLOW:
                    cursor[FAILED_EVENT] = event
                    return HAS_OVERFLOW
                if holds:
                    add_end(graph, node)
            if automaton.follow[position]:
                live[cursor[LIVE_COUNT]] = node
                cursor[LIVE_COUNT] += 1
        if apart and cursor[END_COUNT] > first_end:
            cursor[LIVE_COUNT] = 0  # one of these matches is taken, and all runs overlap with it
        cursor[NEXT_STEP] += 1
    return DONE
