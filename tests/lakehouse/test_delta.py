"""Delta Lake: tables as sources and sinks, batch and stream, and the change data feed."""

import pytest

import cepheid
from tests.lakehouse.conftest import LATER, ROLES, in_process, make_events, rows
from tests.lakehouse.lake_queries import LAST_DAY, MATCHES, plan_of, run_to_end

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module")
def table(lake):
    lake.sql(
        "CREATE TABLE events (ts TIMESTAMP, kind STRING, id BIGINT, "
        "day DATE GENERATED ALWAYS AS (CAST(ts AS DATE))) USING delta "
        "PARTITIONED BY (kind, day) TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    lake.createDataFrame(make_events(0, 4)).write.format("delta").mode("append").saveAsTable(
        "events"
    )
    return "events"


def test_a_batch_from_a_table_into_a_table(lake, table):
    found = cepheid.query(MATCHES).run(lake.table(table), **ROLES)
    found.write.format("delta").saveAsTable("matches")
    assert rows(lake.table("matches")) == in_process(MATCHES, make_events(0, 4))


def test_folders_of_other_types_and_days_are_not_read(lake, table):
    found = cepheid.query(LAST_DAY).run(lake.table(table), **ROLES)
    filters = next(line for line in plan_of(found).splitlines() if "PartitionFilters" in line)
    assert "kind" in filters
    assert "day" in filters
    assert rows(found) == in_process(LAST_DAY, make_events(0, 4))


def test_a_clustered_table_is_asked_for_types_and_times(lake):
    lake.sql("CREATE TABLE clustered (ts TIMESTAMP, kind STRING, id BIGINT) USING delta "
             "CLUSTER BY (kind, ts)")  # fmt: skip
    events = lake.createDataFrame(make_events(0, 4))
    events.write.format("delta").mode("append").saveAsTable("clustered")
    found = cepheid.query(LAST_DAY).run(lake.table("clustered"), **ROLES)
    filters = next(line for line in plan_of(found).splitlines() if "PushedFilters" in line)
    assert "In(kind, [A,B])" in filters
    assert "GreaterThanOrEqual(ts,2024-01-04" in filters
    assert rows(found) == in_process(LAST_DAY, make_events(0, 4))


def test_a_stream_from_a_table_into_a_table(lake, table, tmp_path):
    query = cepheid.query(MATCHES)
    for added in (None, *LATER):  # every one but the first has what comes after a restart
        if added is not None:
            frame = lake.createDataFrame(added)
            frame.write.format("delta").mode("append").saveAsTable(table)
        stream = lake.readStream.table(table).withWatermark("ts", "1 minute")
        found = query.run(stream, buckets=2, **ROLES)
        run_to_end(found, tmp_path / "checkpoint", format="delta", table="streamed")
    assert rows(lake.table("streamed")) == in_process(MATCHES, make_events(0, 5))


def test_the_change_data_feed_is_a_stream_of_events(lake, tmp_path):
    lake.sql(
        "CREATE TABLE stock (id BIGINT, amount INT) USING delta "
        "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    lake.sql("INSERT INTO stock VALUES (1, 5), (2, 7)")
    lake.sql("UPDATE stock SET amount = 0 WHERE id = 1")
    lake.sql("DELETE FROM stock WHERE id = 1")
    text = (
        "PATTERN SEQ(insert i, update_postimage u, delete d) WHERE [id] AND u.amount = 0 "
        "RETURN i.id AS id, i.amount AS amount"
    )
    changes = lake.read.option("readChangeFeed", "true").option("startingVersion", 0).table("stock")
    roles = {"time": "_commit_version", "type": "_change_type"}
    found = cepheid.query(text).run(changes, **roles)
    assert [tuple(each) for each in found.collect()] == [(1, 5)]
    reader = lake.readStream.option("readChangeFeed", "true").option("startingVersion", 0)
    pairs = "PATTERN SEQ(insert i, update_postimage u) WHERE [id] WITHIN 2 RETURN i.id AS id"
    stream = cepheid.query(pairs).run(reader.table("stock"), ordered=True, buckets=1, **roles)
    run_to_end(stream, tmp_path / "c", format="delta", path=str(tmp_path / "out"))
    assert [
        tuple(each) for each in lake.read.format("delta").load(str(tmp_path / "out")).collect()
    ] == [(1,)]
