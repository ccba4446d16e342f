"""Aggregate trends by their last events under skip-till-any, where runs always stay.

Every edge keeps the nodes at its source in a structure of its own, so that the sum over the nodes
that an event extends is looked up, not added up.
"""

from __future__ import annotations

import numpy as np

from cepheid.kernels.arrays import AutomatonArrays, EventArrays, Int64s
from cepheid.kernels.graph.match_nodes import EVENT
from cepheid.kernels.jit import inlined, inner_in_place, kernel_in_place
from cepheid.kernels.last_event.adjacent_rules import (
    BLOCKED,
    CUT,
    EQUAL_SUMS,
    FRESH_EVENT,
    FRESH_POSITION,
    NO_EVENT,
    PREFIX_SUMS,
    SCAN,
    TOTAL,
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
from cepheid.kernels.last_event.adjacent_scan import add_scanned
from cepheid.kernels.last_event.prefix_sums import add_at_place, add_prefix, clear_place
from cepheid.kernels.predicates.predicate_machine import OVERFLOW, ColumnArrays
from cepheid.kernels.values.value_algebra import clear, copy, has_runs, plus
from cepheid.kernels.values.value_arrays import Measures, Values


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
    """Add the nodes that an event extends along an edge with a structure to a fresh value."""
    if rules.structure[edge] == TOTAL:
        plus(room.fresh_values, 0, at, room.totals, 0, edge, moduli)
        return
    for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
        base = indexes.base[row, partition]
        if rules.structure[edge] == PREFIX_SUMS:
            add_prefix(room.fresh_values, 0, at, room.sums, base, indexes.high[row, event], moduli)
        elif indexes.low[row, event] < indexes.high[row, event]:
            plus(room.fresh_values, 0, at, room.sums, 0, base + indexes.low[row, event], moduli)


@inlined
def _add_to_edge(
    rules: AdjacentRules,
    indexes: Indexes,
    room: AdjacentRoom,
    edge: int,
    partition: int,
    event: int,
    values: Values,
    slot: int,
    moduli: Int64s,
) -> None:
    """Put a node's value into the structure of an edge out of its position."""
    if rules.structure[edge] == TOTAL:
        plus(room.totals, 0, edge, values, 0, slot, moduli)
        return
    for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
        place, base = indexes.place[row, event], indexes.base[row, partition]
        if place < 0:
            continue
        if rules.structure[edge] == EQUAL_SUMS:
            plus(room.sums, 0, base + place, values, 0, slot, moduli)
        else:
            size = indexes.size[row, partition]
            add_at_place(room.sums, base, size, place, values, slot, moduli)


@inlined
def _clear_event(
    rules: AdjacentRules, indexes: Indexes, sums: Values, edge: int, partition: int, event: int
) -> None:
    """Clear every slot of an edge's structure that the node of an event was added to."""
    for row in range(indexes.offsets[edge], indexes.offsets[edge + 1]):
        place, base = indexes.place[row, event], indexes.base[row, partition]
        if place < 0:
            continue
        if rules.structure[edge] == EQUAL_SUMS:
            clear(sums, 0, base + place)
        else:
            clear_place(sums, base, indexes.size[row, partition], place)


@inlined
def _let_wait(
    rules: AdjacentRules,
    indexes: Indexes,
    room: AdjacentRoom,
    partition: int,
    fresh: int,
    moduli: Int64s,
) -> None:
    """Put a fresh node into the structures of the edges out of its position."""
    position, event = room.fresh[fresh, FRESH_POSITION], room.fresh[fresh, FRESH_EVENT]
    is_listed = False
    for edge in range(rules.out_offsets[position], rules.out_offsets[position + 1]):
        if (rules.structure[edge] == SCAN or rules.is_cut[edge]) and not is_listed:
            node = add_node(room, position, event)
            copy(room.node_values, 0, node, room.fresh_values, 0, fresh)
            is_listed = True
        if rules.structure[edge] != SCAN:
            _add_to_edge(
                rules, indexes, room, edge, partition, event, room.fresh_values, fresh, moduli
            )


@inner_in_place
def _cut_edges(
    rules: AdjacentRules,
    indexes: Indexes,
    blocks: Blocks,
    room: AdjacentRoom,
    partition: int,
    event: int,
    moduli: Int64s,
) -> None:
    """Take the nodes that a negated part blocks from now on out of the structures of edges.

    Sums cannot be taken apart: the structure is cleared, and what is left is added anew. That is
    little, as only what came while the negative match went on is left.
    """
    for edge in range(rules.targets.size):
        if not rules.is_cut[edge] or rules.structure[edge] == SCAN:
            continue
        cut = blocks.edge_cuts[edge, event]
        if cut <= room.cuts[edge, CUT]:
            continue
        room.cuts[edge, CUT] = cut
        position = rules.sources[edge]
        first = room.node_base[position] + room.cuts[edge, BLOCKED]
        last = room.node_base[position] + room.waiting[position]
        clear(room.totals, 0, edge)
        for node in range(first, last):
            _clear_event(rules, indexes, room.sums, edge, partition, room.nodes[node, EVENT])
        while first < last and blocks.rank[room.nodes[first, EVENT]] < cut:
            first += 1
        room.cuts[edge, BLOCKED] = first - room.node_base[position]
        for node in range(first, last):
            _add_to_edge(
                rules,
                indexes,
                room,
                edge,
                partition,
                room.nodes[node, EVENT],
                room.node_values,
                node,
                moduli,
            )


@inlined
def _forget(
    rules: AdjacentRules,
    indexes: Indexes,
    room: AdjacentRoom,
    events: EventArrays,
    partition: int,
    begin: int,
    end: int,
) -> None:
    """Clear the structures of everything that the events of a segment can have put there."""
    for edge in range(rules.targets.size):
        bit = np.uint64(1) << np.uint64(rules.sources[edge])
        for event in range(begin, end):
            if events.fires[event] & bit:
                _clear_event(rules, indexes, room.sums, edge, partition, event)


@kernel_in_place
def aggregate_any(
    automaton: AutomatonArrays,
    events: EventArrays,
    segments: Segments,
    rules: AdjacentRules,
    indexes: Indexes,
    blocks: Blocks,
    columns: ColumnArrays,
    measures: Measures,
    forgets: bool,
    room: AdjacentRoom,
) -> int:
    """Write the value of every segment into `room.result`; return the event that overflowed.

    `forgets`: segments share partitions, so that structures must be cleared after each. Cost per
    event: O(log n) for every edge with a structure, O(nodes that wait) for one that is scanned.
    """
    positions, moduli = automaton.follow.size, measures.moduli
    for segment in range(segments.begin.size):
        partition = segments.partition[segment]
        first_event = events.step_offsets[segments.begin[segment]]
        first_rank = blocks.rank[first_event]
        room.waiting[:] = 0
        room.cuts[:] = 0
        for edge in range(rules.targets.size):
            clear(room.totals, 0, edge)
        for step in range(segments.begin[segment], segments.end[segment]):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            if blocks.edge_cuts.size:
                _cut_edges(rules, indexes, blocks, room, partition, begin, moduli)
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
            for at in range(fresh):
                event, position = room.fresh[at, FRESH_EVENT], room.fresh[at, FRESH_POSITION]
                _let_wait(rules, indexes, room, partition, at, moduli)
                ends = may_end(automaton.last, blocks, segment, position, event)
                if ends == OVERFLOW:
                    return int(event)
                if ends:
                    plus(room.result, 0, segment, room.fresh_values, 0, at, moduli)
        if forgets:
            last_event = events.step_offsets[segments.end[segment]]
            _forget(rules, indexes, room, events, partition, first_event, last_event)
    return NO_EVENT
