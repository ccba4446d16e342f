"""A stream for every query of SASE and SASE+, and the table of which runs on which.

The oracle enumerates matches, so streams have some dozens of events and windows are shortened to
go with them: `W = 10000 events` of SASE 5.2 is 20 events here, and so on. Windows that a query
spells out (12 hours, 10000) stay; there the stream is stretched instead, so that some events lie
further apart. Streams come from `cepheid.generate` where a generator has the paper's events, and
else from a few seeded draws. Times are whole seconds, or timestamps if the generator's are; events
of the same time are concurrent.
"""

import random
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from cepheid.analysis.fill_parameters import ParameterValue
from cepheid.generate import generate
from tests.papers.paper_queries import TIME, TYPE

Event = dict[str, Any]
MINUTE = 60
HOUR = 60 * MINUTE


# --- RFID: SASE Q1, Q2 and 2.3, SASE+ Query 1 -----------------------------------------------------


def shop(*, events: int, seed: int, **settings: float) -> list[Event]:
    """Readings of a few tags; a tag is reused, so its products follow each other."""
    rows = generate("rfid", events=events, seed=seed, **settings).to_pylist()
    return [row | {TIME: row["time"], TYPE: row["type"]} for row in rows]


def slow_shop(seed: int = 17) -> list[Event]:
    """Hours between readings: some products leave within 12 hours, some do not."""
    return shop(
        events=60, seed=seed, items=4, manufacturers=2, readings=2, stolen=0.4, unsold=0.1,
        gap_minutes=240, products_per_minute=0.005,
    )  # fmt: skip


def busy_shop(seed: int = 1) -> list[Event]:
    """Minutes between readings, half of the products misplaced: the window is 1 hour."""
    return shop(
        events=60, seed=seed, items=4, shelves=3, readings=2, misplaced=0.5, unsold=0.4,
        gap_minutes=20, products_per_minute=0.05,
    )  # fmt: skip


def small_shop() -> list[Event]:
    """Few enough shelf readings to pair each with each."""
    return busy_shop()[:20]


def store() -> list[Event]:
    """The slow shop in the words of SASE+."""
    types = {"SHELF-READING": "Shelf", "COUNTER-READING": "Register", "EXIT-READING": "Exit"}
    return [row | {TYPE: types[row[TYPE]], "tag_id": row["id"]} for row in slow_shop()]


# --- other examples of the papers -----------------------------------------------------------------


def pharmacy(seed: int = 1) -> list[Event]:
    """SASE 2.3: doses of two patients and two medicines, often hours apart."""
    draw = random.Random(seed)
    time = 0
    rows = []
    for _ in range(50):
        time += draw.choice((0, 30 * MINUTE, HOUR))
        rows.append(
            {
                TIME: time,
                TYPE: "MEDICINE-TAKEN",
                "name": draw.choice(("John", "John", "Mary")),
                "medicine": draw.choice(("Antibiotics", "Antibiotics", "Aspirin")),
                "amount": draw.choice((250.0, 500.0, 750.5)),
            }
        )
    return rows


def supply_chain(seed: int = 1) -> list[Event]:
    """SASE+ Query 2: alerts at four sites and shipments between them, over more than 3 hours."""
    draw = random.Random(seed)
    rows = []
    for time in range(0, 36 * 25 * MINUTE, 25 * MINUTE):
        site, other = draw.sample("1234", 2)
        alert = {"type": draw.choice(("contaminated", "late")), "site": site}
        shipment = {"from": site, "to": other}
        kind, values = draw.choice(
            (("Alert", alert), ("Shipment", shipment), ("Shipment", shipment))
        )
        rows.append({TIME: time, TYPE: kind, **values})
    return rows


# --- stock: SASE+ Query 3 and section 6 -----------------------------------------------------------


def ticker(seed: int = 1) -> list[Event]:
    """Query 3: volumes above and below 1000, prices that rise and fall, 9 minutes apart."""
    rows = generate(
        "stock", events=60, seed=seed, increase=0.5, maximum_price=9, maximum_volume=1500
    )
    return [
        {
            TIME: row["time"] * 9 * MINUTE,
            TYPE: "Stock",
            "symbol": "AB"[row["symbol"] - 1],
            "price": row["price"] / 4,
            "volume": row["volume"],
        }
        for row in rows.to_pylist()
    ]


def short_ticker() -> list[Event]:
    """For fragments without a window, which match almost every choice of events."""
    return ticker()[:9]


def steep_stock(seed: int = 3) -> list[Event]:
    """Section 6: prices move by 250, so that half are multiples of 500; volumes up to 300."""
    return _section_6(events=70, seed=seed, increase=0.6)


def short_steep_stock() -> list[Event]:
    """For table 1 and the pattern of p3*, which have no window."""
    return steep_stock()[:9]


def falling_stock(seed: int = 5) -> list[Event]:
    """Section 6.2, p3*: a price must rise twice and then fall to be between two others."""
    return _section_6(events=120, seed=seed, increase=0.45)


def _section_6(*, events: int, seed: int, increase: float) -> list[Event]:
    table = generate(
        "stock", events=events, seed=seed, increase=increase, maximum_price=6, maximum_volume=300
    )
    return [
        row | {TIME: row["time"], TYPE: "STOCK", "price": row["price"] * 250}
        for row in table.to_pylist()
    ]


# --- typed events: SASE Q3 and section 5, patterns with letters -----------------------------------


