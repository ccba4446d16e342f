"""Transactions of companies in sectors for COGRA's q3 (SIGMOD 2019, section 1; data: section 8.1).

The real data set has more than 3,000 companies. Every company belongs to one sector; its price is a
walk that turns round at both ends of its range. The paper's times are in minutes; here in
microseconds, since transactions of one minute would be concurrent and form no trend.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.generate.clock import MINUTE_US, START_US, arrivals
from cepheid.generate.segments import MAXIMUM_LANES, reflect, walk_by_lane
from cepheid.generate.stream import BLOCK_EVENTS, TIMESTAMP, Block, Column, Stream, option

LOWEST_PRICE, HIGHEST_PRICE = 100, 1100


@dataclass(frozen=True, slots=True)
class TradingSettings:
    """Parameters of the trading platform."""

    companies: int = option(60, "number of companies", minimum=1, maximum=MAXIMUM_LANES)
    sectors: int = option(6, "number of sectors", minimum=1, maximum=MAXIMUM_LANES)
    step: int = option(
        5, "largest change of the price between two transactions", minimum=0, maximum=1000
    )
    transactions_per_minute: float = option(
        600.0, "mean transactions of all companies", minimum=0.001, maximum=6_000_000
    )


def trading(seed: int, settings: TradingSettings) -> Iterator[Block]:
    """Yield blocks of transactions: a uniform company, and per company a walk of the price."""
    rng = np.random.default_rng(seed)
    level_by_company = rng.integers(0, HIGHEST_PRICE - LOWEST_PRICE, settings.companies)
    gap_us = MINUTE_US / settings.transactions_per_minute
    time = np.array([START_US - 1])
    while True:
        time = arrivals(rng, BLOCK_EVENTS, gap_us, int(time[-1]))
        company = rng.integers(0, settings.companies, BLOCK_EVENTS)
        step = rng.integers(-settings.step, settings.step + 1, BLOCK_EVENTS)
        level, level_by_company = walk_by_lane(company, step, level_by_company)
        yield {
            "time": time,
            "company": company + 1,
            "sector": company % settings.sectors + 1,
            "price": reflect(level, LOWEST_PRICE, HIGHEST_PRICE),
        }


TRADING = Stream(
    name="trading",
    description="Transactions of companies that belong to sectors (COGRA, q3)",
    columns=(
        Column("time", TIMESTAMP, "time of the transaction"),
        Column("company", pa.int64(), "1 .. companies, uniform"),
        Column("sector", pa.int64(), "1 .. sectors, one per company"),
        Column("price", pa.int64(), f"{LOWEST_PRICE} .. {HIGHEST_PRICE}"),
    ),
    time_column="time",
    type_column=None,
    event_types=("Stock",),
    settings=TradingSettings,
    function=trading,
)
