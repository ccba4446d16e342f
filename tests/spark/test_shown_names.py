"""What Spark's plans, and with them its pages, call the stages of a query."""

import contextlib
import io

import pytest
from pyspark.sql import DataFrame

import cepheid

pytestmark = pytest.mark.spark


def plan_of(frame: DataFrame) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        frame.explain()
    return said.getvalue()


def test_a_plan_names_stages_and_queries(spark):
    events = spark.createDataFrame([("A", 1, 1)], "type string, time bigint, k int")
    roles = {"time": "time", "type": "type"}
    found = cepheid.query("PATTERN SEQ(A a, B b) WHERE [k]", name="pairs").run(events, **roles)
    assert "MapInArrow cepheid fold pairs(" in plan_of(found)
    text = "PATTERN SEQ(A, B) WHERE [k] WITHIN 9 SLIDE 9 RETURN COUNT(*) AS n"
    counted = plan_of(cepheid.query(text, name="counted").run(events, packed=True, **roles))
    for stage in ("pack events", "fold counted", "add up groups counted"):
        assert f"MapInArrow cepheid {stage}(" in counted
