"""The ends of the matches that become final in a step of a stream."""

from __future__ import annotations

import numpy as np

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
from cepheid.program.when_final import WhenFinal, when_final


def final_ends(
    program: Program, ordered: OrderedEvents, report: ReportRange | None, walkable: Walkable
) -> Walkable:
    """Return the ends at which matches become final in a step; of a bounded input all do."""
    choice = program.output.choice if isinstance(program.output, MatchOutput) else None
    if report is None or (choice is not None and choice.is_per_start):
        return walkable  # of starts it is known whose turn it is
    assert ordered.horizons is not None
    graph, ends = walkable
    event = graph.nodes[ends[:, END_NODE], EVENT]
    when = when_final(program)
    if when is WhenFinal.LAST_EVENT:
        is_new = report.is_new(ordered.arrays.clock[event], ordered.row[event])
        return Walkable(graph, ends[is_new])
    partition, window = ordered.partition_of_event[event], program.window_length or 0
    before, until = (earlier(each[partition], window) for each in ordered.horizons)
    if when is WhenFinal.WINDOW:
        opened = ordered.arrays.clock[event] // window * window
        return Walkable(graph, ends[(before < opened) & (opened <= until)])
    if when is WhenFinal.LAST_SPAN:
        clock = ordered.arrays.clock[event]
        return Walkable(graph, ends[(before < clock) & (clock <= until)])
    ends = ends.copy()
    ends[:, START_AFTER] = np.maximum(ends[:, START_AFTER], before)
    ends[:, START_AT_MOST] = np.minimum(ends[:, START_AT_MOST], until)
    return Walkable(graph, ends[ends[:, START_AFTER] < ends[:, START_AT_MOST]])
