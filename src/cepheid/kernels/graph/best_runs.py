"""The fold of runs of which, in the order of NON OVERLAPPING, only the best are kept.

Of matches that are not to overlap the one that ends first is taken, of those the one with the
smallest sequence of steps (order keys and positions), of those the one with the smallest values.
Under skip-till-any a run d makes another run c superfluous if

1. d comes before c in that order, of runs that go on: then d with any later steps comes before c
   with the same ones;
2. both wait at the same position, carry the same events (as far as they are read), and, if there is
   a window, start at the same time: so d can go on wherever c can, as far as tests on aggregates
   allow it;
3. no aggregate of d is worse: the tests that read it hold for d whenever they hold for c. What both
   take later keeps it so: sums, counts and extremes grow with what they grow from.

Runs are kept in order, so that nothing has to be compared for 1. A run that takes an event comes
directly before itself without it, and what starts now comes last. Runs with the same steps, which
only concurrent events make, are a *class*: they take the events of a step together, a class for
every position, so that values decide among them and nowhere else.

Cost per event: the runs that are kept, times the edges out of them that it fires. Where all bounds
point the same way as the order (`sum(a[].x) > c` of values that are not negative) one run is kept
for every start that a window tells apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.graph.build_run_graph import Room, RunRules, RunState, room_needed
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
    REMOVED,
    ROOT,
    SLOTS,
    START,
    Graph,
    add_end,
    start_limit,
)
from cepheid.kernels.graph.run_graph import (
    AGGREGATE_FUNCTION,
    AGGREGATE_IS_FLOAT,
    COUNT,
    UNBOUND,
    Nodes,
    SlotTables,
    tests_hold,
    write_slots,
)
from cepheid.kernels.jit import inlined, inner_in_place, kernel_in_place
from cepheid.kernels.predicates.predicate_machine import OVERFLOW, ColumnArrays
from cepheid.kernels.step import fired_by

FINE, LARGE = 2.0**20, 2.0**60  # floats are hashed as multiples of 1 / FINE, large ones not
MIX, OTHER_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0x165667B19E3779F9)


class Preference(NamedTuple):
    """What makes a run better than another.

    `by_value` has the events of every step in the order of their values. `directions` says for
    every aggregate whether more (1) or less (-1) of it is better, or neither (0); `directed` is the
    number of those with a direction. `last_kind` is the same number for events of which later tests
    read the same; `reads_last` says at which positions they do.
    """

    by_value: Int64s
    directions: Int64s
    directed: int
    last_kind: Int64s
    reads_last: Int64s


class KeptRuns(NamedTuple):
    """The runs that are kept by the current step, as it goes on: their nodes and classes.

    `class_of` is that of runs kept before the step. `earlier` has the number of the run that was
    kept before one with all that must be the same, or NONE.
    """

    class_of: Int64s
    node: Int64s
    new_class: Int64s
    earlier: Int64s


@inlined
def _aggregate_state(
    rows: Nodes, node: int, slot: int, slots: SlotTables, direction: int
) -> tuple[int, int]:
    """Return what two runs must have in common of an aggregate, beside its value."""
    at = SLOTS + slots.representative.shape[0] + slot
    count = rows.integers[node, at]
    if direction != 0:
        most = UNBOUND + 1 if slots.aggregates[slot, AGGREGATE_FUNCTION] == COUNT else 1
        return min(count, most), 0
    return count, rows.integers[node, at + slots.aggregates.shape[0]]


@inner_in_place
def _hash(rows: Nodes, node: int, slots: SlotTables, preference: Preference, window: int) -> int:
    position = rows.integers[node, POSITION]
    value = np.uint64(position) * MIX
    if preference.reads_last[position]:
        value ^= np.uint64(preference.last_kind[rows.integers[node, EVENT]]) * OTHER_MIX
    if window > 0:
        value ^= np.uint64(rows.integers[node, LATEST_START]) * OTHER_MIX
    value = (value ^ (value >> np.uint64(29))) * MIX
    for slot in range(slots.representative.shape[0]):
        value = (value ^ np.uint64(rows.integers[node, SLOTS + slot])) * OTHER_MIX
        value ^= value >> np.uint64(29)
    for slot in range(slots.aggregates.shape[0]):
        count, integer = _aggregate_state(rows, node, slot, slots, preference.directions[slot])
        value = (value ^ np.uint64(count) ^ (np.uint64(integer) * MIX)) * OTHER_MIX
        if preference.directions[slot] == 0:
            scaled = rows.floats[node, slot] * FINE
            if -LARGE < scaled < LARGE:
                value ^= np.uint64(np.int64(scaled)) * MIX
        value ^= value >> np.uint64(29)
    return int(value >> np.uint64(1))


@inner_in_place
def _is_alike(
    rows: Nodes, one: int, other: int, slots: SlotTables, preference: Preference, window: int
) -> bool:
    """Whether two runs differ at most in aggregates of which more, or less, is better."""
    left, right = rows.integers[one], rows.integers[other]
    if left[POSITION] != right[POSITION]:
        return False
    if preference.reads_last[left[POSITION]] and (
        preference.last_kind[left[EVENT]] != preference.last_kind[right[EVENT]]
    ):
        return False
    if window > 0 and left[LATEST_START] != right[LATEST_START]:
        return False
    for at in range(SLOTS, SLOTS + slots.representative.shape[0]):
        if left[at] != right[at]:
            return False
    for slot in range(slots.aggregates.shape[0]):
        direction = preference.directions[slot]
        state = _aggregate_state(rows, one, slot, slots, direction)
        if state != _aggregate_state(rows, other, slot, slots, direction):
            return False
        real, other_real = rows.floats[one, slot], rows.floats[other, slot]
        if direction == 0 and real != other_real and not (np.isnan(real) and np.isnan(other_real)):
            return False
    return True


@inner_in_place
def _is_no_worse(rows: Nodes, one: int, other: int, slots: SlotTables, directions: Int64s) -> bool:
    """Whether no aggregate of a run is worse than that of another one that is alike."""
    events, aggregates = slots.representative.shape[0], slots.aggregates.shape[0]
    for slot in range(aggregates):
        direction = directions[slot]
        if direction == 0:
            continue
        at = SLOTS + events + slot
        if slots.aggregates[slot, AGGREGATE_FUNCTION] != COUNT:
            if slots.aggregates[slot, AGGREGATE_IS_FLOAT]:
                if direction * rows.floats[one, slot] < direction * rows.floats[other, slot]:
                    return False
                continue
            at += aggregates
        if direction * rows.integers[one, at] < direction * rows.integers[other, at]:
            return False
    return True


@inner_in_place
def _keep(
    state: RunState,
    kept: KeptRuns,
    count: int,
    node: int,
    class_number: int,
    slots: SlotTables,
    preference: Preference,
    window: int,
    step: int,
) -> int:
    """Keep a run unless one of those before makes it superfluous; return how many are kept."""
    rows, table = Nodes(state.graph.nodes, state.floats), state.table
    last_place = table.shape[0] - 1
    place = _hash(rows, node, slots, preference, window) & last_place
    kept.earlier[count] = NONE
    while table[place, 0] == step:
        other = int(table[place, 1])
        if _is_alike(rows, kept.node[other], node, slots, preference, window):
            kept.earlier[count] = other
            # With one aggregate every run that is kept has a better value than those before.
            is_only_one = preference.directed <= 1
            while other != NONE:
                if _is_no_worse(rows, kept.node[other], node, slots, preference.directions):
                    return count
                other = NONE if is_only_one else int(kept.earlier[other])
            break
        place = (place + 1) & last_place
    table[place, 0], table[place, 1] = step, count
    kept.node[count], kept.new_class[count] = node, class_number
    return count + 1


@inlined
def _add_node(graph: Graph, node: int, before: int, clock: int) -> None:
    """Link a node whose event, position and slots are written."""
    nodes, cursor = graph.nodes, graph.cursor
    head = cursor[HEAD_COUNT]
    nodes[node, ROOT], nodes[node, REMOVED] = node, ALWAYS
    nodes[node, HEADS], nodes[node, HEADS_END] = head, head
    nodes[node, START], nodes[node, LATEST_START] = clock, clock
    cursor[NODE_COUNT] += 1
    if before != NONE:
        cell, latest = cursor[CELL_COUNT], nodes[before, LATEST_START]
        nodes[node, START], nodes[node, LATEST_START] = NEVER, latest
        nodes[node, HEADS_END] = head + 1
        graph.heads[head] = cell
        graph.cells[cell, NODE], graph.cells[cell, NEXT] = before, NONE
        graph.cells[cell, LATEST] = latest
        cursor[HEAD_COUNT] += 1
        cursor[CELL_COUNT] += 1


@inlined
def _remove_node(graph: Graph, node: int, before: int) -> None:
    """Take the newest node back."""
    graph.cursor[NODE_COUNT] = node
    if before != NONE:
        graph.cursor[HEAD_COUNT] -= 1
        graph.cursor[CELL_COUNT] -= 1


@inner_in_place
def _holds(
    state: RunState,
    rules: RunRules,
    columns: ColumnArrays,
    binding: int,
    node: int,
    event: int,
    room: Room,
) -> int:
    """Whether all tests of a binding hold."""
    return tests_hold(
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


@kernel_in_place
def fold_best_runs(
    state: RunState,
    kept: KeptRuns,
    automaton: AutomatonArrays,
    rules: RunRules,
    events: EventArrays,
    columns: ColumnArrays,
    window_length: int,
    preference: Preference,
    most_nodes: int,
    room: Room,
) -> int:
    """Fold steps until all are done or the graph is full; return why it stopped."""
    positions, edges = automaton.follow.size, rules.edge_targets.size
    graph, live, cursor = state.graph, state.live, state.graph.cursor
    rows, slots = Nodes(graph.nodes, state.floats), rules.slots
    while cursor[NEXT_STEP] < events.step_offsets.size - 1:
        step = int(cursor[NEXT_STEP])
        more = room_needed(cursor, rules, events)
        if (
            cursor[NODE_COUNT] >= most_nodes
            or cursor[NODE_COUNT] + more + 1 > graph.nodes.shape[0]
            or cursor[HEAD_COUNT] + more + 1 > graph.heads.size
            or cursor[CELL_COUNT] + more > graph.cells.shape[0]
            or cursor[END_COUNT] + more > graph.ends.shape[0]
            or cursor[LIVE_COUNT] + more > live.size
            or 2 * (cursor[LIVE_COUNT] + more) > state.table.shape[0]
        ):
            return IS_FULL
        if step == events.partition_offsets[cursor[PARTITION] + 1]:
            cursor[PARTITION] += 1
            cursor[LIVE_COUNT] = 0
        begin, end = events.step_offsets[step], events.step_offsets[step + 1]
        clock = int(events.clock[begin])
        fired = fired_by(events.fires, begin, end)
        limit = start_limit(clock, window_length)
        first_end, waiting = cursor[END_COUNT], int(cursor[LIVE_COUNT])
        index, count, class_number = 0, 0, 0
        # Classes of runs that wait, and last the run that starts here.
        while index <= waiting:
            is_start, stop = index == waiting, index + 1
            reach, first_binding, end_binding = automaton.first, edges, edges + positions
            if not is_start:
                while stop < waiting and kept.class_of[stop] == kept.class_of[index]:
                    stop += 1
                position = graph.nodes[live[index], POSITION]
                reach = automaton.follow[position]
                first_binding = int(rules.edge_offsets[position])
                end_binding = int(rules.edge_offsets[position + 1])
            for binding in range(first_binding, end_binding if reach & fired else 0):
                target = binding - edges if is_start else int(rules.edge_targets[binding])
                bit = np.uint64(1) << np.uint64(target)
                class_number += 1
                for run in range(index, stop if reach & fired & bit else index):
                    before = NONE if is_start else int(live[run])
                    if not is_start and graph.nodes[before, LATEST_START] <= limit:
                        continue
                    for place in range(begin, end):
                        event = int(preference.by_value[place])
                        if events.fires[event] & bit == 0:
                            continue
                        holds = _holds(state, rules, columns, binding, before, event, room)
                        if holds == 1:
                            node = int(cursor[NODE_COUNT])
                            graph.nodes[node, EVENT], graph.nodes[node, POSITION] = event, target
                            write_slots(rows, node, before, binding, slots, columns, event)
                            _add_node(graph, node, before, clock)
                            ends_before, kept_before = cursor[END_COUNT], count
                            if automaton.last & bit:
                                ending = edges + positions + target
                                holds = _holds(state, rules, columns, ending, node, event, room)
                                if holds == 1:
                                    add_end(graph, node)
                            if automaton.follow[target]:
                                count = _keep(
                                    state, kept, count, node, class_number, slots, preference,
                                    window_length, step,
                                )  # fmt: skip
                            if cursor[END_COUNT] == ends_before and count == kept_before:
                                _remove_node(graph, node, before)
                        if holds == OVERFLOW:
                            cursor[FAILED_EVENT] = event
                            return HAS_OVERFLOW
            class_number += 1
            for run in range(index, waiting if is_start else stop):
                if graph.nodes[live[run], LATEST_START] > limit:
                    count = _keep(
                        state, kept, count, int(live[run]), class_number, slots, preference,
                        window_length, step,
                    )  # fmt: skip
            index = stop
        if cursor[END_COUNT] > first_end:
            count = 0  # one of these matches is taken, and all runs overlap with it
        for run in range(count):
            live[run], kept.class_of[run] = kept.node[run], kept.new_class[run]
        cursor[LIVE_COUNT] = count
        cursor[NEXT_STEP] += 1
    return DONE
