"""Runs that differ in what they carry: the tests of predicates over several events, and slots.

A node is an event at a position together with what later predicates read of the run that led to it
(its *slots*: events of other variables, aggregates of blocks). Runs that agree in all of that have
the same future and share the node (SASE+ 5.2.2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.graph.match_nodes import EVENT, NONE, POSITION, SLOTS
from cepheid.kernels.jit import inlined
from cepheid.kernels.predicates.block_values import (
    average,
    is_beyond,
    larger,
    smaller,
    sum_of,
    with_value,
)
from cepheid.kernels.predicates.predicate_machine import (
    LACKING,
    NULL,
    OVERFLOW,
    OVERFLOWED,
    UNEQUAL,
    VALID,
    ColumnArrays,
    Operands,
    PredicateCode,
    Stack,
    compare,
    run_code,
)

UNBOUND = -1
CLOSED = -2  # an event slot that nothing sets again, and whose tests hold

# Slots are columns of the node table: events, then counts, then integers of aggregates.
# Columns of the test and operand tables.
CODE_BEGIN, CODE_END, OPERAND_BEGIN, OPERAND_END, KIND, COMPARISON = 0, 1, 2, 3, 4, 5
SOURCE, FUNCTION, IS_FLOAT, COLUMN = 0, 1, 2, 3
# Kinds of tests: any code; a column that is true or false for an event; a comparison of two columns
# (each at an event of its own) or aggregates, as integers or as floats. All but the first need no
# stack machine: what reads one event only has been computed for every event before the fold.
ANY_CODE, EVENT_CONDITION, COMPARE_INTEGERS, COMPARE_FLOATS = 0, 1, 2, 3
# Columns of the table of aggregates.
AGGREGATE_COLUMN, AGGREGATE_FUNCTION, AGGREGATE_IS_FLOAT, AGGREGATE_MOST = 0, 1, 2, 3

# Where an operand comes from: a slot (>= 0), or one of these.
CURRENT_EVENT, LAST_EVENT = -1, -2
KEEP, SET, EXTEND, CLOSE = 0, 1, 2, 3
COUNT, SUM, AVERAGE, MINIMUM, MAXIMUM = 0, 1, 2, 3, 4
# Of paths only: these need all events of a block. PLACE + n is the value of its n-th event.
COUNT_DISTINCT, MEDIAN, DEVIATION, PLACE = 5, 6, 7, 8


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


@inlined
def _read_aggregate(
    nodes: Nodes, node: int, slots: SlotTables, slot: int, function: int, is_float: int
) -> tuple[int, int, float]:
    """Return status, integer and float of an aggregate of a block; UNBOUND if there is none."""
    events, aggregates = slots.representative.shape[0], slots.aggregates.shape[0]
    count = nodes.integers[node, SLOTS + events + slot]
    integer = nodes.integers[node, SLOTS + events + aggregates + slot]
    real = nodes.floats[node, slot]
    if count == UNBOUND:
        return UNBOUND, 0, 0.0
    if function == COUNT:
        return VALID, count, float(count)
    if count == 0:
        return NULL, 0, 0.0
    if function == AVERAGE:
        return VALID, 0, average(integer, real, count, is_float)
    if function == SUM:
        if is_beyond(real, is_float):
            return OVERFLOWED, 0, 0.0
        return VALID, integer, sum_of(integer, real) if is_float else 0.0
    return VALID, integer, real


@inlined
def _event_of(nodes: Nodes, node: int, event: int, source: int) -> int:
    """Return the event that an operand reads; UNBOUND if there is none, or its slot is closed."""
    if source == CURRENT_EVENT:
        return event
    if source == LAST_EVENT:
        return int(nodes.integers[node, EVENT])
    return max(int(nodes.integers[node, SLOTS + source]), UNBOUND)


@inlined
def _read(
    tables: TestTables,
    row: int,
    nodes: Nodes,
    node: int,
    event: int,
    slots: SlotTables,
    columns: ColumnArrays,
) -> tuple[int, int, float]:
    """Return status, integer and float of one side of a comparison; UNBOUND if it has no event."""
    source, function = tables.operands[row, SOURCE], tables.operands[row, FUNCTION]
    if function != NONE:
        return _read_aggregate(nodes, node, slots, source, function, tables.operands[row, IS_FLOAT])
    place = _event_of(nodes, node, event, source)
    if place == UNBOUND:
        return UNBOUND, 0, 0.0
    column = tables.operands[row, COLUMN]
    return (
        int(columns.status[column, place]),
        columns.integers[column, place],
        columns.floats[column, place],
    )


@inlined
def _compared(
    tables: TestTables,
    test: int,
    nodes: Nodes,
    node: int,
    event: int,
    slots: SlotTables,
    columns: ColumnArrays,
) -> int:
    """Whether a test that needs no code holds: 1 or 0, or OVERFLOW."""
    row, kind = tables.tests[test, OPERAND_BEGIN], tables.tests[test, KIND]
    status, integer, real = _read(tables, row, nodes, node, event, slots, columns)
    if status in (UNBOUND, OVERFLOWED):
        return 1 if status == UNBOUND else OVERFLOW
    if kind == EVENT_CONDITION:
        return integer
    other_status, other_integer, other_real = _read(
        tables, row + 1, nodes, node, event, slots, columns
    )
    if other_status in (UNBOUND, OVERFLOWED):
        return 1 if other_status == UNBOUND else OVERFLOW
    if LACKING in (status, other_status):
        return 1
    if status != VALID or other_status != VALID:
        return 0
    comparison = tables.tests[test, COMPARISON]
    if kind == COMPARE_INTEGERS:
        return int(compare(comparison, integer < other_integer, integer == other_integer))
    if np.isnan(real) or np.isnan(other_real):
        return int(comparison == UNEQUAL)
    return int(compare(comparison, real < other_real, real == other_real))


@inlined
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
        if tables.tests[test, KIND] != ANY_CODE:
            holds = _compared(tables, test, nodes, node, event, slots, columns)
            if holds != 1:
                return holds
            continue
        is_bound = True
        begin = tables.tests[test, OPERAND_BEGIN]
        for row in range(begin, tables.tests[test, OPERAND_END]):
            source, function = tables.operands[row, SOURCE], tables.operands[row, FUNCTION]
            at = row - begin
            if function == NONE:
                operands.events[at] = _event_of(nodes, node, event, source)
                is_bound = is_bound and operands.events[at] != UNBOUND
                continue
            status, integer, real = _read_aggregate(
                nodes, node, slots, source, function, tables.operands[row, IS_FLOAT]
            )
            is_bound = is_bound and status != UNBOUND
            operands.status[at], operands.integers[at], operands.floats[at] = status, integer, real
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


@inlined
def _extend_aggregate(
    nodes: Nodes, node: int, slot: int, slots: SlotTables, columns: ColumnArrays, event: int
) -> None:
    """Take one more event into the aggregate of a block; NULL and lacking values are skipped."""
    count_at = SLOTS + slots.representative.shape[0] + slot
    integer_at = count_at + slots.aggregates.shape[0]
    column = slots.aggregates[slot, AGGREGATE_COLUMN]
    if column != NONE and columns.status[column, event] != VALID:
        return
    is_first = nodes.integers[node, count_at] == 0
    most = slots.aggregates[slot, AGGREGATE_MOST]
    nodes.integers[node, count_at] = min(nodes.integers[node, count_at] + 1, most)
    if column == NONE:
        return
    integer, real = columns.integers[column, event], columns.floats[column, event]
    before, before_real = nodes.integers[node, integer_at], nodes.floats[node, slot]
    function = slots.aggregates[slot, AGGREGATE_FUNCTION]
    if function in (MINIMUM, MAXIMUM):
        if not is_first and function == MINIMUM:
            integer, real = min(before, integer), smaller(before_real, real)
        elif not is_first:
            integer, real = max(before, integer), larger(before_real, real)
    else:
        is_float = slots.aggregates[slot, AGGREGATE_IS_FLOAT]
        integer, real = with_value(before, before_real, integer, real, is_float)
    nodes.integers[node, integer_at] = integer
    nodes.floats[node, slot] = real


@inlined
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


@inlined
def hash_node(nodes: Nodes, node: int) -> int:
    """Return a number from everything that tells nodes of one step apart."""
    value = np.uint64(nodes.integers[node, EVENT]) * np.uint64(0x9E3779B97F4A7C15)
    value ^= np.uint64(nodes.integers[node, POSITION]) * np.uint64(0xC2B2AE3D27D4EB4F)
    for at in range(SLOTS, nodes.integers.shape[1]):
        value = (value ^ np.uint64(nodes.integers[node, at])) * np.uint64(0x165667B19E3779F9)
        value ^= value >> np.uint64(29)
    return int(value >> np.uint64(1))


@inlined
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
        real, other_real = nodes.floats[one, slot], nodes.floats[other, slot]
        if real != other_real and not (np.isnan(real) and np.isnan(other_real)):
            return False
    return True
