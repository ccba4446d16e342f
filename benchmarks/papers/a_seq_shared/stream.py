"""Queries that share a prefix or a stretch in the middle, on A-Seq's stand-in for stock trades.

A query with a shared prefix is `SEQ(S1, …, Sl, Y)` with a last type of its own, one with a shared
substring `SEQ(X, S1, …, Sl, Y)` with a first one, too. Results are due at every last event.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from benchmarks.papers.a_seq.stream import MILLISECONDS_PER_EVENT, TICKERS
from benchmarks.papers.a_seq.stream import Sequence as Trades

MOST_SHARED, MOST_QUERIES = 6, 6
SHARED_TICKERS = TICKERS[:MOST_SHARED]
LAST_TICKERS = TICKERS[MOST_SHARED : MOST_SHARED + MOST_QUERIES]
FIRST_TICKERS = TICKERS[MOST_SHARED + MOST_QUERIES : MOST_SHARED + 2 * MOST_QUERIES]


@dataclass(frozen=True, slots=True)
class Shared:
    """A number of queries that have so many types in common, in windows of so many milliseconds."""

    events: int
    window_ms: int
    shared: int = 3
    queries: int = 3
    is_prefix: bool = True

    @property
    def sequences(self) -> tuple[tuple[str, ...], ...]:
        """The types of every query."""
        common = SHARED_TICKERS[: self.shared]
        firsts = [()] * self.queries if self.is_prefix else [(each,) for each in FIRST_TICKERS]
        ends = zip(firsts, LAST_TICKERS, strict=False)
        return tuple((*first, *common, last) for first, last in list(ends)[: self.queries])

    @property
    def texts(self) -> tuple[str, ...]:
        """The queries."""
        return tuple(
            f"PATTERN SEQ({', '.join(each)}) WITHIN {self.window_ms} RETURN COUNT(*) AS value"
            for each in self.sequences
        )

    @property
    def matches(self) -> float:
        """About how many matches all queries have."""
        length = len(self.sequences[0])
        return self.queries * Trades(self.events, self.window_ms, length).matches

    def table(self) -> pa.Table:
        """Make the events."""
        return Trades(self.events, self.window_ms).table()


def events_per_window(window_ms: int) -> float:
    """Return how many trades a window has."""
    return window_ms / MILLISECONDS_PER_EVENT
