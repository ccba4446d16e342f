"""COGRA q1: Start, Load+, End per job and mapper."""

import re
from collections import defaultdict

import numpy as np
import pytest

from cepheid.generate import generate


def runs(**parameters: float) -> list[list[dict[str, object]]]:
    table = generate("cluster", events=20_000, **parameters)
    by_run = defaultdict(list)
    for row in table.to_pylist():
        by_run[row["job"], row["mapper"]].append(row)
    return list(by_run.values())[:1000]  # begun well before the end of the table


def rises(run: list[dict[str, object]]) -> np.ndarray:
    return np.diff([row["cpu"] for row in run if row["type"] == "Load"]) > 0


def test_every_run_is_start_loads_end():
    for run in runs():
        assert re.fullmatch("SL+E", "".join(row["type"][0] for row in run))


@pytest.mark.parametrize("loads", [1, 8, 20])
def test_number_of_loads(loads: int):
    lengths = [len(run) - 2 for run in runs(loads=loads, mappers=3)[:600]]
    assert (min(lengths), max(lengths)) == (1, 2 * loads - 1)
    assert np.mean(lengths) == pytest.approx(loads, rel=0.1)


@pytest.mark.parametrize("rising", [0.0, 0.9, 1.0])
def test_share_of_rising_loads(rising: float):
    steps = np.concatenate([rises(run) for run in runs(rising=rising)])
    assert steps.mean() == pytest.approx(rising, abs=0.02)


def test_load_stays_a_percentage():
    for loads in (1, 200):
        for rising in (0.0, 1.0):
            cpu = generate("cluster", events=50_000, loads=loads, rising=rising)["cpu"]
            values = cpu.drop_null().to_numpy()
            assert 0 < values.min() <= values.max() < 100


def test_every_job_runs_on_every_mapper():
    table = generate("cluster", events=20_000, mappers=4)
    jobs = table.group_by("job").aggregate([("mapper", "count_distinct")]).sort_by("job")
    assert set(jobs["mapper_count_distinct"].to_pylist()[:300]) == {4}


def test_some_trends_of_q1_fit_its_window():
    fits = [
        rises(run).all() and (run[-1]["time"] - run[0]["time"]).total_seconds() < 60
        for run in runs()
    ]
    assert 0.2 < np.mean(fits) < 0.8
