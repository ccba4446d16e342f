"""Matches from a graph to rows: walk it, drop what a negation blocks, make columns.

A run may list so many matches: where there are many, they are counted before they are built. What
their arrays hold is counted as it is listed (listed_values.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import cache, partial
from threading import Lock
from typing import Any, NoReturn, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs
from cepheid.engine.matches.blocked_matches import NegationFilter
from cepheid.engine.matches.fold_graph import node_count
from cepheid.engine.matches.listed_values import (
    array_columns,
    most_values,
    too_many_values,
    values_in_arrays,
)
from cepheid.engine.matches.match_chunks import (
    Walkable,
    empty_chunk,
    partition_in_words,
    walk_in_chunks,
)
from cepheid.engine.matches.match_rows import MatchRows
from cepheid.engine.matches.without_blocked import MOST_WORK, OpenGraphs
from cepheid.errors import DataError, MatchLimitError
from cepheid.kernels.graph.count_matches import count_matches
from cepheid.kernels.graph.match_nodes import END_NODE, EVENT, MatchArrays
from cepheid.program.program import MatchOutput, Program

# Yields the matches that stay, with how many events were walked; None if all of a graph's do.
Blocked: TypeAlias = Callable[[], Iterator[tuple[MatchArrays, int]]] | None
UNLIMITED_WORK = 2**62
MOST_TRIED = 2**30  # events of matches that are walked to see whether they are blocked
LEAST_CUT = 2**20  # matches of a graph, so that it pays to cut off those that are blocked
FEW_NODES = 2**8  # of a graph that is counted before anything else
LARGEST_EXPONENT = 1024  # of floating point numbers
# How many events of a graph's matches are written before it is counted. To count a node takes about
# as long as to write two events, and most graphs have fewer matches than that.
LEAST_WALKED, WALKED_PER_NODE, MOST_WALKED = 2**20, 2**6, 2**23


class MatchLimit:
    """Counts what is listed, on all threads of a run, and refuses more than is allowed."""

    def __init__(
        self, program: Program, ordered: OrderedEvents, columns: Mapping[str, Any]
    ) -> None:
        self.program = program
        self.ordered = ordered
        self.columns = columns
        self.listed = 0
        self.values = 0
        self.refused: MatchLimitError | None = None
        self.lock = Lock()
        most, asked = program.max_matches, program.limit
        self.most = None if most is None or (asked is not None and asked <= most) else most
        self.most_values = most_values(self.most)
        self.array_columns = array_columns(program)

    def listing(self, walkable: Walkable, blocked: Blocked) -> Listing | None:
        """Return what watches over the matches of a graph; None if there is no limit."""
        return None if self.most is None else Listing(self, self.most, walkable, blocked)

    def refuse(
        self, count: float, events: NDArray[np.int64], counts: NDArray[np.float64]
    ) -> NoReturn:
        """Raise the error; it names the partition with most of the matches that end in events."""
        place = self._place(events, counts)
        self.refused = MatchLimitError(self.program.name, place, count, self.most or 0)
        raise self.refused

    def add_values(self, matches: MatchArrays) -> None:
        """Note what the arrays of some matches hold.

        Raises:
            MatchLimitError: this is too much.
        """
        if not self.array_columns.any():
            return
        counts = values_in_arrays(self.array_columns, matches)
        with self.lock:
            self.values += int(counts.sum())
            count = self.values
        if count > self.most_values:
            place = self._place(matches.event[matches.offsets[:-1]], counts)
            self.refused = too_many_values(self.program, place, count)
            raise self.refused

    def _place(self, events: NDArray[np.int64], counts: NDArray[Any]) -> str:
        if not self.program.partition_by or not events.size:
            return ""
        partitions = self.ordered.partition_of_event[events]
        hottest = int(np.argmax(np.bincount(partitions, counts)))
        named = partition_in_words(self.program, self.ordered, self.columns, hottest)
        return f", most of them in the partition {named}"


class Listing:
    """The matches of one graph, as they are listed, perhaps by several threads.

    They are counted as soon as there are many. Where it takes a whole match to know whether a
    negated part blocks it, they are walked and dropped, until there are too many.
    """

    def __init__(
        self, limit: MatchLimit, most: int, walkable: Walkable, blocked: Blocked = None
    ) -> None:
        self.limit, self.most, self.walkable, self.blocked = limit, most, walkable, blocked
        self.own, self.walked = 0, 0
        self.counting = Lock()
        nodes = node_count(walkable.graph)
        least = max(LEAST_WALKED, min(WALKED_PER_NODE * nodes, MOST_WALKED))
        self.worth_counting = 0 if nodes <= FEW_NODES else least
        self.is_counted = False
        self.check()

    def add(self, matches: MatchArrays, walked: int) -> None:
        """Note that matches are listed, for which so many events were written.

        Raises:
            MatchLimitError: these are too many, or will be.
        """
        with self.limit.lock:
            self.own += matches.offsets.size - 1
            self.walked += walked
            self.limit.listed += matches.offsets.size - 1
            listed = self.limit.listed
        if listed > self.most or self.limit.refused is not None:  # by another thread
            self.worth_counting = 0
        self.check()
        if listed > self.most:
            events = matches.event[matches.offsets[:-1]]
            self.limit.refuse(float(listed), events, np.ones(events.size))
        self.limit.add_values(matches)

    def check(self) -> None:
        """Count all matches, if that is worth it now; other threads wait for the answer."""
        if self.walked < self.worth_counting:
            return
        with self.counting:
            if self.limit.refused is not None:
                raise self.limit.refused
            if not self.is_counted:
                self.is_counted = True
                self._count()

    def _count(self) -> None:
        with self.limit.lock:
            before = self.limit.listed - self.own
        left = self.most - before
        if (
            _at_most(self.limit.program, self.walkable) <= left
            or _total(self._counts(is_exact=False)) <= left
        ):
            return
        if self.blocked is not None:
            self._try(left, before)
            return
        counts = self._counts(is_exact=True)
        if _total(counts) > left:
            graph, ends = self.walkable
            events = graph.nodes[ends[: counts.size, END_NODE], EVENT]
            self.limit.refuse(before + _total(counts), events, counts)

    def _try(self, left: int, before: int) -> None:
        """Walk the matches to see how many stay."""
        assert self.blocked is not None
        found, tried = 0, 0
        for stays, walked in self.blocked():
            found, tried = found + stays.offsets.size - 1, tried + walked
            if found > left:
                events = stays.event[stays.offsets[:-1]]
                self.limit.refuse(float(before + found), events, np.ones(events.size))
            if tried > MOST_TRIED:
                raise DataError(
                    f"{self.limit.program.name!r} has more than {MOST_TRIED:,} events in matches "
                    f"that may be blocked, and {before + found:,} of the matches tried so far stay",
                    hint="shorten WITHIN, add a partition such as [attribute], or go on trying "
                    "with max_matches=None",
                )

    def _counts(self, *, is_exact: bool) -> NDArray[np.float64]:
        """Return how many matches end at every end, as far as that is counted."""
        graph, ends = self.walkable
        counts = np.zeros(len(ends))
        clock = self.limit.ordered.arrays.clock
        window = self.limit.program.window_length or 0
        work = MOST_WORK if is_exact else UNLIMITED_WORK
        counted = count_matches(
            graph, np.ascontiguousarray(ends), clock, window, is_exact, work, counts
        )
        return counts[:counted]


def _at_most(program: Program, walkable: Walkable) -> float:
    """Return a number of matches that a graph of this size cannot exceed, at once."""
    nodes, positions = node_count(walkable.graph), len(program.automaton.follow)
    if _repeats(program):
        return 2.0**nodes if nodes < LARGEST_EXPONENT else np.inf
    return float((1 + nodes / positions) ** positions)


def _repeats(program: Program) -> bool:
    return any(target <= source for source, target in program.automaton.edges)


def _total(counts: NDArray[np.float64]) -> float:
    with np.errstate(over="ignore"):  # beyond 1e308 it is infinite
        return float(counts.sum())


def up_to(limit: int | None, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield so many rows and look for no others; None means all."""
    if limit is None:
        yield from batches
        return
    left = limit
    for batch in batches:
        yield batch.slice(0, left)
        left -= min(left, batch.num_rows)
        if left == 0:
            return


