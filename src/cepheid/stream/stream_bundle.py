"""Queries on one stream that are run together, and what they share; one query is a bundle, too.

A process of Spark's that only names the state reads bundles, and needs no engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from cepheid.engine.shared.policy import Policy, Sharing
from cepheid.errors import Diagnostic, UnsupportedQueryError
from cepheid.program.program import Clock, MatchOutput, Program
from cepheid.program.sharing.chain_program import ChainProgram, chain_sets
from cepheid.program.sharing.lane_program import LaneProgram, lane_sets, make_lanes
from cepheid.program.sharing.merged_program import MergedProgram
from cepheid.program.when_final import (
    WhenFinal,
    has_end_negation,
    shares_windows_of_events,
    when_final,
)

if TYPE_CHECKING:
    from cepheid.analysis.expressions import ComputedColumn
    from cepheid.analysis.key_copies import KeyCopies
    from cepheid.stream.admit_events import Admission

Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StreamedQuery:
    """A query of a bundle; `partially`: its rows are combined with those of other buckets.

    `since` is the first tick that it takes: it does not see earlier events, and does not report
    windows that began before. None: it takes all.
    """

    name: str
    program: Program
    partially: bool = False
    since: int | None = None


@dataclass(frozen=True)
class StreamBundle:
    """Queries on the same stream; those that are folded together are by number.

    Queries of a set or with lanes have windows that slide; those with common segments (`chains`)
    have the same `since`. `columns` are kept of events in any case: if there are any, the queries
    may be others in the next step, and events are kept as they are.
    """

    queries: tuple[StreamedQuery, ...]
    sets: tuple[tuple[Numbers, MergedProgram], ...] = ()
    policy: Policy = Policy.DYNAMIC
    columns: tuple[str, ...] = ()
    lanes: tuple[tuple[Numbers, LaneProgram], ...] = ()
    chains: tuple[tuple[Numbers, ChainProgram], ...] = ()

    @property
    def alone(self) -> list[StreamedQuery]:
        """The queries that share nothing but the scan of events."""
        shared = (*self.sets, *self.lanes, *self.chains)
        together = {number for numbers, _ in shared for number in numbers}
        return [each for number, each in enumerate(self.queries) if number not in together]

    @property
    def name(self) -> str | None:
        """The name of the query, if there is only one."""
        return self.queries[0].name if len(self.queries) == 1 else None

    @property
    def lasting(self) -> StreamedQuery | None:
        """The query that is alone, now and in all steps to come; None if there may be others."""
        return self.queries[0] if len(self.queries) == 1 and not self.columns else None

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """The programs of all queries."""
        return tuple(each.program for each in self.queries)

    @property
    def stored_columns(self) -> frozenset[str]:
        """Every column of the events, as they come, that a program reads."""
        return frozenset(name for each in self.programs for name in each.stored_columns)

    @cached_property
    def computed(self) -> tuple[ComputedColumn, ...]:
        """The columns that programs add to the events; they are not kept."""
        return tuple(dict.fromkeys(one for each in self.programs for one in each.computed))

    @property
    def copies(self) -> KeyCopies | None:
        """What copies of events come: the same for all programs."""
        return self.programs[0].copies

    @cached_property
    def admission(self) -> Admission:
        """What is kept of events."""
        from cepheid.stream.admit_events import admission_of

        return admission_of(self.programs, self.columns)

    def of(self, numbers: Numbers) -> list[StreamedQuery]:
        """Return some of the queries."""
        return [self.queries[each] for each in numbers]


def stream_of_one(program: Program, *, partially: bool = False) -> StreamBundle:
    """Return the bundle of a query by itself; see `stream_bundle`."""
    reject_unbounded(program)
    program = replace(program, cuts_time=False)
    return StreamBundle((StreamedQuery(program.name, program, partially),))


def reject_unbounded(program: Program) -> None:
    """Raise an UnsupportedQueryError if a result is never final."""
    problem = reason_unbounded(program)
    if problem is not None:
        raise UnsupportedQueryError([problem])


def reason_unbounded(program: Program) -> Diagnostic | None:
    """Return why a result is never final, None if it is some time."""
    if isinstance(program.output, MatchOutput):
        when = when_final(program)
        if program.window_length is None and when is not WhenFinal.LAST_EVENT:
            return Diagnostic(
                "stream-without-window",
                f"'{program.name}' takes a match that a later event may change, and a stream has "
                "no end",
                hint="add WITHIN",
            )
        if when is WhenFinal.WINDOW and has_end_negation(program):
            return Diagnostic(
                "last-with-end-negation",
                f"'{program.name}' asks for the last match of a window, which a negated part at "
                "the end may block later",
                hint="ask for the first one (OUTPUT FIRST), or for the longest ones",
            )
        return None
    if program.window_length is None:
        return Diagnostic(
            "stream-without-window",
            f"'{program.name}' adds up the whole input, and a stream has no end",
            hint="add WITHIN, or WITHIN … SLIDE",
        )
    if shares_windows_of_events(program):
        return Diagnostic(
            "stream-of-shared-windows",
            f"'{program.name}' adds up windows of EVENTS of several partitions; on a stream a new "
            "partition can always come, and its first window would change a result",
            hint="group by all partition attributes, or measure the window in time",
        )
    return None


def stream_bundle(
    queries: Sequence[StreamedQuery], sharing: Sharing, columns: Sequence[str] = ()
) -> StreamBundle:
    """Put queries together.

    Those that add up windows of time can be a set, or have lanes; sequences of one window that
    moves with every event have segments in common.

    Raises:
        UnsupportedQueryError: a result would never be final.
    """
    for each in queries:
        reject_unbounded(each.program)
    places = [
        place
        for place, each in enumerate(queries)
        if each.program.slide is not None and each.program.clock is Clock.TIME
    ]
    merged = sharing.merged.of([queries[place].program for place in places])
    sets = [(_at(places, shared.places), program) for shared, program in merged]
    taken = {number for numbers, _ in sets for number in numbers}
    left = [place for place in places if place not in taken]
    programs = [queries[place].program for place in left]
    lanes = [
        (_at(left, each), make_lanes([programs[place] for place in each]))
        for each in lane_sets(programs)
    ]
    return StreamBundle(
        tuple(queries),
        tuple(sets),
        sharing.policy,
        tuple(columns),
        tuple(lanes),
        tuple(_chains(queries)),
    )


def _chains(queries: Sequence[StreamedQuery]) -> list[tuple[Numbers, ChainProgram]]:
    """Return sets of sequences with common segments, of queries that have taken the same events."""
    by_since: dict[int | None, list[int]] = {}
    for place, each in enumerate(queries):
        by_since.setdefault(each.since, []).append(place)
    return [
        (_at(places, found), program)
        for places in by_since.values()
        for found, program in chain_sets([queries[place].program for place in places])
    ]


def _at(places: Sequence[int], chosen: Sequence[int]) -> Numbers:
    return tuple(places[each] for each in chosen)
