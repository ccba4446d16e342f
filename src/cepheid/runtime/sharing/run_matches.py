"""Run match queries with a common beginning: one graph, several exits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.kernels.graph import END_NODE, POSITION
from cepheid.program.program import MatchOutput
from cepheid.program.sharing.match_program import MatchProgram
from cepheid.runtime.final_matches import final_ends
from cepheid.runtime.match_chunks import Walkable, fold_in_parts, split_partitions
from cepheid.runtime.match_limit import MatchLimit
from cepheid.runtime.match_rows import match_schema
from cepheid.runtime.name_errors import errors_of
from cepheid.runtime.order_events import OrderedEvents, order_events
from cepheid.runtime.predicate_inputs import read_columns
from cepheid.runtime.settled import Settled
from cepheid.runtime.side_by_side import side_by_side
from cepheid.runtime.walk_matches import MatchWalker
from cepheid.runtime.warn_of_events import warn_of_dropped


def run_matches(
    program: MatchProgram,
    columns: Mapping[str, Any],
    length: int,
    schema: pa.Schema,
    *,
    threads: int = 1,
    settled: Settled | None = None,
) -> list[pa.Table]:
    """Return the matches of every query, or those that become final in a step of a stream."""
    ordered = order_events(program.united, columns, length, threads=threads, settled=settled)
    fold = _Fold(program, ordered, columns, schema, settled)
    parts = split_partitions(ordered.arrays, threads)
    walks = side_by_side([partial(fold.batches, each, threads // len(parts)) for each in parts])
    warn_of_dropped(program.united.partition_by, ordered.dropped)
    return [
        pa.Table.from_batches(chain.from_iterable(each), match_schema(one, one.output, schema))
        for one, each in zip(program.programs, zip(*walks, strict=True), strict=True)
        if isinstance(one.output, MatchOutput)
    ]


class _Fold:
    """Builds the graph of all queries, and walks it for each."""

    def __init__(
        self,
        program: MatchProgram,
        ordered: OrderedEvents,
        columns: Mapping[str, Any],
        schema: pa.Schema,
        settled: Settled | None,
    ) -> None:
        self.program = program
        self.settled = settled
        self.ordered = ordered
        self.columns = columns
        self.predicates = read_columns(program.united, ordered, columns)
        self.walkers = [self._walker(number, schema) for number in range(len(program.programs))]
        positions = range(len(program.united.tests))
        self.ends_at = [
            np.array([program.last(number) >> each & 1 for each in positions], np.bool_)
            for number in range(len(program.programs))
        ]

    def _walker(self, number: int, schema: pa.Schema) -> MatchWalker:
        """Return what writes the matches of a query, which knows positions by its own numbers."""
        program = self.program.programs[number]
        assert isinstance(program.output, MatchOutput)
        predicates = read_columns(program, self.ordered, self.columns)
        walker = MatchWalker(
            program, program.output, self.ordered, predicates, self.columns, schema
        )
        own = np.zeros(len(self.program.united.tests), np.int8)
        own[list(self.program.places[number])] = np.arange(len(program.tests))
        walker.positions = own
        walker.limit = MatchLimit(program, self.ordered, self.columns)
        return walker

    def batches(self, partitions: range, threads: int) -> list[list[pa.RecordBatch]]:
        """Return the matches of some partitions, by query."""
        found: list[list[pa.RecordBatch]] = [[] for _ in self.walkers]
        walkers = [each.for_another_thread() for each in self.walkers]
        united = self.program.united
        for every in fold_in_parts(united, self.ordered, self.predicates, self.columns, partitions):
            walkable = final_ends(united, self.ordered, self.settled, every)
            tasks = [
                partial(self._walked, number, walker, walkable)
                for number, walker in enumerate(walkers)
            ]
            walked = side_by_side(tasks) if threads > 1 else [each() for each in tasks]
            for number, batches in enumerate(walked):
                found[number] += batches
        return found

    def _walked(self, number: int, walker: MatchWalker, walkable: Walkable) -> list[pa.RecordBatch]:
        with errors_of(self.program.programs[number].name):
            return list(walker.batches(self._of_query(walkable, number)))

    def _of_query(self, walkable: Walkable, number: int) -> Walkable:
        """Return the ends at which matches of a query end."""
        graph, ends = walkable
        position = graph.nodes[ends[:, END_NODE], POSITION]
        return Walkable(graph, ends[self.ends_at[number][position]])
