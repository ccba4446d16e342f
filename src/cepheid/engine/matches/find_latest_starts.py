"""For every event, the latest start of a match of a negated part that ends there.

An inner negation blocks an edge exactly if one of its matches starts after the edge's first event
and ends before its second. So the latest start among the inner matches that end before an event
says which earlier events the event can still follow: those that are not before that start.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.kernel_arrays import automaton_arrays
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.kernels.graph.latest_starts import find_latest_starts
from cepheid.program.negation_program import NegatedProgram, NegationProgram
from cepheid.program.position_automaton import PositionAutomaton
from cepheid.program.program import StrategyCode

Int64s = NDArray[np.int64]


def latest_starts(part: NegatedProgram, ordered: OrderedEvents) -> Int64s:
    """Return ranks of order keys, 0 where no match of the part ends."""
    return find_latest_starts(
        automaton_arrays(part.automaton, StrategyCode.SKIP_TILL_ANY),
        ordered.arrays._replace(fires=ordered.negative_fires[part.masks]),
        np.ascontiguousarray(ordered.key_rank),
        _cuts(part.automaton, part.inner, ordered),
    )


def _cuts(
    automaton: PositionAutomaton, inner: NegationProgram | None, ordered: OrderedEvents
) -> Int64s:
    """Return by edge and event the rank from which on the event can follow another.

    Edges are in the order of `automaton_arrays`: by target. Without inner negations there is no
    row.
    """
    if inner is None:
        return np.empty((0, 0), np.int64)
    cuts = np.zeros((len(automaton.edges), ordered.row.size), np.int64)
    by_part = [latest_before(latest_starts(part, ordered), ordered) for part in inner.parts]
    by_target = sorted(range(len(automaton.edges)), key=lambda edge: automaton.edges[edge][1])
    for row, edge in enumerate(by_target):
        cuts[row] = open_from(inner.gaps[edge], by_part)
    return cuts


def open_from(alternatives: Sequence[int], latest: Sequence[Int64s]) -> Int64s:
    """Return the rank from which on an event is after the latest match that blocks a gap.

    The gap is open while the parts of one of the alternatives (bit masks) have no match in it;
    `latest` has by part the latest start of a match.
    """
    ways = []
    for parts in alternatives:
        crossed = [each for number, each in enumerate(latest) if parts >> number & 1]
        ways.append(np.maximum.reduce(crossed) if crossed else np.zeros_like(latest[0]))
    result: Int64s = np.minimum.reduce(ways)
    return result


def latest_before(starts: Int64s, ordered: OrderedEvents) -> Int64s:
    """Return by event the latest start among the matches that end before it in its partition."""
    span = int(ordered.key_rank.max(initial=0)) + 1
    base = ordered.partition_of_event * span  # larger than everything of the partitions before
    latest = np.concatenate(([0], np.maximum.accumulate(base + starts)))
    steps = ordered.arrays.step_offsets
    begins_step = np.repeat(steps[:-1], np.diff(steps))
    return np.maximum(latest[begins_step] - base, 0)
