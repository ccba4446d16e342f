"""When matches become final on a stream, and the ends of those that do so in a step."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.ticks import earlier
from cepheid.engine.matches.match_chunks import Walkable
from cepheid.kernels.graph.match_nodes import (
    END_NODE,
    EVENT,
    START_AFTER,
    START_AT_MOST,
)
from cepheid.program.program import MatchOutput, Program

Int64s = NDArray[np.int64]


class WhenFinal(StrEnum):
    """What must be known for a match to be reported."""

    LAST_EVENT = "its last event"
    FIRST_SPAN = "all events of a window that begins with its first event"
    LAST_SPAN = "all events of a window that begins with its last event"


def when_final(program: Program) -> WhenFinal:
    """Return when the matches of a program are final.

    An end negation and PARTIAL wait until the window is over. NON OVERLAPPING decides in the order
    of last events. A match that ends no later began no later either, so one window after the last
    event it is known of all of these whether an end negation blocks them.
    """
    output = program.output
    assert isinstance(output, MatchOutput)
    if output.is_partial:
        return WhenFinal.FIRST_SPAN
    if not has_end_negation(program):
        return WhenFinal.LAST_EVENT
    return WhenFinal.LAST_SPAN if is_apart(program) else WhenFinal.FIRST_SPAN


def reported_after(program: Program) -> int:
    """Return how many ticks later than its own time allows a result may be reported.

    An end negation gives a match the last tick of its span as its time. Pairs, and matches that are
    not to overlap, may have to wait for another span, which begins within the first.
    """
    if not isinstance(program.output, MatchOutput) or not has_end_negation(program):
        return 0
    waits = program.pair is not None or is_apart(program)
    return (program.window_length or 1) - 1 if waits else 0


def is_apart(program: Program) -> bool:
    """Whether matches, or pairs of them, are not to overlap."""
    if program.pair is not None:
        return program.pair.is_non_overlapping
    return isinstance(program.output, MatchOutput) and program.output.tie_columns is not None


def has_start_negation(program: Program) -> bool:
    """Whether a negated part looks at what is before the first event, on either side of AND."""
    begin = len(program.automaton.edges)
    return _blocks(program, begin, begin + len(program.automaton.follow)) or (
        program.pair is not None and has_start_negation(program.pair.second)
    )


def has_end_negation(program: Program) -> bool:
    """Whether a negated part looks at what is after the last event, on either side of AND."""
    begin = len(program.automaton.edges) + len(program.automaton.follow)
    return _blocks(program, begin, None) or (
        program.pair is not None and has_end_negation(program.pair.second)
    )


def _blocks(program: Program, begin: int, end: int | None) -> bool:
    """Whether some bindings can be blocked; they are edges, then entries, then ends."""
    return program.negation is not None and any(
        0 not in alternatives for alternatives in program.negation.gaps[begin:end]
    )


def final_ends(
    program: Program, ordered: OrderedEvents, report: ReportRange | None, walkable: Walkable
) -> Walkable:
    """Return the ends at which matches become final in a step; of a bounded input all do."""
    if report is None:
        return walkable
    assert ordered.horizons is not None
    graph, ends = walkable
    event = graph.nodes[ends[:, END_NODE], EVENT]
    when = when_final(program)
    if when is WhenFinal.LAST_EVENT:
        is_new = report.is_new(ordered.arrays.clock[event], ordered.row[event])
        return Walkable(graph, ends[is_new])
    partition, window = ordered.partition_of_event[event], program.window_length or 0
    before, until = (earlier(each[partition], window) for each in ordered.horizons)
    if when is WhenFinal.LAST_SPAN:
        clock = ordered.arrays.clock[event]
        return Walkable(graph, ends[(before < clock) & (clock <= until)])
    ends = ends.copy()
    ends[:, START_AFTER] = np.maximum(ends[:, START_AFTER], before)
    ends[:, START_AT_MOST] = np.minimum(ends[:, START_AT_MOST], until)
    return Walkable(graph, ends[ends[:, START_AFTER] < ends[:, START_AT_MOST]])
