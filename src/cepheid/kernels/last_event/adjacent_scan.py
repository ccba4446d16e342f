"""Find the nodes that an event extends by trying all that wait."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import AutomatonArrays, Int64s
from cepheid.kernels.graph.match_nodes import EVENT
from cepheid.kernels.graph.run_graph import (
    COLUMN,
    COMPARE_FLOATS,
    COMPARE_INTEGERS,
    COMPARISON,
    KIND,
    LAST_EVENT,
    OPERAND_BEGIN,
    SOURCE,
    TestTables,
    tests_hold,
)
from cepheid.kernels.jit import inlined, inner_in_place
from cepheid.kernels.last_event.adjacent_rules import TAKEN, AdjacentRoom, AdjacentRules, Blocks
from cepheid.kernels.predicates.predicate_machine import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    GREATER,
    LACKING,
    LESS,
    OVERFLOW,
    OVERFLOWED,
    UNEQUAL,
    VALID,
    ColumnArrays,
    compare,
)
from cepheid.kernels.step import survives
from cepheid.kernels.values.value_algebra import copy, plus


class PlainTest(NamedTuple):
    """A comparison of a column of the last event with one of the new event."""

    comparison: int
    is_float: bool
    last_column: int
    new_column: int


@inlined
def _is_plain(tests: TestTables, edge: int) -> bool:
    """Whether an edge has one test, which compares the last with the new event."""
    test = tests.offsets[edge]
    if tests.offsets[edge + 1] != test + 1 or tests.tests[test, KIND] < COMPARE_INTEGERS:
        return False
    row = tests.tests[test, OPERAND_BEGIN]
    return bool(tests.operands[row, SOURCE] != tests.operands[row + 1, SOURCE])


@inlined
def _plain_test(tests: TestTables, edge: int) -> PlainTest:
    """Return the one test of an edge, read from the last event to the new one."""
    test = tests.offsets[edge]
    row, comparison = tests.tests[test, OPERAND_BEGIN], tests.tests[test, COMPARISON]
    is_float = tests.tests[test, KIND] == COMPARE_FLOATS
    left, right = tests.operands[row, COLUMN], tests.operands[row + 1, COLUMN]
    if tests.operands[row, SOURCE] == LAST_EVENT:
        return PlainTest(comparison, is_float, left, right)
    if comparison >= GREATER:
        comparison -= GREATER - LESS
    elif comparison >= LESS:
        comparison += GREATER - LESS
    return PlainTest(comparison, is_float, right, left)


@inlined
def is_satisfied(test: PlainTest, columns: ColumnArrays, last: int, event: int) -> int:
    """Whether a comparison holds: 1 or 0, or OVERFLOW."""
    status = columns.status[test.last_column, last]
    new_status = columns.status[test.new_column, event]
    if status != VALID or new_status != VALID:
        if OVERFLOWED in (status, new_status):
            return OVERFLOW
        return int(LACKING in (status, new_status))
    if test.is_float:
        real, new_real = (
            columns.floats[test.last_column, last],
            columns.floats[test.new_column, event],
        )
        if real < new_real:
            return int(test.comparison in (UNEQUAL, LESS, AT_MOST))
        if real == new_real:
            return int(test.comparison in (EQUAL, AT_MOST, AT_LEAST))
        if real > new_real:
            return int(test.comparison in (UNEQUAL, GREATER, AT_LEAST))
        return int(test.comparison == UNEQUAL)
    value, new_value = (
        columns.integers[test.last_column, last],
        columns.integers[test.new_column, event],
    )
    return int(compare(test.comparison, value < new_value, value == new_value))


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
    is_plain = _is_plain(rules.tests, edge)
    plain = PlainTest(0, False, 0, 0)
    if is_plain:
        plain = _plain_test(rules.tests, edge)
    begin = room.node_base[position]
    for node in range(begin, begin + room.waiting[position]):
        last = room.nodes[node, EVENT]
        holds = 1
        if is_plain:
            holds = is_satisfied(plain, columns, last, event)
        elif is_tested:
            room.tested.integers[0, EVENT] = last
            holds = tests_hold(
                rules.tests,
                edge,
                room.tested,
                0,
                event,
                rules.slots,
                rules.code,
                columns,
                room.operands,
                room.stack,
            )
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