class MatchWalker:
    """Walks graphs over the same events, one after the other; every thread needs its own.

    `limit` counts the matches; None if they are not listed one by one.
    """

    limit: MatchLimit | None = None

    def __init__(
        self,
        program: Program,
        output: MatchOutput,
        ordered: OrderedEvents,
        predicates: PredicateInputs,
        columns: Mapping[str, Any],
        schema: pa.Schema,
    ) -> None:
        self.program = program
        self.events = ordered.arrays
        self.window = program.window_length or 0
        self.ended = not output.is_partial
        self.rows = MatchRows(program, output, ordered, predicates, columns, schema)
        self.negation: NegationFilter | None = None
        if program.negation is not None:
            self.negation = NegationFilter(program, program.negation, ordered, predicates)
        self.open_graphs = cache(partial(OpenGraphs, program, ordered, predicates))
        self.chunk = empty_chunk()

    def for_another_thread(self) -> MatchWalker:
        """Return a walker that shares what is only read."""
        other = copy(self)
        other.rows = self.rows.for_another_thread()
        other.negation = None if self.negation is None else self.negation.for_another_thread()
        other.chunk = empty_chunk()
        return other

    def opened(self, walkable: Walkable) -> tuple[Walkable, Listing | None]:
        """Return what is to be walked of a graph, and what watches over the number of matches.

        Where negated parts may block many matches, the edges that they block are cut off.
        """
        is_exact = self.negation is None
        if self.negation is not None and self.ended and self._is_large(walkable):
            graphs = self.open_graphs()
            cut = graphs.cut(walkable)
            if cut is not None:
                walkable, is_exact = cut, graphs.is_exact
        if self.limit is None:
            return walkable, None
        return walkable, self.limit.listing(
            walkable, None if is_exact else partial(self._staying, walkable)
        )

    def _is_large(self, walkable: Walkable) -> bool:
        """Whether a graph has so many matches that it pays to cut off those that are blocked."""
        if not _repeats(self.program) or _at_most(self.program, walkable) <= LEAST_CUT:
            return False
        graph, ends = walkable.graph, np.ascontiguousarray(walkable.ends)
        clock, counts = self.events.clock, np.zeros(len(ends))
        count_matches(graph, ends, clock, self.window, False, UNLIMITED_WORK, counts)
        return _total(counts) > LEAST_CUT

    def _staying(self, walkable: Walkable) -> Iterator[tuple[MatchArrays, int]]:
        """Yield matches that stay, and how many events were walked to find them."""
        graph, ends = walkable
        other = self.for_another_thread()
        for found in walk_in_chunks(graph, ends, self.events.clock, self.window, other.chunk):
            yield other.unblocked(found), found.event.size

    def unblocked(self, matches: MatchArrays) -> MatchArrays:
        """Return the matches that no negated part blocks."""
        if self.negation is None:
            return matches
        return self.negation.unblocked(matches, ended=self.ended)

    def matches(self, walkable: Walkable, listing: Listing | None = None) -> Iterator[MatchArrays]:
        """Yield the matches in chunks; a chunk is overwritten by the next one.

        `listing` is that of a larger graph, if this is a part of one that was opened.
        """
        if listing is None:
            walkable, listing = self.opened(walkable)
        graph, ends = walkable
        for found in walk_in_chunks(graph, ends, self.events.clock, self.window, self.chunk):
            matches = self.unblocked(found)
            if listing is not None:
                listing.add(matches, found.event.size)
            yield matches

    def batches(
        self, walkable: Walkable, listing: Listing | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the matches."""
        return map(self.rows.batch, self.matches(walkable, listing))
