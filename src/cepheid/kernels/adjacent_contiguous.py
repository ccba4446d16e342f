"""Aggregate contiguous trends: only the nodes of the step before can be extended.

Most partitions have few trends, so numbers are plain doubles here, with their low words. Where one
grows too large for that, the general kernel takes over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cepheid.kernels.adjacent_rules import NO_EVENT, Segments
from cepheid.kernels.adjacent_scan import PlainTest, is_satisfied
from cepheid.kernels.arrays import AutomatonArrays, EventArrays, Float64s, Int64s
from cepheid.kernels.extended import LARGEST
from cepheid.kernels.jit import kernel_in_place
from cepheid.kernels.predicate_code import OVERFLOW, ColumnArrays
from cepheid.kernels.values import NOTHING, Measures, Values

BEFORE_ALL = -(2**62)
TOO_LARGE = -2
NO_EDGE = -1
# Columns of `ContiguousRules.tests`.
IS_TESTED, COMPARED, IS_FLOAT, LAST_COLUMN, NEW_COLUMN = range(5)


class ContiguousRules(NamedTuple):
    """`edge_of[p, q]` is an edge or NO_EDGE; row e of `tests` is the comparison that it makes."""

    edge_of: Int64s
    tests: Int64s


class ContiguousNodes(NamedTuple):
    """Nodes of the step before and of this one: `[turn, node]` or `[turn, node, number]`."""

    event: Int64s
    position: Int64s
    number: Float64s
    low: Int64s
    least: Int64s


@kernel_in_place
def aggregate_contiguous(
    automaton: AutomatonArrays,
    events: EventArrays,
    segments: Segments,
    rules: ContiguousRules,
    columns: ColumnArrays,
    measures: Measures,
    nodes: ContiguousNodes,
    result: Values,
) -> int:
    """Write the value of every segment into `result`; O(edges) per event.

    Returns the event whose test left 64 bits, NO_EVENT, or TOO_LARGE.
    """
    positions, numbers = automaton.follow.size, measures.positions.size
    minima = measures.least_positions.size
    for segment in range(segments.begin.size):
        rank_before, waiting, turn = np.int64(BEFORE_ALL), 0, 0
        for step in range(segments.begin[segment], segments.end[segment]):
            begin, end = events.step_offsets[step], events.step_offsets[step + 1]
            if events.rank[begin] != rank_before + 1:
                waiting = 0
            rank_before = events.rank[begin]
            fresh, other = 0, 1 - turn
            for event in range(begin, end):
                fires = events.fires[event]
                for position in range(positions):
                    bit = np.uint64(1) << np.uint64(position)
                    if fires & bit == 0 or (waiting == 0 and automaton.first & bit == 0):
                        continue
                    runs = 1.0 if automaton.first & bit else 0.0
                    for number in range(numbers):
                        nodes.number[other, fresh, number] = 0.0
                        nodes.low[other, fresh, number] = 0
                    for least in range(minima):
                        nodes.least[other, fresh, least] = NOTHING
                    nodes.number[other, fresh, 0] = runs
                    nodes.low[other, fresh, 0] = int(runs)
                    for node in range(waiting):
                        edge = rules.edge_of[nodes.position[turn, node], position]
                        if edge == NO_EDGE:
                            continue
                        if rules.tests[edge, IS_TESTED]:
                            test = PlainTest(
                                rules.tests[edge, COMPARED],
                                rules.tests[edge, IS_FLOAT] != 0,
                                rules.tests[edge, LAST_COLUMN],
                                rules.tests[edge, NEW_COLUMN],
                            )
                            holds = is_satisfied(test, columns, nodes.event[turn, node], event)
                            if holds == OVERFLOW:
                                return event
                            if holds == 0:
                                continue
                        for number in range(numbers):
                            nodes.number[other, fresh, number] += nodes.number[turn, node, number]
                            nodes.low[other, fresh, number] += nodes.low[turn, node, number]
                        for least in range(minima):
                            nodes.least[other, fresh, least] = min(
                                nodes.least[other, fresh, least], nodes.least[turn, node, least]
                            )
                    runs, runs_low = nodes.number[other, fresh, 0], nodes.low[other, fresh, 0]
                    if runs == 0.0:
                        continue
                    largest = runs
                    for number in range(1, numbers):
                        if measures.positions[number] & bit:
                            if measures.tier[number, event] != 0:
                                return TOO_LARGE
                            nodes.number[other, fresh, number] += (
                                measures.mantissa[number, event] * runs
                            )
                            nodes.low[other, fresh, number] += (
                                measures.low[number, event] * runs_low
                            )
                        largest = max(largest, abs(nodes.number[other, fresh, number]))
                    if not largest < LARGEST:
                        return TOO_LARGE
                    for least in range(minima):
                        if measures.least_positions[least] & bit:
                            nodes.least[other, fresh, least] = min(
                                nodes.least[other, fresh, least], measures.least[least, event]
                            )
                    if automaton.last & bit:
                        for number in range(numbers):
                            result.mantissa[0, segment, number] += nodes.number[
                                other, fresh, number
                            ]
                            result.low[0, segment, number] += nodes.low[other, fresh, number]
                            if not abs(result.mantissa[0, segment, number]) < LARGEST:
                                return TOO_LARGE
                        for least in range(minima):
                            result.least[0, segment, least] = min(
                                result.least[0, segment, least], nodes.least[other, fresh, least]
                            )
                    if automaton.follow[position] != 0:
                        nodes.event[other, fresh] = event
                        nodes.position[other, fresh] = position
                        fresh += 1
            waiting, turn = fresh, other
    return NO_EVENT
