"""Stock data: variations of q3, `Stock S+` per company, summed by sector (figures 8, 10 and 13).

The stand-in has the paper's transactions of companies in sectors; every company gets equally many
in a window, in random order, since the number of trends is exponential in it.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from benchmarks.papers.baselines.grained_counts import ANY
from benchmarks.papers.baselines.trend_slices import KLEENE, Bits
from benchmarks.papers.claims import ratio_claim, rises
from benchmarks.papers.cogra.contenders import A_SEQ, GRETA, TWO_STEPS, TYPE_GRAINED
from benchmarks.papers.cogra.figure import FEWEST_EVENTS, Figure
from benchmarks.papers.cogra.says import (
    MEMORY,
    SMALLER,
    keeps,
    last_ratio,
    two_steps_fail,
    two_steps_rise,
    wins,
)
from benchmarks.papers.cogra.task import Shape, Task
from benchmarks.papers.experiment import Claim, Curves
from benchmarks.papers.sweep import OURS

SEED = 7
SECTORS = 12
COMPANIES, FEW_COMPANIES = 300, 100
HIGHEST_PRICE = 1000
EVENTS_OF_LOW_RATES = 10_000
EVENTS_OF_FIGURE_13 = 3600
FIXED = "with 12 events per company most of Cepheid's time is what any query costs"


def dealt(
    events: int, keys: int, rng: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return a key for every event: all keys once, in random order, then all once more."""
    rounds = np.tile(np.arange(keys), (-(-events // keys), 1))
    return rng.permuted(rounds, axis=1).ravel()[:events]


def transactions(events: int, window: int, companies: int, selectivity: float = 0.5) -> pa.Table:
    """Make the events; two of one company satisfy the predicate with the given probability."""
    rng = np.random.default_rng(SEED)
    company = dealt(events, companies, rng)
    price, other = rng.integers(0, HIGHEST_PRICE, (2, events))
    time = np.arange(events)
    return pa.table(
        {
            "time": time,
            "type": _stock_only(events),
            "sector": company % SECTORS,
            "company": company,
            "price": price,
            "ceiling": other + round(HIGHEST_PRICE * shift_for(selectivity)),
            "window": time // window,
        }
    )


def shift_for(selectivity: float) -> float:
    """Return d such that x + d > y has the given probability for x, y uniform in [0, 1).

    >>> shift_for(0.5), round(shift_for(0.9), 3), round(shift_for(0.1), 3)
    (0.0, 0.553, -0.553)
    """
    if selectivity <= 0.5:
        return math.sqrt(2 * selectivity) - 1
    return 1 - math.sqrt(2 * (1 - selectivity))


def _stock_only(events: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(np.zeros(events, np.int8), pa.array(["Stock"]))


def _fires(events: pa.Table) -> Bits:
    return np.full(events.num_rows, KLEENE, np.uint8)


SHAPE = Shape("Stock S+", ("sector", "company"), "S[1]", _fires, bounded=False)
DATA = (
    "A generated stand-in for the stock data: {companies} companies in 12 sectors, every company "
)
DATA += "has equally many transactions."


def _low_rate(window: int, scale: float) -> tuple[pa.Table, Task]:
    events = max(window, round(EVENTS_OF_LOW_RATES * scale))
    return transactions(events, window, COMPANIES), Task(SHAPE, ANY, window)


def _high_rate(thousands: int, scale: float) -> tuple[pa.Table, Task]:
    events = max(FEWEST_EVENTS, round(1000 * thousands * scale))
    return transactions(events, events, FEW_COMPANIES), Task(SHAPE, ANY, events)


def _selective(percent: int, scale: float) -> tuple[pa.Table, Task]:
    window = EVENTS_OF_FIGURE_13
    events = max(window, round(4 * window * scale))
    table = transactions(events, window, COMPANIES, percent / 100)
    return table, Task(SHAPE, ANY, window, compares=True)


def _throughput_8(curves: Curves) -> list[Claim]:
    ratio = last_ratio(curves, OURS, TWO_STEPS)
    return [
        ratio_claim(
            f"throughput of {OURS} ÷ that of the two-step approach where that last ran",
            ratio,
            1000.0,
            SMALLER,
        ),
        two_steps_fail(curves),
    ]


def _throughput_10(curves: Curves) -> list[Claim]:
    best = max((each.value or 0.0) for each in curves[OURS])
    return [
        keeps(curves, OURS, 4.0),
        ratio_claim(
            f"millions of events that {OURS} processes in a second",
            best / 1e6 or None,
            39.0,
            "two cores instead of 16, and a query that is read as text",
        ),
    ]


FIGURE_8 = Figure(
    number="8",
    title="Skip-till-any-match, stock data, low rates",
    x_label="events per window",
    points=(1000, 2000, 3000, 4000, 5000),
    point=_low_rate,
    baselines=(GRETA, A_SEQ, TYPE_GRAINED, TWO_STEPS),
    papers={
        "a": "Latency of SASE grows exponentially; it fails beyond 40k events, where COGRA is 3 "
        "orders of magnitude faster. The online approaches perform well at low rates.",
        "b": "Memory of SASE grows with the events, that of COGRA is constant: 4 orders of "
        "magnitude less at 40k events.",
        "c": "The throughput of SASE degrades exponentially.",
    },
    judges={
        "a": lambda curves: [
            two_steps_rise(curves),
            two_steps_fail(curves),
            wins(curves, TWO_STEPS, 1000.0),
        ],
        "b": lambda curves: [two_steps_rise(curves), wins(curves, TWO_STEPS, 1e4, MEMORY)],
        "c": _throughput_8,
    },
    differs=DATA.format(companies=COMPANIES) + " A tenth of the paper's companies (3,000) and "
    "events per window (10k to 50k), so a company has as many events as there.",
    log_x=False,
)
FIGURE_10 = Figure(
    number="10",
    title="Skip-till-any-match, stock data, high rates",
    x_label="thousands of events per window",
    points=(30, 100, 300, 1000),
    point=_high_rate,
    baselines=(GRETA, A_SEQ, TYPE_GRAINED),
    papers={
        "a": "GRETA's latency grows to over an hour at 20 million events, 4 orders of magnitude "
        "above COGRA, and it fails beyond. A-Seq is 3 orders slower at 100 million events. "
        "COGRA's latency grows linearly and stays within 3 seconds.",
        "b": "COGRA's memory is constant; GRETA stores all matched events, A-Seq's memory grows "
        "linearly with the number of queries: 4 orders more at 100 million events.",
        "c": "COGRA's throughput is over 39 million events per second at 100 million events.",
    },
    judges={
        "a": lambda curves: [
            Claim("GRETA's latency grows", rises(curves[GRETA])),
            wins(curves, GRETA, 1e4),
            wins(curves, A_SEQ, 1000.0),
        ],
        "b": lambda curves: [
            wins(curves, GRETA, (100.0, 1e4), MEMORY),
            wins(curves, A_SEQ, 1e4, MEMORY),
        ],
        "c": _throughput_10,
    },
    differs=DATA.format(companies=FEW_COMPANIES) + " A thirtieth of the paper's companies, and at "
    "most a million events in a window (100 million in the paper), for two cores and one thread. "
    "From 300,000 events on the number of trends is beyond a double: all answer Infinity.",
)
FIGURE_13 = Figure(
    number="13",
    title="Selectivity of a predicate on adjacent events, stock data",
    x_label="selectivity (%)",
    points=(10, 30, 50, 70, 90),
    point=_selective,
    baselines=(GRETA, TWO_STEPS),
    papers={
        "a": "SASE's latency grows exponentially with the selectivity, 2 orders above COGRA at "
        "90%; GRETA's grows linearly, to twice COGRA's.",
        "b": "Memory of SASE grows linearly, 13 times COGRA's at 90%; GRETA's and COGRA's stay.",
    },
    judges={
        "a": lambda curves: [
            two_steps_rise(curves),
            wins(curves, TWO_STEPS, 100.0),
            wins(curves, GRETA, 2.0, FIXED),
        ],
        "b": lambda curves: [
            two_steps_rise(curves),
            wins(curves, TWO_STEPS, 13.0, MEMORY),
            keeps(curves, GRETA, 2.0),
            keeps(curves, OURS, 2.0),
        ],
    },
    differs=DATA.format(companies=COMPANIES) + " 3,600 events per window, 12 per company. The "
    "predicate S.ceiling > NEXT(S).price compares two columns whose distance sets the selectivity.",
    log_x=False,
)
