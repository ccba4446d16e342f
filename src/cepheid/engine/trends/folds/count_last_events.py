"""Counts of trends under skip-till-any, where events are looked up."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.kernel_arrays import widest_step
from cepheid.engine.fold import Facts, TooLarge
from cepheid.engine.process.threads import cut, side_by_side
from cepheid.engine.trends.folds.last_event_indexes import EdgeIndexes
from cepheid.engine.trends.measures import LARGEST_EXPONENT, TIER_BITS
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.last_event.adjacent_rules import Segments
from cepheid.kernels.last_event.count_any import EXACT, CountRules, Fresh, SegmentCounts, count_any
from cepheid.kernels.last_event.count_few import count_few
from cepheid.kernels.last_event.prefix_counts import TIER_BITS as WIDE_TIER_BITS
from cepheid.kernels.last_event.prefix_counts import WIDTH, Counts, lay_out
from cepheid.kernels.values.value_arrays import ValueRows, Values
from cepheid.program.adjacent_program import AdjacentEdge, StructureCode
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program

LEAST_EVENTS = 2**16  # that are worth a thread


def counts_looked_up(task: TrendTask, facts: Facts) -> ValueRows:
    """Return the number of trends of every segment."""
    program, ordered, segments = task.group.program, task.ordered, task.segments.segments
    threads, events, count = task.events.threads, ordered.arrays, segments.begin.size
    edges, indexes, _ = task.indexes
    indexes = indexes._replace(base=np.empty_like(indexes.size))
    trees = lay_out(indexes.size, indexes.base)
    parts = _parts(segments, indexes.size.shape[1], min(threads, events.fires.size // LEAST_EVENTS))
    assert isinstance(program.output, AggregateOutput)
    nodes = max(1, trees + -(-len(parts) * len(edges) // WIDTH))  # the kernel asks for their size
    counts = Counts(
        np.zeros((nodes, WIDTH)),
        np.zeros((nodes, WIDTH), np.int64),
        np.zeros((nodes if program.output.wants_low else 0, WIDTH), np.int64),
        np.zeros(nodes, np.int64),
    )
    result = SegmentCounts(np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64))
    forgets = program.window_length is not None
    widest = widest_step(events) * len(program.automaton.follow)

    def fold(number: int) -> None:
        chosen = slice(parts[number].start, parts[number].stop)
        count_any(
            _rules(program, edges, trees * WIDTH + number * len(edges)),
            events.fires,
            events.step_offsets,
            Segments._make(each[chosen] for each in segments),
            indexes,
            forgets,
            counts,
            _fresh(widest),
            SegmentCounts._make(each[chosen] for each in result),
        )

    side_by_side([functools.partial(fold, number) for number in range(len(parts))])
    return task.rows_of_segments(values_of_counts(result))


def few_looked_up(task: TrendTask, facts: Facts) -> ValueRows:
    """Return the number of trends of every segment of few events."""
    output = task.group.program.output
    assert isinstance(output, AggregateOutput)
    structures = [each.structure for each in task.indexes.edges]
    limit = EXACT if output.wants_low else 2.0**LARGEST_EXPONENT
    count = functools.partial(
        few_counts, task.group.program, structures, task.indexes, task.ordered.arrays,
        task.segments.segments,
    )  # fmt: skip
    found = count(limit)
    if isinstance(found, TooLarge):
        found = count(inf)
        assert not isinstance(found, TooLarge)
        return task.rows_of_segments(values_of_counts(_of_integers(found.tolist())))
    none = np.zeros(found.size, np.int64)
    low = found.astype(np.int64) if output.wants_low else none
    return task.rows_of_segments(values_of_counts(SegmentCounts(found, none, low)))


def _of_integers(counts: Sequence[int]) -> SegmentCounts:
    """Return integers of any size as mantissas, tiers and what is left modulo 2^64."""
    tiers = [max(0, each.bit_length() - 1) // WIDE_TIER_BITS for each in counts]
    mantissas = [float(Fraction(each, 1 << WIDE_TIER_BITS * tier))
                 for each, tier in zip(counts, tiers, strict=True)]  # fmt: skip
    low = np.array([each % 2**64 for each in counts], np.uint64).astype(np.int64)
    return SegmentCounts(np.array(mantissas), np.array(tiers, np.int64), low)


def few_counts(
    program: Program,
    structures: Sequence[StructureCode],
    looked_up: EdgeIndexes,
    events: EventArrays,
    segments: Segments,
    limit: float,
) -> NDArray[Any] | TooLarge:
    """Return how many trends every segment has, if that is below a limit; integers without one."""
    _, indexes, slots = looked_up
    is_exact = limit == inf
    kind = object if is_exact else np.float64
    zero, one = (0, 1) if is_exact else (0.0, 1.0)
    fold = getattr(count_few, "py_func", count_few) if is_exact else count_few
    widest = widest_step(events) * len(program.automaton.follow)
    ends = np.array(program.automaton.edges, np.int64).reshape(-1, 2)
    result = np.empty(segments.begin.size, kind)
    is_done = fold(
        np.uint64(program.automaton.first),
        np.uint64(program.automaton.last),
        np.vstack((ends.T, np.array(structures, np.int64))),
        events.fires,
        events.step_offsets,
        segments,
        indexes,
        zero,
        one,
        limit,
        np.full(slots, zero, kind),
        np.full(len(structures), zero, kind),
        np.empty((widest, 2), np.int64),
        np.empty(widest, kind),
        result,
    )
    return result if is_done else TooLarge(f"a number of {limit:.3g} or more")


def _parts(segments: Segments, partitions: int, threads: int) -> list[range]:
    """Cut the segments for threads; those of a partition, which are neighbours, stay together."""
    if threads <= 1 or partitions <= 1:
        return [range(segments.begin.size)]
    wanted = cut(partitions, min(threads, partitions))
    stops = np.searchsorted(segments.partition, [each.stop for each in wanted]).tolist()
    return [range(start, stop) for start, stop in zip([0, *stops], stops, strict=False)]


def _fresh(size: int) -> Fresh:
    return Fresh(
        np.empty((size, 2), np.int64),
        np.empty(size),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
    )


def _rules(program: Program, edges: Sequence[AdjacentEdge], first_slot: int) -> CountRules:
    endpoints, positions = program.automaton.edges, len(program.automaton.follow)
    into = sorted(range(len(endpoints)), key=lambda edge: endpoints[edge][1])
    every = range(positions + 1)
    return CountRules(
        np.uint64(program.automaton.first),
        np.uint64(program.automaton.last),
        np.array([sum(source < each for source, _ in endpoints) for each in every], np.int64),
        np.array([sum(target < each for _, target in endpoints) for each in every], np.int64),
        np.array(into, np.int64),
        np.array([each.structure for each in edges], np.int64),
        np.arange(first_slot, first_slot + len(edges)),
    )


def values_of_counts(counts: SegmentCounts) -> Values:
    """Return counts as values, whose tiers are narrower; most counts are small enough for both."""
    mantissa, tiers = counts.mantissa, counts.tier
    if tiers.any() or mantissa.max(initial=0.0) >= 2.0**LARGEST_EXPONENT:
        fraction, exponent = np.frexp(mantissa)
        exponents = exponent + WIDE_TIER_BITS * tiers
        tiers = (exponents + LARGEST_EXPONENT - 1) // TIER_BITS
        tiers = np.where(mantissa == 0, 0, tiers)
        mantissa = np.ldexp(fraction, (exponents - TIER_BITS * tiers).astype(np.int32))
    shape = (1, counts.low.size, 1)
    return Values(
        mantissa.reshape(shape),
        tiers.reshape(shape),
        counts.low.reshape(shape),
        np.empty((1, counts.low.size, 0), np.int64),
    )
