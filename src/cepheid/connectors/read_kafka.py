"""Records of Kafka as a stream of Spark."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from cepheid.connectors.collect_spark import SPARK_MODULES, essence
from cepheid.connectors.redact_secrets import hide_in_plans, redact
from cepheid.errors import ConfigError

SERVERS = "kafka.bootstrap.servers"
TOPICS = ("subscribe", "subscribePattern", "assign")
CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13"
NO_CONNECTOR = "Failed to find data source: kafka"


def read_kafka_stream(session: SparkSession, options: Mapping[str, str]) -> DataFrame:
    """Return a stream of records: key, value, topic, partition, offset, timestamp.

    The options are those of Spark's Kafka source; `kafka.` begins those of Kafka itself. If there
    are passwords among them, the session leaves such options out of its plans from now on.

    Raises:
        ConfigError: an option is missing or wrong, or Spark has no connector. Passwords are not
            in the message.
    """
    _check(options)
    hide_in_plans(session, options)
    try:
        return session.readStream.format("kafka").options(**options).load()
    except Exception as error:
        if type(error).__module__.split(".")[0] not in SPARK_MODULES:
            raise
        if NO_CONNECTOR in str(error):
            raise ConfigError(
                "this Spark session has no Kafka connector",
                hint=f"start Spark with spark.jars.packages = {CONNECTOR}:{session.version}, or "
                "with the newest version before it if that one is not published",
            ) from None
        raise ConfigError(redact(essence(str(error)), options)) from None


def _check(options: Mapping[str, str]) -> None:
    if SERVERS not in options:
        raise ConfigError(
            f"no option '{SERVERS}'", hint="it lists the brokers to ask first: host:port,host:port"
        )
    # Spark reads its own options whatever their case.
    given = {name.lower() for name in options}
    if sum(name.lower() in given for name in TOPICS) != 1:
        raise ConfigError(
            "no single option says which topics to read", hint=f"give one of {', '.join(TOPICS)}"
        )
