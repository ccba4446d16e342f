"""What the folds share that keep one value per last event of a run (COGRA's mixed granularity).

A *node* is an event at a position with what all runs that end there add up to. An event extends the
nodes at the other end of an edge that pass the edge's tests. The fold runs over *segments*: the
steps of a partition, or of one window of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Bytes, Int64s
from cepheid.kernels.graph.match_nodes import EVENT
from cepheid.kernels.graph.run_graph import Nodes, SlotTables, TestTables
from cepheid.kernels.jit import inlined
from cepheid.kernels.predicates.predicate_machine import Operands, PredicateCode, Stack
from cepheid.kernels.values.extended import added, product
from cepheid.kernels.values.value_algebra import clear, make_one
from cepheid.kernels.values.value_arrays import Measures, Values

# What is kept for an edge (see plan/rules/choose_structure.py).
SCAN, TOTAL, PREFIX_SUMS, EQUAL_SUMS, STACK, TREE = 0, 1, 2, 3, 4, 5
NO_EVENT = -1
TAKEN = 1  # a column of the node table: the positions that events of the step have taken it to


class AdjacentRules(NamedTuple):
    """The query: edges are sorted by source, those out of p are `out_offsets[p:]`.

    Those into q are `in_edges[in_offsets[q]:in_offsets[q + 1]]`. Tests are by binding: edges,
    entries, ends. `slots` has none: a test reads the last event and the new one only. `is_cut`
    says whether a negated part can block an edge.
    """

    out_offsets: Int64s
    targets: Int64s
    in_offsets: Int64s
    in_edges: Int64s
    sources: Int64s
    structure: Int64s
    is_cut: Int64s
    tests: TestTables
    slots: SlotTables
    code: PredicateCode


class Indexes(NamedTuple):
    """Where events stand in the order of the values that edges compare.

    An edge has the rows `offsets[edge]:offsets[edge + 1]`. Event e waits at `place[row, e]` (-1:
    nowhere), and takes what waits from `low[row, e]` up to but without `high[row, e]`. Places of a
    partition count from 0 to `size[row, partition]` and begin at slot `base[row, partition]`.
    """

    offsets: Int64s
    place: Int64s
    low: Int64s
    high: Int64s
    base: Int64s
    size: Int64s


class Segments(NamedTuple):
    """Steps `begin[s]:end[s]` of a partition; a window of it if it has several."""

    partition: Int64s
    begin: Int64s
    end: Int64s


class Blocks(NamedTuple):
    """Where runs cannot begin, go on or end; tables without rows block nothing.

    `entries[position, e]` and `ends[position, e]` say whether the tests of beginning or ending with
    event e hold: 1 or 0, or OVERFLOW.

    Along an edge, event e follows only events whose rank of the order key is `edge_cuts[edge, e]`
    or more. It enters at a position unless `entry_cuts[position, e]` is in the segment. A match
    ends at a position only in events of rank `exit_cuts[segment, position]` or more.
    """

    entries: Bytes
    ends: Bytes
    rank: Int64s
    edge_cuts: Int64s
    entry_cuts: Int64s
    exit_cuts: Int64s


class AdjacentRoom(NamedTuple):
    """State and room to work in; nodes at p begin at `node_base[p]`, `waiting[p]` of them wait.

    `fresh` are the nodes of the current step. `sums` are the structures of edges or positions,
    `totals` one value for each, `running` the sums up to a node of a stack. `cuts` has for every
    edge the rank up to which nodes are blocked, and how many nodes that are. `tested` is a node for
    the tests.
    """

    nodes: Int64s
    node_values: Values
    node_base: Int64s
    waiting: Int64s
    fresh: Int64s
    fresh_values: Values
    sums: Values
    totals: Values
    running: Values
    cuts: Int64s
    result: Values
    operands: Operands
    stack: Stack
    tested: Nodes


FRESH_EVENT, FRESH_POSITION = 0, 1
CUT, BLOCKED = 0, 1  # columns of `cuts`


@inlined
def extend_by_event(
    values: Values, row: int, slot: int, measures: Measures, event: int, bit: np.uint64
) -> None:
    """Extend runs by one event at the position of a bit."""
    runs, runs_tier = values.mantissa[row, slot, 0], values.tier[row, slot, 0]
    runs_low = values.low[row, slot, 0]
    for number in range(1, values.mantissa.shape[2]):
        if measures.moduli[number] > 0 or measures.positions[number] & bit == 0:
            continue
        if measures.moduli[number] < 0:
            low = measures.low[number, event] * values.low[row, slot, number + 1]
            low = (values.low[row, slot, number] + low) % -measures.moduli[number]
            values.low[row, slot, number] = low
            continue
        more, more_tier = product(
            measures.mantissa[number, event], measures.tier[number, event], runs, runs_tier
        )
        values.mantissa[row, slot, number], values.tier[row, slot, number] = added(
            values.mantissa[row, slot, number], values.tier[row, slot, number], more, more_tier
        )
        values.low[row, slot, number] += measures.low[number, event] * runs_low
    for number in range(values.least.shape[2]):
        if measures.least_positions[number] & bit:
            values.least[row, slot, number] = min(
                values.least[row, slot, number], measures.least[number, event]
            )


@inlined
def begin_runs(
    first: np.uint64,
    blocks: Blocks,
    values: Values,
    at: int,
    position: int,
    event: int,
    first_rank: int,
    moduli: Int64s,
) -> int:
    """Set a value to the run that starts with an event, if one does; or return OVERFLOW."""
    clear(values, 0, at)
    if first & (np.uint64(1) << np.uint64(position)) == 0:
        return 0
    if blocks.entry_cuts.size and blocks.entry_cuts[position, event] >= first_rank:
        return 0
    if blocks.entries.size and blocks.entries[position, event] != 1:
        return int(blocks.entries[position, event])
    make_one(values, 0, at, moduli)
    return 1


@inlined
def may_end(last: np.uint64, blocks: Blocks, segment: int, position: int, event: int) -> int:
    """Whether matches end with an event at a position: 1 or 0, or OVERFLOW."""
    if last & (np.uint64(1) << np.uint64(position)) == 0:
        return 0
    if blocks.exit_cuts.size and blocks.rank[event] < blocks.exit_cuts[segment, position]:
        return 0
    return int(blocks.ends[position, event]) if blocks.ends.size else 1


@inlined
def add_node(room: AdjacentRoom, position: int, event: int) -> int:
    """Let an event wait at a position; return its place in the node table."""
    node = int(room.node_base[position] + room.waiting[position])
    room.nodes[node, EVENT] = event
    room.waiting[position] += 1
    return node
