"""The vectorised arithmetic against plain loops."""

import numpy as np
import pytest

from cepheid.generate.clock import separate
from cepheid.generate.segments import hold_by_lane, positions, running_sums, walk_by_lane

seeds = pytest.mark.parametrize("seed", range(20))


@seeds
def test_positions_and_running_sums(seed: int):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 4, 8)
    steps = rng.integers(-5, 6, lengths.sum())
    parts = np.split(steps, np.cumsum(lengths)[:-1])
    expected = [part.cumsum() for part in parts]
    assert positions(lengths).tolist() == [i for part in parts for i in range(part.size)]
    assert running_sums(steps, lengths).tolist() == np.concatenate(expected).tolist()


@seeds
def test_walk_by_lane(seed: int):
    rng = np.random.default_rng(seed)
    lane, step = rng.integers(0, 5, 12), rng.integers(-1, 2, 12)
    start = rng.integers(0, 10, 5)
    level_by_lane, expected = start.copy(), []
    for each_lane, each_step in zip(lane, step, strict=True):
        level_by_lane[each_lane] += each_step
        expected.append(level_by_lane[each_lane])
    level, after = walk_by_lane(lane, step, start)
    assert level.tolist() == expected
    assert after.tolist() == level_by_lane.tolist()


@seeds
def test_hold_by_lane(seed: int):
    rng = np.random.default_rng(seed)
    lane, drawn, renewed = rng.integers(0, 5, 12), rng.integers(0, 99, 12), rng.random(12) < 0.3
    start = rng.integers(100, 200, 5)
    held_by_lane, expected = start.copy(), []
    for each_lane, value, fresh in zip(lane, drawn, renewed, strict=True):
        if fresh:
            held_by_lane[each_lane] = value
        expected.append(held_by_lane[each_lane])
    held, after = hold_by_lane(lane, drawn, renewed, start)
    assert held.tolist() == expected
    assert after.tolist() == held_by_lane.tolist()


@seeds
def test_separate(seed: int):
    times = np.sort(np.random.default_rng(seed).integers(0, 30, 20))
    latest, expected = 3, []
    for time in times.tolist():
        latest = max(time, latest + 1)
        expected.append(latest)
    assert separate(times, 3).tolist() == expected
