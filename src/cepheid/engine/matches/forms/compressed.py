"""OUTPUT COMPRESSED: the shared match graph, expanded when asked (semantics, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import read_columns
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.matches.count_exactly import count_exactly
from cepheid.engine.matches.final_matches import final_ends
from cepheid.engine.matches.fold_graph import node_count
from cepheid.engine.matches.forms.compressed_bytes import to_bytes
from cepheid.engine.matches.match_chunks import Walkable, fold_whole
from cepheid.engine.matches.match_task import MatchTask, SearchMode, match_task
from cepheid.engine.matches.walk_matches import MatchLimit, MatchWalker
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.process.threads import interruptible
from cepheid.errors import ConfigError
from cepheid.kernels.graph.compact_graph import compact_graph
from cepheid.kernels.graph.count_graph import TOO_MANY, count_graph
from cepheid.kernels.graph.match_nodes import (
    CELL_COUNT,
    END_COUNT,
    HEAD_COUNT,
    NEVER,
    NODE_COUNT,
    SLOTS,
    Graph,
)
from cepheid.program.program import MatchOutput, Program


def fold_compressed(task: MatchTask, report: ReportRange | None = None) -> Graph:
    """Return the part of the match graph that matches are made of."""
    program, ordered, graph = task.program, task.ordered, fold_whole(task)
    if report is not None:
        whole = Walkable(graph, graph.ends[: graph.cursor[END_COUNT]])
        ends = final_ends(program, ordered, report, whole).ends
        graph.ends[: len(ends)] = ends
        graph.cursor[END_COUNT] = len(ends)
    floats = np.empty((0, 0))
    none = np.empty(0, np.int64)
    compact_graph(graph, floats, none, none, NEVER)
    cursor = graph.cursor
    return Graph(
        graph.nodes[: cursor[NODE_COUNT], :SLOTS].copy(),
        graph.heads[: cursor[HEAD_COUNT]].copy(),
        graph.cells[: cursor[CELL_COUNT]].copy(),
        graph.ends[: cursor[END_COUNT]].copy(),
        cursor,
    )


GRAPHS = pa.schema([("nodes", pa.int64()), ("graph", pa.binary())])


class CompressedMatches:
    """All matches of a query, as a graph that shares what they have in common.

    A graph is as large as the events that are in matches; the matches it stands for can be many
    more than could ever be written down. `expand`, `batches` and iteration walk it, `first` a part
    of it, `count` counts without writing.
    """

    def __init__(
        self,
        program: Program,
        output: MatchOutput,
        table: pa.Table,
        schema: pa.Schema,
        ordered: OrderedEvents,
        graph: Graph,
    ) -> None:
        columns = dict(zip(table.column_names, table.columns, strict=True))
        predicates = read_columns(program, ordered, columns)
        self._program = program
        self._columns = columns
        self._table = table
        self._ordered = ordered
        self._graph = graph
        self._convert: Callable[[pa.Table], Any] = lambda table: table
        self._draw: Callable[..., Any] | None = None
        self._walker = MatchWalker(program, output, ordered, predicates, columns, schema)

    def converted(self, convert: Callable[[pa.Table], Any]) -> CompressedMatches:
        """Have tables of matches converted, to the kind that the events were."""
        self._convert = convert
        return self

    def drawn_by(self, draw: Callable[..., Any]) -> CompressedMatches:
        """Have the matches drawn by a function, which knows the query and its events."""
        self._draw = draw
        return self

    def plot(
        self,
        *,
        title: str | None = None,
        begin: Any = None,
        end: Any = None,
        value: str | None = None,
    ) -> Any:
        """Return a picture of the matches; the arguments are those of `cepheid.plot`.

        Raises:
            ConfigError: it is not the result of `Query.run`, which knows the events.
        """
        if self._draw is None:
            raise ConfigError(
                "this result does not know its events", hint="use cepheid.plot(query, events, …)"
            )
        return self._draw(title=title, begin=begin, end=end, value=value)

    def __repr__(self) -> str:
        return f"CompressedMatches({self.nodes:,} nodes)"

    @property
    def nodes(self) -> int:
        """The size of the graph: an event at a place in the pattern is a node."""
        return node_count(self._graph)

    @property
    def is_empty(self) -> bool:
        """Whether there is certainly no match; with negation there may be none all the same."""
        return int(self._graph.cursor[END_COUNT]) == 0

    @property
    def schema(self) -> pa.Schema:
        """The columns of the matches."""
        return self._walker.rows.schema

    def count(self) -> int:
        """Return the number of matches; with negation they are walked, otherwise just counted."""
        with errors_of(self._program.name):
            return interruptible(self._count)

    def _count(self) -> int:
        if self._walker.negation is not None:
            chunks = self._walker.for_another_thread().matches(self._walkable)
            return sum(chunk.offsets.size - 1 for chunk in chunks)
        clock, window = self._ordered.arrays.clock, self._program.window_length or 0
        count = count_graph(self._graph, clock, window)
        return count if count != TOO_MANY else count_exactly(self._graph, clock, window)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the matches in batches, each made when it is asked for."""
        with errors_of(self._program.name):
            yield from self._walker.for_another_thread().batches(self._walkable)

    def expand(self) -> Any:
        """Return all matches as a table of the same kind as the events.

        Raises:
            MatchLimitError: they are more than `max_matches`; `batches` gives any number.
        """
        walker = self._walker.for_another_thread()
        walker.limit = MatchLimit(self._program, self._ordered, self._columns)
        with errors_of(self._program.name):
            found = walker.batches(self._walkable)
            return self._convert(pa.Table.from_batches(found, self.schema))

    def first(self, count: int) -> Any:
        """Return some matches, in no particular order, as a table; the others are not made."""
        batches, missing = [], max(0, count)
        for batch in self.batches() if missing else ():
            batches.append(batch.slice(0, missing))
            missing -= batches[-1].num_rows
            if missing == 0:
                break
        return self._convert(pa.Table.from_batches(batches, self.schema))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield one match after the other as a dictionary."""
        return chain.from_iterable(batch.to_pylist() for batch in self.batches())

    def to_bytes(self) -> bytes:
        """Return the graph and its events, to be kept or sent."""
        keeps_all = self._walker.negation is not None
        return to_bytes(self._table, self._ordered, self._graph, keeps_all=keeps_all)

    @property
    def _walkable(self) -> Walkable:
        return Walkable(self._graph, self._graph.ends[: self._graph.cursor[END_COUNT]])


def compress_matches(
    program: Program,
    output: MatchOutput,
    table: pa.Table,
    schema: pa.Schema,
    mode: SearchMode,
    columns: Mapping[str, Any] | None = None,
) -> tuple[CompressedMatches, int]:
    """Return the compressed matches, and how many events belong to no partition.

    In a step of a stream they are those that become final. `columns` are those of the table, if
    their order is found for several programs at once.
    """
    if columns is None:
        columns = dict(zip(table.column_names, table.columns, strict=True))
    task = match_task(program, columns, table.num_rows, mode)
    with mode.folding.record.stage("fold"):
        graph = fold_compressed(task, mode.report_range)
    dropped = task.ordered.dropped
    return CompressedMatches(program, output, table, schema, task.ordered, graph), dropped


def graphs_of(matches: CompressedMatches) -> pa.Table:
    """Return a table with one row: how large the graph is, and the graph."""
    return pa.Table.from_pydict({"nodes": [matches.nodes], "graph": [matches.to_bytes()]}, GRAPHS)
