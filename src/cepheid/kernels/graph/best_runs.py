"""The fold of runs of which only the best are kept, where not all matches are taken.

Of matches that end (and, one a start, begin) with the same order key the one is taken with the
smallest sequence of steps (order keys and positions), of those the one with the smallest values.
Where they are not to overlap it is the one that ends first, and all runs are over with it. Under
skip-till-any a run d makes another run c superfluous if

1. d comes before c in that order, of runs that go on: then d with any later steps comes before c
   with the same ones;
2. both wait at the same position, the same edges are open to them, they carry the same events (as
   far as they are read and not compared), and, if there is a window or each start has a match,
   start at the same time: so d can go on wherever c can, as far as what is compared allows it;
3. no aggregate of d is worse, and no event that it carries, by what is compared of them: the tests
   that read them hold for d whenever they hold for c. What both take later keeps it so: sums,
   counts and extremes grow with what they grow from, averages do if there are as many values, and
   events are replaced by the same ones.

An edge is open if its tests hold that read nothing of the next event: `a[a.LEN].x > a[1].x + 2`.

Runs are kept in order, so that nothing has to be compared for 1. A run that takes an event comes
directly before itself without it, and what starts now comes last. Runs with the same steps, which
only concurrent events make, are a *class*: they take the events of a step together, a class for
every position, so that values decide among them and nowhere else.

Cost per event: the runs that are kept, times the edges out of them that it fires. Where all bounds
point the same way as the order (`sum(a[].x) > c` of values that are not negative) one run is kept
for every start that is told apart. Of a first event with a bound from one side those are kept that
are better than all before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.graph.build_run_graph import Room, RunRules, RunState, room_needed
from cepheid.kernels.graph.compare_runs import Preference, hash_run, is_alike, is_superfluous
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
    START,
    Graph,
    add_end,
    start_limit,
)
from cepheid.kernels.graph.run_graph import (
    Nodes,
    SlotTables,
    TestTables,
    tests_hold,
    write_slots,
)
from cepheid.kernels.jit import inlined, inner_in_place, kernel_in_place
from cepheid.kernels.predicates.predicate_machine import OVERFLOW, ColumnArrays
from cepheid.kernels.step import fired_by


class KeptRuns(NamedTuple):
    """The runs that are kept by the current step, as it goes on: their nodes and classes.

    `class_of` is that of runs kept before the step. Of runs with all that must be the same,
    `earlier_new` and `earlier_old` have the number of the last one before that takes an event of
    this step, and of the last one that does not, or NONE.
    """

    class_of: Int64s
    node: Int64s
    new_class: Int64s
    earlier_new: Int64s
    earlier_old: Int64s


@inner_in_place
def _has_better(
    rows: Nodes,
    node: int,
    kept: KeptRuns,
    last: int,
    earlier: Int64s,
    slots: SlotTables,
    preference: Preference,
) -> bool:
    """Whether one of the runs before makes another superfluous that is alike."""
    while last != NONE:
        if is_superfluous(rows, node, int(kept.node[last]), slots, preference):
            return True
        last = int(earlier[last])
    return False


@inner_in_place
def _keep(
    state: RunState,
    kept: KeptRuns,
    count: int,
    node: int,
    class_number: int,
    slots: SlotTables,
    preference: Preference,
    step: int,
    first_new: int,
) -> int:
    """Keep a run unless one of those before makes it superfluous; return how many are kept.

    Nodes from `first_new` on are of this step. Runs that were kept before it need not be compared
    with one another: nothing has changed between them.
    """
    rows, table = Nodes(state.graph.nodes, state.floats), state.table
    last_place = table.shape[0] - 1
    place = hash_run(rows, node, slots, preference) & last_place
    newest, oldest = NONE, NONE
    while table[place, 0] == step:
        last = int(table[place, 1])
        if not is_alike(rows, kept.node[last], node, slots, preference):
            place = (place + 1) & last_place
            continue
        is_new = kept.node[last] >= first_new
        newest = last if is_new else int(kept.earlier_new[last])
        oldest = int(kept.earlier_old[last]) if is_new else last
        if preference.directed[rows.integers[node, POSITION]] <= 1:
            # With one value every run that is kept has a better one than those before.
            if is_superfluous(rows, node, int(kept.node[last]), slots, preference):
                return count
        elif _has_better(rows, node, kept, newest, kept.earlier_new, slots, preference) or (
            node >= first_new
            and _has_better(rows, node, kept, oldest, kept.earlier_old, slots, preference)
        ):
            return count
        break
    table[place, 0], table[place, 1] = step, count
    kept.earlier_new[count], kept.earlier_old[count] = newest, oldest
    kept.node[count], kept.new_class[count] = node, class_number
    return count + 1


@inlined
def add_node(graph: Graph, node: int, before: int, clock: int) -> None:
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
    tests: TestTables,
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
        tests,
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


@inner_in_place
def _find_open_edges(
    settled: TestTables,
    state: RunState,
    rules: RunRules,
    columns: ColumnArrays,
    node: int,
    room: Room,
) -> bool:
    """Write down which edges are open to a run; whether any is.

    An edge whose tests cannot be computed is, so that the error comes up if it is taken.
    """
    nodes = state.graph.nodes
    position, open_edges = nodes[node, POSITION], np.uint64(0)
    begin, end = rules.edge_offsets[position], rules.edge_offsets[position + 1]
    for edge in range(begin, end):
        is_free = settled.offsets[edge] == settled.offsets[edge + 1]
        event = nodes[node, EVENT]
        if is_free or _holds(settled, state, rules, columns, edge, node, event, room) != 0:
            open_edges |= np.uint64(1) << np.uint64(edge - begin)
    nodes[node, -1] = np.int64(open_edges)
    return bool(open_edges != 0)


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
        index, count, class_number, first_new = 0, 0, 0, int(cursor[NODE_COUNT])
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
                        holds = _holds(
                            rules.tests, state, rules, columns, binding, before, event, room
                        )
                        if holds == 1:
                            node = int(cursor[NODE_COUNT])
                            graph.nodes[node, EVENT], graph.nodes[node, POSITION] = event, target
                            write_slots(rows, node, before, binding, slots, columns, event)
                            add_node(graph, node, before, clock)
                            ends_before, kept_before = cursor[END_COUNT], count
                            if automaton.last & bit:
                                ending = edges + positions + target
                                holds = _holds(
                                    rules.tests, state, rules, columns, ending, node, event, room
                                )
                                if holds == 1:
                                    add_end(graph, node)
                            if _find_open_edges(
                                preference.settled, state, rules, columns, node, room
                            ):
                                count = _keep(
                                    state, kept, count, node, class_number, slots, preference,
                                    step, first_new,
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
                        step, first_new,
                    )  # fmt: skip
            index = stop
        if preference.drops and cursor[END_COUNT] > first_end:
            count = 0  # one of these matches is taken, and all runs overlap with it
        for run in range(count):
            live[run], kept.class_of[run] = kept.node[run], kept.new_class[run]
        cursor[LIVE_COUNT] = count
        cursor[NEXT_STEP] += 1
    return DONE
