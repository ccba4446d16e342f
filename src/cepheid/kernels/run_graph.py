"""The match graph with predicates over several events: runs that differ in what they carry.

A node is an event at a position together with what later predicates read of the run that led to it
(its *slots*: events of other variables, aggregates of blocks). Runs that agree in all of that have
the same future and share the node (SASE+ 5.2.2); the node links to all its predecessors. Nodes wait
in a list of live nodes until their strategy, a contiguity break or the window removes them.

Cost per event: the live nodes of its partition times the edges out of them that it fires.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Bytes, Float64s, Int64s
from cepheid.kernels.jit import kernel
from cepheid.kernels.predicate_code import (
    NULL,
    OVERFLOW,
    VALID,
    ColumnArrays,
    Operands,
    PredicateCode,
    Stack,
    run_code,
)

NONE = -1
NEVER = -(2**63)
UNBOUND = -1

# Where an operand comes from: a slot (>= 0), or one of these.
CURRENT_EVENT, LAST_EVENT = -1, -2
KEEP, SET, EXTEND = 0, 1, 2
COUNT, SUM, AVERAGE, MINIMUM, MAXIMUM = 0, 1, 2, 3, 4

DONE, HAS_OVERFLOW, HAS_TOO_MANY = 0, 1, 2


class TestArrays(NamedTuple):
    """Which clauses a binding tests: those of an edge, of an entry, or of ending at a position.

    Edges come first, then one pseudo-edge per position for entries, then one for ends. Test t runs
    `code_begin[t]:code_end[t]` on the operands `operand_offsets[t]:operand_offsets[t + 1]`; operand
    k reads `source[k]`, and `function[k]` is an aggregate of that slot or NONE for an event.
    """

    test_offsets: Int64s
    code_begin: Int64s
    code_end: Int64s
    operand_offsets: Int64s
    source: Int64s
    function: Int64s
    is_float: Bytes


class SlotArrays(NamedTuple):
    """How a binding changes slots, by edge (and entry) and slot; which are alive by position.

    `representative[s, e]` is the first event that agrees with e in all attributes read through
    event slot s, so that runs which differ in nothing that is read are merged.
    """

    event_change: Bytes
    event_is_live: Bytes
    representative: Int64s
    aggregate_change: Bytes
    aggregate_is_live: Bytes
    aggregate_column: Int64s
    aggregate_function: Int64s
    aggregate_is_float: Bytes


class Nodes(NamedTuple):
    """Nodes in order of creation; `link` is the head of the list of predecessors."""

    event: Int64s
    position: Bytes
    is_start: Bytes
    latest_start: Int64s
    link: Int64s
    slot_event: Int64s
    slot_count: Int64s
    slot_integer: Int64s
    slot_float: Float64s


class Links(NamedTuple):
    """Predecessor lists of nodes."""

    node: Int64s
    next: Int64s


class RunGraph(NamedTuple):
    """The finished graph; `outcome` tells whether the fold ran to its end."""

    nodes: Nodes
    links: Links
    final_nodes: Int64s
    outcome: int
    event: int


@kernel
def make_nodes(size: int, events: int, aggregates: int) -> Nodes:
    """Return room for nodes."""
    return Nodes(
        np.empty(size, np.int64),
        np.empty(size, np.int8),
        np.empty(size, np.int8),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty((size, events), np.int64),
        np.empty((size, aggregates), np.int64),
        np.empty((size, aggregates), np.int64),
        np.empty((size, aggregates), np.float64),
    )


@kernel
def _grow_nodes(nodes: Nodes) -> Nodes:
    size = nodes.event.size
    larger = make_nodes(2 * size, nodes.slot_event.shape[1], nodes.slot_count.shape[1])
    larger.event[:size] = nodes.event
    larger.position[:size] = nodes.position
    larger.is_start[:size] = nodes.is_start
    larger.latest_start[:size] = nodes.latest_start
    larger.link[:size] = nodes.link
    larger.slot_event[:size] = nodes.slot_event
    larger.slot_count[:size] = nodes.slot_count
    larger.slot_integer[:size] = nodes.slot_integer
    larger.slot_float[:size] = nodes.slot_float
    return larger


@kernel
def _grow_integers(array: Int64s) -> Int64s:
    larger = np.empty(2 * array.size, np.int64)
    larger[: array.size] = array
    return larger


@kernel
def _aggregate_operand(
    nodes: Nodes, node: int, slot: int, function: int, is_float: bool, operands: Operands, at: int
) -> None:
    """Write the value of an aggregate of a block."""
    count = nodes.slot_count[node, slot]
    operands.status[at] = VALID if count > 0 or function == COUNT else NULL
    if function == COUNT:
        operands.integers[at] = count
    elif function == AVERAGE:
        total = nodes.slot_float[node, slot] if is_float else float(nodes.slot_integer[node, slot])
        operands.floats[at] = total / count if count > 0 else 0.0
    else:
        operands.integers[at] = nodes.slot_integer[node, slot]
        operands.floats[at] = nodes.slot_float[node, slot]


@kernel
def tests_hold(
    tests: TestArrays,
    binding: int,
    nodes: Nodes,
    node: int,
    event: int,
    code: PredicateCode,
    columns: ColumnArrays,
    operands: Operands,
    stack: Stack,
) -> int:
    """Whether the clauses that a binding tests hold: 1 or 0, or OVERFLOW.

    A clause that reads an unbound variable holds.
    """
    for test in range(tests.test_offsets[binding], tests.test_offsets[binding + 1]):
        is_bound = True
        begin = tests.operand_offsets[test]
        for operand in range(begin, tests.operand_offsets[test + 1]):
            source, at = tests.source[operand], operand - begin
            if source == CURRENT_EVENT:
                operands.events[at] = event
            elif source == LAST_EVENT:
                operands.events[at] = nodes.event[node]
            elif tests.function[operand] == NONE:
                operands.events[at] = nodes.slot_event[node, source]
                is_bound = is_bound and operands.events[at] != UNBOUND
            else:
                is_bound = is_bound and nodes.slot_count[node, source] != UNBOUND
                _aggregate_operand(
                    nodes,
                    node,
                    source,
                    tests.function[operand],
                    tests.is_float[operand] != 0,
                    operands,
                    at,
                )
        if not is_bound:
            continue
        size = run_code(
            code, tests.code_begin[test], tests.code_end[test], operands, columns, stack
        )
        if size == OVERFLOW:
            return OVERFLOW
        if stack.integers[0] == 0:
            return 0
    return 1


@kernel
def _start_aggregate(
    nodes: Nodes, node: int, slot: int, slots: SlotArrays, columns: ColumnArrays, event: int
) -> None:
    nodes.slot_count[node, slot] = 0
    nodes.slot_integer[node, slot] = 0
    nodes.slot_float[node, slot] = 0.0
    _extend_aggregate(nodes, node, slot, slots, columns, event)


@kernel
def _extend_aggregate(
    nodes: Nodes, node: int, slot: int, slots: SlotArrays, columns: ColumnArrays, event: int
) -> None:
    """Take one more event into the aggregate of a block; NULL and lacking values are skipped."""
    column, function = slots.aggregate_column[slot], slots.aggregate_function[slot]
    if column == NONE:
        nodes.slot_count[node, slot] += 1
        return
    if columns.status[column, event] != VALID:
        return
    is_first = nodes.slot_count[node, slot] == 0
    nodes.slot_count[node, slot] += 1
    integer, real = columns.integers[column, event], columns.floats[column, event]
    if function in (SUM, AVERAGE):
        nodes.slot_integer[node, slot] += integer
        nodes.slot_float[node, slot] += real
    elif function == MINIMUM:
        if is_first or integer < nodes.slot_integer[node, slot]:
            nodes.slot_integer[node, slot] = integer
        if is_first or real < nodes.slot_float[node, slot]:
            nodes.slot_float[node, slot] = real
    elif function == MAXIMUM:
        if is_first or integer > nodes.slot_integer[node, slot]:
            nodes.slot_integer[node, slot] = integer
        if is_first or real > nodes.slot_float[node, slot]:
            nodes.slot_float[node, slot] = real


@kernel
def _write_slots(
    nodes: Nodes,
    node: int,
    before: int,
    binding: int,
    position: int,
    slots: SlotArrays,
    columns: ColumnArrays,
    event: int,
) -> None:
    """Fill the slots of a new node from its predecessor (or NONE) and the event it binds."""
    for slot in range(slots.event_change.shape[1]):
        if slots.event_is_live[position, slot] == 0:
            nodes.slot_event[node, slot] = UNBOUND
        elif slots.event_change[binding, slot] == SET:
            nodes.slot_event[node, slot] = slots.representative[slot, event]
        else:
            nodes.slot_event[node, slot] = (
                UNBOUND if before == NONE else nodes.slot_event[before, slot]
            )
    for slot in range(slots.aggregate_change.shape[1]):
        change = slots.aggregate_change[binding, slot]
        if slots.aggregate_is_live[position, slot] == 0 or (change == KEEP and before == NONE):
            nodes.slot_count[node, slot] = UNBOUND
            nodes.slot_integer[node, slot] = 0
            nodes.slot_float[node, slot] = 0.0
        elif change == SET:
            _start_aggregate(nodes, node, slot, slots, columns, event)
        else:
            nodes.slot_count[node, slot] = nodes.slot_count[before, slot]
            nodes.slot_integer[node, slot] = nodes.slot_integer[before, slot]
            nodes.slot_float[node, slot] = nodes.slot_float[before, slot]
            if change == EXTEND:
                _extend_aggregate(nodes, node, slot, slots, columns, event)


@kernel
def _hash_node(nodes: Nodes, node: int) -> int:
    value = np.uint64(nodes.event[node]) * np.uint64(0x9E3779B97F4A7C15)
    value ^= np.uint64(nodes.position[node]) * np.uint64(0xC2B2AE3D27D4EB4F)
    for slot in range(nodes.slot_event.shape[1]):
        value = (value ^ np.uint64(nodes.slot_event[node, slot])) * np.uint64(0x165667B19E3779F9)
        value ^= value >> np.uint64(29)
    for slot in range(nodes.slot_count.shape[1]):
        value = (value ^ np.uint64(nodes.slot_count[node, slot])) * np.uint64(0x27D4EB2F165667C5)
        value = (value ^ np.uint64(nodes.slot_integer[node, slot])) * np.uint64(0x9E3779B1)
        value ^= value >> np.uint64(29)
    return np.int64(value >> np.uint64(1))


@kernel
def _same_node(nodes: Nodes, one: int, other: int) -> bool:
    if nodes.event[one] != nodes.event[other] or nodes.position[one] != nodes.position[other]:
        return False
    for slot in range(nodes.slot_event.shape[1]):
        if nodes.slot_event[one, slot] != nodes.slot_event[other, slot]:
            return False
    for slot in range(nodes.slot_count.shape[1]):
        if (
            nodes.slot_count[one, slot] != nodes.slot_count[other, slot]
            or nodes.slot_integer[one, slot] != nodes.slot_integer[other, slot]
            or nodes.slot_float[one, slot] != nodes.slot_float[other, slot]
        ):
            return False
    return True
