"""A checkpoint with damaged files: what is said, and the way out that the documentation gives."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import cepheid
from tests.spark.stream.streams import (
    Collected,
    as_text,
    few_partitions,
    read_stream,
    run_to_end,
    write_files,
)

pytestmark = pytest.mark.spark
SCHEMA = pa.schema([("type", pa.string()), ("time", pa.int64()), ("k", pa.int64())])
LENGTH, NAMES = 10, ("pairs", "windows")
PAIRS = cepheid.query(
    f"PATTERN SEQ(A a, B b) WHERE [k] WITHIN {LENGTH} RETURN a.time AS first, b.time AS last"
)
WINDOWS = cepheid.query(f"PATTERN SEQ(A a, B b) WITHIN {LENGTH} SLIDE 5 RETURN COUNT(*) AS n")
BEFORE = [[{"type": "AB"[at % 2], "time": at, "k": at % 3} for at in range(start, start + 20)]
          for start in (0, 20, 40)]  # fmt: skip
AFTER = [{"type": "AB"[at % 2], "time": at, "k": at % 3} for at in range(58, 90)]


@pytest.fixture
def spark_of_one_task(spark: SparkSession) -> Iterator[SparkSession]:
    with few_partitions(spark):
        yield spark


def both(events: DataFrame) -> DataFrame:
    """Return matches and windows as one stream, or as one table."""
    options = {"watermark": 3, "buckets": 1} if events.isStreaming else {}
    pairs, windows = (each.run(events, time="time", type="type", **options)
                      for each in (PAIRS, WINDOWS))  # fmt: skip
    return as_text("pairs", pairs).unionAll(as_text("windows", windows))


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def emptied(path: Path) -> None:
    path.write_bytes(b"")
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def last_of(folder: Path) -> Path:
    return folder / str(max(numbers_in(folder)))


def numbers_in(folder: Path) -> list[int]:
    return [int(each.name) for each in folder.iterdir() if each.name.isdigit()]


def delete_state(checkpoint: Path) -> None:
    for each in (checkpoint / "state").rglob("*.zip"):
        each.unlink()


def flip_state(checkpoint: Path) -> None:
    """Change bytes of the tables of the state, as if they had been written so."""
    for each in (checkpoint / "state").rglob("*.sst"):
        data = bytearray(each.read_bytes())
        middle = len(data) // 2
        data[middle - 4 : middle + 4] = bytes(byte ^ 255 for byte in data[middle - 4 : middle + 4])
        each.write_bytes(data)
        each.with_name(f".{each.name}.crc").unlink(missing_ok=True)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "offsets cut off": lambda checkpoint: cut_off(last_of(checkpoint / "offsets")),
    "offsets empty": lambda checkpoint: emptied(last_of(checkpoint / "offsets")),
    "source cut off": lambda checkpoint: cut_off(last_of(checkpoint / "sources/0")),
    "state gone": delete_state,
    "state changed": flip_state,
}


def fails(frame: DataFrame, folder: Path) -> None:
    with pytest.raises(StreamingQueryException) as raised:
        run_to_end(frame, folder)
    error = cepheid.cause_of(raised.value)
    assert isinstance(error, cepheid.StateError)
    assert str(error).startswith("the checkpoint cannot be read: ")
    assert "A damaged checkpoint" in error.hint


def watermark_of(checkpoint: Path) -> int:
    """Return the time that the documentation calls W."""
    for number in sorted(numbers_in(checkpoint / "commits"), reverse=True):
        try:
            _, said, *_ = (checkpoint / f"offsets/{number}").read_text().splitlines()
            return json.loads(said)["batchWatermarkMs"] // 1000
        except ValueError:
            continue
    raise AssertionError("no micro-batch is readable")


def rows_of(found: Collected, name: str) -> list[tuple[int, ...]]:
    return sorted(tuple(row.values()) for row in found.of(name))


def put_together(
    old: Collected, new: Collected, watermark: int
) -> dict[str, list[tuple[int, ...]]]:
    """Keep of the old results those that were final, and of the new ones the others."""
    final = {
        "pairs": lambda row: row["last"] < watermark,
        "windows": lambda row: row["window_end"] <= watermark,
    }
    return {
        name: sorted(
            tuple(row.values())
            for rows, wanted in ((old.of(name), True), (new.of(name), False))
            for row in rows
            if is_final(row) is wanted
        )
        for name, is_final in final.items()
    }


def test_every_damage_is_named_and_mended(spark_of_one_task, tmp_path):
    spark, events, job = spark_of_one_task, tmp_path / "events", tmp_path / "job"
    write_files(events, BEFORE, SCHEMA)
    old = run_to_end(both(read_stream(spark, events)), job)
    write_files(events, [AFTER], SCHEMA)
    undamaged = run_to_end(both(read_stream(spark, events)), tmp_path / "undamaged")
    expected = {name: rows_of(undamaged, name) for name in NAMES}
    assert all(expected.values())
    for name, damage in DAMAGES.items():
        damaged = tmp_path / name
        shutil.copytree(job / "checkpoint", damaged / "checkpoint")
        damage(damaged / "checkpoint")
        fails(both(read_stream(spark, events)), damaged)
        watermark = watermark_of(damaged / "checkpoint")
        from_then_on = read_stream(spark, events).where(f"time >= {watermark - LENGTH}")
        new = run_to_end(both(from_then_on), tmp_path / f"{name} anew")
        assert put_together(old, new, watermark) == expected, name


def test_a_damaged_commit_is_deleted(spark_of_one_task, tmp_path):
    spark, events, job = spark_of_one_task, tmp_path / "events", tmp_path / "job"
    write_files(events, BEFORE, SCHEMA)
    run_to_end(both(read_stream(spark, events)), job)
    write_files(events, [AFTER], SCHEMA)
    frame = both(read_stream(spark, events))
    commit = last_of(job / "checkpoint/commits")
    cut_off(commit)
    fails(frame, job)
    commit.unlink()
    found = run_to_end(frame, job)
    expected = run_to_end(frame, tmp_path / "undamaged")
    for name in NAMES:
        assert rows_of(found, name) == rows_of(expected, name) != []


def test_damaged_metadata_are_named(spark_of_one_task, tmp_path):
    """Spark reads them in `start`, so that no stream fails but the call."""
    write_files(tmp_path / "events", BEFORE, SCHEMA)
    frame = both(read_stream(spark_of_one_task, tmp_path / "events"))
    (tmp_path / "job/checkpoint").mkdir(parents=True)
    for text in ("", '{"id":"fb01'):
        (tmp_path / "job/checkpoint/metadata").write_text(text)
        with pytest.raises(Py4JJavaError) as raised:
            run_to_end(frame, tmp_path / "job")
        error = cepheid.cause_of(raised.value)
        assert isinstance(error, cepheid.StateError), str(raised.value)
        assert str(error).startswith("the checkpoint cannot be read: ")
