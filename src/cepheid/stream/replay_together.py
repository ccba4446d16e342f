"""Replay settled events for several queries: they are united, typed and ordered once.

That is so for queries that take events from the same tick on. A query whose window reaches less far
back than that of another leaves out the earlier events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.events.scan import Scans
from cepheid.engine.shared.run_chains import run_chains
from cepheid.program.program import Program
from cepheid.program.sharing.chain_program import ChainProgram
from cepheid.program.sharing.other_sets import OtherSets, scans
from cepheid.stream.kept_events import StoredChunk
from cepheid.stream.needed_events import how_far_back
from cepheid.stream.next_timer import closes_later, next_closing
from cepheid.stream.replay import replay
from cepheid.stream.retention import Move, PlainRetention
from cepheid.stream.stream_bundle import StreamedQuery

Chains = Sequence[tuple[list[StreamedQuery], ChainProgram]]  # with the same `since` each


def replay_together(
    alone: Sequence[StreamedQuery], chains: Chains, move: Move
) -> Iterator[tuple[str, pa.Table | None, int | None]]:
    """Yield names of queries, what becomes final, and when more may."""
    counted = [query for queries, _ in chains for query in queries]
    for since in dict.fromkeys(each.since for each in (*alone, *counted)):
        own = [each for each in alone if each.since == since]
        common = [each for each in chains if each[0][0].since == since]
        stored = [_from(chunk, since) for chunk in move.stored]
        yield from _Replay(own, common, replace(move, stored=stored)).results()


def _from(chunk: StoredChunk, since: int | None) -> StoredChunk:
    if since is None or chunk.ticks[0] >= since:
        return chunk
    place = int(np.searchsorted(chunk.ticks, since))
    return StoredChunk(chunk.table.slice(place), chunk.ticks[place:], chunk.chunk)


@dataclass(frozen=True)
class _Replay:
    alone: Sequence[StreamedQuery]
    chains: Chains
    move: Move

    def results(self) -> Iterator[tuple[str, pa.Table | None, int | None]]:
        move, horizon = self.move, self.move.horizon
        assert horizon is not None
        alone = [*self.alone]
        for queries, chains in self.chains:
            found = self._chains(chains)
            if found is None:
                alone += queries
            else:
                yield from ((e.name, t, None) for e, t in zip(queries, found, strict=True))
        for each in alone:
            result = None
            if self._runs(each.program):
                result = replay(
                    each.program,
                    self.retention.events,
                    move.schema,
                    self.report,
                    partially=each.partially,
                    columns=self.scans.of(each.program),
                ).result
            yield each.name, result, next_closing(each.program, self.retention.events, horizon)

    def _chains(self, program: ChainProgram) -> Sequence[pa.Table | None] | None:
        """Return results of sequences; None if one is too large to be counted with others."""
        if not self.retention.new.num_rows:
            return [None] * len(program.programs)
        columns, count = self.scans.of(program.programs[0]), self.retention.events.num_rows
        return run_chains(program, columns, count, self.move.schema, report=self.report)

    def _runs(self, program: Program) -> bool:
        move = self.move
        is_later = move.horizon != move.state.horizon and closes_later(program)
        return bool(self.retention.new.num_rows or (is_later and self.retention.known.num_rows))

    @cached_property
    def programs(self) -> list[Program]:
        """All programs that order events."""
        chains = [query.program for queries, _ in self.chains for query in queries]
        return [*chains, *(each.program for each in self.alone)]

    @cached_property
    def retention(self) -> PlainRetention:
        """Has the events of the query that reaches back farthest."""

        def reach(program: Program) -> float:
            found = how_far_back(program)
            return float("inf") if found is None else found

        return PlainRetention(replace(self.move, program=max(self.programs, key=reach)))

    @cached_property
    def report(self) -> ReportRange:
        """What the step settles."""
        assert self.move.horizon is not None
        known = self.retention.known.num_rows
        return ReportRange(self.move.state.horizon, self.move.horizon, known)

    @cached_property
    def scans(self) -> Scans:
        """The events, ordered when they are first asked for."""
        events = self.retention.events
        columns: Mapping[str, Any] = dict(zip(events.column_names, events.columns, strict=True))
        every = OtherSets((), (), tuple(range(len(self.programs))))
        scanned = scans(self.programs, (), every)
        return Scans(scanned, columns, events.num_rows, first_tick=self._first_tick)

    def _first_tick(self, program: Program) -> int | None:
        before, reach = self.move.state.horizon, how_far_back(program)
        return None if before is None or reach is None else before - reach
