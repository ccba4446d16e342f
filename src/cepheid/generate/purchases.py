"""Credit card purchases for A-Seq's application III (SIGMOD 2014, section 1).

The paper describes it in words: a purchase pattern that arises again and again with one card, with
a total value over $10,000 within 10 minutes. Here a stolen card buys a gift card, a phone and
jewelry, round after round, for high amounts; all other purchases are single ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.generate.clock import MINUTE_US, SECOND_US, START_US, arrivals, session_times
from cepheid.generate.interleave import Rows, interleave
from cepheid.generate.labels import label
from cepheid.generate.segments import positions
from cepheid.generate.stream import BLOCK_EVENTS, TIMESTAMP, Block, Column, Stream, option

PATTERN = ("gift card", "phone", "jewelry")
CATEGORIES = (*PATTERN, "food", "fuel", "books", "clothing")


@dataclass(frozen=True, slots=True)
class PurchasesSettings:
    """Parameters of the card company."""

    cards: int = option(500, "number of cards", minimum=1, maximum=10**9)
    fraud: float = option(0.01, "share of sessions with a stolen card", minimum=0, maximum=1)
    rounds: int = option(3, "rounds of a stolen card", minimum=1, maximum=1000)
    gap_seconds: float = option(
        30.0, "mean seconds between purchases with a stolen card", minimum=0.001, maximum=86_400
    )
    sessions_per_minute: float = option(
        60.0, "mean single purchases and thefts", minimum=0.001, maximum=1_000_000
    )


def purchases(seed: int, settings: PurchasesSettings) -> Iterator[Block]:
    """Yield blocks of purchases in time order; sessions overlap."""
    for rows in interleave(_sessions(np.random.default_rng(seed), settings)):
        yield {
            "time": rows["time"],
            "card": rows["card"],
            "category": label(rows["category"], CATEGORIES),
            "amount": rows["cents"] / 100,
        }


def _sessions(rng: np.random.Generator, settings: PurchasesSettings) -> Iterator[tuple[Rows, int]]:
    sessions = 1 + BLOCK_EVENTS // (1 + round(settings.fraud * 3 * settings.rounds))
    last_start = START_US - 1
    while True:
        starts = arrivals(rng, sessions, MINUTE_US / settings.sessions_per_minute, last_start)
        last_start = int(starts[-1])
        stolen = rng.random(sessions) < settings.fraud
        lengths = np.where(stolen, len(PATTERN) * settings.rounds, 1)
        session = np.repeat(np.arange(sessions), lengths)
        place = positions(lengths)
        drawn = rng.integers(0, len(CATEGORIES), session.size)
        low = rng.integers(500, 30_000, session.size)
        high = rng.integers(40_000, 150_000, session.size)
        rows = {
            "time": session_times(rng, starts, lengths, settings.gap_seconds * SECOND_US),
            "card": rng.integers(1, settings.cards + 1, sessions)[session],
            "category": np.where(stolen[session], place % len(PATTERN), drawn),
            "cents": np.where(stolen[session], high, low),
        }
        yield rows, last_start


PURCHASES = Stream(
    name="purchases",
    description="Purchases with credit cards, some of them stolen (A-Seq, section 1)",
    columns=(
        Column("time", TIMESTAMP, "time of the purchase"),
        Column("card", pa.int64(), "1 .. cards"),
        Column("category", pa.string(), "what was bought: " + ", ".join(CATEGORIES)),
        Column("amount", pa.float64(), "dollars: up to 300, with a stolen card 400 to 1,500"),
    ),
    time_column="time",
    type_column=None,
    event_types=("Purchase",),
    settings=PurchasesSettings,
    function=purchases,
)
