"""Run a match query: fold the events, walk the graph, on several threads where that pays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.matches.final_matches import final_ends
from cepheid.engine.matches.fold_graph import all_partitions
from cepheid.engine.matches.forms.partial_matches import partial_matches
from cepheid.engine.matches.forms.taken_matches import TakenMatches
from cepheid.engine.matches.match_chunks import (
    Walkable,
    fold_in_parts,
    fold_whole,
    joined,
    lots_of,
    split_partitions,
)
from cepheid.engine.matches.match_rows import match_schema
from cepheid.engine.matches.match_task import MatchTask, SearchMode, match_task
from cepheid.engine.matches.walk_matches import Listing, MatchLimit, MatchWalker, up_to
from cepheid.engine.process.threads import side_by_side
from cepheid.kernels.graph.match_nodes import END_COUNT
from cepheid.language.ast import OutputMode
from cepheid.program.program import MatchOutput, Program, Ranking

# How many ends are worth a thread: where events repeat, many matches can end at each.
LEAST_ENDS, LEAST_REPEATED_ENDS = 2**14, 2**8


class Found(NamedTuple):
    """Matches or pairs, how many events belong to no partition, and where taken matches end.

    `taken` has rows of events; it is only filled where they decide what is taken later.
    """

    table: pa.Table
    dropped: int
    taken: NDArray[np.int64]


def find_matches(
    program: Program,
    columns: Mapping[str, Any],
    length: int,
    schema: pa.Schema,
    mode: SearchMode,
) -> Found:
    """Return all matches, or those that become final in a step of a stream."""
    output = program.output
    assert isinstance(output, MatchOutput)
    search = MatchSearch(program, columns, length, schema, mode)
    ordered, walker, fold = search.task.ordered, search.walker, search.fold
    threads, record = mode.threads, mode.folding.record

    def fold_and_walk(partitions: range) -> list[pa.RecordBatch]:
        own = walker.for_another_thread()
        return [batch for walkable in fold(partitions) for batch in own.batches(walkable)]

    taken = np.empty(0, np.int64)
    parts = split_partitions(ordered.arrays, threads)
    if output.choice is not None:
        some = TakenMatches(search.task, walker, output.choice, mode.report_range)
        with record.stage("walk"):
            chosen = joined(map(some.chosen, fold(all_partitions(ordered.arrays))))
        taken = some.rows_taken(chosen)
        batches = list(up_to(program.limit, [walker.rows.batch(chosen)]))
    elif program.limit is not None:
        with record.stage("walk"):
            batches = list(search.batches())
    elif len(parts) > 1:
        with record.stage("fold and walk"):
            found = side_by_side([partial(fold_and_walk, part) for part in parts])
        batches = list(chain.from_iterable(found))
    else:
        repeats = any(target <= source for source, target in program.automaton.edges)
        least = LEAST_REPEATED_ENDS if repeats else LEAST_ENDS
        with record.stage("walk"):
            batches = list(_walk(walker, fold(parts[0]), threads, least))
    table = pa.Table.from_batches(batches, match_schema(program, output, schema))
    record.count("matches", table.num_rows)
    return Found(table, ordered.dropped, taken)


class MatchSearch:
    """A match query and its events in order."""

    def __init__(
        self,
        program: Program,
        columns: Mapping[str, Any],
        length: int,
        schema: pa.Schema,
        mode: SearchMode,
    ) -> None:
        output = program.output
        assert isinstance(output, MatchOutput)
        self.program, self.output = program, output
        self.report = mode.report_range
        self.task = match_task(program, columns, length, mode)
        ordered = self.task.ordered
        self.walker = MatchWalker(program, output, ordered, self.task.predicates, columns, schema)
        choice = output.choice
        if choice is None or choice.is_per_start:  # of others that are chosen, few are listed
            self.walker.limit = MatchLimit(program, ordered, columns)

    def fold(self, partitions: range) -> Iterator[Walkable]:
        """Yield graphs with the ends of matches to be reported."""
        program, choice, task = self.program, self.output.choice, self.task.over(partitions)
        if self.output.is_partial:
            walkables = iter([partial_matches(task)])
        elif choice is not None and (choice.is_per_start or choice.form is OutputMode.LAST):
            # What comes later may be better, so a partition must be known.
            walkables = map(_whole, map(task.over, lots_of(task.ordered.arrays, partitions)))
        elif choice is not None and not choice.is_per_window and program.ranking is Ranking.STREAM:
            # Matches of all partitions exclude one another, so all must be known.
            walkables = iter([_whole(task)])
        else:
            walkables = fold_in_parts(task)
        timed = task.folding.record.timed("fold", walkables)
        return (final_ends(program, task.ordered, self.report, each) for each in timed)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield matches as they are found, on this thread: one graph's after the other."""
        walkables = self.fold(self.task.partitions)
        found = chain.from_iterable(map(self.walker.batches, walkables))
        return up_to(self.program.limit, found)


def _whole(task: MatchTask) -> Walkable:
    graph = fold_whole(task)
    return Walkable(graph, graph.ends[: graph.cursor[END_COUNT]])


def _walk(
    walker: MatchWalker, walkables: Iterator[Walkable], threads: int, least_ends: int
) -> Iterator[pa.RecordBatch]:
    """Walk one graph after the other; where one has many ends, on several threads."""
    walkers = [walker]
    for graph, ends in walkables:
        parts = np.array_split(ends, min(threads, max(1, len(ends) // least_ends)))
        walkers += [walker.for_another_thread() for _ in parts[len(walkers) :]]
        if len(parts) == 1:
            yield from walker.batches(Walkable(graph, ends))
            continue
        walkable, listing = walker.opened(Walkable(graph, ends))
        tasks = [
            partial(_walked, own, Walkable(walkable.graph, part), listing)
            for own, part in zip(walkers, np.array_split(walkable.ends, len(parts)), strict=False)
        ]
        yield from chain.from_iterable(side_by_side(tasks))


def _walked(
    walker: MatchWalker, walkable: Walkable, listing: Listing | None
) -> list[pa.RecordBatch]:
    return list(walker.batches(walkable, listing))
