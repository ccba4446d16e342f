"""Aggregate trends by their last events under strategies that take runs away.

Each position has one structure for all edges out of it: a run that is taken along one of them
leaves them all. The values of new nodes come first, from what waited before the step; then what was
taken goes, and the new nodes wait.
"""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import CONTIGUOUS, AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.graph.match_nodes import EVENT
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.last_event.adjacent_rules import (
    FRESH_EVENT,
    FRESH_POSITION,
    NO_EVENT,
    SCAN,
    STACK,
    TAKEN,
    TOTAL,
    TREE,
    AdjacentRoom,
    AdjacentRules,
    Blocks,
    Indexes,
    Segments,
    add_node,
    begin_runs,
    extend_by_event,
    may_end,
)
from cepheid.kernels.last_event.adjacent_scan import add_scanned, drop_taken
from cepheid.kernels.last_event.sum_tree import add_range, add_to_tree, clear_range
from cepheid.kernels.predicates.predicate_machine import OVERFLOW, ColumnArrays
from cepheid.kernels.step import fired_by, survives
from cepheid.kernels.values.value_algebra import clear, copy, has_runs, plus
from cepheid.kernels.values.value_arrays import Measures

BEFORE_ALL = -(2**62)


@inlined
def _add_before(
    rules: AdjacentRules,
    indexes: Indexes,
    room: AdjacentRoom,
    edge: int,
    partition: int,
    event: int,
    at: int,
    moduli: Int64s,
) -> None:
    """Add what an event takes along an edge with a structure to a fresh value."""
    position = rules.sources[edge]
    first, last = indexes.offsets[edge], indexes.offsets[edge + 1]
    if first == last:
        plus(room.fresh_values, 0, at, room.totals, 0, position, moduli)
    if rules.structure[edge] == STACK:
        bottom = room.node_base[position]
        top = bottom + room.waiting[position]
        if first == last:
            if top > bottom:
                plus(room.fresh_values, 0, at, room.running, 0, top - 1, moduli)
            return
        low = indexes.low[first, event]
        while top > bottom and indexes.place[first, room.nodes[top - 1, EVENT]] >= low:
            top -= 1
            plus(room.fresh_values, 0, at, room.node_values, 0, top, moduli)
    elif rules.structure[edge] == TREE:
        if first == last:
            row = _row_of(rules, indexes, position)
            plus(room.fresh_values, 0, at, room.sums, 0, indexes.base[row, partition] + 1, moduli)
        for row in range(first, last):
            add_range(
                room.fresh_values,
                at,
                room.sums,
                indexes.base[row, partition],
                indexes.size[row, partition],
                indexes.low[row, event],
                indexes.high[row, event],
                moduli,
            )


@inlined
def _row_of(rules: AdjacentRules, indexes: Indexes, position: int) -> int:
    """Return the first row of the edges out of a position: all of them have the same places."""
    return int(indexes.offsets[rules.out_offsets[position]])


@inlined
def _take_away(
    automaton: AutomatonArrays,
    rules: AdjacentRules,
    indexes: Indexes,
    room: AdjacentRoom,
    events: EventArrays,
    position: int,
    partition: int,
    begin: int,
    end: int,
    fired: np.uint64,
    moduli: Int64s,
) -> None:
    """Remove from the structure of a position what the step has taken."""
    for edge in range(rules.out_offsets[position], rules.out_offsets[position + 1]):
        bit = np.uint64(1) << np.uint64(rules.targets[edge])
        if fired & bit == 0 or survives(automaton, position, bit):
            continue
        first, last = indexes.offsets[edge], indexes.offsets[edge + 1]
        if first == last:
            _clear_position(rules, indexes, room, position, partition, moduli)
            continue
        for event in range(begin, end):
            if events.fires[event] & bit == 0:
                continue
            if rules.structure[edge] == STACK:
                bottom, low = room.node_base[position], indexes.low[first, event]
                top = bottom + room.waiting[position]
                while top > bottom and indexes.place[first, room.nodes[top - 1, EVENT]] >= low:
                    top -= 1
                room.waiting[position] = top - bottom
            else:
                for row in range(first, last):
                    clear_range(
                        room.sums,
                        indexes.base[row, partition],
                        indexes.size[row, partition],
                        indexes.low[row, event],
                        indexes.high[row, event],
                        moduli,
                    )


@inlined
def _clear_position(
    rules: AdjacentRules,
    indexes: Indexes,
    room: AdjacentRoom,
    position: int,
    partition: int,
    moduli: Int64s,
) -> None:
    """Remove everything that waits at a position."""
    clear(room.totals, 0, position)
    room.waiting[position] = 0
    edge = rules.out_offsets[position]
    if edge < rules.out_offsets[position + 1] and rules.structure[edge] == TREE:
        row = _row_of(rules, indexes, position)
        size = indexes.size[row, partition]
        clear_range(room.sums, indexes.base[row, partition], size, 0, size, moduli)


