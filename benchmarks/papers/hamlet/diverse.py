"""HAMLET's second workload, on a stand-in for its stock data (figures 11 and 12).

Queries differ in what is around the shared `Trade+`, in windows of 5 to 20 minutes, in predicates
on trades and in aggregates. Trades come in bursts of one company, 120 on average. In *calm* minutes
bursts are long, and all their prices satisfy the same predicates; in *rough* ones they are short,
and prices jump, so that queries take different trades: to share would take a snapshot for most.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from benchmarks.papers.hamlet.streams import SEED, arrivals
from benchmarks.papers.hamlet.task import MINUTE, pairs

SHARED, COMPANY = "Trade", "company"
COMPANIES = 220
OTHERS = (
    "Quote", "Order", "Cancel", "Amend", "Halt", "Resume", "Open", "Close", "Split", "Dividend",
    "Rating", "News",
)  # fmt: skip
CALM_BURST, ROUGH_BURST = 160, 6
ROUGH_SHARE = 0.4  # of the minutes
PRICES = (20.0, 40.0, 60.0, 80.0)
WINDOWS = ((5, 5), (10, 5), (15, 5), (20, 10))
PREDICATES = ("", *(f" AND t.price > {price:g}" for price in PRICES))
AGGREGATES = ("COUNT(*)", "SUM(t.volume)", "AVG(t.price)", "MAX(t.price)")


def queries(count: int) -> tuple[str, ...]:
    """Return so many queries of the second workload."""
    return tuple(
        _query(place, first, last) for place, (first, last) in enumerate(pairs(OTHERS, count))
    )


def _query(place: int, first: str, last: str) -> str:
    within, slide = WINDOWS[place % len(WINDOWS)]
    predicate = PREDICATES[place % len(PREDICATES)]
    aggregate = AGGREGATES[(place + place // len(OTHERS)) % len(AGGREGATES)]
    end = f", {last} y" if place % 3 else ""
    return (
        f"PATTERN SEQ({first} x, {SHARED} t+{end}) WHERE [{COMPANY}]{predicate} "
        f"WITHIN {within * MINUTE} SLIDE {slide * MINUTE} "
        f"RETURN {COMPANY}, {aggregate} AS value GROUP BY {COMPANY}"
    )


def transactions(events: int, per_minute: int) -> pa.Table:
    """Make the events; minutes are calm or rough."""
    rng = np.random.default_rng(SEED)
    time = arrivals(rng, events, per_minute)
    minutes = int(time[-1]) // MINUTE + 1
    is_rough = rng.random(minutes) < ROUGH_SHARE
    firsts, lengths, roughs = [], [], []
    at = 0
    while at < events:
        rough = bool(is_rough[int(time[at]) // MINUTE])
        mean = ROUGH_BURST if rough else CALM_BURST
        length = 1 + int(rng.integers(mean // 2, 3 * mean // 2 + 1))
        firsts.append(at)
        lengths.append(length)
        roughs.append(rough)
        at += length
    burst = np.repeat(np.arange(len(firsts)), lengths)[:events]
    is_first = np.zeros(events, np.bool_)
    is_first[firsts] = True
    code = np.where(is_first, rng.integers(1, len(OTHERS) + 1, len(firsts))[burst], 0)
    level = rng.choice([10.0, 30.0, 50.0, 70.0, 90.0], len(firsts))[burst]
    price = np.where(np.array(roughs)[burst], rng.uniform(1, 99, events), level)
    return pa.table(
        {
            "time": time,
            "type": pa.DictionaryArray.from_arrays(
                code.astype(np.int8), pa.array((SHARED, *OTHERS))
            ),
            COMPANY: rng.integers(0, COMPANIES, len(firsts))[burst],
            "price": np.round(price + rng.uniform(-1, 1, events), 2),
            "volume": rng.integers(1, 1001, events).astype(np.float64),
        }
    )
