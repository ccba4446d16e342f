"""Fold events into a run graph, and walk it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.grow import grown
from cepheid.kernels.jit import inner, kernel
from cepheid.kernels.match_graph import MatchArrays
from cepheid.kernels.path_clauses import (
    BINDING,
    ENDING,
    MOST_VARIABLES,
    Path,
    PathTables,
    path_clause_holds,
)
from cepheid.kernels.predicate_code import (
    OVERFLOW,
    ColumnArrays,
    Operands,
    PredicateCode,
    Stack,
    make_operands,
    make_stack,
)
from cepheid.kernels.run_graph import (
    EVENT,
    IS_START,
    LATEST_START,
    LINK,
    NEVER,
    NONE,
    POSITION,
    Nodes,
    SlotTables,
    TestTables,
    hash_node,
    is_same_node,
    tests_hold,
    write_slots,
)
from cepheid.kernels.step import fired_by, survives

# Entries of `RunState.cursor`: how far the fold has come, and what it has written.
NEXT_STEP, PARTITION, RANK_BEFORE, NODE_COUNT, LINK_COUNT, FINAL_COUNT, LIVE_COUNT, FAILED_EVENT = (
    0, 1, 2, 3, 4, 5, 6, 7,
)  # fmt: skip
CURSOR_SIZE = 8
# Why the fold returned.
DONE, NEEDS_ROOM, HAS_OVERFLOW, HAS_TOO_MANY = 0, 1, 2, 3


class RunState(NamedTuple):
    """Everything between two calls; arrays have room to spare and are grown by the caller.

    `links` has rows (node, next) for the lists of predecessors. `table` is a hash table of the
    nodes of the current step: rows (step, node); its size is a power of two.
    """

    nodes: Nodes
    links: Int64s
    finals: Int64s
    live: Int64s
    table: Int64s
    cursor: Int64s


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
def make_room(longest_path: int) -> Room:
    """Return room for tests on paths of at most that many events."""
    return Room(
        make_operands(64),
        make_stack(),
        Path(np.empty(longest_path, np.int64), np.empty(longest_path, np.int64)),
        np.empty((4, MOST_VARIABLES), np.int64),
    )


@inner
def _write_path(state: RunState, node: int, path: Path) -> int:
    """Write the events of an unmerged run, oldest first; return how many there are."""
    nodes, length, at = state.nodes.integers, 0, node
    while at != NONE:
        length += 1
        at = state.links[nodes[at, LINK], 0] if nodes[at, LINK] != NONE else NONE
    at = node
    for place in range(length - 1, -1, -1):
        path.event[place], path.position[place] = nodes[at, EVENT], nodes[at, POSITION]
        if place > 0:
            at = state.links[nodes[at, LINK], 0]
    return length


@inner
def _binding_holds(
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
        state.nodes,
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
    length = _write_path(state, node, path) if node != NONE else 0
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


@kernel
def room_needed(state: RunState, rules: RunRules, events: EventArrays) -> int:
    """Return how many nodes the next step can create at most."""
    step = state.cursor[NEXT_STEP]
    size = events.step_offsets[step + 1] - events.step_offsets[step]
    bindings = rules.edge_targets.size + rules.edge_offsets.size
    return int((state.cursor[LIVE_COUNT] + 1) * size * bindings)


@inner
def _find_or_add(state: RunState, node: int, step: int, merges: bool) -> int:
    """Return the node of this step that equals the one at the end of the table, or that one."""
    table, cursor = state.table, state.cursor
    if merges:
        place = hash_node(state.nodes, node) & (table.shape[0] - 1)
        while table[place, 0] == step:
            if is_same_node(state.nodes, table[place, 1], node):
                return int(table[place, 1])
            place = (place + 1) & (table.shape[0] - 1)
        table[place, 0], table[place, 1] = step, node
    row = state.nodes.integers[node]
    row[IS_START], row[LATEST_START], row[LINK] = 0, NEVER, NONE
    cursor[NODE_COUNT] += 1
    return node


@inner
def _bind(
    state: RunState,
    rules: RunRules,
    columns: ColumnArrays,
    before: int,
    binding: int,
    target: int,
    event: int,
    clock: int,
    step: int,
) -> None:
    """Move runs along a binding: make or find the node, and link it."""
    cursor = state.cursor
    node = int(cursor[NODE_COUNT])
    state.nodes.integers[node, EVENT] = event
    state.nodes.integers[node, POSITION] = target
    write_slots(state.nodes, node, before, binding, rules.slots, columns, event)
    merges = rules.paths.clauses.shape[0] == 0
    row = state.nodes.integers[_find_or_add(state, node, step, merges)]
    if before == NONE:
        row[IS_START], row[LATEST_START] = 1, clock
        return
    link = cursor[LINK_COUNT]
    state.links[link, 0], state.links[link, 1] = before, row[LINK]
    row[LINK] = link
    cursor[LINK_COUNT] += 1
    row[LATEST_START] = max(row[LATEST_START], state.nodes.integers[before, LATEST_START])


@kernel
def fold_runs(
    state: RunState,
    automaton: AutomatonArrays,
    rules: RunRules,
    events: EventArrays,
    columns: ColumnArrays,
    window_length: int,
    live_limit: int,
    room: Room,
) -> int:
    """Fold steps until all are done or the arrays are full; return why it stopped.

    `window_length` 0 means no window, `live_limit` 0 no limit.
    """
    positions, edges = automaton.follow.size, rules.edge_targets.size
    nodes, live, cursor = state.nodes, state.live, state.cursor
    while cursor[NEXT_STEP] < events.step_offsets.size - 1:
        step = int(cursor[NEXT_STEP])
        more = room_needed(state, rules, events)
        if (
            cursor[NODE_COUNT] + more + 1 > nodes.integers.shape[0]
            or cursor[LINK_COUNT] + more > state.links.shape[0]
            or cursor[FINAL_COUNT] + more > state.finals.size
            or cursor[LIVE_COUNT] + more > live.size
            or 2 * more > state.table.shape[0]
        ):
            return NEEDS_ROOM
        if step == events.partition_offsets[cursor[PARTITION] + 1]:
            cursor[PARTITION] += 1
            cursor[LIVE_COUNT], cursor[RANK_BEFORE] = 0, NEVER
        begin, end = events.step_offsets[step], events.step_offsets[step + 1]
        if automaton.strategy == CONTIGUOUS:
            if events.rank[begin] != cursor[RANK_BEFORE] + 1:
                cursor[LIVE_COUNT] = 0
            cursor[RANK_BEFORE] = events.rank[begin]
        fired = fired_by(events.fires, begin, end)
        clock = int(events.clock[begin])
        limit = clock - window_length if window_length > 0 else NEVER
        first_new = cursor[NODE_COUNT]
        survivors = 0
        # Runs that wait, and last the run that starts here.
        for index in range(cursor[LIVE_COUNT] + 1):
            before = NONE
            reach, first_binding, end_binding = automaton.first, edges, edges + positions
            if index < cursor[LIVE_COUNT]:
                before = int(live[index])
                if nodes.integers[before, LATEST_START] <= limit:
                    continue
                position = nodes.integers[before, POSITION]
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
                        holds = _binding_holds(
                            state, rules, columns, binding, before, event, target, room
                        )
                        if holds == OVERFLOW:
                            cursor[FAILED_EVENT] = event
                            return HAS_OVERFLOW
                        if holds:
                            taken |= bit
                            _bind(
                                state, rules, columns, before, binding, target, event, clock, step
                            )
            if before != NONE and survives(automaton, nodes.integers[before, POSITION], taken):
                live[survivors] = before
                survivors += 1
        cursor[LIVE_COUNT] = survivors
        for node in range(first_new, cursor[NODE_COUNT]):
            position = int(nodes.integers[node, POSITION])
            if automaton.last & (np.uint64(1) << np.uint64(position)):
                ending, event = edges + positions + position, int(nodes.integers[node, EVENT])
                holds = _binding_holds(state, rules, columns, ending, node, event, NONE, room)
                if holds == OVERFLOW:
                    cursor[FAILED_EVENT] = nodes.integers[node, EVENT]
                    return HAS_OVERFLOW
                if holds:
                    state.finals[cursor[FINAL_COUNT]] = node
                    cursor[FINAL_COUNT] += 1
            if automaton.follow[position]:
                live[cursor[LIVE_COUNT]] = node
                cursor[LIVE_COUNT] += 1
        if live_limit > 0 and cursor[LIVE_COUNT] > live_limit:
            cursor[FAILED_EVENT] = begin
            return HAS_TOO_MANY
        cursor[NEXT_STEP] += 1
    return DONE


@kernel
def enumerate_runs(state: RunState, clock: Int64s, window_length: int) -> MatchArrays:
    """Walk the graph backwards from its final nodes; O(events of the matches), plus stale links."""
    nodes, links = state.nodes.integers, state.links
    offsets = np.empty(1024, np.int64)
    out_event = np.empty(4096, np.int64)
    out_position = np.empty(4096, np.int8)
    offsets[0] = 0
    matches, written = 0, 0
    path, link = np.empty(64, np.int64), np.empty(64, np.int64)
    for index in range(state.cursor[FINAL_COUNT]):
        final = state.finals[index]
        last_clock = clock[nodes[final, EVENT]]
        limit = last_clock - window_length if window_length > 0 else NEVER
        depth = 0
        path[0], link[0] = final, nodes[final, LINK]
        is_new = True
        while depth >= 0:
            node = path[depth]
            if is_new:
                is_new = False
                if nodes[node, IS_START] and clock[nodes[node, EVENT]] > limit:
                    if matches + 2 > offsets.size:
                        offsets = grown(offsets, 2 * offsets.size)
                    if written + depth + 1 > out_event.size:
                        size = 2 * (written + depth + 1)
                        out_event = grown(out_event, size)
                        out_position = grown(out_position, size)
                    for level in range(depth, -1, -1):
                        out_event[written] = nodes[path[level], EVENT]
                        out_position[written] = nodes[path[level], POSITION]
                        written += 1
                    matches += 1
                    offsets[matches] = written
            while link[depth] != NONE and nodes[links[link[depth], 0], LATEST_START] <= limit:
                link[depth] = links[link[depth], 1]
            if link[depth] == NONE:
                depth -= 1
                continue
            below = links[link[depth], 0]
            link[depth] = links[link[depth], 1]
            depth += 1
            if depth >= path.size:
                path = grown(path, 2 * path.size)
                link = grown(link, 2 * link.size)
            path[depth], link[depth] = below, nodes[below, LINK]
            is_new = True
    return MatchArrays(offsets[: matches + 1], out_event[:written], out_position[:written])