@inlined
def _let_wait(
    rules: AdjacentRules,
    indexes: Indexes,
    room: AdjacentRoom,
    partition: int,
    fresh: int,
    first_of_step: Int64s,
    moduli: Int64s,
) -> None:
    """Put a fresh node into the structure of its position."""
    position, event = room.fresh[fresh, FRESH_POSITION], room.fresh[fresh, FRESH_EVENT]
    edge = rules.out_offsets[position]
    if edge == rules.out_offsets[position + 1]:
        return
    structure = rules.structure[edge]
    if structure == SCAN:
        node = add_node(room, position, event)
        room.nodes[node, TAKEN] = 0
        copy(room.node_values, 0, node, room.fresh_values, 0, fresh)
        return
    row = _row_of(rules, indexes, position)
    if structure == TOTAL or indexes.place[row, event] < 0:
        plus(room.totals, 0, position, room.fresh_values, 0, fresh, moduli)
    elif structure == TREE:
        add_to_tree(
            room.sums,
            indexes.base[row, partition],
            indexes.size[row, partition],
            indexes.place[row, event],
            room.fresh_values,
            fresh,
            moduli,
        )
    else:
        # Concurrent events come in any order; the stack is sorted among them too.
        node = add_node(room, position, event)
        bottom = room.node_base[position] + first_of_step[position]
        place = indexes.place[row, event]
        while node > bottom and indexes.place[row, room.nodes[node - 1, EVENT]] > place:
            room.nodes[node, EVENT] = room.nodes[node - 1, EVENT]
            copy(room.node_values, 0, node, room.node_values, 0, node - 1)
            node -= 1
        room.nodes[node, EVENT] = event
        copy(room.node_values, 0, node, room.fresh_values, 0, fresh)
        bottom = room.node_base[position]
        for at in range(node, bottom + room.waiting[position]):
            copy(room.running, 0, at, room.node_values, 0, at)
            if at > bottom:
                plus(room.running, 0, at, room.running, 0, at - 1, moduli)


@kernel_in_place
def aggregate_next(
    automaton: AutomatonArrays,
    events: EventArrays,
    segments: Segments,
    rules: AdjacentRules,
    indexes: Indexes,
    blocks: Blocks,
    columns: ColumnArrays,
    measures: Measures,
    first_of_step: Int64s,
    room: AdjacentRoom,
) -> int:
    """Write the value of every segment into `room.result`; return the event that overflowed.

    Cost per event: amortised O(1) for a stack, O(log n) for a tree, O(nodes that wait) for a scan.
    """
    positions, moduli = automaton.follow.size, measures.moduli
    for segment in range(segments.begin.size):
        partition = segments.partition[segment]
        first_rank = blocks.rank[events.step_offsets[segments.begin[segment]]]
        rank_before = np.int64(BEFORE_ALL)
        for position in range(positions):
            _clear_position(rules, indexes, room, position, partition, moduli)
        for step in range(segments.begin[segment], segments.end[segment]):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            if automaton.strategy == CONTIGUOUS:
                if events.rank[begin] != rank_before + 1:
                    room.waiting[:] = 0
                rank_before = events.rank[begin]
            fresh = int(np.int64(0))  # no literal: what is called is compiled once
            for event in range(begin, end):
                fires = events.fires[event]
                for position in range(positions):
                    bit = np.uint64(1) << np.uint64(position)
                    if fires & bit == 0:
                        continue
                    holds = begin_runs(
                        automaton.first,
                        blocks,
                        room.fresh_values,
                        fresh,
                        position,
                        event,
                        first_rank,
                        moduli,
                    )
                    if holds == OVERFLOW:
                        return event
                    for at in range(rules.in_offsets[position], rules.in_offsets[position + 1]):
                        edge = rules.in_edges[at]
                        if rules.structure[edge] == SCAN:
                            holds = add_scanned(
                                rules, columns, blocks, room, edge, event, fresh, moduli
                            )
                            if holds == OVERFLOW:
                                return event
                        else:
                            _add_before(rules, indexes, room, edge, partition, event, fresh, moduli)
                    if has_runs(room.fresh_values, 0, fresh):
                        extend_by_event(room.fresh_values, 0, fresh, measures, event, bit)
                        room.fresh[fresh, FRESH_EVENT] = event
                        room.fresh[fresh, FRESH_POSITION] = position
                        fresh += 1
            fired = fired_by(events.fires, begin, end)
            for position in range(positions):
                edge = rules.out_offsets[position]
                if edge == rules.out_offsets[position + 1]:
                    continue
                first_of_step[position] = room.waiting[position]
                if automaton.strategy != CONTIGUOUS and fired & automaton.follow[position] == 0:
                    continue
                if rules.structure[edge] == SCAN:
                    drop_taken(automaton, room, position)
                else:
                    _take_away(
                        automaton,
                        rules,
                        indexes,
                        room,
                        events,
                        position,
                        partition,
                        begin,
                        end,
                        fired,
                        moduli,
                    )
                first_of_step[position] = room.waiting[position]
            for at in range(fresh):
                event, position = room.fresh[at, FRESH_EVENT], room.fresh[at, FRESH_POSITION]
                _let_wait(rules, indexes, room, partition, at, first_of_step, moduli)
                ends = may_end(automaton.last, blocks, segment, position, event)
                if ends == OVERFLOW:
                    return int(event)
                if ends:
                    plus(room.result, 0, segment, room.fresh_values, 0, at, moduli)
    return NO_EVENT
