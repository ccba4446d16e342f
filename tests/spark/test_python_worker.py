"""The Python process of tasks: what it keeps in memory, and where it keeps kernels."""

import gc
import os
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from cepheid.spark.shuffle.python_worker import keep_loaded

pytestmark = pytest.mark.spark


def test_a_worker_is_frozen_and_the_driver_is_not(spark: SparkSession) -> None:
    def frozen(batches):
        for _ in batches:
            pass
        keep_loaded()
        yield pa.record_batch({"frozen": [gc.get_freeze_count()]})

    found = spark.range(1).mapInArrow(frozen, "frozen bigint").collect()
    assert found[0].frozen > 1000
    before = gc.get_freeze_count()
    keep_loaded()
    assert gc.get_freeze_count() == before


@pytest.mark.parametrize(("rights", "is_used"), [(0o700, True), (0o777, False)])
def test_a_worker_keeps_kernels_only_where_nobody_else_can_write(
    spark: SparkSession, tmp_path: Path, rights: int, is_used: bool
) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    folder.chmod(rights)
    place = str(folder)

    def chosen(batches):
        from cepheid.kernels.cache import cache_folder

        for _ in batches:
            pass
        before = os.environ.get("CEPHEID_CACHE_DIR")
        os.environ["CEPHEID_CACHE_DIR"] = place
        cache_folder.cache_clear()
        try:
            found = cache_folder()
        finally:
            cache_folder.cache_clear()
            del os.environ["CEPHEID_CACHE_DIR"]
            if before is not None:
                os.environ["CEPHEID_CACHE_DIR"] = before
        yield pa.record_batch({"folder": ["" if found is None else str(found)]})

    found = spark.range(1).mapInArrow(chosen, "folder string").collect()
    assert found[0].folder.startswith(place) == is_used
