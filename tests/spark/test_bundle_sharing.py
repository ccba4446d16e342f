"""Queries of a workload on Spark that share in every way, in batch: the results of each alone."""

from collections.abc import Sequence

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from tests.engine.shared_cases import ROLES, TEXTS, events_of

pytestmark = pytest.mark.spark


def sorted_rows(table: pa.Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[1:4], TEXTS[::2]])
def test_together_equals_alone(spark: SparkSession, texts: Sequence[str]) -> None:
    events = events_of()
    frame = spark.createDataFrame(events)
    together = cepheid.workload(texts)
    found = together.run(frame, **ROLES)
    for text, each in zip(texts, found.values(), strict=True):
        alone = cepheid.query(text).run(events, **ROLES)
        assert sorted_rows(each.toArrow()) == sorted_rows(alone), text
    together.release(found)
