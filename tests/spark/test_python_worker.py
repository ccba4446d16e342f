"""The Python process of tasks keeps what is loaded out of garbage collection."""

import gc

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
