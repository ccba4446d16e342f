"""Counts of trends under skip-till-any, where events are looked up."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.is_few import is_few
from cepheid.engine.events.kernel_arrays import widest_step
from cepheid.engine.fold import Facts, TooLarge
from cepheid.engine.process.threads import cut, side_by_side
from cepheid.engine.trends.folds.last_event_indexes import EdgeIndexes
from cepheid.engine.trends.measures import LARGEST_EXPONENT, TIER_BITS
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.kernels.arrays import EventArrays, Float64s, Int64s, Masks
from cepheid.kernels.jit import is_kept
from cepheid.kernels.last_event.adjacent_rules import Indexes, Segments
from cepheid.kernels.last_event.count_any import Fresh, SegmentCounts, count_any
from cepheid.kernels.last_event.count_few import count_few
from cepheid.kernels.last_event.count_plain import EXACT, TOO_LARGE, CountRules, count_plain
from cepheid.kernels.last_event.prefix_counts import LARGEST, WIDTH, Counts, lay_out
from cepheid.kernels.last_event.prefix_counts import TIER_BITS as WIDE_TIER_BITS
from cepheid.kernels.values.value_arrays import ValueRows, Values
from cepheid.program.adjacent_program import AdjacentEdge, StructureCode
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Program

LEAST_EVENTS = 2**16  # that are worth a thread
# So many are counted with Python's integers in less time than it takes to compile `count_any`: half
# a second, or two to three.
WITHOUT_KERNEL = 2**15


def counts_looked_up(task: TrendTask, facts: Facts) -> ValueRows:
    """Return the number of trends of every segment."""
    output = task.group.program.output
    assert isinstance(output, AggregateOutput)
    edges, indexes, _ = task.indexes
    indexes = indexes._replace(base=np.empty_like(indexes.size))
    counting = _Counting(task, edges, indexes, lay_out(indexes.size, indexes.base))
    mantissa = counting.plain(EXACT if output.wants_low else LARGEST)
    tier, low = np.zeros(mantissa.size, np.int64), np.zeros(mantissa.size, np.int64)
    are_large = mantissa == TOO_LARGE
    if output.wants_low:
        low = mantissa.astype(np.int64)
    if are_large.any():
        segments = Segments._make(each[are_large] for each in task.segments.segments)
        mantissa[are_large], tier[are_large], low[are_large] = (
            counting.large(segments, output.wants_low)
            if is_kept(count_any) or not is_few(_steps_of(segments), WITHOUT_KERNEL)
            else counting.as_integers(segments)
        )
    return task.rows_of_segments(values_of_counts(SegmentCounts(mantissa, tier, low)))


class _Counting(NamedTuple):
    """How the segments of a task are counted: their edges, and the trees that these look up."""

    task: TrendTask
    edges: Sequence[AdjacentEdge]
    indexes: Indexes
    trees: int

    def plain(self, limit: float) -> Float64s:
        """Return counts below a limit, and which are too large."""
        segments = self.task.segments.segments
        parts = self._parts(segments)
        sums, result = np.zeros((self._nodes(parts), WIDTH)), np.empty(segments.begin.size)

        def fold(number: int, chosen: slice) -> None:
            count_plain(
                *self._arguments(number, segments, chosen), limit, sums,
                np.empty((self._widest, 2), np.int64), np.empty(self._widest), result[chosen],
            )  # fmt: skip

        _fold_all(fold, parts)
        return result

    def large(self, segments: Segments, wants_low: bool) -> SegmentCounts:
        """Return counts of any size."""
        parts, count = self._parts(segments), segments.begin.size
        nodes = self._nodes(parts)
        counts = Counts(
            np.zeros((nodes, WIDTH)),
            np.zeros((nodes, WIDTH), np.int64),
            np.zeros((nodes if wants_low else 0, WIDTH), np.int64),
            np.zeros(nodes, np.int64),
        )
        result = SegmentCounts(
            np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64)
        )

        def fold(number: int, chosen: slice) -> None:
            count_any(
                *self._arguments(number, segments, chosen), counts, _fresh(self._widest),
                SegmentCounts._make(each[chosen] for each in result),
            )  # fmt: skip

        _fold_all(fold, parts)
        return result

    def as_integers(self, segments: Segments) -> SegmentCounts:
        """Return counts of any size without the kernel for them."""
        task = self.task
        structures = [each.structure for each in self.edges]
        found = few_counts(
            task.group.program, structures, task.indexes, task.ordered.arrays, segments, inf
        )
        assert not isinstance(found, TooLarge)
        return _of_integers(found.tolist())

    @property
    def _widest(self) -> int:
        task = self.task
        return widest_step(task.ordered.arrays) * len(task.group.program.automaton.follow)

    def _parts(self, segments: Segments) -> list[range]:
        threads = min(self.task.events.threads, self.task.ordered.arrays.fires.size // LEAST_EVENTS)
        return _parts(segments, self.indexes.size.shape[1], threads)

    def _nodes(self, parts: Sequence[range]) -> int:
        return max(1, self.trees + -(-len(parts) * len(self.edges) // WIDTH))

    def _arguments(
        self, number: int, segments: Segments, chosen: slice
    ) -> tuple[CountRules, Masks, Int64s, Segments, Indexes, bool]:
        """Return what both kernels take first, for one part of the segments."""
        program, events = self.task.group.program, self.task.ordered.arrays
        return (
            _rules(program, self.edges, self.trees * WIDTH + number * len(self.edges)),
            events.fires,
            events.step_offsets,
            Segments._make(each[chosen] for each in segments),
            self.indexes,
            program.window_length is not None,
        )


def _fold_all(fold: Callable[[int, slice], None], parts: Sequence[range]) -> None:
    side_by_side(
        [functools.partial(fold, number, slice(part.start, part.stop))
         for number, part in enumerate(parts)]
    )  # fmt: skip


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


def _steps_of(segments: Segments) -> int:
    return int((segments.end - segments.begin).sum())


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
