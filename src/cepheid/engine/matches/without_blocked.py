"""The part of a graph that negated parts leave, as far as single edges tell."""

from __future__ import annotations

import numpy as np

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs
from cepheid.engine.matches.forms.open_gaps import open_gaps
from cepheid.engine.matches.match_chunks import Walkable
from cepheid.kernels.graph.cut_edges import cut_edges
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    END_NODE,
    EVENT,
    NONE,
    POSITION,
    START_AT_MOST,
)
from cepheid.program.program import Program

MOST_CELLS = 2**23


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
        return Walkable(graph, ends)
