"""Stock ticker of SASE+ (SIGMOD 2008, section 6 and table 1).

| paper | here |
|---|---|
| Prob_price_increase = p: up p, down (1-p)/2, same (1-p)/2 | `increase` (0.7; also used: 0.55) |
| value ranges: symbol [1-2], price [1-1000], volume [1-1000] | `symbols`, `maximum_*` |

The paper leaves open: the size of a price step (here 1), the first price (uniform), what happens at
the bounds (here the price wraps from one end of its range to the other, so that a rising price
keeps passing 500 and 1000, where the paper's queries start), and the time of an event. Its windows
count events (W = 500-2000 per partition), so `time` is the position of the event in the stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
import pyarrow as pa

from cepheid.generate.segments import MAXIMUM_LANES, walk_by_lane
from cepheid.generate.stream import BLOCK_EVENTS, Block, Column, Stream, option


@dataclass(frozen=True, slots=True)
class StockSettings:
    """Parameters of the stock ticker; the defaults are the paper's."""

    symbols: int = option(2, "number of symbols", minimum=1, maximum=MAXIMUM_LANES)
    increase: float = option(
        0.7,
        "probability that the price rises; falls and stays share the rest",
        minimum=0,
        maximum=1,
    )
    maximum_price: int = option(1000, "highest price", minimum=2, maximum=10**9)
    maximum_volume: int = option(1000, "highest volume", minimum=1, maximum=10**9)


def stock(seed: int, settings: StockSettings) -> Iterator[Block]:
    """Yield blocks of stock events: symbol and volume uniform, price a walk per symbol."""
    rng = np.random.default_rng(seed)
    level_by_symbol = rng.integers(0, settings.maximum_price, settings.symbols)
    for first_event in count(0, BLOCK_EVENTS):
        symbol = rng.integers(0, settings.symbols, BLOCK_EVENTS)
        draw = rng.random(BLOCK_EVENTS)
        rises = draw < settings.increase
        falls = ~rises & (draw < (1 + settings.increase) / 2)
        step = rises.astype(np.int64) - falls
        level, level_by_symbol = walk_by_lane(symbol, step, level_by_symbol)
        yield {
            "time": np.arange(first_event, first_event + BLOCK_EVENTS),
            "symbol": symbol + 1,
            "price": level % settings.maximum_price + 1,
            "volume": rng.integers(1, settings.maximum_volume + 1, BLOCK_EVENTS),
        }


STOCK = Stream(
    name="stock",
    description="Stock ticker with a random walk of the price per symbol (SASE+, section 6)",
    columns=(
        Column("time", pa.int64(), "position of the event in the stream, from 0"),
        Column("symbol", pa.int64(), "1 .. symbols, uniform"),
        Column("price", pa.int64(), "1 .. maximum_price, moves by at most 1, wraps at the ends"),
        Column("volume", pa.int64(), "1 .. maximum_volume, uniform"),
    ),
    time_column="time",
    type_column=None,
    event_types=("Stock",),
    settings=StockSettings,
    function=stock,
)
