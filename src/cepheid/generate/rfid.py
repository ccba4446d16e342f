"""RFID readings in a shop for SASE (SIGMOD 2006, sections 2.2 and 2.3).

A product is read at its shelf, now and then at another shelf (misplaced), then at the counter and
at the exit; a stolen one skips the counter, an unsold one both. Identifiers are strings because the
paper quotes them (`manufacturer_id = '1'`). Only shelf readings carry `shelf_id`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
import pyarrow as pa

from cepheid.generate.clock import MINUTE_US, START_US, arrivals, session_times
from cepheid.generate.interleave import Rows, interleave
from cepheid.generate.labels import label
from cepheid.generate.segments import positions
from cepheid.generate.stream import BLOCK_EVENTS, TIMESTAMP, Block, Column, Stream, option

TYPES = ("SHELF-READING", "COUNTER-READING", "EXIT-READING")
SHELF, COUNTER, EXIT = range(3)
CATEGORIES = ("food", "drink", "clothing", "toys", "books")
_PROBABILITY = {"minimum": 0, "maximum": 0.5}


@dataclass(frozen=True, slots=True)
class RfidSettings:
    """Parameters of the shop."""

    items: int = option(100_000, "tags; reused in turn", minimum=1, maximum=1_000_000)
    shelves: int = option(20, "number of shelves", minimum=2, maximum=10_000)
    manufacturers: int = option(10, "number of manufacturers", minimum=1, maximum=10_000)
    readings: int = option(
        3, "mean readings at the shelf, uniform in 1 .. 2 readings - 1", minimum=1, maximum=1000
    )
    misplaced: float = option(0.05, "share of products read at another shelf", **_PROBABILITY)
    stolen: float = option(0.02, "share that leaves without the counter", **_PROBABILITY)
    unsold: float = option(0.2, "share that never leaves", **_PROBABILITY)
    gap_minutes: float = option(
        4.0, "mean minutes between readings of a product", minimum=0.001, maximum=10_000
    )
    products_per_minute: float = option(
        20.0, "mean first readings", minimum=0.001, maximum=1_000_000
    )


def rfid(seed: int, settings: RfidSettings) -> Iterator[Block]:
    """Yield blocks of readings in time order; products overlap."""
    rng = np.random.default_rng(seed)
    category_by_item = rng.integers(0, len(CATEGORIES), settings.items)
    manufacturer_by_item = rng.integers(1, settings.manufacturers + 1, settings.items)
    for rows in interleave(_products(rng, settings)):
        shelf_id = pa.array(rows["shelf_id"], mask=rows["shelf_id"] == 0)
        yield {
            "time": rows["time"],
            "type": label(rows["type"], TYPES),
            "id": pa.array(rows["item"] + 1),
            "shelf_id": shelf_id,
            "category": label(category_by_item[rows["item"]], CATEGORIES),
            "manufacturer_id": pa.array(manufacturer_by_item[rows["item"]]),
        }


def _products(rng: np.random.Generator, settings: RfidSettings) -> Iterator[tuple[Rows, int]]:
    products = 1 + BLOCK_EVENTS // (settings.readings + 2)
    last_start = START_US - 1
    for first_product in count(0, products):
        starts = arrivals(rng, products, MINUTE_US / settings.products_per_minute, last_start)
        last_start = int(starts[-1])
        readings = rng.integers(1, 2 * settings.readings, products)
        misplaced = rng.random(products) < settings.misplaced
        draw = rng.random(products)
        leaves = draw >= settings.unsold
        paid = draw >= settings.unsold + settings.stolen
        lengths = readings + misplaced + leaves + paid
        shelf = rng.integers(0, settings.shelves, products)
        other = (shelf + rng.integers(1, settings.shelves, products)) % settings.shelves

        product = np.repeat(np.arange(products), lengths)
        position = positions(lengths)
        to_come = lengths[product] - 1 - position
        kind = np.full(product.size, SHELF)
        kind[paid[product] & (to_come == 1)] = COUNTER
        kind[leaves[product] & (to_come == 0)] = EXIT
        at = np.where(position < readings[product], shelf[product], other[product])
        rows = {
            "time": session_times(rng, starts, lengths, settings.gap_minutes * MINUTE_US),
            "type": kind,
            "item": (first_product + product) % settings.items,
            "shelf_id": np.where(kind == SHELF, at + 1, 0),
        }
        yield rows, last_start


RFID = Stream(
    name="rfid",
    description="Readings of tagged products at shelves, counters and exits (SASE, Q1 and Q2)",
    columns=(
        Column("time", TIMESTAMP, "time of the reading"),
        Column("type", pa.string(), "event type: SHELF-READING, COUNTER-READING, EXIT-READING"),
        Column("id", pa.string(), "tag of the product, '1' .. items"),
        Column("shelf_id", pa.string(), "'1' .. shelves", ("SHELF-READING",)),
        Column("category", pa.string(), "category of the product: " + ", ".join(CATEGORIES)),
        Column("manufacturer_id", pa.string(), "maker of the product, '1' .. manufacturers"),
    ),
    time_column="time",
    type_column="type",
    event_types=TYPES,
    settings=RfidSettings,
    function=rfid,
)
