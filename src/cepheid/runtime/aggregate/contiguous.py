"""Contiguous trends whose edges make at most one comparison each: a fast way, if it will do."""

from __future__ import annotations

import functools

import numpy as np

from cepheid.kernels.adjacent_contiguous import (
    NO_EDGE,
    TOO_LARGE,
    ContiguousNodes,
    ContiguousRules,
    aggregate_contiguous,
)
from cepheid.kernels.adjacent_rules import Segments
from cepheid.kernels.predicate_code import ColumnArrays
from cepheid.kernels.value_algebra import make_values
from cepheid.kernels.values import Measures, Values
from cepheid.program.program import Program, StrategyCode
from cepheid.runtime.kernel_arrays import automaton_arrays, widest_step
from cepheid.runtime.match_chunks import reject_overflow
from cepheid.runtime.order_events import OrderedEvents
from cepheid.runtime.side_by_side import cut, side_by_side

LEAST_EVENTS = 2**16  # that are worth a thread


def contiguous_values(
    program: Program,
    ordered: OrderedEvents,
    columns: ColumnArrays,
    measures: Measures,
    segments: Segments,
    threads: int,
) -> Values | None:
    """Return the value of every segment; None if it takes the general way.

    Raises:
        DataError: a test left 64 bits.
    """
    rules = _rules(program)
    if rules is None or measures.moduli.any():
        return None
    events, count = ordered.arrays, segments.begin.size
    result = make_values(1, count, measures.positions.size, measures.least_positions.size)
    automaton = automaton_arrays(program.automaton, program.strategy)
    widest = widest_step(events) * len(program.automaton.follow) + 1

    def fold(part: range) -> int:
        chosen = slice(part.start, part.stop)
        own = Segments._make(each[chosen] for each in segments)
        values = Values._make(each[:, chosen] for each in result)
        nodes = _nodes(widest, measures)
        return aggregate_contiguous(automaton, events, own, rules, columns, measures, nodes, values)

    parts = cut(count, max(1, min(threads, count, events.fires.size // LEAST_EVENTS)))
    failed = max(side_by_side([functools.partial(fold, each) for each in parts]), key=_gravity)
    if failed == TOO_LARGE:
        return None
    if failed >= 0:
        reject_overflow(int(ordered.row[failed]))
    return result


def _gravity(outcome: int) -> tuple[bool, int]:
    """A value that is too large is tried again; an overflow counts if there is nothing else."""
    return outcome == TOO_LARGE, outcome


def _nodes(size: int, measures: Measures) -> ContiguousNodes:
    numbers, minima = measures.positions.size, measures.least_positions.size
    return ContiguousNodes(
        np.empty((2, size), np.int64),
        np.empty((2, size), np.int64),
        np.empty((2, size, numbers)),
        np.empty((2, size, numbers), np.int64),
        np.empty((2, size, minima), np.int64),
    )


def _rules(program: Program) -> ContiguousRules | None:
    """Return the edges; None if a border is tested, or an edge by more than one comparison."""
    edges, adjacent = program.automaton.edges, program.adjacent
    assert adjacent is not None
    if program.strategy is not StrategyCode.CONTIGUOUS or program.negation is not None:
        return None
    if any(adjacent.tests[len(edges) :]):
        return None
    positions = len(program.automaton.follow)
    edge_of = np.full((positions, positions), NO_EDGE, np.int64)
    tests = np.zeros((len(edges), 5), np.int64)
    for number, ((source, target), edge) in enumerate(zip(edges, adjacent.edges, strict=True)):
        edge_of[source, target] = number
        wanted = len(adjacent.tests[number])
        compared = edge.comparison
        if wanted > 1 or (wanted == 1 and compared is None):
            return None
        if wanted == 1 and compared is not None:
            row = (1, compared.operator, compared.is_float, compared.last, compared.new)
            tests[number] = row
    return ContiguousRules(edge_of, tests)
