"""Checkpoints that releases wrote, as test data: a stream must go on from them.

`python -m tests.spark.stream.stored_checkpoints` writes those of this release that are not there,
which is done once for every version of the state.
"""

import json
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cepheid.spark.stream.bucket_store import VERSION
from cepheid.stream.stream_state import StreamState
from tests.spark.session import spark_session
from tests.spark.stream.stored_streams import STREAMS, StoredStream
from tests.spark.stream.streams import Row

FOLDER = Path(__file__).parent / "checkpoints"
ANYWHERE = "/anywhere"  # stands for the folder of the stream


def go_on(spark: SparkSession, begun: Path, folder: Path) -> dict[str, list[Row]]:
    """Give all events to a copy of a stored stream, which knows some; return what it wrote."""
    copy(begun, folder)
    return stream_of(begun).go_on(spark, folder).rows


def stream_of(begun: Path) -> StoredStream:
    """Return the stream that wrote a stored checkpoint: `version-1-folder` is one of a folder."""
    _, _, rest = begun.name.partition("-")
    return STREAMS[rest.lstrip("0123456789")]


def copy(begun: Path, folder: Path) -> None:
    shutil.copytree(begun, folder, dirs_exist_ok=True)
    _replace(folder, ANYWHERE, str(folder))


def write(stream: StoredStream, target: Path) -> None:
    """Write the checkpoint after some of the events, and what the stream wrote until then."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        stream.begin(spark_session(), folder)
        shutil.rmtree(target, ignore_errors=True)
        unneeded = shutil.ignore_patterns("*.crc")
        for part in ("checkpoint", "out"):
            shutil.copytree(folder / part, target / part, ignore=unneeded)
        for state in (target / "checkpoint" / "state").glob("*/[0-9]*"):
            _keep_latest(state)
        _replace(target, str(folder), ANYWHERE)


def _keep_latest(state: Path) -> None:
    """Remove what only earlier micro-batches need."""
    *earlier, latest = sorted(state.glob("*.zip"), key=lambda path: int(path.stem))
    with zipfile.ZipFile(latest) as archive:
        metadata = archive.read("metadata").decode()
    listed = json.loads(metadata.partition("\n")[2])["sstFiles"]
    needed = {each["dfsSstFileName"] for each in listed}
    files = (state / "SSTs").iterdir()
    for path in [*earlier, *(each for each in files if each.name not in needed)]:
        path.unlink()


def _replace(stream: Path, one: str, other: str) -> None:
    """Spark notes full paths, also of files of the checkpoint itself."""
    for path in stream.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            if one.encode() in content:
                path.write_bytes(content.replace(one.encode(), other.encode()))


@dataclass(frozen=True)
class Kept:
    """What a bucket of an operator keeps, and for whom."""

    query: Mapping[str, str]
    state: StreamState


def kept(spark: SparkSession, folder: Path) -> list[Kept]:
    """Return what all buckets of a copied stream keep."""
    heads = _state(spark, folder, "head", "key", "value.query", "value.header").collect()
    map_entries = ("key", "user_map_key.number", "user_map_value.rows")
    chunks: dict[tuple[int, int], dict[int, bytes]] = {}
    for row in _state(spark, folder, "chunks", *map_entries).collect():
        of_bucket = chunks.setdefault((row["operator"], row["key"][0]), {})
        of_bucket[row["number"]] = bytes(row["rows"])
    return [
        Kept(
            json.loads(row["query"]),
            StreamState.from_parts(
                bytes(row["header"]), chunks.get((row["operator"], row["key"][0]), {})
            ),
        )
        for row in heads
        if row["header"]  # one bucket only says whose checkpoint it is
    ]


def listed_queries(spark: SparkSession, folder: Path) -> Mapping[str, Row]:
    """Return the queries of a folder that a stream knows."""
    (row,) = _state(spark, folder, "queries", "value.listed").collect()
    found: Mapping[str, Row] = json.loads(row["listed"])
    return found


def _state(spark: SparkSession, folder: Path, variable: str, *columns: str) -> DataFrame:
    """Return a variable of the state of all operators."""
    operators = sorted(each.name for each in (folder / "checkpoint" / "state").iterdir())
    reader = spark.read.format("statestore").option("stateVarName", variable)
    frames = [
        reader.option("operatorId", each)
        .load(str(folder / "checkpoint"))
        .select(F.lit(int(each)).alias("operator"), *columns)
        for each in operators
    ]
    return reduce(DataFrame.unionAll, frames)


if __name__ == "__main__":
    for name, stream in STREAMS.items():
        target = FOLDER / f"version-{VERSION}{name}"
        if not target.exists():
            write(stream, target)
