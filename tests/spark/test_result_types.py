"""Results on Spark have the rows and types that they have in process; their order is Spark's."""

import pytest
from pyspark.sql import SparkSession

import cepheid
from tests.engine.streams import in_any_order
from tests.engine.test_result_doors import EVENTS, QUERIES, run

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("text", QUERIES)
def test_same_rows_of_the_same_types(spark: SparkSession, text: str) -> None:
    query = cepheid.query(text)
    expected = run(query, EVENTS)
    found = run(query, spark.createDataFrame(EVENTS)).toArrow()
    assert found.schema.names == expected.schema.names
    assert found.schema.types == expected.schema.types
    assert in_any_order(found.to_pylist()) == in_any_order(expected.to_pylist())
