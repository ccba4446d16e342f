"""Checkpoints that releases wrote, as test data: a stream must go on from them.

`python -m tests.spark.stream.stored_checkpoints` writes that of this release, which is done once
for every version of the state.
"""

import shutil
import tempfile
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import cepheid
from tests.spark.session import spark_session
from tests.spark.stream.streams import (
    Row,
    few_partitions,
    read_stream,
    run_to_end,
    united,
    write_files,
)

FOLDER = Path(__file__).parent / "checkpoints"
SCHEMA = pa.schema(
    [("type", pa.string()), ("time", pa.int64()), ("k", pa.int64()), ("x", pa.float64())]
)
QUERIES = {
    "matches": "PATTERN SEQ(A a, B b, C c) WHERE [k] WITHIN 40 RETURN a.time, b.time, c.time",
    "missing": "PATTERN SEQ(A a, NOT B b) WHERE [k] WITHIN 20 RETURN a.time",
    "apart": "PATTERN SEQ(A a, C c) WHERE [k] WITHIN 30 RETURN a.time, c.time "
    "OUTPUT NON OVERLAPPING",
    "counts": "PATTERN SEQ(A a, B+ b) WITHIN 40 SLIDE 10 RETURN COUNT(*) AS n, SUM(b.x) AS total",
    "events": "PATTERN SEQ(A a, C c) WHERE [k] WITHIN 6 EVENTS RETURN a.time, c.time",
}
ROLES = {"time": "time", "type": "type"}
ANYWHERE = "/anywhere"  # stands for the folder of the stream
FILES = 3  # before the stop, and after it


def batches() -> list[list[Row]]:
    """Return the events of all files: a few out of order, the last one far ahead."""
    rows = [
        {
            "type": "ABCD"[at * at % 7 % 4],
            "time": 1000 + at - 3 * (at % 4),
            "k": at % 5,
            "x": at / 4,
        }
        for at in range(240)
    ]
    size = len(rows) // (2 * FILES)
    cut = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
    return [*cut, [{"type": "D", "time": 9000, "k": 0, "x": 0}]]


def results(spark: SparkSession, folder: Path) -> DataFrame:
    """Return the results of all queries, as one stream."""
    stream = read_stream(spark, folder / "events")
    return united(
        {
            name: cepheid.query(text, name=name).run(stream, **ROLES, watermark=12, buckets=2)
            for name, text in QUERIES.items()
        }
    )


def in_batch(name: str) -> list[Row]:
    events = pa.Table.from_pylist([row for rows in batches() for row in rows], SCHEMA)
    found: list[Row] = cepheid.query(QUERIES[name]).run(events, **ROLES).to_pylist()
    return found


def go_on(spark: SparkSession, begun: Path, folder: Path) -> dict[str, list[Row]]:
    """Give all events to a copy of a stored stream, which knows some; return what it wrote."""
    shutil.copytree(begun, folder, dirs_exist_ok=True)
    _replace(folder, ANYWHERE, str(folder))
    write_files(folder / "events", batches(), SCHEMA)
    with few_partitions(spark):
        found = run_to_end(results(spark, folder), folder)
    return {name: found.of(name) for name in QUERIES}


def write(target: Path) -> None:
    """Write the checkpoint after half of the events, and what the stream wrote until then."""
    spark = spark_session()
    with tempfile.TemporaryDirectory() as temporary, few_partitions(spark):
        folder = Path(temporary)
        write_files(folder / "events", batches()[:FILES], SCHEMA)
        run_to_end(results(spark, folder), folder)
        shutil.rmtree(target, ignore_errors=True)
        unneeded = shutil.ignore_patterns("*.crc")
        for part in ("checkpoint", "out"):
            shutil.copytree(folder / part, target / part, ignore=unneeded)
        _replace(target, str(folder), ANYWHERE)


def _replace(stream: Path, one: str, other: str) -> None:
    """Spark notes full paths, also of files of the checkpoint itself."""
    for path in stream.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            if one.encode() in content:
                path.write_bytes(content.replace(one.encode(), other.encode()))


if __name__ == "__main__":
    from cepheid.runtime.spark.stream.bucket_store import VERSION

    write(FOLDER / f"version-{VERSION}")
