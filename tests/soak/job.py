"""The streaming job of the soak, a process of its own: it is killed and started again.

`python -m tests.soak.job run FOLDER [KAFKA]` goes on until all files are read, `… collect …` writes
what the sinks have to FOLDER/found. KAFKA is where a broker listens.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pyarrow as pa
from pyarrow import feather
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery

import cepheid
from cepheid.connectors.kafka_rows import kafka_rows
from cepheid.metrics.stream_metrics import StreamMetrics
from tests.services.jars import class_path
from tests.soak.events import IN_KAFKA, QUERIES, SCHEMA, WATERMARK

TOPIC = "soak"
READY = "ready"
CACHE, WORK = "cache", "work.jsonl"


def session() -> SparkSession:
    """Return a session in which a task may fail a few times, as on a cluster."""
    os.environ["SPARK_DIST_CLASSPATH"] = class_path("spark")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,4]").appName("cepheid-soak")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
        "spark.log.level": "ERROR",
        "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
        "spark.python.unix.domain.socket.enabled": "true",
        # A life is short: what is compiled at leisure is thrown away with it.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def run(spark: SparkSession, folder: Path, kafka: str | None) -> None:
    """Read all files that there are, one or two a micro-batch, and write results."""
    started = []
    for name, text in QUERIES.items():
        stream = (
            spark.readStream.schema(SCHEMA)
            .option("maxFilesPerTrigger", 1)
            .parquet(str(folder / "events"))
            .withWatermark("ts", WATERMARK)
        )
        results = cepheid.query(text, name=name).run(
            stream, time="ts", type="kind", buckets=2, cache_folder=str(folder / CACHE)
        )
        writer = results.writeStream.format("parquet").option("path", str(folder / "out" / name))
        started.append((writer, name))
        if kafka is not None and name == IN_KAFKA:
            rows = kafka_rows(results, name)
            to_kafka = rows.writeStream.format("kafka").option("topic", TOPIC)
            to_kafka = to_kafka.option("kafka.bootstrap.servers", kafka)
            started.append((to_kafka, f"{name}-kafka"))
    (folder / CACHE).mkdir(exist_ok=True)
    metrics = cepheid.streaming_metrics(spark, each=partial(note, folder / WORK))
    random.shuffle(started)  # in a short life the last ones do little
    queries = []
    for writer, name in started:
        checkpoint = str(folder / "checkpoints" / name)
        named = writer.option("checkpointLocation", checkpoint).queryName(name)
        queries.append(named.trigger(availableNow=True).start())
        _wait_for_progress(queries[-1])
    print(READY, flush=True)
    for query in queries:
        query.awaitTermination()
    metrics.close()


def note(file: Path, metrics: StreamMetrics) -> None:
    """Add a line on what a micro-batch has done, so far as this life knows."""
    line = {"stream": metrics.stream, "batch": metrics.batch, **asdict(metrics.query)}
    with file.open("a") as lines:
        lines.write(json.dumps(line) + "\n")


def _wait_for_progress(query: StreamingQuery) -> None:
    """Do not start all at once: each starts a Python process, which has ten seconds for that."""
    begin = time.monotonic()
    while query.isActive and query.lastProgress is None and time.monotonic() < begin + 8:
        time.sleep(0.1)


def collect(spark: SparkSession, folder: Path, kafka: str | None) -> None:
    """Write the content of every sink as an Arrow file."""
    found = folder / "found"
    found.mkdir(exist_ok=True)
    for name in QUERIES:
        frame = spark.read.parquet(str(folder / "out" / name))
        feather.write_feather(frame.toArrow(), found / f"{name}.arrow")
    if kafka is not None:
        feather.write_feather(_in_kafka(spark, kafka), found / "kafka.arrow")


def _in_kafka(spark: SparkSession, kafka: str) -> pa.Table:
    """Return the values without repeated keys, and how many records there were."""
    records: DataFrame = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", kafka)
        .option("subscribe", TOPIC)
        .option("startingOffsets", "earliest")
        .load()
        .select(F.col("key").cast("string"), F.col("value").cast("string"))
    )
    table = records.toArrow()
    by_key = dict(zip(table["key"].to_pylist(), table["value"].to_pylist(), strict=True))
    rows = [json.loads(each) for each in by_key.values()]
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else {})}
    result = pa.table(columns)
    return result.replace_schema_metadata({"records": str(table.num_rows)})


def main() -> None:
    mode, folder = sys.argv[1], Path(sys.argv[2])
    kafka = sys.argv[3] if len(sys.argv) > 3 else None
    spark = session()
    if mode == "run":
        run(spark, folder, kafka)
    else:
        collect(spark, folder, kafka)
    spark.stop()


if __name__ == "__main__":
    main()
