"""Where negated parts let paths of the match graph through.

Without conditions on the matches of a negated part, the one that starts last decides: an edge is
open for events that are not before its start. Parts with conditions are left out here; whether they
block a match is known only for the match as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs
from cepheid.engine.matches.find_latest_starts import latest_before, open_from
from cepheid.engine.matches.negative_starts import negative_starts
from cepheid.kernels.graph.choose_paths import EVERY_EDGE, NO_EDGE, SOME_EDGE, OpenGaps
from cepheid.kernels.graph.match_nodes import ALWAYS, NEVER, NONE
from cepheid.program.program import Program

Int64s = NDArray[np.int64]


def open_gaps(program: Program, ordered: OrderedEvents, predicates: PredicateInputs) -> OpenGaps:
    """Return what a walk needs to know; without negation everything is open."""
    positions = len(program.automaton.follow)
    gaps = _Gaps(program, ordered, predicates)
    edge_row = np.full((positions, positions), NONE, np.int64)
    for binding, (source, target) in enumerate(program.automaton.edges):
        edge_row[source, target] = gaps.row(binding, gaps.edge)
    begin = len(program.automaton.edges)
    entry_row = [gaps.row(begin + each, gaps.entry) for each in range(positions)]
    exit_row = [gaps.row(begin + positions + each, gaps.exit) for each in range(positions)]
    opens = np.array(gaps.rows, np.int64).reshape(len(gaps.rows), ordered.row.size)
    return OpenGaps(
        edge_row,
        np.array(entry_row, np.int64),
        np.array(exit_row, np.int64),
        _blocked(program, edge_row),
        opens,
    )


def _blocked(program: Program, edge_row: Int64s) -> Int64s:
    """Return how many of the edges into every position can be blocked."""
    blocked = np.full(edge_row.shape[0], NO_EDGE, np.int64)
    for target in range(blocked.size):
        rows = [edge_row[each] for each in program.automaton.edges if each[1] == target]
        if any(row != NONE for row in rows):
            blocked[target] = EVERY_EDGE if all(row != NONE for row in rows) else SOME_EDGE
    return blocked


class _Gaps:
    """Rows of numbers, one for every gap that can be closed."""

    def __init__(
        self, program: Program, ordered: OrderedEvents, predicates: PredicateInputs
    ) -> None:
        negation = program.negation
        self.negation = negation
        self.ordered = ordered
        self.rows: list[Int64s] = []
        parts = () if negation is None else negation.parts
        self.is_plain = [
            negation is not None and not negation.has_conditions(number)
            for number in range(len(parts))
        ]
        none = np.zeros(ordered.row.size, np.int64)
        self.starts = [
            negative_starts(program, part, ordered, predicates) if is_plain else none
            for part, is_plain in zip(parts, self.is_plain, strict=True)
        ]

    def row(self, binding: int, opens: Callable[[Sequence[int]], Int64s]) -> int:
        """Return the row of a binding, NONE if nothing can block it."""
        if self.negation is None:
            return NONE
        plain = sum(1 << number for number, is_plain in enumerate(self.is_plain) if is_plain)
        alternatives = [mask & plain for mask in self.negation.gaps[binding]]
        if 0 in alternatives:
            return NONE
        self.rows.append(opens(alternatives))
        return len(self.rows) - 1

    def edge(self, alternatives: Sequence[int]) -> Int64s:
        """Return by event the rank from which on it can follow another."""
        return open_from(alternatives, [latest_before(each, self.ordered) for each in self.starts])

    def entry(self, alternatives: Sequence[int]) -> Int64s:
        """Return by event the clock of the latest start that blocks a match beginning with it."""
        return open_from(alternatives, [self._clock_before(each) for each in self.starts])

    def exit(self, alternatives: Sequence[int]) -> Int64s:
        """Return by event the clock of the first end that blocks a match ending with it."""
        ends = [self._end_after(each) for each in self.starts]
        ways = [
            np.minimum.reduce([each for number, each in enumerate(ends) if mask >> number & 1])
            for mask in alternatives
        ]
        result: Int64s = np.maximum.reduce(ways)
        return result

    def _clock_before(self, starts: Int64s) -> Int64s:
        """Return the clock of the latest start among the matches that end before an event."""
        rank, span = latest_before(starts, self.ordered), self._span
        base = self.ordered.partition_of_event * span
        found = np.searchsorted(base + self.ordered.key_rank, base + rank)
        return np.where(rank > 0, self.ordered.arrays.clock[found], NEVER)

    def _end_after(self, starts: Int64s) -> Int64s:
        """Return the clock at which the first match ends that starts after an event."""
        partition, clock = self.ordered.partition_of_event, self.ordered.arrays.clock
        base = partition * self._span
        latest = np.maximum.accumulate(base + starts)
        found = np.searchsorted(latest, base + self.ordered.key_rank, side="right")
        is_there = found < partition.size
        found[~is_there] = 0
        is_there &= partition[found] == partition
        return np.where(is_there, clock[found], ALWAYS)

    @property
    def _span(self) -> int:
        return int(self.ordered.key_rank.max(initial=0)) + 1
