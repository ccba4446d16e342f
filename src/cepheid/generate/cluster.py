"""Cluster monitoring for COGRA's q1 (SIGMOD 2019, section 1): Start, Load+, End per job and mapper.

Every job runs on all mappers; a mapper reports Start, some Loads and End. The CPU load rises from
one Load to the next with probability `rising`, so q1 (rising loads only) accepts some mappers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
import pyarrow as pa

from cepheid.generate.clock import MINUTE_US, SECOND_US, START_US, arrivals, session_times
from cepheid.generate.interleave import Rows, interleave
from cepheid.generate.labels import label
from cepheid.generate.segments import positions, running_sums
from cepheid.generate.stream import BLOCK_EVENTS, TIMESTAMP, Block, Column, Ints, Stream, option

TYPES = ("Start", "Load", "End")
START, LOAD, END = range(3)


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """Parameters of the cluster's reports."""

    mappers: int = option(10, "mappers per job", minimum=1, maximum=10_000)
    loads: int = option(
        8, "mean Load events per job and mapper, uniform in 1 .. 2 loads - 1",
        minimum=1, maximum=200,
    )  # fmt: skip
    rising: float = option(
        0.9, "probability that a load is above the one before", minimum=0, maximum=1
    )
    interval_seconds: float = option(
        5.0, "mean seconds between reports of a mapper", minimum=0.001, maximum=86_400
    )
    jobs_per_minute: float = option(6.0, "mean job starts", minimum=0.001, maximum=1_000_000)


def cluster(seed: int, settings: ClusterSettings) -> Iterator[Block]:
    """Yield blocks of reports in time order; jobs overlap."""
    for rows in interleave(_jobs(np.random.default_rng(seed), settings)):
        yield {**rows, "type": label(rows["type"], TYPES)}


def _jobs(rng: np.random.Generator, settings: ClusterSettings) -> Iterator[tuple[Rows, int]]:
    job_count = 1 + BLOCK_EVENTS // (settings.mappers * (settings.loads + 2))
    interval_us = settings.interval_seconds * SECOND_US
    last_start = START_US - 1
    for first_job in count(1, job_count):
        starts = arrivals(rng, job_count, MINUTE_US / settings.jobs_per_minute, last_start)
        last_start = int(starts[-1])
        job = np.repeat(np.arange(first_job, first_job + job_count), settings.mappers)
        mapper = np.tile(np.arange(1, settings.mappers + 1), job_count)
        delay = rng.integers(0, int(interval_us) + 1, job.size)
        lengths = rng.integers(1, 2 * settings.loads, job.size) + 2
        position = positions(lengths)
        kind = np.where(position == 0, START, LOAD)
        kind[np.cumsum(lengths) - 1] = END
        rows = {
            "time": session_times(
                rng, np.repeat(starts, settings.mappers) + delay, lengths, interval_us
            ),
            "type": kind,
            "job": np.repeat(job, lengths),
            "mapper": np.repeat(mapper, lengths),
            "cpu": np.where(kind == LOAD, _loads(rng, lengths, settings), np.nan),
        }
        yield rows, last_start


def _loads(
    rng: np.random.Generator, lengths: Ints, settings: ClusterSettings
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return loads around 50 that no sequence of steps takes out of 0 .. 100."""
    largest_step = 4500 // (2 * settings.loads + 1)  # in hundredths, so that equality is exact
    size = rng.integers(1, largest_step + 1, int(lengths.sum()))
    rises = rng.random(size.size) < settings.rising
    return (5000 + running_sums(np.where(rises, size, -size), lengths)) / 100


CLUSTER = Stream(
    name="cluster",
    description="Start, load and end reports of mappers running jobs (COGRA, q1)",
    columns=(
        Column("time", TIMESTAMP, "time of the report"),
        Column("type", pa.string(), "event type: Start, Load, End"),
        Column("job", pa.int64(), "job, from 1, in order of start"),
        Column("mapper", pa.int64(), "1 .. mappers"),
        Column("cpu", pa.float64(), "CPU load in percent", ("Load",)),
    ),
    time_column="time",
    type_column="type",
    event_types=TYPES,
    settings=ClusterSettings,
    function=cluster,
)
