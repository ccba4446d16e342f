"""Aggregate contiguous trends: only the nodes of the step before can be extended.

Most partitions have few trends, so numbers are plain doubles here, with their low words. Where one
grows too large for that, the general kernel takes over. What events add is mostly an integer, whose
size, double and low word need not be written first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.arrays import AutomatonArrays, EventArrays, Float64s, Int64s, Masks
from cepheid.kernels.jit import inlined, kernel_in_place
from cepheid.kernels.last_event.adjacent_rules import NO_EVENT, Segments
from cepheid.kernels.last_event.adjacent_scan import PlainTest, is_satisfied
from cepheid.kernels.predicates.predicate_machine import OVERFLOW, ColumnArrays
from cepheid.kernels.values.extended import LARGEST
from cepheid.kernels.values.value_arrays import NOTHING, Values

BEFORE_ALL = -(2**62)
TOO_LARGE = -2
NO_EDGE = -1
# Columns of `ContiguousRules.tests`.
IS_TESTED, COMPARED, IS_FLOAT, LAST_COLUMN, NEW_COLUMN = range(5)


class ContiguousRules(NamedTuple):
    """`edge_of[p, q]` is an edge or NO_EDGE; row e of `tests` is the comparison that it makes."""

    edge_of: Int64s
    tests: Int64s


# Rows of `ContiguousNumbers.content`.
ONE, INTEGER, MAGNITUDE, NUMBER = range(4)


class ContiguousNumbers(NamedTuple):
    """What an event adds to every number but 0: see `Measures`, of which all tiers are 0.

    `content` is ONE, or says what to make of row `source[number]`: an INTEGER, its MAGNITUDE, or a
    NUMBER with a double and a low word.
    """

    positions: Masks
    content: Int64s
    source: Int64s
    doubles: Float64s
    integers: Int64s
    least_positions: Masks
    least: Int64s


class ContiguousNodes(NamedTuple):
    """Nodes of the step before and of this one: `[turn, node]` or `[turn, node, number]`."""

    event: Int64s
    position: Int64s
    number: Float64s
    low: Int64s
    least: Int64s


@inlined
def _added(measures: ContiguousNumbers, number: int, event: int) -> tuple[float, int]:
    """Return what an event adds to a number, and its low word."""
    content, source = measures.content[number], measures.source[number]
    if content == ONE:
        return 1.0, 1
    low = measures.integers[source, event]
    if content == NUMBER:
        return measures.doubles[source, event], low
    value = float(low)
    return (abs(value), abs(low)) if content == MAGNITUDE else (value, low)


@inlined
def edge_holds(
    rules: ContiguousRules, columns: ColumnArrays, edge: int, last_event: int, event: int
) -> int:
    """Whether an event may follow another along an edge: 1 or 0, or OVERFLOW."""
    if edge == NO_EDGE:
        return 0
    if rules.tests[edge, IS_TESTED] == 0:
        return 1
    test = PlainTest(
        rules.tests[edge, COMPARED],
        rules.tests[edge, IS_FLOAT] != 0,
        rules.tests[edge, LAST_COLUMN],
        rules.tests[edge, NEW_COLUMN],
    )
    return is_satisfied(test, columns, last_event, event)


@inlined
def _begin(nodes: ContiguousNodes, turn: int, node: int, runs: int) -> None:
    """Set a node to so many runs of nothing."""
    for number in range(nodes.number.shape[2]):
        nodes.number[turn, node, number] = 0.0
        nodes.low[turn, node, number] = 0
    for least in range(nodes.least.shape[2]):
        nodes.least[turn, node, least] = NOTHING
    nodes.number[turn, node, 0], nodes.low[turn, node, 0] = float(runs), runs


@inlined
def _take_in(
    measures: ContiguousNumbers,
    nodes: ContiguousNodes,
    turn: int,
    node: int,
    event: int,
    bit: np.uint64,
) -> bool:
    """Add what an event at a position contributes to the runs of a node; False if too much."""
    runs, runs_low = nodes.number[turn, node, 0], nodes.low[turn, node, 0]
    largest = runs
    for number in range(1, measures.positions.size):
        if measures.positions[number] & bit:
            value, low = _added(measures, number, event)
            nodes.number[turn, node, number] += value * runs
            nodes.low[turn, node, number] += low * runs_low
        largest = max(largest, abs(nodes.number[turn, node, number]))
    for least in range(measures.least_positions.size):
        if measures.least_positions[least] & bit:
            nodes.least[turn, node, least] = min(
                nodes.least[turn, node, least], measures.least[least, event]
            )
    return bool(largest < LARGEST)


@inlined
def _report(nodes: ContiguousNodes, turn: int, node: int, result: Values, segment: int) -> bool:
    """Add a node to the value of a segment; False if that is too much."""
    largest = 0.0
    for number in range(nodes.number.shape[2]):
        result.mantissa[0, segment, number] += nodes.number[turn, node, number]
        result.low[0, segment, number] += nodes.low[turn, node, number]
        largest = max(largest, abs(result.mantissa[0, segment, number]))
    for least in range(nodes.least.shape[2]):
        result.least[0, segment, least] = min(
            result.least[0, segment, least], nodes.least[turn, node, least]
        )
    return bool(largest < LARGEST)


@kernel_in_place
def aggregate_contiguous(
    automaton: AutomatonArrays,
    events: EventArrays,
    segments: Segments,
    rules: ContiguousRules,
    columns: ColumnArrays,
    measures: ContiguousNumbers,
    nodes: ContiguousNodes,
    result: Values,
) -> int:
    """Write the value of every segment into `result`; O(edges) per event.

    Returns the event whose test left 64 bits, NO_EVENT, or TOO_LARGE. Most steps have one event at
    one position, and one node waits: that stays where it is, and nothing is copied.
    """
    positions, none = automaton.follow.size, np.uint64(0)
    for segment in range(segments.begin.size):
        rank_before, waiting, turn = np.int64(BEFORE_ALL), 0, 0
        open_positions = automaton.first  # that an event can have by what was before it
        for step in range(segments.begin[segment], segments.end[segment]):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            is_alone = end == begin + 1
            if is_alone and waiting == 0 and events.fires[begin] & automaton.first == none:
                continue
            if events.rank[begin] != rank_before + 1:
                waiting, open_positions = 0, automaton.first
            rank_before = events.rank[begin]
            fires = events.fires[begin] & open_positions
            has_one = fires == none or fires & (fires - np.uint64(1)) == none
            if is_alone and waiting <= 1 and has_one:
                open_positions = automaton.first
                if fires == none:
                    waiting = 0
                    continue
                position = 0
                while (fires >> np.uint64(position)) & np.uint64(1) == none:
                    position += 1
                holds, is_first = 0, int(automaton.first & fires != none)
                if waiting:
                    edge = rules.edge_of[nodes.position[turn, 0], position]
                    holds = edge_holds(rules, columns, edge, nodes.event[turn, 0], begin)
                    if holds == OVERFLOW:
                        return int(begin)
                waiting = 0
                if holds:
                    nodes.number[turn, 0, 0] += float(is_first)
                    nodes.low[turn, 0, 0] += is_first
                elif is_first:
                    _begin(nodes, turn, 0, 1)
                else:
                    continue
                if not _take_in(measures, nodes, turn, 0, begin, fires):
                    return TOO_LARGE
                if automaton.last & fires and not _report(nodes, turn, 0, result, segment):
                    return TOO_LARGE
                if automaton.follow[position] != none:
                    nodes.event[turn, 0], nodes.position[turn, 0] = begin, position
                    open_positions |= automaton.follow[position]
                    waiting = 1
                continue
            fresh, other, next_positions = 0, 1 - turn, automaton.first
            for event in range(begin, end):
                fires = events.fires[event] & open_positions
                for position in range(positions):
                    bit = np.uint64(1) << np.uint64(position)
                    if fires & bit == none:
                        continue
                    _begin(nodes, other, fresh, int(automaton.first & bit != none))
                    for node in range(waiting):
                        edge = rules.edge_of[nodes.position[turn, node], position]
                        holds = edge_holds(rules, columns, edge, nodes.event[turn, node], event)
                        if holds == OVERFLOW:
                            return event
                        if holds == 0:
                            continue
                        for number in range(nodes.number.shape[2]):
                            nodes.number[other, fresh, number] += nodes.number[turn, node, number]
                            nodes.low[other, fresh, number] += nodes.low[turn, node, number]
                        for least in range(nodes.least.shape[2]):
                            nodes.least[other, fresh, least] = min(
                                nodes.least[other, fresh, least], nodes.least[turn, node, least]
                            )
                    if nodes.number[other, fresh, 0] == 0.0:
                        continue
                    if not _take_in(measures, nodes, other, fresh, event, bit):
                        return TOO_LARGE
                    if automaton.last & bit and not _report(nodes, other, fresh, result, segment):
                        return TOO_LARGE
                    if automaton.follow[position] != none:
                        nodes.event[other, fresh] = event
                        nodes.position[other, fresh] = position
                        next_positions |= automaton.follow[position]
                        fresh += 1
            waiting, turn, open_positions = fresh, other, next_positions
    return NO_EVENT
