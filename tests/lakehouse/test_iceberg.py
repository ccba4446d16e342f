"""Iceberg: tables as sources and sinks, batch and stream, and changes between snapshots."""

import re

import pyarrow as pa
import pytest

import cepheid
from tests.lakehouse.conftest import LATER, ROLES, in_process, make_events, rows
from tests.lakehouse.lake_queries import LAST_DAY, MATCHES, plan_of, run_to_end

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module")
def table(lake):
    lake.sql(
        "CREATE TABLE ice.db.events (ts TIMESTAMP, kind STRING, id BIGINT) USING iceberg "
        "PARTITIONED BY (kind, days(ts))"
    )
    lake.createDataFrame(make_events(0, 4)).writeTo("ice.db.events").append()
    return "ice.db.events"


def test_a_batch_from_a_table_into_a_table(lake, table):
    found = cepheid.query(MATCHES).run(lake.table(table), **ROLES)
    found.writeTo("ice.db.matches").create()
    assert rows(lake.table("ice.db.matches")) == in_process(MATCHES, make_events(0, 4))


def test_files_of_other_types_and_days_are_not_read(lake, table):
    found = cepheid.query(LAST_DAY).run(lake.table(table), **ROLES)
    plan, fourth_day = plan_of(found), make_events(3, 1)["ts"].cast(pa.int64())[0].as_py()
    filters = re.search(r"\bfilters=(.*?), (?:runtimeFilters|groupedBy)=", plan)
    assert filters is not None
    # Partitions answer all of it, so that Spark has nothing left to filter.
    expected = {"ts IS NOT NULL", "kind IN ('A', 'B')", f"ts >= {fourth_day}"}
    assert set(re.split(r", (?![^(]*\))", filters[1])) == expected
    assert "Filter (" not in plan
    assert rows(found) == in_process(LAST_DAY, make_events(0, 4))


def test_a_stream_from_a_table_into_a_table(lake, table, tmp_path):
    lake.sql("CREATE TABLE ice.db.streamed (id BIGINT, a TIMESTAMP, b TIMESTAMP) USING iceberg")
    query = cepheid.query(MATCHES)
    for added in (None, *LATER):  # every one but the first has what comes after a restart
        if added is not None:
            lake.createDataFrame(added).writeTo(table).append()
        stream = lake.readStream.format("iceberg").load(table).withWatermark("ts", "1 minute")
        found = query.run(stream, buckets=2, **ROLES)
        run_to_end(found, tmp_path / "checkpoint", format="iceberg", table="ice.db.streamed")
    assert rows(lake.table("ice.db.streamed")) == in_process(MATCHES, make_events(0, 5))


def test_changes_between_snapshots_are_events(lake):
    lake.sql("CREATE TABLE ice.db.stock (id BIGINT, amount INT) USING iceberg")
    lake.sql("INSERT INTO ice.db.stock VALUES (1, 5), (2, 7)")
    lake.sql("UPDATE ice.db.stock SET amount = 0 WHERE id = 1")
    lake.sql("DELETE FROM ice.db.stock WHERE id = 1")
    lake.sql(
        "CALL ice.system.create_changelog_view(table => 'db.stock', changelog_view => 'changes', "
        "identifier_columns => array('id'))"
    )
    text = (
        "PATTERN SEQ(INSERT i, UPDATE_AFTER u, DELETE d) WHERE [id] AND u.amount = 0 "
        "RETURN i.id AS id, i.amount AS amount"
    )
    roles = {"time": "_change_ordinal", "type": "_change_type"}
    found = cepheid.query(text).run(lake.table("changes"), **roles)
    assert [tuple(each) for each in found.collect()] == [(1, 5)]
