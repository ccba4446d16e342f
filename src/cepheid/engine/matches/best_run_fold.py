"""The fold of the best runs, where not all matches are taken."""

from __future__ import annotations

import numpy as np

from cepheid.engine.fold import Facts
from cepheid.engine.matches.fold_graph import GraphFold, RunFold
from cepheid.engine.matches.match_chunks import parts_of_run_fold
from cepheid.engine.matches.match_task import MatchTask
from cepheid.engine.matches.run_preference import run_preference
from cepheid.kernels.graph.best_runs import KeptRuns, fold_best_runs
from cepheid.kernels.graph.build_run_graph import room_needed
from cepheid.kernels.graph.match_nodes import LATEST_START, LIVE_COUNT, NONE


def graph_of_best_runs(task: MatchTask, facts: Facts) -> GraphFold:
    """Return a fold that keeps the runs of which one can become the match that is taken."""
    return BestRunFold(task)


class BestRunFold(RunFold):
    """The fold with predicates over several events that drops runs which others make superfluous.

    Under skip-till-any (kernels/graph/best_runs.py). The last column of a node says which edges are
    open to its run.
    """

    own_columns = 1

    def __init__(self, task: MatchTask) -> None:
        super().__init__(*parts_of_run_fold(task))
        self.preference = run_preference(task)
        self.kept = _room_for(self.live.size)

    def advance(self, most_nodes: int) -> int:
        """Fold until all is done or the graph is full; return why it stopped."""
        return fold_best_runs(
            self.state,
            self.kept,
            self.automaton,
            self.rules,
            self.events,
            self.columns,
            self.window,
            self.preference,
            most_nodes,
            self.room,
        )

    def grow(self) -> None:
        """Make room for twice as many nodes, and for the next step at least."""
        super().grow()
        live = int(self.graph.cursor[LIVE_COUNT])
        most = live + room_needed(self.graph.cursor, self.rules, self.events)
        if 2 * most > self.table.shape[0]:
            self.table = np.full((1 << int(2 * most).bit_length(), 2), NONE, np.int64)
        classes = self.kept.class_of[:live]
        self.kept = _room_for(self.live.size)
        self.kept.class_of[:live] = classes

    def compact(self, limit: int) -> None:
        """Drop what no later event can reach, and all ends."""
        live = self.live[: self.graph.cursor[LIVE_COUNT]]
        is_fresh = self.graph.nodes[live, LATEST_START] > limit
        classes = self.kept.class_of[: live.size][is_fresh]
        super().compact(limit)
        self.kept.class_of[: classes.size] = classes


def _room_for(runs: int) -> KeptRuns:
    return KeptRuns._make(np.empty(runs, np.int64) for _ in KeptRuns._fields)
