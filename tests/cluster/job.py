"""The job that spark-submit runs: a batch, a workload, and a stream with its checkpoint.

A file in the folder `begun` says which part has begun, for whoever kills executors meanwhile.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

import cepheid

ROLES: dict[str, Any] = {"time": "ts", "type": "kind"}
MATCHES = "PATTERN SEQ(A a, B b) WHERE [id] WITHIN 50 RETURN a.id AS id, a.ts AS a, b.ts AS b"
WORKLOAD = {
    "counts": "PATTERN SEQ(A, B+, C) WHERE [id] WITHIN 100 SLIDE 100 "
    "RETURN id, COUNT(*) AS n GROUP BY id",
    "pairs": "PATTERN SEQ(A a, C c) WHERE [id] WITHIN 20 RETURN a.id AS id, a.ts AS a, c.ts AS c",
}
STARTS = 5
SCHEMA = "ts bigint, kind string, id int"
TYPES = pa.schema([("ts", pa.int64()), ("kind", pa.string()), ("id", pa.int32())])


def main(folder: Path) -> None:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("cepheid-cluster").getOrCreate()
    begun, results = folder / "begun", folder / "results"
    events = spark.read.schema(SCHEMA).parquet(str(folder / "events"))
    (begun / "batch").touch()
    cepheid.query(MATCHES).run(events, **ROLES).write.parquet(str(results / "matches"))
    (begun / "workload").touch()
    workload = cepheid.workload(WORKLOAD)
    for name, frame in workload.run(events, **ROLES).items():
        frame.write.parquet(str(results / name))
    (begun / "stream").touch()
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    stream = reader.parquet(str(folder / "events"))
    found = cepheid.query(MATCHES).run(stream, watermark=10, buckets=4, **ROLES)
    writer = found.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
    run_to_end(writer.trigger(availableNow=True), str(results / "stream"))
    (begun / "end").touch()
    spark.stop()


def run_to_end(writer: Any, path: str) -> None:
    """Run a stream; start it again if it fails, as whoever watches it would.

    Spark gives the Python beside the driver ten seconds to start, which a busy machine may exceed.
    """
    for starts_left in range(STARTS, 0, -1):
        try:
            writer.start(path, format="parquet").awaitTermination()
            return
        except Exception as error:
            print(f"the stream failed: {str(error)[:300]}", flush=True)
            if starts_left == 1:
                raise


if __name__ == "__main__":
    main(Path(sys.argv[1]))
