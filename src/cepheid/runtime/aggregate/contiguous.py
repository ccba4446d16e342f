"""Contiguous trends whose edges make at most one comparison each: a fast way, if it will do."""

from __future__ import annotations

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
from cepheid.program.adjacent_program import AdjacentProgram
from cepheid.program.program import Program, StrategyCode
from cepheid.runtime.kernel_arrays import automaton_arrays
from cepheid.runtime.match_chunks import reject_overflow
from cepheid.runtime.order_events import OrderedEvents


def contiguous_values(
    program: Program,
    adjacent: AdjacentProgram,
    ordered: OrderedEvents,
    columns: ColumnArrays,
    measures: Measures,
    segments: Segments,
) -> Values | None:
    """Return the value of every segment; None if it takes the general way.

    Raises:
        DataError: a test left 64 bits.
    """
    rules = _rules(program, adjacent)
    is_plain = not measures.moduli.any() and not measures.tier.any()
    if rules is None or not is_plain:
        return None
    events = ordered.arrays
    numbers, minima = measures.positions.size, measures.least_positions.size
    widest = int(np.diff(events.step_offsets).max(initial=0))
    size = (2, widest * len(program.automaton.follow) + 1)
    nodes = ContiguousNodes(
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty((*size, numbers)),
        np.empty((*size, numbers), np.int64),
        np.empty((*size, minima), np.int64),
    )
    result = make_values(1, segments.begin.size, numbers, minima)
    automaton = automaton_arrays(program.automaton, program.strategy)
    failed = aggregate_contiguous(
        automaton, events, segments, rules, columns, measures, nodes, result
    )
    if failed == TOO_LARGE:
        return None
    if failed >= 0:
        reject_overflow(int(ordered.row[failed]))
    return result


def _rules(program: Program, adjacent: AdjacentProgram) -> ContiguousRules | None:
    """Return the edges; None if a border is tested, or an edge by more than one comparison."""
    edges = program.automaton.edges
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
