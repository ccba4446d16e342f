"""Some of the matches: those that do not overlap, one a start, one a window (semantics, 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.engine.events.hidden_columns import TAKEN
from cepheid.engine.events.order_events import OrderedEvents, starts_of_runs
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.ticks import earlier
from cepheid.engine.fold import Facts, TooLarge
from cepheid.engine.matches.forms.chosen_of_starts import chosen_of_starts
from cepheid.engine.matches.forms.open_gaps import open_gaps
from cepheid.engine.matches.forms.search_paths import PathSearch
from cepheid.engine.matches.match_chunks import Walkable, joined, picked
from cepheid.engine.matches.match_folds import MatchesTaken
from cepheid.engine.matches.match_task import MatchTask
from cepheid.engine.matches.order_trends import ranks_of_concurrent
from cepheid.engine.matches.sequence_ranks import sequence_ranks
from cepheid.engine.matches.walk_matches import MatchWalker
from cepheid.kernels.graph.choose_apart import choose_apart
from cepheid.kernels.graph.choose_paths import choose_paths, make_work
from cepheid.kernels.graph.choose_starts import (
    PAST_LAST,
    TO_FIRST_OF,
    TO_LAST_OF,
    TO_NEXT,
    StartRules,
    choose_starts,
)
from cepheid.kernels.graph.count_graph import TOO_MANY, count_graph
from cepheid.kernels.graph.event_order import MOST_POSITIONS, EventOrder
from cepheid.kernels.graph.match_nodes import (
    ALWAYS,
    CELL_COUNT,
    END_COUNT,
    END_NODE,
    EVENT,
    NEVER,
    NODE,
    NODE_COUNT,
    NONE,
    POSITION,
    START,
    Graph,
    MatchArrays,
)
from cepheid.kernels.graph.open_part import open_part
from cepheid.language.ast import OutputMode, SkipTo
from cepheid.program.arrow_arrays import to_numpy, to_scalar
from cepheid.program.match_choice import MatchChoice
from cepheid.program.program import Program, Ranking
from cepheid.program.when_final import is_final_at_end

Int64s = NDArray[np.int64]
LARGEST = 2**63 - 1
NO_ROWS = np.empty(0, np.int64)
SKIPS = {
    SkipTo.NEXT_EVENT: TO_NEXT,
    SkipTo.PAST_LAST_EVENT: PAST_LAST,
    SkipTo.FIRST: TO_FIRST_OF,
    SkipTo.LAST: TO_LAST_OF,
}


class TakenMatches:
    """Chooses matches from graphs that come in order.

    Where matches are not to overlap, the whole stream is one partition under strict contiguity, and
    there is one graph. As a rule no match is written but those taken. Where a negated part has
    conditions, it must be asked whether it blocks a match: if there are few, all are listed, else
    they are searched in order. `report` is that of a step of a stream.
    """

    def __init__(
        self,
        task: MatchTask,
        walker: MatchWalker,
        choice: MatchChoice,
        report: ReportRange | None = None,
    ) -> None:
        program, ordered, columns = task.program, task.ordered, task.columns
        self.choice, self.report = choice, report
        self.program = program
        self.ordered = ordered
        self.walker = walker
        self.folding = task.folding
        self.window = program.window_length or 0
        self.order = EventOrder(
            np.ascontiguousarray(ordered.key_rank),
            ordered.arrays.clock,
            self._owners(program, ordered),
            ranks_of_concurrent(program, ordered, columns, choice.tie_columns),
            np.empty(0, np.int64),
        )
        self.order = self.order._replace(boundary=self._taken_before(columns))
        self.gaps = open_gaps(program, ordered, task.predicates)

    def chosen(self, walkable: Walkable) -> MatchArrays:
        """Return the matches that are taken, in their order."""
        graph, ends = walkable
        if not len(ends):
            return joined(())
        event = graph.nodes[ends[:, END_NODE], EVENT]
        rank = self.order.rank[event]
        rank = -rank if self.choice.form is OutputMode.LAST else rank
        ends = np.ascontiguousarray(ends[np.lexsort([rank, self.order.owner[event]])])
        found: MatchArrays = self.folding.fold(TakenTask(self, Walkable(graph, ends)))
        return self._new_ones(found)

    def rows_taken(self, matches: MatchArrays) -> Int64s:
        """Return the rows of events that tell later steps of a stream what was taken.

        Those are the last events of matches, or the last ones that the next match begins after.
        """
        if self.choice.is_per_start:
            return self.ordered.row[self._last_skipped()] if self.choice.skips else NO_ROWS
        return self.ordered.row[matches.event[matches.offsets[1:] - 1]]

    def _last_skipped(self) -> Int64s:
        """Return the last event of every partition that no match may begin with any more."""
        order, steps = self.order, self.ordered.arrays.step_offsets
        begins = steps[self.ordered.arrays.partition_offsets]
        is_skipped = order.rank <= order.boundary[order.owner]
        skipped = np.append(0, np.cumsum(is_skipped))[begins]
        counts = np.diff(skipped)
        return (begins[:-1] + counts - 1)[counts > 0]

    def _owners(self, program: Program, ordered: OrderedEvents) -> Int64s:
        """Return by event what it shares with those that are compared: a number, in order."""
        if self.choice.form is OutputMode.NON_OVERLAPPING:
            return owners(program, ordered)
        owner = ordered.partition_of_event
        if not self.choice.is_per_window or not self.window:
            return owner
        index = ordered.arrays.clock // self.window
        is_new = starts_of_runs(owner) | starts_of_runs(index)
        return np.cumsum(is_new) - 1

    def _taken_before(self, columns: Mapping[str, Any]) -> Int64s:
        """Return by owner the order key after which matches start, given those taken before.

        Of a window that has its match already, none does.
        """
        if not self.choice.is_per_window:
            return taken_before(self.order.owner, self.ordered, columns)
        boundary = np.zeros(int(self.order.owner.max(initial=0)) + 1, np.int64)
        boundary[self.order.owner[is_taken(self.ordered, columns)]] = ALWAYS
        return boundary

    def _new_ones(self, matches: MatchArrays) -> MatchArrays:
        """Leave out what an earlier step has reported, where that is known of its end only."""
        if self.report is None or not is_final_at_end(self.program, self.choice):
            return matches
        last = matches.event[matches.offsets[1:] - 1]
        is_new = self.report.is_new(self.ordered.arrays.clock[last], self.ordered.row[last])
        return picked(matches, np.flatnonzero(is_new))

    def starts(self, graph: Graph) -> Int64s:
        """Return the nodes with which matches start whose turn it is, in their order."""
        count = graph.cursor[NODE_COUNT]
        start = np.flatnonzero(graph.nodes[:count, START] != NEVER)
        return start[self._is_due(graph.nodes[start, EVENT])]

    def _is_due(self, event: Int64s) -> NDArray[np.bool_]:
        """Whether a step of a stream decides what becomes of a start."""
        if self.report is None or is_final_at_end(self.program, self.choice):
            return np.ones(event.size, np.bool_)
        assert self.ordered.horizons is not None
        partition, clock = self.ordered.partition_of_event[event], self.ordered.arrays.clock[event]
        before, until = (earlier(each[partition], self.window) for each in self.ordered.horizons)
        return (before < clock) & (clock <= until)

    def chosen_of(self, matches: MatchArrays) -> MatchArrays:
        """Return those of some matches that are taken."""
        order = self.order
        if self.choice.is_per_start:
            due = self._is_due(matches.event[matches.offsets[:-1]])
            return chosen_of_starts(picked(matches, np.flatnonzero(due)), self.choice, order)
        first, last = matches.event[matches.offsets[:-1]], matches.event[matches.offsets[1:] - 1]
        matches = picked(
            matches, np.flatnonzero(order.rank[first] > order.boundary[order.owner[last]])
        )
        first, last = matches.event[matches.offsets[:-1]], matches.event[matches.offsets[1:] - 1]
        steps = order.rank[matches.event] * MOST_POSITIONS + matches.position
        keys = [
            sequence_ranks(matches.offsets, order.values[matches.event]),
            sequence_ranks(matches.offsets, steps),
            order.rank[first],
            order.rank[last],
            order.owner[first],
        ]
        if self.choice.is_per_window:
            keys[4] = order.owner[last]
        if self.choice.form is OutputMode.LAST:
            keys[3] = -keys[3]
        places = np.lexsort(keys)
        owner, starts, ends = (each[places] for each in (keys[4], keys[2], keys[3]))
        if self.choice.is_per_window:
            taken = places[starts_of_runs(owner)]
            order.boundary[keys[4][taken]] = ALWAYS
        else:
            taken = places[choose_apart(owner, starts, ends)]
            np.maximum.at(order.boundary, keys[4][taken], keys[3][taken])
        return picked(matches, taken)

    def searched(self, graph: Graph, ends: Int64s) -> Iterator[MatchArrays]:
        """Yield the match taken at each end, if there is one that stays."""
        assert self.walker.negation is not None
        work, mark = make_work(graph), 0
        search = PathSearch(self.program, self.walker.negation, graph, self.order)
        event = graph.nodes[ends[:, END_NODE], EVENT]
        is_new = starts_of_runs(self.order.rank[event]) | starts_of_runs(self.order.owner[event])
        for group in np.split(ends, np.flatnonzero(is_new)[1:]):
            found = []
            for one in self._with_same_bounds(graph, group):
                part = open_part(graph, one, self.order, self.gaps, self.window, mark, work)
                found.append(search.first(part))
                mark += 1
            taken = self.chosen_of(joined(each for each in found if each is not None))
            if taken.event.size:
                yield taken

    def _with_same_bounds(self, graph: Graph, ends: Int64s) -> Iterator[Int64s]:
        """Yield the ends of a group that allow the same starts."""
        rows = self.gaps.exit_row[graph.nodes[ends[:, END_NODE], POSITION]]
        if np.all(rows == NONE) and self.program.ranking is not Ranking.STREAM:
            yield ends
        else:
            yield from np.split(ends, len(ends))


@dataclass(frozen=True, slots=True)
class TakenTask:
    """A graph whose matches are chosen; ends are in the order in which they are looked at."""

    taken: TakenMatches
    walkable: Walkable

    @property
    def group(self) -> MatchesTaken:
        """What folds are chosen by."""
        return MatchesTaken(self.taken.program, self.taken.choice)


def taken_facts(task: TakenTask) -> Facts:
    """Return what is known of a graph of matches."""

    def matches() -> int:
        (graph, ends), taken = task.walkable, task.taken
        counted = graph._replace(ends=ends, cursor=graph.cursor.copy())
        counted.cursor[END_COUNT] = len(ends)
        count = count_graph(counted, taken.order.clock, taken.window)
        return LARGEST if count == TOO_MANY else count

    return Facts(measures={"matches": matches})


def first_paths(task: TakenTask, facts: Facts) -> MatchArrays:
    """Return the matches that are taken; no other is written."""
    (graph, ends), taken = task.walkable, task.taken
    return choose_paths(
        graph,
        ends,
        taken.order,
        taken.gaps,
        taken.window,
        taken.choice.is_per_window,
        taken.choice.form is OutputMode.LAST,
    )


def ways_from_starts(task: TakenTask, facts: Facts) -> MatchArrays | TooLarge:
    """Return the match of every start that is not skipped; no other is written."""
    walkable, taken = task.walkable, task.taken
    if taken.program.negation is not None:
        cut = taken.walker.open_graphs().cut(walkable)
        if cut is None:
            return TooLarge("edges that no negated part blocks")
        walkable = cut
    graph, gaps, choice = walkable.graph, taken.gaps, taken.choice
    count, cells = graph.cursor[NODE_COUNT], graph.cursor[CELL_COUNT]
    rules = StartRules(
        choice.form is OutputMode.LONGEST,
        SKIPS[choice.skip],
        choice.skip_positions,
        taken.window,
        count == cells and bool(np.all(graph.cells[:count, NODE] == np.arange(count))),
        bool(np.any(gaps.entry_row != NONE) or np.any(gaps.exit_row != NONE)),
    )
    ends = np.ascontiguousarray(walkable.ends)
    return choose_starts(graph, ends, taken.starts(graph), taken.order, gaps, rules)


def matches_listed(task: TakenTask, facts: Facts) -> MatchArrays:
    """Return those of all matches that are taken."""
    return task.taken.chosen_of(joined(task.taken.walker.matches(task.walkable)))


def paths_searched(task: TakenTask, facts: Facts) -> MatchArrays:
    """Return the first match at every end that no negated part blocks."""
    return joined(task.taken.searched(*task.walkable))


def owners(program: Program, ordered: OrderedEvents) -> Int64s:
    """Return by event whose matches must not overlap: those of its partition, or of all."""
    owner = ordered.partition_of_event
    return np.zeros_like(owner) if program.ranking is Ranking.STREAM else owner


def taken_before(owner: Int64s, ordered: OrderedEvents, columns: Mapping[str, Any]) -> Int64s:
    """Return by owner the order key after which matches start, given those taken before.

    It is 0 if no match was taken in an earlier step of a stream, or too long ago to matter.
    """
    boundary = np.zeros(max(1, ordered.arrays.partition_offsets.size - 1), np.int64)
    taken = is_taken(ordered, columns)
    np.maximum.at(boundary, owner[taken], ordered.key_rank[taken])
    return boundary


def is_taken(ordered: OrderedEvents, columns: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return which events were marked in an earlier step of a stream."""
    if TAKEN not in columns:
        return np.zeros(ordered.row.size, np.bool_)
    marks: NDArray[np.bool_] = to_numpy(pc.fill_null(columns[TAKEN], to_scalar(False)))
    return marks[ordered.row]
