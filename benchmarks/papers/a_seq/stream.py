"""A stand-in for A-Seq's trace of stock trades, and the queries on it (section 6.1 and 6.2).

The trace has 120,000 trades with ticker and time. The stand-in has 24 tickers, drawn uniformly, and
a trade every 2 ms, so that a window of 1000 ms holds 500 trades and about 21 of every ticker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

SEED = 7
MILLISECONDS_PER_EVENT = 2
TICKERS = (
    "DELL", "IPIX", "AMAT", "QQQ", "INTC", "MSFT", "CSCO", "ORCL", "YHOO", "RIMM", "JAVA", "AAPL",
    "EBAY", "AMZN", "GOOG", "COST", "SBUX", "ADBE", "NVDA", "TXN", "HPQ", "IBM", "GE", "F",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sequence:
    """COUNT of a sequence of the first tickers, with QQQ negated before the last one or not."""

    events: int
    window_ms: int
    length: int = 3
    without_qqq: bool = False

    @property
    def tickers(self) -> tuple[str, ...]:
        """The types of the sequence."""
        others = tuple(each for each in TICKERS if each != "QQQ")
        return others[: self.length]

    @property
    def query(self) -> str:
        """The query: a result at every event of the last type."""
        parts = list(self.tickers)
        if self.without_qqq:
            parts.insert(-1, "!QQQ")
        return f"PATTERN SEQ({', '.join(parts)}) WITHIN {self.window_ms} RETURN COUNT(*)"

    @property
    def all_matches(self) -> str:
        """The query of the first of two steps, without the negation, with three times of each."""
        places = range(1, self.length + 1)
        pattern = ", ".join(
            f"{ticker} e{place}" for place, ticker in zip(places, self.tickers, strict=True)
        )
        before = f"e{self.length - 1}.time AS before, " if self.without_qqq else ""
        return (
            f"PATTERN SEQ({pattern}) WITHIN {self.window_ms} "
            f"RETURN e1.time AS first, {before}e{self.length}.time AS last"
        )

    @property
    def matches(self) -> float:
        """About how many matches there are, without the negation."""
        per_type = self.window_ms / MILLISECONDS_PER_EVENT / len(TICKERS)
        others = self.length - 1
        ways = 1.0
        for place in range(others):
            ways *= per_type / (place + 1)
        return self.events / len(TICKERS) * ways

    def table(self) -> pa.Table:
        """Make the events; the type is a dictionary column, so that nobody has to read strings."""
        codes = np.random.default_rng(SEED).integers(0, len(TICKERS), self.events, np.int8)
        return pa.table(
            {
                "time": np.arange(self.events) * MILLISECONDS_PER_EVENT,
                "type": pa.DictionaryArray.from_arrays(codes, pa.array(TICKERS)),
            }
        )
