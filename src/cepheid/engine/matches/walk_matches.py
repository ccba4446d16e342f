"""Matches from a graph to rows: walk it, drop what a negation blocks, make columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any

import pyarrow as pa

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.engine.events.predicate_inputs import PredicateInputs
from cepheid.engine.matches.blocked_matches import NegationFilter
from cepheid.engine.matches.match_chunks import Walkable, empty_chunk, walk_in_chunks
from cepheid.engine.matches.match_limit import Listing, MatchLimit
from cepheid.engine.matches.match_rows import MatchRows
from cepheid.kernels.graph.match_nodes import MatchArrays
from cepheid.program.program import MatchOutput, Program


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
        self.events = ordered.arrays
        self.window = program.window_length or 0
        self.ended = not output.is_partial
        self.rows = MatchRows(program, output, ordered, predicates, columns, schema)
        self.negation = None
        if program.negation is not None:
            self.negation = NegationFilter(program, program.negation, ordered, predicates)
        self.chunk = empty_chunk()

    def for_another_thread(self) -> MatchWalker:
        """Return a walker that shares what is only read."""
        other = copy(self)
        other.rows = self.rows.for_another_thread()
        other.negation = None if self.negation is None else self.negation.for_another_thread()
        other.chunk = empty_chunk()
        return other

    def listing(self, walkable: Walkable) -> Listing | None:
        """Return what watches over the number of matches, if there is a limit."""
        return None if self.limit is None else self.limit.listing(walkable)

    def matches(self, walkable: Walkable, listing: Listing | None = None) -> Iterator[MatchArrays]:
        """Yield the matches in chunks; a chunk is overwritten by the next one.

        `listing` is that of a larger graph, if this is a part of one.
        """
        graph, ends = walkable
        listing = listing or self.listing(walkable)
        for found in walk_in_chunks(graph, ends, self.events.clock, self.window, self.chunk):
            matches = found
            if self.negation is not None:
                matches = self.negation.unblocked(found, ended=self.ended)
            if listing is not None:
                listing.add(matches, found.event.size)
            yield matches

    def batches(
        self, walkable: Walkable, listing: Listing | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the matches."""
        return map(self.rows.batch, self.matches(walkable, listing))