def typed(*names: str, events: int, seed: int, step: float, **settings: float) -> list[Event]:
    """Events of the given types, `step` ticks apart; less than 1 makes some concurrent."""
    settings = {
        "attr1_values": 2,
        "attr2_values": 2,
        "attr3_values": 2,
        "attr4_values": 9,
        **settings,
    }
    rows = generate("typed", events=events, seed=seed, types=len(names), **settings).to_pylist()
    return [
        row
        | {
            TIME: int(row["time"] * step),
            TYPE: names[int(row["type"][1:]) - 1],
            "attr3": str(row["attr3"]),
            "id": str(row["attr1"]),
        }
        for row in rows
    ]


def letters(seed: int = 17) -> list[Event]:
    """Q3, T = 6: with four events a tick, some events of a partition lie within T."""
    return typed("A", "B", "C", "D", events=100, seed=seed, step=0.25)


def few_letters(seed: int = 10) -> list[Event]:
    """For patterns without a window and for T = 5; E and the like are only in the way."""
    return typed("A", "B", "C", "D", "E", events=32, seed=seed, step=0.8)


def choices(seed: int = 1) -> list[Event]:
    """SASE 2.2.2: the types of SEQ(A1, ANY(A21, A22), A3)."""
    return typed("A1", "A21", "A22", "A3", "A4", events=28, seed=seed, step=0.8)


def section_5(seed: int = 7) -> list[Event]:
    """Six types, 900 ticks apart: 10000 ticks hold a dozen events."""
    return typed("E1", "E2", "E3", "E4", "E5", "E6", events=90, seed=seed, step=900)


STREAMS: Mapping[str, Callable[[], list[Event]]] = {
    each.__name__: cache(each)
    for each in (
        slow_shop, busy_shop, small_shop, store, pharmacy, supply_chain, ticker, short_ticker,
        steep_stock, short_steep_stock, falling_stock, letters, few_letters, choices, section_5,
    )
}  # fmt: skip

# --- which query runs on which stream, with which parameters --------------------------------------

Row = tuple[str, dict[str, ParameterValue]]
SASE_WINDOW: dict[str, ParameterValue] = {"W": "20 events"}  # the paper: 10000 events
STOCK_WINDOW: dict[str, ParameterValue] = {"W": "5 events"}  # the paper: 500 events and more

SASE: Mapping[str, Row] = {
    "Q1": ("slow_shop", {}),
    "Q2": ("slow_shop", {}),
    "Q2 with [id]": ("slow_shop", {}),
    "2.3 Retail management (misplaced inventory)": ("busy_shop", {}),
    "2.3 Healthcare (overdose)": ("pharmacy", {}),
    "Q3": ("letters", {"T": 6}),
    "5.2": ("section_5", SASE_WINDOW),
    "5.3": ("section_5", {}),
    "5.3 experiment 3": ("section_5", {}),
    "5.4 L=2": ("section_5", SASE_WINDOW),
    "5.4 L=3": ("section_5", SASE_WINDOW),
    "5.4 L=4": ("section_5", SASE_WINDOW),
    "5.4 L=5": ("section_5", SASE_WINDOW),
    "5.4 L=6": ("section_5", SASE_WINDOW),
    "5.4 two equivalence tests": ("section_5", SASE_WINDOW),
    "2.2.2 ANY inside SEQ": ("choices", {}),
    "2.2.2 negated end": ("few_letters", {"T": 5}),
    "3.1 pattern of Q3": ("few_letters", {}),
    "3.1 sub-sequence type of Q3": ("few_letters", {}),
    "3.3 negation middle": ("few_letters", {}),
    "3.3 negation start": ("few_letters", {"T": 5}),
    "3.3 negation end": ("few_letters", {"T": 5}),
    "3.2 footnote 1": ("few_letters", {}),
    "2.2.1 [id]": ("few_letters", {}),
    "2.2.1 [id='1']": ("few_letters", {}),
    "2.3 predicate": ("small_shop", {}),
    "4.4 predicate": ("few_letters", {}),
}

SASE_PLUS: Mapping[str, Row] = {
    "Query 1": ("store", {}),
    "Query 1 with [tag_id]": ("store", {}),
    "Query 2": ("supply_chain", {}),
    "Query 3": ("ticker", {}),
    "Query 3 with partition contiguity": ("ticker", {}),
    "Query 3 with max()": ("ticker", {}),
    **{
        f"6 {predicate} {strategy}{spelling}": ("steep_stock", STOCK_WINDOW)
        for strategy in ("s2", "s3")
        for predicate in ("p1", "p2", "p3 max", "p3 min", "p3 avg")
        for spelling in ("", ", hyphens")
    },
    "6.2 Expt 4 p3* s2": ("falling_stock", {"W": "8 events"}),
    "6.2 Expt 4 p3* s3": ("falling_stock", {"W": "8 events"}),
    "6.2 p3* pattern": ("short_steep_stock", {}),
    "2 [tag_id]": ("store", {}),
    "3.2 canonical form of [symbol]": ("short_ticker", {}),
    "3.2 last conjunct of Query 3": ("short_ticker", {}),
    "6 table 1 p1": ("short_steep_stock", {}),
    "6 table 1 p2": ("short_steep_stock", {}),
    "6 table 1 p3 max": ("short_steep_stock", {}),
    "6 table 1 p3 min": ("short_steep_stock", {}),
    "6 table 1 p3 avg": ("short_steep_stock", {}),
}

TABLE: Mapping[str, Mapping[str, Row]] = {"sase": SASE, "sase-plus": SASE_PLUS}
