"""Times of events, in microseconds since 1970."""

from __future__ import annotations

import numpy as np

from cepheid.generate.segments import positions, running_sums
from cepheid.generate.stream import Ints

START_US = int(np.datetime64("2024-01-01T09:30", "us").astype(np.int64))
SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US


def arrivals(rng: np.random.Generator, count: int, mean_gap_us: float, after_us: int) -> Ints:
    """Return strictly increasing times after `after_us`: a Poisson process."""
    return after_us + np.cumsum(_gaps(rng, count, mean_gap_us))


def session_times(
    rng: np.random.Generator, starts_us: Ints, lengths: Ints, mean_gap_us: float
) -> Ints:
    """Return the times of sessions laid end to end: the start, then random gaps."""
    gaps = _gaps(rng, int(lengths.sum()), mean_gap_us)
    gaps[positions(lengths) == 0] = 0
    return np.repeat(starts_us, lengths) + running_sums(gaps, lengths)


def separate(times: Ints, after: int) -> Ints:
    """Return sorted times moved as little as needed to increase strictly, from above `after`.

    >>> separate(np.array([4, 4, 4, 9]), 4).tolist()
    [5, 6, 7, 9]
    """
    index = np.arange(times.size)
    return np.maximum.accumulate(np.maximum(times, after + 1) - index) + index


def _gaps(rng: np.random.Generator, count: int, mean_gap_us: float) -> Ints:
    # Rounding down and adding one lengthens a gap by one half on average.
    return 1 + rng.exponential(max(mean_gap_us - 0.5, 0), count).astype(np.int64)
