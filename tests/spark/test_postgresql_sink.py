"""Results in PostgreSQL: through JDBC, and by the sink that writes each micro-batch once."""

import datetime as dt
import json
import uuid
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import cepheid
from cepheid.connectors.write_postgresql import PostgresqlTarget, write_postgresql
from cepheid.testing import events
from tests.services.postgresql_server import PostgresqlServer

pytestmark = [
    pytest.mark.spark,
    # pyspark's own: sockets to the JVM that it leaves for the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def matches(spark: SparkSession) -> DataFrame:
    frame = spark.createDataFrame(list(events("a1 b2 a3 b4")), "type string, time bigint")
    query = cepheid.query("PATTERN SEQ(A+ a, B b) RETURN a.time AS starts, b.time AS finish")
    result = query.run(frame, time="time", type="type")
    assert isinstance(result, DataFrame)
    return result


@pytest.fixture
def target(postgresql: PostgresqlServer) -> PostgresqlTarget:
    return PostgresqlTarget(postgresql.connection, f"results_{uuid.uuid4().hex}", "alerts")


@pytest.fixture
def elsewhere(spark: SparkSession) -> Iterator[SparkSession]:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def plain(frame: DataFrame) -> list[str]:
    return sorted(json.dumps(row.asDict()) for row in frame.collect())


@pytest.mark.usefixtures("postgresql_driver")
def test_jdbc_gives_back_what_it_was_given(spark, postgresql):
    result = matches(spark)
    result.write.jdbc(postgresql.url, "through_jdbc", properties=postgresql.properties)
    found = spark.read.jdbc(postgresql.url, "through_jdbc", properties=postgresql.properties)
    assert plain(found) == plain(result)
    assert len(plain(found)) == 4


class TestBatches:
    def test_a_batch_is_written_once(self, spark, postgresql, target):
        result = matches(spark)
        for batch_id in (0, 0, 1, 0, 1):
            write_postgresql(result, batch_id, target)
        rows = postgresql.rows(f"SELECT starts, finish FROM {target.table} ORDER BY 2, 1")
        assert rows[::2] == rows[1::2] == [([1], 2), ([1], 4), ([1, 3], 4), ([3], 4)]

    def test_queries_and_tables_count_their_own_batches(self, spark, postgresql, target):
        result = spark.range(1)
        other_query = PostgresqlTarget(target.connection, target.table, "other")
        other_table = PostgresqlTarget(target.connection, f"{target.table}_b", "alerts")
        for each in (target, other_query, other_table, target):
            write_postgresql(result, 5, each)
        assert postgresql.rows(f"SELECT count(*) FROM {target.table}") == [(2,)]
        assert postgresql.rows(f"SELECT count(*) FROM {other_table.table}") == [(1,)]

    def test_a_batch_that_fails_half_way_leaves_nothing(self, spark, postgresql, target):
        postgresql.execute(f"CREATE TABLE {target.table} (id bigint CHECK (id < 90))")
        with pytest.raises(cepheid.DataError, match="violates check constraint"):
            write_postgresql(spark.range(100), 0, target)
        assert postgresql.rows(f"SELECT * FROM {target.table}") == []
        write_postgresql(spark.range(3), 0, target)
        assert postgresql.rows(f"SELECT count(*) FROM {target.table}") == [(3,)]

    def test_a_schema_can_be_named(self, spark, postgresql, target):
        postgresql.execute("CREATE SCHEMA apart")
        there = PostgresqlTarget(target.connection, "apart.Found", "alerts")
        write_postgresql(spark.range(2), 0, there)
        assert postgresql.rows('SELECT * FROM apart."Found" ORDER BY 1') == [(0,), (1,)]
        assert postgresql.rows("SELECT query, batch_id FROM apart.cepheid_batches") == [
            ("alerts", 0)
        ]

    def test_the_right_to_insert_is_enough_where_the_tables_are(self, spark, postgresql, target):
        write_postgresql(spark.range(1), 0, target)
        postgresql.execute("CREATE ROLE writer LOGIN PASSWORD 'writes'")
        postgresql.execute(f"GRANT INSERT ON {target.table} TO writer")
        postgresql.execute("GRANT SELECT, INSERT, UPDATE ON cepheid_batches TO writer")
        writer = {**target.connection, "user": "writer", "password": "writes"}
        write_postgresql(spark.range(1), 1, PostgresqlTarget(writer, target.table, target.query))
        assert postgresql.rows(f"SELECT count(*) FROM {target.table}") == [(2,)]


class TestValues:
    def test_every_type_arrives(self, elsewhere, postgresql, target):
        frame = elsewhere.sql("""
            SELECT true AS truth, 1Y AS byte, 2S AS short, 3 AS int, 4L AS long,
                   CAST('NaN' AS FLOAT) AS float, -0.5D AS double, 1.50BD AS decimal,
                   'tab\\t, "quote" and \\\\' AS text, X'00FF' AS bytes, DATE '2024-02-29' AS day,
                   TIMESTAMP '2024-11-03 01:30:00.000001 America/New_York' AS instant,
                   TIMESTAMP_NTZ '2024-03-10 02:30:00' AS clock,
                   array('a', NULL, '{') AS texts, array(array(1, 2), array(3, 4)) AS nested,
                   array(TIMESTAMP '2024-01-01 00:00:00 UTC', NULL) AS instants,
                   CAST(array() AS ARRAY<BIGINT>) AS none, CAST(NULL AS DOUBLE) AS absent,
                   CAST(NULL AS ARRAY<TIMESTAMP>) AS absents
        """)
        write_postgresql(frame, 0, target)
        [row] = postgresql.rows(f"SELECT * FROM {target.table}")
        found = dict(zip(frame.columns, row, strict=True))
        assert str(found.pop("float")) == "nan"
        assert found == {
            **{"truth": True, "byte": 1, "short": 2, "int": 3, "long": 4, "double": -0.5},
            "decimal": Decimal("1.50"),
            "text": 'tab\t, "quote" and \\',
            "bytes": b"\x00\xff",
            "day": dt.date(2024, 2, 29),
            "instant": dt.datetime(2024, 11, 3, 5, 30, 0, 1, tzinfo=dt.UTC),
            "clock": dt.datetime(2024, 3, 10, 2, 30),
            "texts": ["a", None, "{"],
            "nested": [[1, 2], [3, 4]],
            "instants": [dt.datetime(2024, 1, 1, tzinfo=dt.UTC), None],
            **{"none": [], "absent": None, "absents": None},
        }

    def test_a_type_without_counterpart_is_refused(self, spark, target):
        with pytest.raises(cepheid.ConfigError, match=r"no type for struct<a:int>\n.*to_json"):
            write_postgresql(spark.sql("SELECT struct(1 AS a) AS s"), 0, target)

    def test_a_text_with_a_zero_byte_is_refused(self, spark, target):
        with pytest.raises(cepheid.DataError, match="refuses results for"):
            write_postgresql(spark.sql("SELECT 'a\\u0000b' AS text"), 0, target)


class TestSecrets:
    def test_a_target_does_not_show_its_password(self, target):
        assert target.connection["password"] not in f"{target} {target!r}"

    @pytest.mark.parametrize(
        "wrong",
        [{}, {"port": "n0t-right"}, {"dbname": "n0t-right"}, {"port": "1"}],
        ids=str,
    )
    def test_errors_do_not_show_it(self, spark, target, wrong):
        connection = {**target.connection, **wrong, "password": "n0t-right"}
        with pytest.raises(cepheid.ConfigError, match="cannot be reached") as raised:
            write_postgresql(spark.range(1), 0, PostgresqlTarget(connection, "t", "alerts"))
        assert "n0t-right" not in str(raised.value)
        assert raised.value.__suppress_context__

    @pytest.mark.parametrize("user", ["nobody", "n0t-right"])
    def test_errors_do_not_show_one_of_an_address(self, spark, target, user):
        there = {key: target.connection[key] for key in ("host", "port", "dbname")}
        address = " ".join(f"{key}={value}" for key, value in there.items())
        connection = {"conninfo": f"{address} user={user} password=n0t-right"}
        assert "n0t-right" not in repr(PostgresqlTarget(connection, "t", "alerts"))
        with pytest.raises(cepheid.ConfigError, match="cannot be reached") as raised:
            write_postgresql(spark.range(1), 0, PostgresqlTarget(connection, "t", "alerts"))
        assert "n0t-right" not in str(raised.value)
        assert raised.value.__suppress_context__
        broken = {"conninfo": f"{address} password='n0t-right"}
        with pytest.raises(cepheid.ConfigError, match="is not one that") as raised:
            write_postgresql(spark.range(1), 0, PostgresqlTarget(broken, "t", "alerts"))
        assert "n0t-right" not in str(raised.value)
        assert raised.value.__suppress_context__

    def test_a_password_in_the_place_of_a_table_is_not_shown(self, spark, target, postgresql):
        postgresql.execute(f'CREATE TABLE "{postgresql.password}" (other text)')
        there = PostgresqlTarget(target.connection, postgresql.password, "alerts")
        with pytest.raises(cepheid.DataError) as raised:
            write_postgresql(spark.range(1), 0, there)
        assert postgresql.password not in str(raised.value)


class TestStream:
    """A stateful stream that stops between its sink and its own log writes the batch again."""

    def run(self, spark: SparkSession, folder: Path, target: PostgresqlTarget) -> None:
        stream = (
            spark.readStream.schema("id bigint")
            .option("maxFilesPerTrigger", 1)
            .json(str(folder / "events"))
        )
        query = (
            stream.dropDuplicates(["id"])
            .writeStream.foreachBatch(partial(write_postgresql, target=target))
            .option("checkpointLocation", str(folder / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(120)

    def add(self, folder: Path, name: str, *ids: int) -> None:
        (folder / "events").mkdir(exist_ok=True)
        lines = "".join(f'{{"id": {each}}}\n' for each in ids)
        (folder / "events" / name).write_text(lines)

    @pytest.mark.slow
    def test_a_repeated_batch_is_not_written_again(self, spark, postgresql, target, tmp_path):
        self.add(tmp_path, "0.json", 1, 2)
        self.run(spark, tmp_path, target)
        self.add(tmp_path, "1.json", 2, 3)
        self.run(spark, tmp_path, target)
        last = max((tmp_path / "checkpoint" / "commits").glob("[0-9]*"), key=lambda p: int(p.name))
        last.unlink()
        last.with_name(f".{last.name}.crc").unlink()
        self.add(tmp_path, "2.json", 3, 4)
        self.run(spark, tmp_path, target)
        found = postgresql.rows(f"SELECT id FROM {target.table} ORDER BY 1")
        assert found == [(1,), (2,), (3,), (4,)]
        [(batch_id,)] = postgresql.rows(
            f"SELECT batch_id FROM cepheid_batches WHERE result_table = '{target.table}'"
        )
        assert batch_id > int(last.name)
