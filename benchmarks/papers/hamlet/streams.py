"""The four data sets of HAMLET, section 5.1, as generated stand-ins.

| paper | here |
|---|---|
| ridesharing, generated, 20 types, 10K events per minute | `cepheid generate ridesharing` |
| NYC taxi and Uber, 200 events per minute | `bursts`: rides between events of 6 zones |
| smart home, 20K events per minute of plugs in 40 houses | `bursts`: loads of 40 houses |
| stock, 4.5K transactions per minute of 220 companies | `bursts`: trades of 220 companies |

In `bursts` an event of another type comes first, and a burst of the shared type of the same key
follows. Every data set has 20 types, so that queries can differ. The events of a *calm* burst have
one value, so that the same queries take all of them; those of a *rough* burst have any value, and a
query with a predicate takes some of them: to share it needs a snapshot for most. In `bursts` rough
ones are shorter, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.papers.hamlet.task import MINUTE, NO_LIMIT
from cepheid.generate import generate
from cepheid.generate.clock import START_US
from cepheid.generate.ridesharing import KINDS, TRAVEL

SEED = 7
OTHER_TYPES = 19
ROUGH_SHARE = 0.4  # of the bursts
ROUGH_LENGTH = 5  # as many times shorter
LEVELS = (10.0, 30.0, 50.0, 70.0, 90.0)
LIMITS = (NO_LIMIT, 40.0, 60.0)  # of values, for a third of the queries each
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A stand-in: its shared type, the attribute of its keys, how many there are, and bursts.

    A calm burst has about `burst` events, evenly drawn from half to three halves of that.
    """

    shared: str
    key: str
    keys: int
    burst: int

    @property
    def others(self) -> tuple[str, ...]:
        """The types of which patterns consist beside the shared one."""
        return tuple(f"{self.shared}{place}" for place in range(1, OTHER_TYPES + 1))


TAXI = DataSet("Ride", "zone", 6, 20)
SMART_HOME = DataSet("Load", "house", 40, 20)
RIDE_TYPES = tuple(each for place, each in enumerate(KINDS) if place != TRAVEL)


def ridesharing(events: int, per_minute: int, burst: int, districts: int) -> pa.Table:
    """Make trips; the type is a dictionary column, and time starts at 0."""
    made = generate(
        "ridesharing",
        events=events,
        seed=SEED,
        burst=burst,
        districts=districts,
        events_per_minute=per_minute,
    )
    time = pc.cast(made["time"], pa.int64()).combine_chunks().to_numpy()
    is_other = pc.not_equal(made["kind"], KINDS[TRAVEL]).combine_chunks().to_numpy(False)
    burst_of, rng = np.cumsum(is_other), np.random.default_rng(SEED)
    return pa.table(
        {
            "time": time - START_US,
            "type": made["kind"].combine_chunks().dictionary_encode(),
            "district": made["district"].combine_chunks(),
            "value": values_of(rng, burst_of, rng.random(1 + int(burst_of[-1])) < ROUGH_SHARE),
        }
    )


def bursts(data: DataSet, events: int, per_minute: int) -> pa.Table:
    """Make the events of a data set."""
    rng = np.random.default_rng(SEED)
    count = 1 + 2 * ROUGH_LENGTH * events // data.burst
    is_rough = rng.random(count) < ROUGH_SHARE
    length = rng.integers(data.burst // 2, 3 * data.burst // 2 + 1, count)
    length = np.where(is_rough, 1 + length // ROUGH_LENGTH, length)
    step = np.repeat(np.arange(count), 1 + length)[:events]
    is_first = np.diff(step, prepend=-1) > 0
    other = rng.integers(1, OTHER_TYPES + 1, count)
    code = np.where(is_first, other[step], 0)
    return pa.table(
        {
            "time": arrivals(rng, events, per_minute),
            "type": pa.DictionaryArray.from_arrays(
                code.astype(np.int8), pa.array((data.shared, *data.others))
            ),
            data.key: rng.integers(0, data.keys, count)[step],
            "value": values_of(rng, step, is_rough),
        }
    )


def values_of(
    rng: np.random.Generator, burst: Ints, is_rough: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Return the values of events by the number of their burst: one of a burst, or any."""
    level = rng.choice(LEVELS, is_rough.size)
    return np.where(is_rough[burst], rng.integers(1, 101, burst.size), level[burst])


def arrivals(rng: np.random.Generator, events: int, per_minute: float) -> Ints:
    """Return increasing times, so many per minute on average."""
    gap = MINUTE / per_minute
    return np.cumsum(1 + rng.exponential(max(gap - 1, 0.0), events).astype(np.int64))
