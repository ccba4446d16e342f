"""Heart rates of patients for COGRA's q4 (SIGMOD 2019, appendix A; data set: section 8.1).

The real data set has 14 people, 18 activities and 75 minutes. The query's `A.type = passive` reads
the column `class` here, since `type` elsewhere names the event type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.generate.clock import MINUTE_US, START_US, arrivals
from cepheid.generate.labels import label
from cepheid.generate.segments import MAXIMUM_LANES, hold_by_lane, reflect, walk_by_lane
from cepheid.generate.stream import BLOCK_EVENTS, TIMESTAMP, Block, Column, Stream, option

PASSIVE = ("lying", "sitting", "standing", "watching TV", "computer work", "car driving")
ACTIVE = (
    "walking", "running", "cycling", "Nordic walking", "ascending stairs", "descending stairs",
    "vacuum cleaning", "ironing", "folding laundry", "house cleaning", "playing soccer",
    "rope jumping",
)  # fmt: skip
LOWEST_RATE, HIGHEST_RATE = 45, 130


@dataclass(frozen=True, slots=True)
class ActivitySettings:
    """Parameters of the activity reports."""

    patients: int = option(14, "number of patients", minimum=1, maximum=MAXIMUM_LANES)
    readings_per_minute: float = option(
        6.0, "mean readings per patient and minute", minimum=0.001, maximum=60_000
    )
    change: float = option(
        0.02, "probability that a reading begins another activity", minimum=0, maximum=1
    )
    step: int = option(8, "largest change of the rate between two readings", minimum=0, maximum=85)


def activity(seed: int, settings: ActivitySettings) -> Iterator[Block]:
    """Yield blocks of readings: per patient a reflected walk of the rate, and held activities."""
    rng = np.random.default_rng(seed)
    names = PASSIVE + ACTIVE
    level_by_patient = rng.integers(0, HIGHEST_RATE - LOWEST_RATE, settings.patients)
    activity_by_patient = rng.integers(0, len(names), settings.patients)
    gap_us = MINUTE_US / (settings.readings_per_minute * settings.patients)
    time = np.array([START_US - 1])
    while True:
        time = arrivals(rng, BLOCK_EVENTS, gap_us, int(time[-1]))
        patient = rng.integers(0, settings.patients, BLOCK_EVENTS)
        step = rng.integers(-settings.step, settings.step + 1, BLOCK_EVENTS)
        level, level_by_patient = walk_by_lane(patient, step, level_by_patient)
        drawn = rng.integers(0, len(names), BLOCK_EVENTS)
        renewed = rng.random(BLOCK_EVENTS) < settings.change
        held, activity_by_patient = hold_by_lane(patient, drawn, renewed, activity_by_patient)
        yield {
            "time": time,
            "patient": patient + 1,
            "activity": label(held, names),
            "class": label((held >= len(PASSIVE)).astype(np.int64), ("passive", "active")),
            "rate": reflect(level, LOWEST_RATE, HIGHEST_RATE),
        }


ACTIVITY = Stream(
    name="activity",
    description="Heart rate readings of patients and what they do (COGRA, q4)",
    columns=(
        Column("time", TIMESTAMP, "time of the reading"),
        Column("patient", pa.int64(), "1 .. patients, uniform"),
        Column("activity", pa.string(), "one of 18 activities"),
        Column("class", pa.string(), "passive or active"),
        Column("rate", pa.int64(), f"beats per minute, {LOWEST_RATE} .. {HIGHEST_RATE}"),
    ),
    time_column="time",
    type_column=None,
    event_types=("Activity",),
    settings=ActivitySettings,
    function=activity,
)
