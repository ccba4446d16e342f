"""Run the settled events of a stream again; only what became final is reported.

Events that several queries take are united, typed and ordered once. A query whose window reaches
less far back than that of another leaves out the earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.scan import Scans
from cepheid.engine.matches.find_matches import find_matches
from cepheid.engine.matches.forms.compressed import GRAPHS, compress_matches, graphs_of
from cepheid.engine.matches.match_pairs import find_pairs
from cepheid.engine.matches.match_task import SearchMode
from cepheid.engine.shared.run_chains import ChainTask, run_chains
from cepheid.engine.shared.shared_folds import Alone
from cepheid.engine.trends.aggregation import Aggregation
from cepheid.engine.trends.known_middle import KnownMiddle
from cepheid.engine.trends.neighbour_events import (
    NeedsAllEventsError,
    NeighbourEvents,
    matrix_parts,
)
from cepheid.engine.trends.trend_events import TrendEvents
from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.program import Clock, Program
from cepheid.program.sharing.chain_program import ChainProgram
from cepheid.program.sharing.other_sets import OtherSets, scans
from cepheid.stream.ends_of_window import EndsOfWindow
from cepheid.stream.next_timer import closes_later
from cepheid.stream.settled_events import SettledEvents
from cepheid.stream.step_rules import how_far_back
from cepheid.stream.stream_bundle import StreamedQuery

Int64s = NDArray[np.int64]
Chains = Sequence[tuple[list[StreamedQuery], ChainProgram]]
NO_ROWS: Int64s = np.empty(0, np.int64)


class Replayed(NamedTuple):
    """What became final of a query, None if nothing did, and the tick at which more may.

    `taken` has the rows of events at which matches end that NON OVERLAPPING took.
    """

    query: StreamedQuery
    result: pa.Table | None
    closing: int | None = None
    taken: Int64s = NO_ROWS


@dataclass(frozen=True)
class Replay:
    """Queries that take the same settled events; those of `chains` have segments in common."""

    alone: Sequence[StreamedQuery]
    settled: SettledEvents
    chains: Chains = ()

    def results(self) -> Iterator[Replayed]:
        """Yield what becomes final of every query."""
        settled, alone = self.settled, [*self.alone]
        for queries, chains in self.chains:
            found = self._chains(chains)
            if found is None:
                alone += queries
            else:
                yield from map(Replayed, queries, found)
        for each in alone:
            result, taken = None, NO_ROWS
            if self._can_be_new(each.program):
                result, taken = self._run(each)
            yield Replayed(each, result, settled.closing(each.program), taken)

    def _run(self, query: StreamedQuery) -> tuple[pa.Table | None, Int64s]:
        """Return the result, and where matches end that NON OVERLAPPING took."""
        program, output, settled = (
            query.program,
            query.program.output,
            self.settled.left(query.program),
        )
        if settled is None:
            return None, NO_ROWS
        if settled is not self.settled:
            return Replay([query], settled)._run(query)
        events, schema, report = settled.events, settled.move.schema, settled.report
        columns, mode = self._scans.of(program), SearchMode(RankedFolds(), 1, report)
        if isinstance(output, AggregateOutput):
            if isinstance(settled, EndsOfWindow) and settled.middle is not None:
                return self._by_matrices(query, settled, settled.middle), NO_ROWS
            given = TrendEvents(program, output, columns, events.num_rows, 1, report)
            folded = Aggregation(given, mode.folding)
            return folded.table(schema, partially=query.partially), NO_ROWS
        if output.is_compressed:
            matches, _ = compress_matches(program, output, events, schema, mode, columns)
            # A graph may have ends, and yet no match: negations, or starts reported before.
            is_empty = matches.is_empty or matches.first(1).num_rows == 0
            return GRAPHS.empty_table() if is_empty else graphs_of(matches), NO_ROWS
        if program.pair is not None:
            found = find_pairs(program, program.pair, events, schema, mode, columns)
        else:
            found = find_matches(program, columns, events.num_rows, schema, mode)
        return found.table, found.taken

    def _by_matrices(
        self, query: StreamedQuery, settled: EndsOfWindow, middle: pa.Table
    ) -> pa.Table | None:
        """Return the result of moments, from the ends of their windows and what is between."""
        lead, events, schema = query.program, settled.events, settled.move.schema
        program, _, output = matrix_parts(lead)
        columns, length, report = _columns(events), events.num_rows, settled.report
        given = TrendEvents(program, output, columns, length, 1, report)
        if lead.adjacent is not None:
            given = NeighbourEvents(
                program, output, columns, length, 1, report,
                compared=replace(lead, cuts_time=True), outside=settled.outside,
            )  # fmt: skip
        folded = KnownMiddle(given, RankedFolds(), middle, settled.cut, schema)
        try:
            return folded.table(schema, partially=query.partially)
        except NeedsAllEventsError:
            return Replay([query], settled.whole)._run(query)[0]

    def _chains(self, program: ChainProgram) -> Sequence[pa.Table | None] | None:
        """Return results of sequences; None if one is too large to be counted with others."""
        settled = self.settled
        if not settled.new.num_rows:
            return [None] * len(program.programs)
        columns, count = self._scans.of(program.programs[0]), settled.events.num_rows
        task = ChainTask(
            program, columns, count, settled.move.schema, RankedFolds(), report=settled.report
        )
        found = run_chains(task)
        return None if isinstance(found, Alone) else found

    def _can_be_new(self, program: Program) -> bool:
        """Whether anything can have become final: by new events, by time, by the end."""
        move = self.settled.move
        if program.slide is not None and program.clock is Clock.TIME and not move.ends:
            return move.ends_window(program) and bool(self.settled.events.num_rows)
        if self.settled.new.num_rows:
            return True
        is_later = move.horizon != move.state.horizon and closes_later(program)
        return (is_later or move.ends) and self.settled.has_known

    @cached_property
    def _scans(self) -> Scans:
        """The events, ordered when they are first asked for, if several queries take them."""
        chains = [query.program for queries, _ in self.chains for query in queries]
        programs = [*chains, *(each.program for each in self.alone)]
        events = self.settled.events
        columns = _columns(events)
        every = OtherSets((), (), tuple(range(len(programs))))
        scanned = scans(programs, (), every)
        return Scans(scanned, columns, events.num_rows, first_tick=self._first_tick)

    def _first_tick(self, program: Program) -> int | None:
        before, reach = self.settled.move.state.horizon, how_far_back(program)
        return None if before is None or reach is None else before - reach


def _columns(events: pa.Table) -> Mapping[str, Any]:
    return dict(zip(events.column_names, events.columns, strict=True))
