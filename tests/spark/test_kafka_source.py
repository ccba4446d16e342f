"""Events from a real broker, by Spark's own connector, and results back to it."""

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid.connectors.kafka_rows import kafka_rows
from cepheid.connectors.read_kafka import read_kafka_stream
from cepheid.connectors.redact_secrets import PLAN_REDACTION, hide_in_plans
from cepheid.testing import events
from tests.oracle import ask
from tests.services.kafka_broker import KafkaBroker

pytestmark = [
    pytest.mark.spark,
    # pyspark's own: sockets to the JVM that it leaves for the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

STREAM = "a1 b2 a3 c4 b5 a6 b7"
SCHEMA = "type string, time bigint"
QUERY = "PATTERN SEQ(A+ a, B b) WITHIN 5 RETURN a.time AS starts, b.time AS finish"
ROLES = {"time": "time", "type": "type"}
PASSWORD = "n0t-for-eyes"
WITHOUT_CONNECTOR = """
from pyspark.sql import SparkSession
import cepheid
from cepheid.connectors.read_kafka import read_kafka_stream

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
try:
    read_kafka_stream(spark, {"kafka.bootstrap.servers": "127.0.0.1:1", "subscribe": "t"})
except cepheid.ConfigError as error:
    print(error)
spark.stop()
"""


@pytest.fixture
def topic(kafka: KafkaBroker) -> str:
    name = f"events-{uuid.uuid4().hex}"
    kafka.create_topic(name, partitions=3)
    return name


@pytest.fixture
def plan_redaction(spark: SparkSession) -> Iterator[str]:
    """The setting that plans are redacted by, as it was again afterwards."""
    spark.conf.unset(PLAN_REDACTION)
    yield PLAN_REDACTION
    spark.conf.unset(PLAN_REDACTION)


def options(kafka: KafkaBroker, topic: str) -> dict[str, str]:
    return {
        "kafka.bootstrap.servers": kafka.servers,
        "subscribe": topic,
        "startingOffsets": "earliest",
    }


def send(kafka: KafkaBroker, topic: str, records: DataFrame) -> None:
    writer = records.write.format("kafka").option("kafka.bootstrap.servers", kafka.servers)
    writer.option("topic", topic).save()


def send_events(spark: SparkSession, kafka: KafkaBroker, topic: str, stream: str) -> None:
    frame = spark.createDataFrame(list(events(stream)), SCHEMA)
    record = F.to_json(F.struct("type", "time")).alias("value")
    send(kafka, topic, frame.select(F.col("time").cast("string").alias("key"), record))


def parsed(records: DataFrame) -> DataFrame:
    event = F.from_json(F.col("value").cast("string"), SCHEMA).alias("event")
    return records.select(event).select("event.*")


def expected(stream: str) -> list[dict[str, Any]]:
    return ask(QUERY, list(events(stream)))


def in_order(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


@pytest.mark.slow
@pytest.mark.usefixtures("kafka_connector")
class TestWithConnector:
    def test_a_topic_read_as_a_batch_gives_the_matches_of_its_events(self, spark, kafka, topic):
        send_events(spark, kafka, topic, STREAM)
        frame = parsed(spark.read.format("kafka").options(**options(kafka, topic)).load())
        found = [row.asDict() for row in cepheid.query(QUERY).run(frame, **ROLES).collect()]
        assert found
        assert in_order(found) == in_order(expected(STREAM))

    def test_results_come_back_with_their_keys(self, spark, kafka, topic):
        frame = spark.createDataFrame(list(events(STREAM)), SCHEMA)
        rows = kafka_rows(cepheid.query(QUERY).run(frame, **ROLES), "pairs")
        send(kafka, topic, rows)
        send(kafka, topic, rows)  # as a sink does that writes at least once
        count = len(expected(STREAM))
        consumed = kafka.consume(topic, 2 * count)
        assert len(dict(consumed)) == count
        values = [json.loads(value) for value in dict(consumed).values()]
        assert in_order(values) == in_order(expected(STREAM))

    def test_a_topic_read_as_a_stream_gives_its_records(self, spark, kafka, topic, tmp_path):
        send_events(spark, kafka, topic, STREAM)
        stream = parsed(read_kafka_stream(spark, options(kafka, topic)))
        query = (
            stream.writeStream.format("parquet")
            .option("path", str(tmp_path / "found"))
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(120)
        found = spark.read.parquet(str(tmp_path / "found")).collect()
        assert sorted(row.time for row in found) == [1, 2, 3, 4, 5, 6, 7]

    def test_no_password_is_in_a_plan(self, spark, plan_redaction, kafka, topic, capsys):
        jaas = f'org.x.PlainLoginModule required username="ann" password="{PASSWORD}";'
        secret = {"kafka.sasl.jaas.config": jaas, "kafka.ssl.key.password": PASSWORD}
        read_kafka_stream(spark, options(kafka, topic) | secret).explain(extended=True)
        plan = capsys.readouterr().out
        assert PASSWORD not in plan
        assert kafka.servers in plan

    def test_a_wrong_option_is_told_without_the_password(self, spark, kafka, topic):
        wrong = {"includeHeaders": PASSWORD, "kafka.ssl.key.password": PASSWORD}
        with pytest.raises(cepheid.ConfigError, match="Spark: ") as raised:
            read_kafka_stream(spark, options(kafka, topic) | wrong)
        assert PASSWORD not in str(raised.value)
        assert raised.value.__suppress_context__


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"subscribe": "t"}, "no option 'kafka.bootstrap.servers'"),
        ({"kafka.bootstrap.servers": "h:1"}, "no single option says which topics"),
        (
            {"kafka.bootstrap.servers": "h:1", "subscribe": "t", "ASSIGN": "{}"},
            "no single option says which topics",
        ),
    ],
)
def test_missing_options_are_told(spark, given, problem):
    with pytest.raises(cepheid.ConfigError, match=problem):
        read_kafka_stream(spark, given)


@pytest.mark.parametrize("before", [None, "127-0"])
def test_plans_of_any_stream_hide_secret_options(spark, plan_redaction, before, capsys):
    if before is not None:
        spark.conf.set(plan_redaction, before)
    jaas = f'X required\n  username="a, b" password="{PASSWORD}" (more="{PASSWORD}");'
    given = {
        **{"one.sasl.jaas.config": jaas, "rowsPerSecond": "7", "two.ssl.key.password": PASSWORD},
        **{"label": "127-0", "zz.ssl.keystore.key": PASSWORD},
    }
    stream = spark.readStream.format("rate").options(**given).load()
    stream.explain(extended=True)
    assert PASSWORD in capsys.readouterr().out
    hide_in_plans(spark, given)
    hide_in_plans(spark, given)
    stream.explain(extended=True)
    plan = capsys.readouterr().out
    assert PASSWORD not in plan
    assert ("127-0" in plan) is (before is None)
    assert "Optimized Logical Plan" in plan


@pytest.mark.slow
def test_a_session_without_the_connector_is_told_how_to_get_it():
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    environment.pop("SPARK_DIST_CLASSPATH", None)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_CONNECTOR],
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert "no Kafka connector\n  hint: start Spark with spark.jars.packages" in done.stdout, done
