"""OUTPUT NON OVERLAPPING (semantics, section 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.engine.events.hidden_columns import TAKEN
from cepheid.engine.events.order_events import OrderedEvents, starts_of_runs
from cepheid.engine.fold import Facts
from cepheid.engine.matches.forms.open_gaps import open_gaps
from cepheid.engine.matches.forms.search_paths import PathSearch
from cepheid.engine.matches.match_chunks import Walkable, joined, picked
from cepheid.engine.matches.match_folds import MatchesApart
from cepheid.engine.matches.match_task import MatchTask
from cepheid.engine.matches.order_trends import ranks_of_concurrent
from cepheid.engine.matches.sequence_ranks import sequence_ranks
from cepheid.engine.matches.walk_matches import MatchWalker
from cepheid.kernels.graph.choose_apart import choose_apart
from cepheid.kernels.graph.choose_paths import (
    MOST_POSITIONS,
    EventOrder,
    choose_paths,
    make_work,
)
from cepheid.kernels.graph.count_graph import TOO_MANY, count_graph
from cepheid.kernels.graph.match_nodes import (
    END_COUNT,
    END_NODE,
    EVENT,
    NONE,
    POSITION,
    Graph,
    MatchArrays,
)
from cepheid.kernels.graph.open_part import open_part
from cepheid.program.arrow_arrays import to_numpy, to_scalar
from cepheid.program.program import Program, Ranking

Int64s = NDArray[np.int64]
LARGEST = 2**63 - 1


class NonOverlapping:
    """Chooses matches from graphs that come in order.

    Under strict contiguity the whole stream is one partition, and there is one graph. As a rule no
    match is written but those taken. Where a negated part has conditions, it must be asked whether
    it blocks a match: if there are few, all are listed, else they are searched in order.
    """

    def __init__(self, task: MatchTask, walker: MatchWalker, tie_columns: Sequence[str]) -> None:
        program, ordered, columns = task.program, task.ordered, task.columns
        self.program = program
        self.ordered = ordered
        self.walker = walker
        self.folding = task.folding
        self.window = program.window_length or 0
        self.order = EventOrder(
            np.ascontiguousarray(ordered.key_rank),
            ordered.arrays.clock,
            owners(program, ordered),
            ranks_of_concurrent(program, ordered, columns, tie_columns),
            taken_before(program, ordered, columns),
        )
        self.gaps = open_gaps(program, ordered, task.predicates)

    def chosen(self, walkable: Walkable) -> MatchArrays:
        """Return the matches that are taken, in their order."""
        graph, ends = walkable
        if not len(ends):
            return joined(())
        event = graph.nodes[ends[:, END_NODE], EVENT]
        by_rank = np.lexsort([self.order.rank[event], self.order.owner[event]])
        ends = np.ascontiguousarray(ends[by_rank])
        found: MatchArrays = self.folding.fold(ApartTask(self, Walkable(graph, ends)))
        return found

    def chosen_of(self, matches: MatchArrays) -> MatchArrays:
        """Return those of some matches that are taken."""
        order = self.order
        first, last = matches.event[matches.offsets[:-1]], matches.event[matches.offsets[1:] - 1]
        matches = picked(
            matches, np.flatnonzero(order.rank[first] > order.boundary[order.owner[first]])
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
        places = np.lexsort(keys)
        owner, starts, ends = (each[places] for each in (keys[4], keys[2], keys[3]))
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
class ApartTask:
    """A graph whose matches are chosen; ends are in the order of their last events."""

    apart: NonOverlapping
    walkable: Walkable

    @property
    def group(self) -> MatchesApart:
        """What folds are chosen by."""
        return MatchesApart(self.apart.program)


def apart_facts(task: ApartTask) -> Facts:
    """Return what is known of a graph of matches."""

    def matches() -> int:
        (graph, ends), apart = task.walkable, task.apart
        counted = graph._replace(ends=ends, cursor=graph.cursor.copy())
        counted.cursor[END_COUNT] = len(ends)
        count = count_graph(counted, apart.order.clock, apart.window)
        return LARGEST if count == TOO_MANY else count

    return Facts(measures={"matches": matches})


def first_paths(task: ApartTask, facts: Facts) -> MatchArrays:
    """Return the matches that are taken; no other is written."""
    (graph, ends), apart = task.walkable, task.apart
    return choose_paths(graph, ends, apart.order, apart.gaps, apart.window)


def matches_listed(task: ApartTask, facts: Facts) -> MatchArrays:
    """Return those of all matches that are taken."""
    return task.apart.chosen_of(joined(task.apart.walker.matches(task.walkable)))


def paths_searched(task: ApartTask, facts: Facts) -> MatchArrays:
    """Return the first match at every end that no negated part blocks."""
    return joined(task.apart.searched(*task.walkable))


def owners(program: Program, ordered: OrderedEvents) -> Int64s:
    """Return by event whose matches must not overlap: those of its partition, or of all."""
    owner = ordered.partition_of_event
    return np.zeros_like(owner) if program.ranking is Ranking.STREAM else owner


def taken_before(program: Program, ordered: OrderedEvents, columns: Mapping[str, Any]) -> Int64s:
    """Return by owner the order key after which matches start, given those taken before.

    It is 0 if no match was taken in an earlier step of a stream, or too long ago to matter.
    """
    boundary = np.zeros(max(1, ordered.arrays.partition_offsets.size - 1), np.int64)
    if TAKEN in columns:
        is_taken = to_numpy(pc.fill_null(columns[TAKEN], to_scalar(False)))[ordered.row]
        owner = owners(program, ordered)[is_taken]
        np.maximum.at(boundary, owner, ordered.key_rank[is_taken])
    return boundary
