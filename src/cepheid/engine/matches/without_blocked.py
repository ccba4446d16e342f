"""The part of a graph that negated parts leave, as far as single edges tell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs
from cepheid.engine.matches.forms.open_gaps import open_gaps
from cepheid.engine.matches.match_chunks import Walkable
from cepheid.kernels.graph.count_matches import count_matches
from cepheid.kernels.graph.cut_edges import cut_edges
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    END_NODE,
    EVENT,
    NONE,
    POSITION,
    START_AT_MOST,
    Graph,
)
from cepheid.program.program import Program

Int64s = NDArray[np.int64]
MOST_CELLS = 2**23
MOST_WORK = 2**26  # nodes and cells that are looked at to count exactly: about half a second


class OpenGraphs:
    """Cuts graphs over the same events.

    `is_exact`: every match of what is left stays. It is not so where conditions tie a negated part
    to the match, nor of a part before the match: whether that blocks depends on both of its ends.
    """

    def __init__(
        self, program: Program, ordered: OrderedEvents, predicates: PredicateInputs
    ) -> None:
        assert program.negation is not None
        self.ordered = ordered
        self.window = program.window_length or 0
        self.gaps = open_gaps(program, ordered, predicates)
        is_open = bool(np.all(self.gaps.entry_row == NONE))
        self.is_exact = is_open and not program.negation.is_conditional

    def cut(self, walkable: Walkable) -> Walkable | None:
        """Return what is left; None if it has too many edges to write each one down."""
        arrays, gaps = self.ordered.arrays, self.gaps
        rank = np.ascontiguousarray(self.ordered.key_rank)
        graph, is_cut = cut_edges(walkable.graph, rank, arrays.clock, gaps, self.window, MOST_CELLS)
        if not is_cut:
            return None
        ends = walkable.ends.copy()
        event, position = (graph.nodes[ends[:, END_NODE], each] for each in (EVENT, POSITION))
        row = gaps.exit_row[position]
        opens = np.full(row.size, ALWAYS)
        opens[row != NONE] = gaps.opens[row[row != NONE], event[row != NONE]]
        closes = np.where(opens == ALWAYS, ALWAYS, opens - self.window)
        ends[:, START_AT_MOST] = np.minimum(ends[:, START_AT_MOST], closes)
        if np.any(row != NONE):
            ends = self._with_matches(graph, np.ascontiguousarray(ends))
        return Walkable(graph, ends)

    def _with_matches(self, graph: Graph, ends: Int64s) -> Int64s:
        """Leave out ends at which no match starts early enough: a walk would look for one."""
        counts = np.zeros(len(ends))
        counted = count_matches(
            graph, ends, self.ordered.arrays.clock, self.window, True, MOST_WORK, counts
        )
        return np.concatenate((ends[:counted][counts[:counted] > 0], ends[counted:]))
