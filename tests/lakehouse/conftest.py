"""A session with both table formats, whose jars are for one version of Spark."""

import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid

FOLDER = os.environ.get("CEPHEID_LAKEHOUSE_JARS")
JARS = sorted(map(str, Path(FOLDER).glob("*.jar"))) if FOLDER else []
HAS_ICEBERG = any("iceberg" in each for each in JARS)  # not published for every version of Spark
collect_ignore_glob = [] if JARS else ["test_*.py"]  # `make lakehouse` runs them
if not HAS_ICEBERG:
    collect_ignore_glob.append("test_iceberg.py")
ROLES = {"time": "ts", "type": "kind"}
SCHEMA = pa.schema([("ts", pa.timestamp("us", "UTC")), ("kind", pa.string()), ("id", pa.int64())])


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.jars": ",".join(JARS),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.python.authenticate.socketTimeout": "120s",
        "spark.log.level": "ERROR",
    }
    if HAS_ICEBERG:
        settings["spark.sql.extensions"] += (
            ",org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        )
        settings |= {
            "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.ice.type": "hadoop",
            "spark.sql.catalog.ice.warehouse": str(tmp_path_factory.mktemp("iceberg")),
        }
    builder = SparkSession.builder.master("local[2]").appName("cepheid-lakehouse")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def make_events(first_day: int, days: int) -> pa.Table:
    """Return events of several days: every hour A, B, C and D of two ids."""
    start = 1_704_067_200_000_000 + first_day * 86_400_000_000  # the first day: 2024-01-01
    rows = [
        {"ts": start + hour * 3_600_000_000 + place * 1_000_000, "kind": kind, "id": hour % 2}
        for hour in range(24 * days)
        for place, kind in enumerate("ABCD")
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


# What comes to the events of four days: a fifth day, and an event after which the stream knows all.
LATER = (make_events(4, 1), make_events(6, 1).slice(0, 1))


def rows(found: Any) -> list[str]:
    """Return the rows of a table or DataFrame in order."""
    table = found if isinstance(found, pa.Table) else found.toArrow()
    return sorted(map(str, table.to_pylist()))


def in_process(text: str, events: pa.Table) -> list[str]:
    return rows(cepheid.query(text).run(events, **ROLES))
