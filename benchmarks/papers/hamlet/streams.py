"""The four data sets of HAMLET, section 5.1, as generated stand-ins.

| paper | here |
|---|---|
| ridesharing, generated, 20 types, 10K events per minute | `cepheid generate ridesharing` |
| NYC taxi and Uber, 200 events per minute | `bursts`: rides between events of 6 zones |
| smart home, 20K events per minute of plugs in 40 houses | `bursts`: loads of 40 houses |
| stock, 4.5K transactions per minute of 220 companies | `bursts`: trades of 220 companies |

In `bursts` an event of another type comes first, and a burst of the shared type of the same key
follows. Every data set has 20 types, so that queries can differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.papers.hamlet.task import MINUTE
from cepheid.generate import generate
from cepheid.generate.clock import START_US
from cepheid.generate.ridesharing import KINDS, TRAVEL

SEED = 7
OTHER_TYPES = 19
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A stand-in: its shared type, the attribute of its keys, how many there are, and bursts.

    A burst has about `burst` events, evenly drawn from half to three halves of that.
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
    return pa.table(
        {
            "time": time - START_US,
            "type": made["kind"].combine_chunks().dictionary_encode(),
            "district": made["district"].combine_chunks(),
        }
    )


def bursts(data: DataSet, events: int, per_minute: int) -> pa.Table:
    """Make the events of a data set."""
    rng = np.random.default_rng(SEED)
    count = 1 + 2 * events // data.burst
    length = rng.integers(data.burst // 2, 3 * data.burst // 2 + 1, count)
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
        }
    )


def arrivals(rng: np.random.Generator, events: int, per_minute: float) -> Ints:
    """Return increasing times, so many per minute on average."""
    gap = MINUTE / per_minute
    return np.cumsum(1 + rng.exponential(max(gap - 1, 0.0), events).astype(np.int64))
