"""The fold in which a newer run replaces the one that waits."""

from __future__ import annotations

import numpy as np

from cepheid.engine.fold import Facts
from cepheid.engine.matches.fold_graph import GraphFold, RunFold
from cepheid.engine.matches.match_chunks import parts_of_run_fold
from cepheid.engine.matches.match_task import MatchTask
from cepheid.engine.matches.order_trends import ranks_of_concurrent
from cepheid.kernels.graph.latest_runs import Waiting, fold_latest_runs
from cepheid.kernels.graph.match_nodes import NONE


def graph_of_latest_runs(task: MatchTask, facts: Facts) -> GraphFold:
    """Return a fold that keeps one run for every position."""
    return LatestRunFold(task)


class LatestRunFold(RunFold):
    """The fold that keeps at most as many runs as there are positions in a partition."""

    def __init__(self, task: MatchTask) -> None:
        super().__init__(*parts_of_run_fold(task))
        self.most_live = None
        program, ordered = task.program, task.ordered
        node, start, new_node, new_start = np.full((4, len(program.automaton.follow)), NONE)
        rank = np.ascontiguousarray(ordered.key_rank)
        values = ranks_of_concurrent(program, ordered, task.columns, program.tie_columns)
        self.waiting = Waiting(node, start, new_node, new_start, rank, values)

    def advance(self, most_nodes: int) -> int:
        """Fold until all is done or the graph is full; return why it stopped."""
        return fold_latest_runs(
            self.state,
            self.waiting,
            self.automaton,
            self.rules,
            self.events,
            self.columns,
            self.window,
            self.apart,
            most_nodes,
            self.room,
        )
