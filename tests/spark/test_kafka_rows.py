"""Keys of records: equal for equal rows, different for different ones, whatever the session."""

import json

import pytest

from cepheid.connectors.kafka_rows import kafka_rows

pytestmark = pytest.mark.spark


def records(frame, query="alerts"):
    return [(row.key, row.value) for row in kafka_rows(frame, query).collect()]


def test_the_value_is_the_row_with_its_nulls(spark):
    frame = spark.sql("SELECT 1 AS `a.b`, CAST(NULL AS DOUBLE) AS `c``d`, array(2, 3) AS e")
    [(_, value)] = records(frame)
    assert value == '{"a.b":1,"c`d":null,"e":[2,3]}'


def test_the_key_names_the_query_and_is_stable(spark):
    [(key, _)] = records(spark.sql("SELECT 1 AS a"))
    # The hash of the text {"a":1}: a change of it would make consumers take repeats for news.
    assert key == "alerts:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert records(spark.sql("SELECT 1 AS a"), "other")[0][0].startswith("other:")


def test_rows_that_differ_anywhere_have_different_keys(spark):
    frame = spark.sql("""
        SELECT * FROM VALUES
            (TIMESTAMP '2024-01-01 00:00:00.000001', TIMESTAMP_NTZ '2024-01-01 00:00:00', 'x'),
            (TIMESTAMP '2024-01-01 00:00:00.000002', TIMESTAMP_NTZ '2024-01-01 00:00:00', 'x'),
            (TIMESTAMP '2024-01-01 00:00:00.000001', TIMESTAMP_NTZ '2024-01-01 00:00:00.1', 'x'),
            (TIMESTAMP '2024-01-01 00:00:00.000001', TIMESTAMP_NTZ '2024-01-01 00:00:00', NULL),
            (NULL, TIMESTAMP_NTZ '2024-01-01 00:00:00', 'x'),
            (NULL, TIMESTAMP_NTZ '2024-01-01 00:00:00', 'x')
    """)
    assert len({key for key, _ in records(frame)}) == 5


def test_the_zone_of_the_session_changes_nothing(spark):
    instant = "SELECT TIMESTAMP '2024-01-01 00:00:00.5 UTC' AS instant"
    before = records(spark.sql(instant))
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        assert records(spark.sql(instant)) == before
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert json.loads(before[0][1]) == {"instant": "2024-01-01T00:00:00.500000Z"}
