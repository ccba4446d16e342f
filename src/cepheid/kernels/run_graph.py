"""Runs that differ in what they carry: the tests of predicates over several events, and slots.

A node is an event at a position together with what later predicates read of the run that led to it
(its *slots*: events of other variables, aggregates of blocks). Runs that agree in all of that have
the same future and share the node (SASE+ 5.2.2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.graph import EVENT, NONE, POSITION, SLOTS
from cepheid.kernels.jit import inner
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

UNBOUND = -1
CLOSED = -2  # an event slot that nothing sets again, and whose tests hold

# Slots are columns of the node table: events, then counts, then integers of aggregates.
# Columns of the test and operand tables.
CODE_BEGIN, CODE_END, OPERAND_BEGIN, OPERAND_END = 0, 1, 2, 3
SOURCE, FUNCTION, IS_FLOAT = 0, 1, 2
# Columns of the table of aggregates.
AGGREGATE_COLUMN, AGGREGATE_FUNCTION = 0, 1

# Where an operand comes from: a slot (>= 0), or one of these.
CURRENT_EVENT, LAST_EVENT = -1, -2
KEEP, SET, EXTEND, CLOSE = 0, 1, 2, 3
COUNT, SUM, AVERAGE, MINIMUM, MAXIMUM = 0, 1, 2, 3, 4


class TestTables(NamedTuple):
    """Which clauses a binding tests: those of an edge, of an entry, or of ending at a position.

    Edges come first, then one pseudo-edge per position for entries, then one for ends; the tests of
    binding b are the rows `offsets[b]:offsets[b + 1]`.
    """

    offsets: Int64s
    tests: Int64s
    operands: Int64s


class SlotTables(NamedTuple):
    """How a binding changes slots, and at which positions they are alive; a column per slot.

    Event slots come first, aggregates after them. `representative[s, e]` is the first event that
    agrees with e in all attributes read through event slot s, so that runs which differ in nothing
    that is read are merged.
    """

    changes: Int64s
    is_live: Int64s
    representative: Int64s
    aggregates: Int64s


class Nodes(NamedTuple):
    """The node table of the graph, and the floats of aggregates."""

    integers: Int64s
    floats: Float64s


@inner
def _read_aggregate(
    nodes: Nodes, node: int, slots: SlotTables, slot: int, operand: Int64s, into: Operands, at: int
) -> bool:
    """Write the value of an aggregate of a block; False if there is no block."""
    events, aggregates = slots.representative.shape[0], slots.aggregates.shape[0]
    function = operand[FUNCTION]
    count = nodes.integers[node, SLOTS + events + slot]
    integer = nodes.integers[node, SLOTS + events + aggregates + slot]
    real = nodes.floats[node, slot]
    into.status[at] = VALID if count > 0 or function == COUNT else NULL
    if function == COUNT:
        into.integers[at] = count
    elif function == AVERAGE:
        total = real if operand[IS_FLOAT] else float(integer)
        into.floats[at] = total / count if count > 0 else 0.0
    else:
        into.integers[at] = integer
        into.floats[at] = real
    return bool(count != UNBOUND)


@inner
def tests_hold(
    tables: TestTables,
    binding: int,
    nodes: Nodes,
    node: int,
    event: int,
    slots: SlotTables,
    code: PredicateCode,
    columns: ColumnArrays,
    operands: Operands,
    stack: Stack,
) -> int:
    """Whether the clauses that a binding tests hold: 1 or 0, or OVERFLOW.

    A clause that reads an unbound variable, or a closed slot, holds.
    """
    for test in range(tables.offsets[binding], tables.offsets[binding + 1]):
        is_bound = True
        begin = tables.tests[test, OPERAND_BEGIN]
        for row in range(begin, tables.tests[test, OPERAND_END]):
            source, at = tables.operands[row, SOURCE], row - begin
            if source == CURRENT_EVENT:
                operands.events[at] = event
            elif source == LAST_EVENT:
                operands.events[at] = nodes.integers[node, EVENT]
            elif tables.operands[row, FUNCTION] == NONE:
                operands.events[at] = nodes.integers[node, SLOTS + source]
                is_bound = is_bound and operands.events[at] >= 0
            else:
                has_block = _read_aggregate(
                    nodes, node, slots, source, tables.operands[row], operands, at
                )
                is_bound = is_bound and has_block
        if not is_bound:
            continue
        size = run_code(
            code,
            tables.tests[test, CODE_BEGIN],
            tables.tests[test, CODE_END],
            operands,
            columns,
            stack,
        )
        if size == OVERFLOW:
            return OVERFLOW
        if stack.integers[0] == 0:
            return 0
    return 1


@inner
def _extend_aggregate(
    nodes: Nodes, node: int, slot: int, slots: SlotTables, columns: ColumnArrays, event: int
) -> None:
    """Take one more event into the aggregate of a block; NULL and lacking values are skipped."""
    count_at = SLOTS + slots.representative.shape[0] + slot
    integer_at = count_at + slots.aggregates.shape[0]
    column = slots.aggregates[slot, AGGREGATE_COLUMN]
    if column == NONE:
        nodes.integers[node, count_at] += 1
        return
    if columns.status[column, event] != VALID:
        return
    is_first = nodes.integers[node, count_at] == 0
    nodes.integers[node, count_at] += 1
    integer, real = columns.integers[column, event], columns.floats[column, event]
    function = slots.aggregates[slot, AGGREGATE_FUNCTION]
    if function == MINIMUM:
        if is_first or integer < nodes.integers[node, integer_at]:
            nodes.integers[node, integer_at] = integer
        if is_first or real < nodes.floats[node, slot]:
            nodes.floats[node, slot] = real
    elif function == MAXIMUM:
        if is_first or integer > nodes.integers[node, integer_at]:
            nodes.integers[node, integer_at] = integer
        if is_first or real > nodes.floats[node, slot]:
            nodes.floats[node, slot] = real
    else:
        nodes.integers[node, integer_at] += integer
        nodes.floats[node, slot] += real


@inner
def write_slots(
    nodes: Nodes,
    node: int,
    before: int,
    binding: int,
    slots: SlotTables,
    columns: ColumnArrays,
    event: int,
) -> None:
    """Fill the slots of a new node from its predecessor (or NONE) and the event it binds."""
    position = nodes.integers[node, POSITION]
    events, aggregates = slots.representative.shape[0], slots.aggregates.shape[0]
    for slot in range(events):
        at = SLOTS + slot
        nodes.integers[node, at] = UNBOUND
        if slots.is_live[position, slot]:
            change = slots.changes[binding, slot]
            is_closed = before != NONE and nodes.integers[before, at] == CLOSED
            if change == CLOSE or is_closed:
                nodes.integers[node, at] = CLOSED
            elif change == SET:
                nodes.integers[node, at] = slots.representative[slot, event]
            elif before != NONE:
                nodes.integers[node, at] = nodes.integers[before, at]
    for slot in range(aggregates):
        change = slots.changes[binding, events + slot]
        count_at, integer_at = SLOTS + events + slot, SLOTS + events + aggregates + slot
        nodes.integers[node, count_at] = UNBOUND
        nodes.integers[node, integer_at] = 0
        nodes.floats[node, slot] = 0.0
        if not slots.is_live[position, events + slot]:
            continue
        if change == SET:
            nodes.integers[node, count_at] = 0
        elif before != NONE:
            nodes.integers[node, count_at] = nodes.integers[before, count_at]
            nodes.integers[node, integer_at] = nodes.integers[before, integer_at]
            nodes.floats[node, slot] = nodes.floats[before, slot]
        if change != KEEP:
            _extend_aggregate(nodes, node, slot, slots, columns, event)


@inner
def hash_node(nodes: Nodes, node: int) -> int:
    """Return a number from everything that tells nodes of one step apart."""
    value = np.uint64(nodes.integers[node, EVENT]) * np.uint64(0x9E3779B97F4A7C15)
    value ^= np.uint64(nodes.integers[node, POSITION]) * np.uint64(0xC2B2AE3D27D4EB4F)
    for at in range(SLOTS, nodes.integers.shape[1]):
        value = (value ^ np.uint64(nodes.integers[node, at])) * np.uint64(0x165667B19E3779F9)
        value ^= value >> np.uint64(29)
    return int(value >> np.uint64(1))


@inner
def is_same_node(nodes: Nodes, one: int, other: int) -> bool:
    """Whether two nodes stand for runs with the same future."""
    if (
        nodes.integers[one, EVENT] != nodes.integers[other, EVENT]
        or nodes.integers[one, POSITION] != nodes.integers[other, POSITION]
    ):
        return False
    for at in range(SLOTS, nodes.integers.shape[1]):
        if nodes.integers[one, at] != nodes.integers[other, at]:
            return False
    for slot in range(nodes.floats.shape[1]):
        if nodes.floats[one, slot] != nodes.floats[other, slot]:
            return False
    return True
