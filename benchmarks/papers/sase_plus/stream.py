"""The stock ticker of section 6, for Cepheid as an Arrow table, for the baselines as arrays.

The generator's prices 1 .. 1000 wrap at the ends; here they are 0 .. 999. So a run that starts at a
price divisible by 500 has room to rise. With a start at 1000, just before the price wraps, matches
of p2 and p3 would be half as long as table 2 says.
"""

from __future__ import annotations

import functools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.papers.sase_plus.rules import Partitions
from cepheid.generate import generate

SYMBOLS = 2
SEED = 7


@functools.lru_cache(maxsize=4)
def stock_table(events_per_symbol: int, increase: float) -> pa.Table:
    """Return the events, in one chunk; a price rises with the probability `increase`."""
    events = SYMBOLS * events_per_symbol
    table = generate("stock", events=events, seed=SEED, symbols=SYMBOLS, increase=increase)
    at = table.schema.get_field_index("price")
    return table.set_column(at, "price", pc.subtract(table["price"], 1)).combine_chunks()


def partitions(table: pa.Table) -> Partitions:
    """Return the events by symbol; `time` is an event's place in the stream."""
    symbol = table["symbol"].to_numpy()
    order = np.argsort(symbol, kind="stable")
    counts = np.bincount(symbol)[1:]
    return Partitions(
        np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        table["time"].to_numpy()[order],
        table["price"].to_numpy()[order],
        table["volume"].to_numpy()[order],
    )
