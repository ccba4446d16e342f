"""What workers keep on their own disks: it is used, it can be lost, and it can be turned off."""

import shutil
import stat
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import cepheid
from tests.spark.stream.streams import few_partitions, read_stream, run_to_end, united, write_files
from tests.spark.stream.test_delivery import PAIRS, ROLES, SCHEMA, event

pytestmark = pytest.mark.spark

BATCHES = [
    [event("A", 10, 1), event("A", 11, 2)],
    [event("B", 13, 1), event("A", 13, 3)],
    [event("B", 15, 2), event("B", 16, 3)],
]


def test_a_cache_that_is_lost(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    write_files(tmp_path / "in", BATCHES[:2], SCHEMA)

    def run() -> list[tuple[int, int]]:
        stream = read_stream(spark, tmp_path / "in")
        result = cepheid.query(PAIRS, name="pairs").run(
            stream, **ROLES, ordered=True, buckets=2, cache_folder=str(folder)
        )
        found = run_to_end(united({"pairs": result}), tmp_path)
        return sorted((row["a_time"], row["b_time"]) for row in found.of("pairs"))

    with few_partitions(spark):
        assert run() == [(10, 13)]
        (own,) = folder.iterdir()
        assert stat.S_IMODE(own.stat().st_mode) == stat.S_IRWXU
        assert list(own.glob("*.arrow"))
        shutil.rmtree(folder)
        write_files(tmp_path / "in", BATCHES[2:], SCHEMA)
        assert run() == [(10, 13), (11, 15), (13, 16)]
