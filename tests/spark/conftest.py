"""The Spark session as a fixture."""

import pytest
from pyspark.sql import SparkSession

from tests.spark.session import spark_session


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    return spark_session()
