"""Streams go on from checkpoints that are kept as test data, one per version of the state."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cepheid.runtime.spark.stream.bucket_store import VERSION
from tests.properties.comparison import as_multiset
from tests.spark.stream.stored_checkpoints import FOLDER, go_on, in_batch

pytestmark = pytest.mark.spark
VERSIONS = sorted(each.name for each in FOLDER.iterdir())


def test_the_version_of_this_release_is_kept() -> None:
    assert f"version-{VERSION}" in VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_goes_on(spark: SparkSession, tmp_path: Path, version: str) -> None:
    for name, found in go_on(spark, FOLDER / version, tmp_path).items():
        expected = in_batch(name)
        assert expected, name
        assert as_multiset(found) == as_multiset(expected), name
