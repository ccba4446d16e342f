"""How many matches a run may list: they are counted before any is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.errors import MatchLimitError
from cepheid.kernels.count_matches import count_matches
from cepheid.kernels.graph import END_NODE, EVENT, MatchArrays
from cepheid.program.program import Program
from cepheid.runtime.fold_graph import node_count
from cepheid.runtime.match_chunks import Walkable, partition_in_words
from cepheid.runtime.order_events import OrderedEvents

UNLIMITED_WORK = 2**62
MOST_WORK = 2**26  # nodes and cells that are looked at to count exactly: about half a second


class MatchLimit:
    """Counts what is listed, on all threads of a run, and refuses more than is allowed."""

    def __init__(
        self, program: Program, ordered: OrderedEvents, columns: Mapping[str, Any]
    ) -> None:
        self.program = program
        self.ordered = ordered
        self.columns = columns
        self.listed = 0
        self.lock = Lock()
        most, asked = program.max_matches, program.limit
        self.most = None if most is None or (asked is not None and asked <= most) else most

    def admit(self, walkable: Walkable) -> Walkable:
        """Return what is to be walked.

        Of negated parts it is known only afterwards which matches they block, so these are counted
        as they are listed.

        Raises:
            MatchLimitError: it has too many matches.
        """
        if self.most is None or self.program.negation is not None:
            return walkable
        left = self.most - self.listed
        if self._at_most(walkable) <= left or _total(self._count(walkable, is_exact=False)) <= left:
            return walkable
        counts = self._count(walkable, is_exact=True)
        if _total(counts) > left:
            graph, ends = walkable
            events = graph.nodes[ends[: counts.size, END_NODE], EVENT]
            self._refuse(self.listed + _total(counts), events, counts)
        return walkable

    def add(self, matches: MatchArrays) -> None:
        """Note that matches are listed.

        Raises:
            MatchLimitError: these are too many.
        """
        if self.most is None:
            return
        with self.lock:
            self.listed += matches.offsets.size - 1
        if self.listed > self.most:
            events = matches.event[matches.offsets[:-1]]
            self._refuse(float(self.listed), events, np.ones(events.size))

    def _at_most(self, walkable: Walkable) -> float:
        """Return a number of matches that a graph of this size cannot exceed, at once."""
        automaton = self.program.automaton
        nodes, positions = node_count(walkable.graph), len(automaton.follow)
        if any(target <= source for source, target in automaton.edges):
            return float(2 ** min(nodes, 64))
        return float((1 + nodes / positions) ** positions)

    def _count(self, walkable: Walkable, *, is_exact: bool) -> NDArray[np.float64]:
        """Return how many matches end at every end, as far as that is counted."""
        graph, ends = walkable
        counts = np.zeros(len(ends))
        clock, window = self.ordered.arrays.clock, self.program.window_length or 0
        work = MOST_WORK if is_exact else UNLIMITED_WORK
        counted = count_matches(
            graph, np.ascontiguousarray(ends), clock, window, is_exact, work, counts
        )
        return counts[:counted]

    def _refuse(
        self, count: float, events: NDArray[np.int64], counts: NDArray[np.float64]
    ) -> NoReturn:
        """Name the partition with most of the matches."""
        partitions = self.ordered.partition_of_event[events]
        hottest = int(np.argmax(np.bincount(partitions, counts)))
        place = ""
        if self.program.partition_by:
            named = partition_in_words(self.program, self.ordered, self.columns, hottest)
            place = f", most of them in the partition {named}"
        raise MatchLimitError(self.program.name, place, count, self.most or 0)


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
