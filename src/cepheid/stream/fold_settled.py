"""Fold what a step settles, for all queries of a bundle: what became final.

Sets of queries, and those with lanes, are folded in one pass over the events of those windows that
close. Windows are reported by the step that settles their end, as for queries by themselves
(decision 14). For all others the settled events are run again (replay.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.engine.events.ticks import from_ticks
from cepheid.engine.process.name_errors import errors_of
from cepheid.engine.trends.result_table import WINDOW_START
from cepheid.errors import DataError, LiveStateError, MatchLimitError
from cepheid.program.program import Program
from cepheid.stream.closed_windows import next_ends, windows_of_lanes, windows_of_set
from cepheid.stream.events_to_run import touched_events
from cepheid.stream.replay import NO_ROWS, Chains, Replay, Replayed
from cepheid.stream.settled_events import Move, Work
from cepheid.stream.step_rules import how_far_back
from cepheid.stream.stream_bundle import StreamedQuery


@dataclass(slots=True)
class Final:
    """What became final by query, why nothing did, and the ticks at which more may.

    `marks` has what the next step can take in place of events, if anything is known of that
    (alive_events.py, window_products.py).

    Of a query by itself `taken` has the rows of events at which matches end that NON OVERLAPPING
    took, `panes` the matrices of windows that are still open; None if none was closed.
    """

    results: dict[str, pa.Table] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    closings: list[int | None] = field(default_factory=list)
    taken: NDArray[np.int64] = field(default_factory=lambda: NO_ROWS)
    panes: pa.Table | None = None
    work: Work = field(default_factory=Work)
    marks: pa.Table | None = None

    def add(self, replayed: Replayed, move: Move) -> None:
        """Note what was found for a query."""
        self.closings.append(replayed.closing)
        self.taken = replayed.taken
        if replayed.result is not None:
            query = replayed.query
            self.results[query.name] = _begun_since(query, replayed.result, move)


def fold_settled(move: Move, *, isolates: bool) -> Final:
    """Return what becomes final of all queries; with `isolates` one may fail by itself."""
    if move.horizon is None:
        return Final()
    try:
        return _together(move)
    except (DataError, LiveStateError, MatchLimitError):  # one by one, it can be told whose it is
        if len(move.bundle.queries) == 1 and not isolates:
            raise
        return _one_by_one(move, isolates=isolates)


def _one_by_one(move: Move, *, isolates: bool) -> Final:
    final = Final()
    for query in move.bundle.queries:
        try:
            with errors_of(query.name):
                _replay([query], [], move, final)
        except (DataError, LiveStateError, MatchLimitError) as error:
            if not isolates:
                raise
            final.failed[query.name] = str(error)
    return final


def _together(move: Move) -> Final:
    final, bundle = Final(), move.bundle
    latest, alone = _latest_settled(move), bundle.alone
    for numbers, merged in bundle.sets:
        queries = bundle.of(numbers)
        final.results |= windows_of_set(queries, merged, move, bundle.policy)
        final.closings += next_ends(queries, latest, move)
    for numbers, lanes in bundle.lanes:
        queries = bundle.of(numbers)
        tables = windows_of_lanes(queries, lanes, move)
        if tables is None:
            alone += queries
        else:
            final.results |= tables
            final.closings += next_ends(queries, latest, move)
    chains = [(bundle.of(numbers), program) for numbers, program in bundle.chains]
    _replay(alone, chains, move, final)
    return final


def _replay(alone: Sequence[StreamedQuery], chains: Chains, move: Move, final: Final) -> None:
    """Run events again, together for those queries that take them from the same tick on."""
    in_chains = [query for queries, _ in chains for query in queries]
    for since in dict.fromkeys(each.since for each in (*alone, *in_chains)):
        own = [each for each in alone if each.since == since]
        common = [each for each in chains if each[0][0].since == since]
        for queries, linked in _by_reach(own, common, move):
            taking = [*queries, *(query for each, _ in linked for query in each)]
            programs = [each.program for each in taking]
            settled = touched_events(move.since(since), farthest_back(programs), programs)
            for each in Replay(queries, settled, linked).results():
                final.add(each, move)
            settled.add_to(final.work)
            final.marks = settled.marks()


def _by_reach(
    alone: list[StreamedQuery], chains: Chains, move: Move
) -> list[tuple[list[StreamedQuery], Chains]]:
    """Tell queries that look at few partitions from those that have nothing to report.

    Where a window that slides ends, all partitions are looked at, by all queries together.
    """
    sliding = [each for each in alone if each.program.slide is not None]
    if not sliding or move.ends or any(move.ends_window(each.program) for each in sliding):
        return [(alone, chains)]
    others = [each for each in alone if each.program.slide is None]
    return [(sliding, ()), *([(others, chains)] if others or chains else [])]


def farthest_back(programs: Sequence[Program]) -> int | None:
    """Return how far results of any program look back; None: to the start."""
    reaches = [how_far_back(each) for each in programs]
    return None if None in reaches else max(each for each in reaches if each is not None)


def _begun_since(query: StreamedQuery, result: pa.Table, move: Move) -> pa.Table:
    """Return the rows of windows that a query saw from their beginning on."""
    program = query.program
    if query.since is None or program.slide is None or not result.num_rows:
        return result
    first = from_ticks(np.array([query.since]), move.schema.field(program.time).type)[0]
    begin = result.column("0" if query.partially else WINDOW_START)  # see `partial_schema`
    return result.filter(pc.greater_equal(begin, first))


def _latest_settled(move: Move) -> int | None:
    """Return the tick of the last settled event; in a stream in order all are."""
    until = None if move.ordered else move.horizon
    lasts = (each.last_before(until) for each in move.stored)
    return max((each for each in lasts if each is not None), default=None)
