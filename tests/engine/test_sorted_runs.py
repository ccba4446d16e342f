"""Runs of events in files: everything comes back once, in chunks that follow each other in time."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from cepheid.errors import DataError
from cepheid.stream.sorted_runs import SortedRuns


def runs_of(folder: Path, times: list[list[int]]) -> SortedRuns:
    runs = SortedRuns(folder, "time")
    number = 0
    for part in times:
        rows = range(number, number + len(part))
        runs.add(pa.table({"time": pa.array(part, pa.int64()), "row": list(rows)}))
        number += len(part)
    return runs


@pytest.mark.parametrize("most_bytes", [1, 200, 3000, 10**9])
def test_every_event_comes_once_and_in_its_stretch_of_time(tmp_path: Path, most_bytes: int) -> None:
    random = np.random.default_rng(1)
    times = [random.integers(-50, 300, size).tolist() for size in (100, 1, 57, 200)]
    runs = runs_of(tmp_path, times)
    before, rows = None, []
    for events, until in runs.chunks(most_bytes):
        found = events["time"].to_pylist()
        assert before is None or all(before <= each for each in found)
        assert until is None or all(each < until for each in found)
        before = until
        rows += events["row"].to_pylist()
    assert before is None, "the last chunk has no end"
    assert sorted(rows) == list(range(358))


def test_chunks_have_about_the_size_that_is_asked_for(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    runs = runs_of(tmp_path, [random.permutation(10_000).tolist() for _ in range(5)])
    sizes = [each.events.nbytes for each in runs.chunks(80_000)]
    assert max(sizes) < 100_000
    assert len(sizes) >= 8


def test_events_of_one_time_stay_together(tmp_path: Path) -> None:
    runs = runs_of(tmp_path, [[5] * 100, [5] * 100 + [6]])
    assert [each.events.num_rows for each in runs.chunks(1)] == [200, 1]


def test_a_missing_time_is_an_error(tmp_path: Path) -> None:
    runs = SortedRuns(tmp_path, "time")
    with pytest.raises(DataError, match="time"):
        runs.add(pa.table({"time": pa.array([1, None])}))
