"""Find the nodes that an event extends by trying all that wait."""

from __future__ import annotations

import numpy as np

from cepheid.kernels.adjacent_rules import (
    TAKEN,
    AdjacentRoom,
    AdjacentRules,
    Blocks,
    node_passes,
)
from cepheid.kernels.arrays import AutomatonArrays, Int64s
from cepheid.kernels.graph import EVENT
from cepheid.kernels.jit import inner_in_place
from cepheid.kernels.predicate_code import OVERFLOW, ColumnArrays
from cepheid.kernels.step import survives
from cepheid.kernels.value_algebra import copy, plus


@inner_in_place
def add_scanned(
    rules: AdjacentRules,
    columns: ColumnArrays,
    blocks: Blocks,
    room: AdjacentRoom,
    edge: int,
    event: int,
    at: int,
    moduli: Int64s,
) -> int:
    """Add the nodes that an event extends along an edge to a fresh value; O(nodes that wait).

    Every node that passes is marked as taken to the edge's target, also if a negated part blocks
    it. Returns OVERFLOW if a test left 64 bits.
    """
    position = rules.sources[edge]
    bit = np.int64(1) << rules.targets[edge]
    cut = blocks.edge_cuts[edge, event] if blocks.edge_cuts.size else np.int64(0)
    is_tested = rules.tests.offsets[edge] < rules.tests.offsets[edge + 1]
    begin = room.node_base[position]
    for node in range(begin, begin + room.waiting[position]):
        last = room.nodes[node, EVENT]
        if is_tested:
            holds = node_passes(rules, columns, room, edge, last, event)
            if holds == OVERFLOW:
                return OVERFLOW
            if holds == 0:
                continue
        room.nodes[node, TAKEN] |= bit
        if cut == 0 or blocks.rank[last] >= cut:
            plus(room.fresh_values, 0, at, room.node_values, 0, node, moduli)
    return 1


@inner_in_place
def drop_taken(automaton: AutomatonArrays, room: AdjacentRoom, position: int) -> None:
    """Keep the nodes that survive the step, and forget where they were taken to."""
    begin = room.node_base[position]
    kept = begin
    for node in range(begin, begin + room.waiting[position]):
        if survives(automaton, position, np.uint64(room.nodes[node, TAKEN])):
            room.nodes[kept, EVENT], room.nodes[kept, TAKEN] = room.nodes[node, EVENT], 0
            if kept != node:
                copy(room.node_values, 0, kept, room.node_values, 0, node)
            kept += 1
    room.waiting[position] = kept - begin
