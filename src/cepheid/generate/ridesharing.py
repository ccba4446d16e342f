"""Bursty ridesharing stream of HAMLET (SIGMOD 2021, figure 1 and section 5.1).

| paper | here |
|---|---|
| 20 event types: request, pickup, travel, dropoff, cancel, etc. | `kinds`; column `kind` |
| driver, rider, request type, district, duration, price; speed (figure 1) | columns, random |
| 10K events per minute on average | `events_per_minute` |
| b, events per burst (definition 4.1) | `burst`; the paper saw 120 on average in its stock data |

A trip is Request, burst of Travel, then Pickup, burst, Dropoff; or Cancel; or nothing more. A burst
directly follows its Request or Pickup and no event comes between, so bursts have the drawn length
both in the whole stream and in any partition that keeps trips together. `type` is the request's
type (R.type = Pool), so the event type is in `kind`. The paper's times are in seconds; here in
microseconds, since 167 events of one second would be concurrent and form no sequence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
import pyarrow as pa

from cepheid.generate.clock import MINUTE_US, START_US, arrivals
from cepheid.generate.interleave import Rows, interleave
from cepheid.generate.labels import label
from cepheid.generate.segments import positions
from cepheid.generate.stream import BLOCK_EVENTS, TIMESTAMP, Block, Column, Stream, option

KINDS = (
    "Request", "Travel", "Pickup", "Dropoff", "Cancel",
    "Accept", "Decline", "Arrive", "Wait", "Reroute", "Pause", "Resume", "Message", "Call",
    "Pay", "Tip", "Refund", "Rate", "Login", "Logout",
)  # fmt: skip
REQUEST, TRAVEL, PICKUP, DROPOFF, CANCEL, FIRST_OTHER = range(6)
REQUEST_TYPES = ("Pool", "Solo", "Premium")
OTHERS_PER_TRIP = 3
_TICKS_PER_TRIP = 1000  # the order of trips is drawn on a clock that ticks this often per new trip


@dataclass(frozen=True, slots=True)
class RidesharingSettings:
    """Parameters of the ridesharing stream."""

    burst: int = option(
        20, "mean Travel events per burst, uniform in burst / 2 .. 3 burst / 2",
        minimum=1, maximum=100_000,
    )  # fmt: skip
    trips: int = option(50, "trips under way at a time, about", minimum=1, maximum=1_000_000)
    kinds: int = option(20, "number of event types", minimum=5, maximum=len(KINDS))
    drivers: int = option(200, "number of drivers", minimum=1, maximum=10**9)
    riders: int = option(1000, "number of riders", minimum=1, maximum=10**9)
    districts: int = option(10, "number of districts", minimum=1, maximum=10**9)
    pool: float = option(0.4, "share of Pool requests", minimum=0, maximum=1)
    cancelled: float = option(0.1, "share of trips cancelled", minimum=0, maximum=0.5)
    missed: float = option(0.1, "share of trips without pickup or cancel", minimum=0, maximum=0.5)
    events_per_minute: float = option(
        10_000.0, "mean events per minute", minimum=0.001, maximum=6_000_000
    )


def ridesharing(seed: int, settings: RidesharingSettings) -> Iterator[Block]:
    """Yield blocks of events in time order; trips overlap, bursts do not."""
    rng = np.random.default_rng(seed)
    time = np.array([START_US - 1])
    for steps in interleave(_trips(rng, settings)):
        lengths = 1 + steps["travels"]
        step = np.repeat(np.arange(lengths.size), lengths)
        if step.size == 0:
            continue
        time = arrivals(rng, step.size, MINUTE_US / settings.events_per_minute, int(time[-1]))
        yield {
            "time": time,
            "kind": label(np.where(positions(lengths) == 0, steps["kind"][step], TRAVEL), KINDS),
            "driver": steps["driver"][step],
            "rider": steps["rider"][step],
            "district": steps["district"][step],
            "type": label(steps["type"][step], REQUEST_TYPES),
            "speed": rng.integers(0, 600, step.size) / 10,
            "duration": rng.integers(1, 301, step.size),
            "price": rng.integers(300, 6001, step.size) / 100,
        }


def _trips(rng: np.random.Generator, settings: RidesharingSettings) -> Iterator[tuple[Rows, int]]:
    """Yield the steps of trips: an event and the number of Travel events that follow it."""
    trips = 1 + BLOCK_EVENTS // (2 * settings.burst + 2 + OTHERS_PER_TRIP)
    mean_wait = _TICKS_PER_TRIP * settings.trips / 2
    others = OTHERS_PER_TRIP * trips if settings.kinds > FIRST_OTHER else 0
    for first_trip in count(0, trips):
        start = (first_trip + np.arange(trips)) * _TICKS_PER_TRIP
        draw = rng.random(trips)
        cancelled = np.flatnonzero(draw < settings.cancelled)
        served = np.flatnonzero(draw >= settings.cancelled + settings.missed)
        waits = 1 + rng.exponential(mean_wait, (2, trips)).astype(np.int64)
        other_trip = rng.integers(0, trips, others)
        other_wait = 1 + rng.exponential(mean_wait, others).astype(np.int64)
        parts = (  # trip, kind, tick
            (np.arange(trips), REQUEST, start),
            (cancelled, CANCEL, (start + waits[0])[cancelled]),
            (served, PICKUP, (start + waits[0])[served]),
            (served, DROPOFF, (start + waits.sum(axis=0))[served]),
            (other_trip, FIRST_OTHER, start[other_trip] + other_wait),
        )
        trip = np.concatenate([part[0] for part in parts])
        kind = np.repeat([part[1] for part in parts], [part[0].size for part in parts])
        if others:
            kind[-others:] = rng.integers(FIRST_OTHER, settings.kinds, others)
        spread = settings.burst // 2
        length = rng.integers(settings.burst - spread, settings.burst + spread + 1, trip.size)
        solo = rng.integers(1, len(REQUEST_TYPES), trips)
        rows = {
            "time": np.concatenate([part[2] for part in parts]),
            "kind": kind,
            "travels": np.where((kind == REQUEST) | (kind == PICKUP), length, 0),
            "driver": rng.integers(1, settings.drivers + 1, trips)[trip],
            "rider": rng.integers(1, settings.riders + 1, trips)[trip],
            "district": rng.integers(1, settings.districts + 1, trips)[trip],
            "type": np.where(rng.random(trips) < settings.pool, 0, solo)[trip],
        }
        yield rows, int(start[-1])


RIDESHARING = Stream(
    name="ridesharing",
    description="Trips with bursts of Travel events (HAMLET, figure 1 and section 5.1)",
    columns=(
        Column("time", TIMESTAMP, "time of the event"),
        Column("kind", pa.string(), "event type: Request, Travel, Pickup, Dropoff, Cancel, ..."),
        Column("driver", pa.int64(), "1 .. drivers, one per trip"),
        Column("rider", pa.int64(), "1 .. riders, one per trip"),
        Column("district", pa.int64(), "1 .. districts, one per trip"),
        Column("type", pa.string(), "type of the request: " + ", ".join(REQUEST_TYPES)),
        Column("speed", pa.float64(), "0 .. 59.9, uniform"),
        Column("duration", pa.int64(), "seconds, 1 .. 300, uniform"),
        Column("price", pa.float64(), "3.00 .. 60.00, uniform"),
    ),
    time_column="time",
    type_column="kind",
    event_types=KINDS,
    settings=RidesharingSettings,
    function=ridesharing,
)
